package magiks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// Names of the metrics of the server-choice game.
const (
	MetricMoves          = "moves"           // to an equilibrium, mean over realisations; unit UnitMoves
	MetricMovesHistogram = "moves_histogram" // realisations that took as many moves as the parameter moves says; unit UnitRealisations
	MetricSlower         = "bim_slower"      // share of the realisations in which BIM took more moves than RIM
	MetricNUSF           = "nusf"            // normalised utilitarian social function Σ x/(m·ψ), mean over realisations
	MetricMaxEnvy        = "max_envy"        // largest envy of two users in all realisations
	MetricMeanEnvy       = "mean_max_envy"   // largest envy of two users, mean over realisations
	MetricViolations     = "violations"      // realisations without a property; with a colon and its name
	UnitMoves            = "moves"
	UnitRealisations     = "realisations"
)

// Names of the metrics of the search for environments without an equilibrium.
const (
	MetricSearched      = "searched"       // environments looked at
	MetricRandom        = "random"         // of them, drawn at random and not made from others
	MetricNoEquilibrium = "no_equilibrium" // of all, without an equilibrium
	MetricCircular      = "circular"       // of the random ones, where improving moves can go round
	MetricRounds        = "rounds"         // plays of MAGIKS-BIM that went round
	MetricPlays         = "plays"          // plays of MAGIKS-BIM; unit UnitPlays
	MetricLeastGain     = "least_gain"     // largest over environments of the smallest over associations of the largest gain of a user; above 1 there is no equilibrium
	UnitEnvironments    = "environments"
	UnitPlays           = "plays"
)

// figureOrder is the order of the rules in the figures.
var figureOrder = []string{"magiks-rim", "magiks-bim", "bks", "bnbs", "beq", "ubound"}

// varied is the parameter that a panel of an item varies; others have the
// paper's default.
type varied struct{ name, label string }

// The default setting of the paper. The parameters of a row that are not on the
// axis of its panel have these values.
var usual = map[string]string{"n": "150", "m": "10", "l": "4", "h": "50000"}

var (
	usersAndServers    = []varied{{"n", "Users n"}, {"m", "Servers m"}}
	resourcesAndLevels = []varied{{"l", "Resources l"}, {"h", "Levels of demand h"}}
)

// axesOf returns the panels of a figure.
func axesOf(item string) ([]varied, error) {
	switch item {
	case "fig2", "fig4", "fig6":
		return usersAndServers, nil
	case "fig3", "fig5", "fig7":
		return resourcesAndLevels, nil
	}
	return nil, fmt.Errorf("the MAGIKS paper has no %s", item)
}

// settingOf returns the parameters of a row and its users.
func settingOf(n int64, parameters string) map[string]string {
	all := map[string]string{"n": strconv.FormatInt(n, 10)}
	for _, pair := range strings.Split(parameters, ",") {
		k, v, _ := strings.Cut(pair, "=")
		all[k] = v
	}
	return all
}

// on reports whether a setting is on the axis, and where: all else is as by
// default.
func (a varied) on(setting map[string]string) (int, bool) {
	for k, v := range setting {
		if want, known := usual[k]; known && k != a.name && v != want {
			return 0, false
		}
	}
	at, err := strconv.Atoi(setting[a.name])
	return at, err == nil
}

// moveBoxes draws figure 2 or 3 of the MAGIKS paper, box plots of the number
// of moves to an equilibrium, from the histograms of item fig2 or fig3; see
// [plots.Box]. It returns an error where a box has no rows, or where there are rows of
// two workloads.
//
// Reference: MAGIKS paper, section VI-A, figures 2 and 3.
// Deviations: a value beyond the whiskers is one cross, however often it was
// found.
func moveBoxes(item string, rows []results.Row, w plots.Width) (plots.Figure, error) {
	axes, err := axesOf(item)
	if err != nil {
		return plots.Figure{}, err
	}
	f := plots.Figure{Name: "magiks-" + item, Width: w}
	for _, a := range axes {
		found := map[boxCell][]plots.Occurrence{}
		for _, r := range rows {
			setting := settingOf(r.N, r.Parameters)
			x, on := a.on(setting)
			if r.Metric != MetricMovesHistogram || !on {
				continue
			}
			moves, err := strconv.Atoi(setting["moves"])
			if err != nil {
				return plots.Figure{}, fmt.Errorf("figure %s: parameters %q say no moves", f.Name, r.Parameters)
			}
			c := boxCell{x, r.Policy}
			found[c] = append(found[c], plots.Occurrence{Value: float64(moves), Count: int(r.Value)})
		}
		p := &plots.Boxes{XLabel: a.label, YLabel: "Moves to an equilibrium"}
		xs, policies := placesOf(found)
		p.Groups = groupNames(xs)
		for _, policy := range policies {
			s := plots.BoxSeries{Policy: policy}
			for _, x := range xs {
				if len(found[boxCell{x, policy}]) == 0 {
					return plots.Figure{}, fmt.Errorf("figure %s: policy %s, %s=%d: no rows", f.Name, policy, a.name, x)
				}
				s.Boxes = append(s.Boxes, plots.NewBox(found[boxCell{x, policy}]))
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	f.Note, err = caption(rows, "Boxes: quartiles and median; marks: means; whiskers: the last value within 1.5 interquartile ranges; crosses: values beyond.")
	return f, err
}

type boxCell struct {
	x      int
	policy string
}

// placesOf lists the places on an axis and the policies, in order.
func placesOf[T any](found map[boxCell]T) (xs []int, policies []string) {
	for c := range found {
		xs, policies = append(xs, c.x), append(policies, c.policy)
	}
	slices.Sort(xs)
	rank := func(p string) int {
		return (slices.Index(figureOrder, p) + len(figureOrder) + 1) % (len(figureOrder) + 1)
	}
	slices.SortFunc(policies, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(xs), slices.Compact(policies)
}

func groupNames(xs []int) []string {
	var names []string
	for _, x := range xs {
		names = append(names, strconv.Itoa(x))
	}
	return names
}

// verticals are the vertical axes of figures 4 to 7.
var verticals = map[string]string{MetricNUSF: "Mean NUSF", MetricMaxEnvy: "Largest envy"}

// meanPoints draws one of figures 4 to 7 of the MAGIKS paper from the rows of
// its item: the mean normalised utilitarian social function (4, 5), or the
// largest envy of two users in all realisations (6, 7). Its errors are those of
// [moveBoxes].
//
// Reference: MAGIKS paper, sections VI-B and VI-C, figures 4 to 7.
func meanPoints(item string, rows []results.Row, w plots.Width) (plots.Figure, error) {
	axes, err := axesOf(item)
	if err != nil {
		return plots.Figure{}, err
	}
	f := plots.Figure{Name: "magiks-" + item, Width: w}
	metric, note := MetricNUSF, "Error bars: 95% intervals over blocks of realisations."
	if item == "fig6" || item == "fig7" {
		metric, note = MetricMaxEnvy, "Largest of all pairs of users in all realisations."
	}
	cells, err := results.Summarize(rows)
	if err != nil {
		return plots.Figure{}, err
	}
	for _, a := range axes {
		found := map[boxCell]results.Summary{}
		for _, c := range cells {
			if x, on := a.on(settingOf(c.Key.N, c.Parameters)); on && c.Metric == metric {
				found[boxCell{x, c.Policy}] = c.Summary
			}
		}
		p := &plots.Points{XLabel: a.label, YLabel: verticals[metric]}
		xs, policies := placesOf(found)
		p.Groups = groupNames(xs)
		for _, policy := range policies {
			s := plots.Series{Policy: policy}
			for _, x := range xs {
				v, ok := found[boxCell{x, policy}]
				if !ok {
					return plots.Figure{}, fmt.Errorf("figure %s: policy %s, %s=%d: no rows", f.Name, policy, a.name, x)
				}
				s.Points = append(s.Points, v)
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	f.Note, err = caption(rows, note)
	return f, err
}

// caption says what the rows have in common.
func caption(rows []results.Row, more string) (string, error) {
	if len(rows) == 0 {
		return "", fmt.Errorf("no rows")
	}
	for _, r := range rows {
		if r.Workload != rows[0].Workload {
			return "", fmt.Errorf("rows of two workloads, %q and %q", rows[0].Workload, r.Workload)
		}
	}
	return fmt.Sprintf("Workload: %s. %s", rows[0].Workload, more), nil
}
