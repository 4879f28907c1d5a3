package magiks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// figureOrder is the order of the rules in the figures.
var figureOrder = plots.ByRank(rim, bim, bks, bnbs, beq, ubound)

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

// drawing is a figure: a panel an axis.
type drawing struct {
	axes  []varied
	panel func(varied, []results.Row) (plots.Panel, error)
	note  string
}

// drawings are the figures by item: box plots of the number of moves to an equilibrium
// (2, 3), the mean normalised utilitarian social function (4, 5) and the largest envy of
// two users in all realisations (6, 7).
//
// Reference: MAGIKS paper, section VI.
// Deviations: in figures 2 and 3 a value beyond the whiskers is one cross, however often
// it was found.
var drawings = map[string]drawing{
	"fig2": {usersAndServers, moveBoxes, plots.BoxNote},
	"fig3": {resourcesAndLevels, moveBoxes, plots.BoxNote},
	"fig4": {usersAndServers, welfarePoints, blockNote},
	"fig5": {resourcesAndLevels, welfarePoints, blockNote},
	"fig6": {usersAndServers, envyPoints, largestNote},
	"fig7": {resourcesAndLevels, envyPoints, largestNote},
}

const (
	blockNote   = "Error bars: 95% intervals over blocks of realisations."
	largestNote = "Largest of all pairs of users in all realisations."
)

// draw makes the figures of an item from its table. It returns an error where a box or
// a point has no rows, or where there are rows of two workloads.
func draw(item string, rows []results.Row) ([]plots.Figure, error) {
	d, ok := drawings[item]
	if !ok {
		return nil, nil
	}
	f := plots.Figure{Name: "magiks-" + item}
	if err := plots.Same(rows, "workload"); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	for _, a := range d.axes {
		panel, err := d.panel(a, rows)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.Name, err)
		}
		f.Panels = append(f.Panels, panel)
	}
	f.Note = "Workload: " + rows[0].Workload + ". " + d.note
	return []plots.Figure{f}, nil
}

// on reports whether a point is on the axis, and where: all else is as by default.
func (a varied) on(p results.Point) (int, bool) {
	for k, want := range usual {
		if v := p.At(k); k != a.name && !v.IsNull() && v.String() != want {
			return 0, false
		}
	}
	return int(p.Number(a.name)), !p.At(a.name).IsNull()
}

// place is where a box or a point stands.
type place struct {
	policy string
	x      int
}

// inOrder returns the places of a map in the order in which they are drawn.
func inOrder[T any](of map[place]T) []place {
	return slices.SortedFunc(maps.Keys(of), func(a, b place) int {
		return cmp.Or(figureOrder(a.policy, b.policy), cmp.Compare(a.x, b.x))
	})
}

// moveBoxes draws the histograms of the number of moves.
func moveBoxes(a varied, rows []results.Row) (plots.Panel, error) {
	moves := map[place][]float64{}
	for _, r := range rows {
		x, on := a.on(r.Point)
		if r.Metric != MetricMovesHistogram || !on {
			continue
		}
		n, ok := r.Point.At("moves").Number()
		if !ok {
			return nil, fmt.Errorf("%s says no moves", r.Point)
		}
		at := place{r.Policy, x}
		moves[at] = append(moves[at], slices.Repeat([]float64{n}, int(r.Value))...)
	}
	p := &plots.Boxes{Points: plots.Points{XLabel: a.label, YLabel: "Moves to an equilibrium"}}
	for _, at := range inOrder(moves) {
		if err := p.AddValues(at.policy, strconv.Itoa(at.x), moves[at]); err != nil {
			return nil, err
		}
	}
	return p, p.Full()
}

func welfarePoints(a varied, rows []results.Row) (plots.Panel, error) {
	return meanPoints(a, rows, MetricNUSF, "Mean NUSF")
}

func envyPoints(a varied, rows []results.Row) (plots.Panel, error) {
	return meanPoints(a, rows, MetricMaxEnvy, "Largest envy")
}

// meanPoints draws the means of a metric.
func meanPoints(a varied, rows []results.Row, metric, label string) (plots.Panel, error) {
	cells, err := results.Summarize(rows)
	if err != nil {
		return nil, err
	}
	means := map[place]results.Summary{}
	for _, c := range cells {
		if x, on := a.on(c.Point); on && c.Metric == metric {
			means[place{c.Policy, x}] = c.Summary
		}
	}
	p := &plots.Points{XLabel: a.label, YLabel: label}
	for _, at := range inOrder(means) {
		if err := p.Add(at.policy, strconv.Itoa(at.x), means[at]); err != nil {
			return nil, err
		}
	}
	return p, p.Full()
}
