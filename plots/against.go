package plots

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// View says what a figure of a result table shows.
type View struct {
	Name   string
	Metric string // "": the only one
	// X is the horizontal axis: a name of [results.Axes] or in the column parameters,
	// "time_s" for a time series, "cdf" for the distribution of the values.
	// "": the only axis but policy that differs.
	X     string
	Width Width
}

// The horizontal axes that are no column of [results.Axes].
const (
	OverTime = "time_s"
	CDF      = "cdf"
)

// Against draws a metric of a result table against one of its axes: means with
// their intervals, a point a policy; a time series; or, as a distribution, the
// share of values not above x. Rows may differ in policy and in the horizontal
// axis (and, in a distribution, in user and instance); anything else that tells
// them apart is an error that names it, to be settled by [results.Select].
func Against(rows []results.Row, view View) (Figure, error) {
	rows, metric, err := ofMetric(rows, view.Metric)
	if err != nil {
		return Figure{}, err
	}
	x, err := horizontal(rows, view.X)
	if err != nil {
		return Figure{}, err
	}
	f := Figure{Name: view.Name, Width: view.Width, Note: "Workload: " + rows[0].Workload + "."}
	label := metric
	if unit := rows[0].Unit; unit != results.UnitRatio && unit != "" {
		label += " (" + unit + ")"
	}
	label = strings.ReplaceAll(label, "_", " ")
	switch x {
	case OverTime:
		f.Panels = []Panel{timePanel(rows, label)}
	case CDF:
		f.Panels = []Panel{cdfPanel(rows, label)}
	default:
		p, n, err := pointPanel(rows, x, label)
		if err != nil {
			return Figure{}, err
		}
		f.Panels = []Panel{p}
		if n > 1 {
			f.Note += fmt.Sprintf(" Error bars: 95%% intervals over %d instances.", n)
		}
	}
	return f, nil
}

// ofMetric returns the rows of a metric.
func ofMetric(rows []results.Row, metric string) ([]results.Row, string, error) {
	var names []string
	for i := range rows {
		if !slices.Contains(names, rows[i].Metric) {
			names = append(names, rows[i].Metric)
		}
	}
	switch {
	case len(rows) == 0:
		return nil, "", fmt.Errorf("the table has no rows")
	case metric == "" && len(names) > 1:
		return nil, "", fmt.Errorf("which metric? (there are %s)", strings.Join(names, ", "))
	case metric == "":
		metric = names[0]
	case !slices.Contains(names, metric):
		return nil, "", spelling.Check("metric", metric, names)
	}
	rows, err := results.Select(rows, map[string]string{"metric": metric})
	return rows, metric, err
}

// horizontal chooses the horizontal axis and checks that nothing else but the
// policy tells rows apart.
func horizontal(rows []results.Row, x string) (string, error) {
	axes, values := results.Varying(rows)
	free := slices.DeleteFunc(slices.Clone(axes), func(a string) bool { return a == "policy" })
	if x == "" {
		switch timed := slices.ContainsFunc(rows, func(r results.Row) bool { return r.TimeS != 0 }); {
		case timed:
			x = OverTime
		case len(free) == 1:
			x = free[0]
		case len(free) == 0:
			x = "policy"
		default:
			return "", fmt.Errorf("which horizontal axis? (the rows differ in %s)", strings.Join(free, ", "))
		}
	}
	for _, a := range free {
		if a == x || x == CDF && a == "user" {
			continue
		}
		shown := values[a]
		if len(shown) > 8 {
			shown = append(slices.Clone(shown[:8]), "…")
		}
		return "", fmt.Errorf("the rows differ in %s as well (%s): choose one", a, strings.Join(shown, ", "))
	}
	if x != OverTime && x != CDF && x != "policy" && !slices.Contains(axes, x) {
		return "", fmt.Errorf("all rows have the same %s", x)
	}
	return x, nil
}

// timePanel draws a curve a policy, in the unit of time that fits.
func timePanel(rows []results.Row, label string) *Lines {
	last := 0.0
	for i := range rows {
		last = max(last, rows[i].TimeS)
	}
	unit, name := 1.0, "s"
	for _, u := range []struct {
		s    float64
		name string
	}{{86400, "days"}, {3600, "h"}, {60, "min"}} {
		if last >= 3*u.s {
			unit, name = u.s, u.name
			break
		}
	}
	p := &Lines{XLabel: "Time (" + name + ")", YLabel: label}
	for _, policy := range results.PoliciesOf(rows) {
		c := Curve{Policy: policy}
		for i := range rows {
			if rows[i].Policy == policy {
				c.X, c.Y = append(c.X, rows[i].TimeS/unit), append(c.Y, rows[i].Value)
			}
		}
		p.Curves = append(p.Curves, c)
	}
	return p
}

// mostSteps is the number of points that a distribution is drawn with.
const mostSteps = 2000

// cdfPanel draws the share of values not above x, a curve a policy; of more
// than 2,000 values the quantiles at 2,000 levels.
func cdfPanel(rows []results.Row, label string) *Lines {
	p := &Lines{XLabel: label, YLabel: "Share of values"}
	for _, policy := range results.PoliciesOf(rows) {
		var values []float64
		for i := range rows {
			if rows[i].Policy == policy {
				values = append(values, rows[i].Value)
			}
		}
		slices.Sort(values)
		p.Curves = append(p.Curves, steps(policy, values))
	}
	return p
}

// steps is the distribution function of sorted values.
func steps(policy string, values []float64) Curve {
	c, n := Curve{Policy: policy}, min(len(values), mostSteps)
	share := 0.0
	for k := 1; k <= n; k++ {
		v := values[int(math.Ceil(float64(k)*float64(len(values))/float64(n)))-1]
		next := float64(k) / float64(n)
		c.X, c.Y = append(c.X, v, v), append(c.Y, share, next)
		share = next
	}
	return c
}

// pointPanel draws the means at each value of an axis. It also returns the
// number of instances.
func pointPanel(rows []results.Row, x, label string) (*Points, int, error) {
	type place struct{ policy, at string }
	by := map[place][]results.Row{}
	for _, r := range rows {
		k := place{r.Policy, r.Is(x)}
		by[k] = append(by[k], r)
	}
	_, values := results.Varying(rows)
	groups := sortedValues(values[x])
	if x == "policy" {
		groups = []string{""}
	}
	p := &Points{XLabel: strings.ReplaceAll(x, "_", " "), YLabel: label, Groups: groups}
	if x == "policy" {
		p.XLabel = ""
	}
	most := 0
	for _, policy := range results.PoliciesOf(rows) {
		s := Series{Policy: policy}
		for _, g := range groups {
			at := g
			if x == "policy" {
				at = policy
			}
			cells, err := results.Summarize(by[place{policy, at}])
			if err != nil {
				return nil, 0, err
			}
			if len(cells) == 0 {
				s.Points = append(s.Points, results.Summary{})
				continue
			}
			if len(cells) > 1 {
				return nil, 0, fmt.Errorf("policy %s, %s=%s: %d cells instead of one", policy, x, g, len(cells))
			}
			s.Points = append(s.Points, cells[0].Summary)
			most = max(most, cells[0].Summary.N)
		}
		p.Series = append(p.Series, s)
	}
	return p, most, nil
}

// sortedValues sorts numbers by value, and other texts as they are.
func sortedValues(values []string) []string {
	numbers := map[string]float64{}
	for _, v := range values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return values
		}
		numbers[v] = n
	}
	return slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		switch {
		case numbers[a] < numbers[b]:
			return -1
		case numbers[a] > numbers[b]:
			return 1
		}
		return 0
	})
}
