package plots

import (
	"fmt"
	"maps"
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
	// X is the horizontal axis: a name of [results.Axes], a parameter or "time_s".
	// "": the only one but policy that differs. The name of a form that takes no
	// column stands for that form.
	X     string
	Form  string // "": the usual one of the axis
	Width Width
}

// OverTime is the column of times.
const OverTime = "time_s"

// Against draws a metric of a result table against one of its columns, in a form that
// follows from what the column holds or is asked for. Rows may differ in policy,
// instance, the horizontal axis and what the form pools; anything else that tells
// them apart is an error that names it, to be settled by [results.Select].
func Against(rows []results.Row, view View) (Figure, error) {
	rows, metric, err := ofMetric(rows, view.Metric)
	if err != nil {
		return Figure{}, err
	}
	form, x, err := formOf(rows, view)
	if err != nil {
		return Figure{}, err
	}
	label := metric
	if unit := rows[0].Unit; unit != results.UnitRatio && unit != "" {
		label += " (" + unit + ")"
	}
	panel, note, err := form.Draw(Data{rows, x, strings.ReplaceAll(label, "_", " ")})
	if err != nil {
		return Figure{}, err
	}
	note = strings.TrimSpace("Workload: " + rows[0].Workload + ". " + note)
	return Figure{Name: view.Name, Width: view.Width, Note: note, Panels: []Panel{panel}}, nil
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

// formOf chooses the form and its horizontal axis, "" if it takes none: the form that is
// asked for or else, once the axis is known, the usual one of what that holds.
func formOf(rows []results.Row, view View) (*Form, string, error) {
	form, x, err := named(view)
	if err != nil {
		return nil, "", err
	}
	axes, values := results.Varying(rows)
	free := slices.DeleteFunc(slices.Clone(axes), func(a string) bool {
		return a == "policy" || form != nil && slices.Contains(form.Pooled, a)
	})
	if takesNone := form != nil && len(form.Axis) == 0; takesNone {
		return form, "", nothingBut("", free, values)
	}
	if x == "" {
		if x, err = onlyAxis(rows, free); err != nil {
			return nil, "", err
		}
	}
	if err := nothingBut(x, free, values); err != nil {
		return nil, "", err
	}
	if x != OverTime && x != "policy" && !slices.Contains(axes, x) {
		return nil, "", fmt.Errorf("all rows have the same %s", x)
	}
	kind := kindOf(x, values[x])
	if form == nil {
		form = usual(kind)
	}
	if !slices.Contains(form.Axis, kind) {
		return nil, "", fmt.Errorf("the form %s does not take %s, which holds %s", form.Name, x, kind)
	}
	return form, x, nil
}

// named returns the form that is asked for, nil for none, and the column.
func named(view View) (*Form, string, error) {
	x, name := view.X, view.Form
	if f := forms[x]; f != nil && len(f.Axis) == 0 && (name == "" || name == x) {
		return f, "", nil
	}
	if name == "" {
		return nil, x, nil
	}
	if err := spelling.Check("form", name, slices.Sorted(maps.Keys(forms))); err != nil {
		return nil, "", err
	}
	f := forms[name]
	if len(f.Axis) == 0 && x != "" {
		return nil, "", fmt.Errorf("the form %s has an axis of its own, not %s", name, x)
	}
	return f, x, nil
}

// onlyAxis returns what rows differ in but policy.
func onlyAxis(rows []results.Row, free []string) (string, error) {
	timed := slices.ContainsFunc(rows, func(r results.Row) bool { return r.Timed })
	switch {
	case timed:
		return OverTime, nil
	case len(free) == 1:
		return free[0], nil
	case len(free) == 0:
		return "policy", nil
	}
	return "", fmt.Errorf("which horizontal axis? (the rows differ in %s)", strings.Join(free, ", "))
}

// nothingBut returns an error that names a free axis other than x.
func nothingBut(x string, free []string, values map[string][]string) error {
	for _, a := range free {
		if a == x {
			continue
		}
		shown := values[a]
		if len(shown) > 8 {
			shown = append(slices.Clone(shown[:8]), "…")
		}
		return fmt.Errorf("the rows differ in %s as well (%s): choose one", a, strings.Join(shown, ", "))
	}
	return nil
}

// kindOf returns what a column with these values holds.
func kindOf(column string, values []string) Kind {
	if column == OverTime {
		return Times
	}
	for _, v := range values {
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return Texts
		}
	}
	if len(values) == 0 {
		return Texts
	}
	return Numbers
}

// Same returns an error unless all rows, of which there must be some, say the same of
// each axis: what a figure's note says of its rows must be true of all.
func Same(rows []results.Row, axes ...string) error {
	if len(rows) == 0 {
		return fmt.Errorf("no rows")
	}
	for _, a := range axes {
		first := rows[0].Is(a)
		for i := range rows {
			if v := rows[i].Is(a); v != first {
				return fmt.Errorf("rows of two runs: %s is %q and %q", a, first, v)
			}
		}
	}
	return nil
}
