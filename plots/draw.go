package plots

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// OverTime is the column of times, and Policy that of the rules.
const (
	OverTime = "time_s"
	Policy   = "policy"
	Metric   = "metric"
)

// Draw draws a view of a result table. Rows may differ in the column of colours,
// instance, the horizontal axis, the column of panels and what the form pools. Where one
// column more differs and none of them was chosen, it takes the panels or, of too many
// values, makes a heat map; anything else that tells rows apart is an error that names
// it. Means and intervals are those of [results.Summarize] and [results.Versus].
func Draw(rows []results.Row, view View, styles Styles) (Figure, error) {
	if err := view.check(); err != nil {
		return Figure{}, err
	}
	f := Figure{Name: view.Name, Title: view.Title, Caption: view.Caption, Width: view.Width, Height: view.Height, Legend: view.Legend, Styles: styles}
	view.styles = styles
	parts := []View{view}
	if view.Parts != nil {
		parts = nil
		for _, p := range view.Parts {
			parts = append(parts, p.Over(view))
		}
	}
	d := drawing{figure: &f, facts: newFacts()}
	for k, part := range parts {
		if err := d.part(rows, part); err != nil {
			if view.Parts != nil {
				err = fmt.Errorf("parts[%d]: %w", k, err)
			}
			return Figure{}, err
		}
	}
	f.share()
	var err error
	f.Note, err = d.facts.note(view.Note)
	return f, err
}

// drawing is a figure in the making.
type drawing struct {
	figure *Figure
	facts  *facts
}

// part adds the panels of a view: a row of panels a metric, or all in one row.
func (d *drawing) part(rows []results.Row, v View) error {
	rows, err := v.rows(rows)
	if err != nil {
		return err
	}
	rows = withoutInstance(rows)
	metrics, err := v.metrics(rows)
	if err != nil {
		return err
	}
	groups, err := d.together(&v, metrics, rows)
	if err != nil {
		return err
	}
	for _, group := range groups {
		m := group[0]
		of := results.Which(rows, func(r *results.Row) bool { return slices.Contains(group, r.Metric) })
		chosen, err := v.choose(of)
		if err != nil {
			return err
		}
		d.facts.add(of)
		for _, column := range []string{v.Color, v.X, v.Panels, v.Down, Policy} {
			d.facts.shown[column] = true
		}
		if v.Note == "" {
			d.facts.shown[chosen.view.Panels], d.facts.shown["workload"] = true, true
		}
		facets, err := chosen.facets(of)
		if err != nil {
			return err
		}
		if len(groups) > 1 && len(facets) > 1 {
			d.figure.columns = len(facets)
		}
		for _, facet := range facets {
			p, note, err := chosen.panel(facet.rows, m)
			if err != nil {
				return err
			}
			p.Title = facet.title
			if p.Title == "" && v.Title != d.figure.Title {
				p.Title = v.Title
			}
			if p.Title == "" && v.YLabel != "" && len(groups) > 1 { // all axes say the same
				p.Title = cmp.Or(v.Labels[m], results.LabelOf(m))
			}
			d.facts.say(note)
			d.facts.say(p.gaps())
			d.figure.Panels = append(d.figure.Panels, p)
		}
	}
	return nil
}

// together returns which metrics share their panels: each has its own, and all are in one
// where colours tell them apart. Those of one panel need one unit; without a label the
// axis names all of them.
func (d *drawing) together(v *View, metrics []string, rows []results.Row) (groups [][]string, err error) {
	if v.Color != Metric || len(metrics) == 1 {
		for _, m := range metrics {
			groups = append(groups, []string{m})
		}
		return groups, nil
	}
	units, labels, styles := map[string]string{}, []string{}, maps.Clone(d.figure.Styles)
	if styles == nil {
		styles = Styles{}
	}
	for i := range rows {
		units[rows[i].Metric] = rows[i].Unit
	}
	for _, m := range metrics {
		if units[m] != units[metrics[0]] {
			return nil, fmt.Errorf("%s and %s have different units: in one panel metrics need the same", metrics[0], m)
		}
		style := styles[m]
		style.Label = cmp.Or(style.Label, v.label(Metric, m))
		styles[m], labels = style, append(labels, v.label(Metric, m))
	}
	d.figure.Styles = styles
	v.YLabel = cmp.Or(v.YLabel, strings.Join(labels, ", "))
	return [][]string{metrics}, nil
}

// rows returns those that the view is of.
func (v *View) rows(rows []results.Row) ([]results.Row, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("the table has no rows")
	}
	if len(v.Policies) > 0 {
		for _, p := range v.Policies {
			if slices.ContainsFunc(rows, func(r results.Row) bool { return r.Policy == p }) {
				continue
			}
			if _, err := results.Select(rows, map[string]string{Policy: p}); err != nil {
				return nil, err
			}
		}
		rows = results.Which(rows, func(r *results.Row) bool { return slices.Contains(v.Policies, r.Policy) || r.Policy == v.Baseline })
	}
	rows, err := results.Select(rows, v.Where)
	if err != nil {
		return nil, fmt.Errorf("where %w", err)
	}
	return rows, nil
}

// withoutInstance returns rows without the parameters that are drawn with the instance,
// as a number of jobs: those that have several values, one for each instance.
func withoutInstance(rows []results.Row) []results.Row {
	_, values := results.Varying(rows)
	var drawn []string
	for column := range values {
		if results.Reserved(column) {
			continue
		}
		of, same := map[int64]string{}, true
		for i := range rows {
			v := rows[i].Is(column)
			first, there := of[rows[i].Instance]
			same = same && (!there || first == v)
			of[rows[i].Instance] = v
		}
		if same && len(of) > 1 {
			drawn = append(drawn, column)
		}
	}
	if drawn == nil {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		for _, column := range drawn {
			rows[i].Point = rows[i].Point.With(column, results.Value{})
		}
	}
	return rows
}

// metrics returns those of the view, all of which must be there.
func (v *View) metrics(rows []results.Row) ([]string, error) {
	there := results.MetricsOf(rows)
	for _, m := range v.Y {
		if err := spelling.Check("metric", m, there); err != nil {
			return nil, err
		}
	}
	switch {
	case len(v.Y) > 0:
		return v.Y, nil
	case len(there) > 1:
		return nil, fmt.Errorf("which metric? (there are %s)", strings.Join(there, ", "))
	}
	return there, nil
}

// facet is the rows of one panel.
type facet struct {
	title string
	rows  []results.Row
}

// facets splits rows into panels.
func (c *choice) facets(rows []results.Row) ([]facet, error) {
	column := c.view.Panels
	if column == "" {
		return []facet{{rows: rows}}, nil
	}
	var all []facet
	for _, value := range c.order(column) {
		of := results.Which(rows, func(r *results.Row) bool {
			return r.Is(column) == value || column == Policy && value != c.view.Baseline && r.Policy == c.view.Baseline
		})
		if column == Policy && value == c.view.Baseline {
			continue
		}
		title := c.view.label(column, value)
		switch numbers := kindOf(column, c.values[column]) == Numbers; {
		case numbers:
			title = c.view.equation(column, title)
		case title == value && !results.Reserved(column):
			title = columnLabel(column, c.view.Labels, false) + ": " + title
		}
		all = append(all, facet{title, of})
	}
	return all, nil
}

// panel draws the rows of one panel.
func (c *choice) panel(rows []results.Row, metric string) (*Panel, string, error) {
	v := &c.view
	scale := c.unitOf(rows)
	d := Data{Rows: rows, X: v.X, Down: v.Down, Color: v.Color, Names: c.order(v.Color), Label: v.metricLabel(metric, scale.name), Value: v.value(scale)}
	var err error
	if !c.form.Raw {
		if d.Cells, err = c.cells(rows, scale); err != nil {
			return nil, "", err
		}
	}
	p := &Panel{alone: v.X == v.Color, named: v.X == v.Color || v.Panels == v.Color, X: c.xAxis(rows), Y: Axis{Label: d.Label, From: math.NaN(), To: math.NaN(), Marked: []float64{0}}}
	if c.form.Grid {
		p.Y = c.axisOf(v.Down)
		p.Y.categorize()
	}
	c.logarithmic(p, &d)
	if m, err := results.MetricNamed(metric); err == nil && (m.High == 1 || m.Low == 1 || v.Ratio) {
		p.Y.Marked = append(p.Y.Marked, 1)
	}
	note, err := c.form.Draw(d, p)
	if err == nil && v.Baseline != "" && p.Ramp != nil {
		p.Ramp.Middle = 0
		if v.Ratio {
			p.Ramp.Middle = 1
		}
	}
	if p.Y.Scale == Log && v.From == 0 {
		p.Y.lower(p)
	}
	p.fit()
	return p, note, err
}

// cells returns the means of rows, or their comparisons with the baseline, in the order
// of the series and of the axis.
func (c *choice) cells(rows []results.Row, scale unit) (cells []results.Cell, err error) {
	v := &c.view
	if v.Baseline == "" {
		cells, err = results.Summarize(rows)
	} else {
		cells, err = results.Versus(rows, v.Baseline, v.Ratio)
	}
	if err != nil {
		return nil, err
	}
	names, places := c.order(v.Color), c.order(v.X)
	index := func(list []string, s string) int { return slices.Index(list, s) }
	slices.SortStableFunc(cells, func(a, b results.Cell) int {
		ra, rb := a.Row(), b.Row()
		if d := index(names, ra.Is(v.Color)) - index(names, rb.Is(v.Color)); d != 0 {
			return d
		}
		if v.X == OverTime {
			return int(math.Copysign(1, ra.TimeS-rb.TimeS))
		}
		return index(places, ra.Is(v.X)) - index(places, rb.Is(v.X))
	})
	if !v.Ratio {
		for i := range cells {
			s := &cells[i].Summary
			s.Mean, s.Low, s.High = s.Mean/scale.size, s.Low/scale.size, s.High/scale.size
		}
	}
	return cells, nil
}

// value returns what a row counts.
func (v *View) value(scale unit) func(*results.Row) (float64, int) {
	if v.Values == "" {
		return func(r *results.Row) (float64, int) { return r.Value / scale.size, 1 }
	}
	return func(r *results.Row) (float64, int) { return r.Point.Number(v.Values) / scale.size, int(r.Value) }
}
