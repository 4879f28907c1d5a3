package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
)

// unit is a unit that a figure shows values in.
type unit struct {
	name string
	size float64
}

// times are the units of times.
var times = []unit{{"s", 1}, {"min", 60}, {"h", 3600}, {"days", 86400}}

// timeUnit returns the unit in which a time has three or more.
func timeUnit(longest float64) unit {
	chosen := times[0]
	for _, u := range times[1:] {
		if longest >= 3*u.size {
			chosen = u
		}
	}
	return chosen
}

// unitOf returns the unit in which the values of rows are shown: of times that which
// suits the longest or, on a logarithmic axis, their median.
func (c *choice) unitOf(rows []results.Row) unit {
	if rows[0].Unit != results.UnitSeconds || c.view.Ratio {
		return unit{rows[0].Unit, 1}
	}
	var values []float64
	for i := range rows {
		values = append(values, math.Abs(rows[i].Value))
	}
	slices.Sort(values)
	if strings.ContainsAny(c.view.Log, "xy") {
		return timeUnit(values[len(values)/2])
	}
	return timeUnit(values[len(values)-1])
}

// metricLabel is the label of the axis of a metric.
func (v *View) metricLabel(metric, unit string) string {
	if v.YLabel != "" {
		return v.YLabel
	}
	label := cmp.Or(v.Labels[metric], results.LabelOf(metric))
	if v.Values != "" {
		label, unit = columnLabel(v.Values, v.Labels, false), ""
	}
	switch {
	case v.Ratio:
		return label + ",\nratio to " + v.label(v.Color, v.Baseline)
	case v.Baseline != "":
		label += ",\nless that of " + v.label(v.Color, v.Baseline)
	}
	if unit != results.UnitRatio && unit != "" && !strings.Contains(strings.ToLower(label), unit) {
		label += " (" + unit + ")"
	}
	return label
}

// label is what a value of a column is called.
func (v *View) label(column, value string) string {
	if l := v.Labels[value]; l != "" {
		return l
	}
	if column == Metric {
		return results.LabelOf(value)
	}
	if column == Policy && v.styles != nil {
		return v.styles.Label(value)
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		if strings.HasSuffix(column, "_s") {
			return span(n)
		}
		return number(n)
	}
	return value
}

// equation says which value of a column of numbers a panel is of, in short.
func (v *View) equation(column, value string) string {
	c := results.ColumnNamed(column)
	name := cmp.Or(v.Labels[column], c.Symbol, c.Label)
	if c.Unit != "" && !strings.HasSuffix(column, "_s") {
		value += " " + c.Unit
	}
	return name + " = " + value
}

// columnLabel is what a column is called, with its unit if that is asked for.
func columnLabel(column string, labels map[string]string, withUnit bool) string {
	c := results.ColumnNamed(column)
	if withUnit && c.Unit != "" {
		c.Label += " (" + c.Unit + ")"
	}
	return cmp.Or(labels[column], c.Label)
}

// xAxis returns the horizontal axis.
func (c *choice) xAxis(rows []results.Row) Axis {
	v := &c.view
	if v.X == "" {
		return Axis{Label: v.XLabel, From: math.NaN(), To: math.NaN()}
	}
	a := c.axisOf(v.X)
	if v.X == OverTime {
		last := 0.0
		for i := range rows {
			until, _ := rows[i].Point.At("until_s").Number() // of placements
			last = max(last, rows[i].TimeS, until)
		}
		u := timeUnit(last)
		a = Axis{Label: "Time (" + u.name + ")", From: math.NaN(), To: math.NaN(), per: u.size}
	}
	a.Label = cmp.Or(v.XLabel, a.Label)
	return a
}

// axisOf returns the axis of a column: of numbers if it holds any, with a tick at each
// if they are few, or else of categories.
func (c *choice) axisOf(column string) Axis {
	v := &c.view
	a := Axis{Label: columnLabel(column, v.Labels, true), From: math.NaN(), To: math.NaN()}
	values := c.order(column)
	if column == v.Color && column == v.X && column == Policy {
		a.Label = ""
	}
	a.Text = func(n float64) string { return v.label(column, strconv.FormatFloat(n, 'g', -1, 64)) }
	if kindOf(column, values) == Numbers {
		for _, s := range values {
			n, _ := strconv.ParseFloat(s, 64)
			a.Ticks = append(a.Ticks, n)
		}
		if a.round = !strings.HasSuffix(column, "_s"); !a.round {
			a.Label = columnLabel(column, v.Labels, false)
		}
		return a
	}
	a.Scale = Categories
	for _, s := range values {
		a.values = append(a.values, s)
		a.Names = append(a.Names, v.label(column, s))
	}
	return a
}

// categorize makes an axis of numbers one of categories.
func (a *Axis) categorize() {
	if a.Scale == Categories {
		return
	}
	for _, v := range a.Ticks {
		a.values = append(a.values, strconv.FormatFloat(v, 'g', -1, 64))
		a.Names = append(a.Names, a.text(v))
	}
	a.Scale, a.Ticks, a.Text = Categories, nil, nil
}

// place returns where on an axis a value of its column lies.
func (a *Axis) place(value string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if a.Scale == Categories {
		k := slices.IndexFunc(a.values, func(s string) bool {
			n, notANumber := strconv.ParseFloat(s, 64)
			return s == value || err == nil && notANumber == nil && n == v
		})
		if k < 0 {
			return 0, fmt.Errorf("%s: %q has no place", a.Label, value)
		}
		return float64(k), nil
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %q is no number", a.Label, value)
	}
	if a.per != 0 {
		v /= a.per
	}
	return v, nil
}

// muchLarger is the ratio of the largest to the least value from which an axis of
// numbers is logarithmic, unless they are equally far apart.
const muchLarger = 100

// logarithmic makes axes logarithmic: those that the view names or, where it names
// none, a horizontal axis of positive numbers over several decades.
func (c *choice) logarithmic(p *Panel, d *Data) {
	v := &c.view
	x, y := strings.Contains(v.Log, "x"), strings.Contains(v.Log, "y")
	if v.Log == "" && p.X.Scale == Linear && len(p.X.Ticks) > 1 {
		least, most := slices.Min(p.X.Ticks), slices.Max(p.X.Ticks)
		if least == 0 {
			least = slices.Min(slices.DeleteFunc(slices.Clone(p.X.Ticks), func(v float64) bool { return v == 0 }))
		}
		x = least > 0 && most >= muchLarger*least && !(len(p.X.Ticks) > 2 && even(p.X.ticksAt(p.X.Ticks)))
	}
	values := func() (all []float64) {
		for i := range d.Rows {
			value, _ := d.Value(&d.Rows[i])
			all = append(all, value)
		}
		return all
	}
	switch {
	case x && p.X.Scale != Categories && d.X == "":
		p.X.scaled(values(), v.From)
	case x && p.X.Scale != Categories:
		p.X.scaled(p.X.Ticks, v.From)
	}
	if y {
		p.Y.scaled(values(), v.From)
	}
}

// scaled makes an axis of values logarithmic, to both sides of 0 if some are below it;
// values that are 0 have a place of their own before the least of the others.
func (a *Axis) scaled(values []float64, least float64) {
	a.Scale, a.Least = Log, math.Inf(1)
	most, zero := 0.0, false
	for _, v := range values {
		if v < 0 {
			a.Scale = SymLog
		}
		if zero = zero || v == 0; v != 0 {
			a.Least, most = min(a.Least, math.Abs(v)), max(most, math.Abs(v))
		}
	}
	if least > 0 {
		a.Least = least
	}
	if math.IsInf(a.Least, 1) {
		a.Least = 1
	}
	if a.Scale == SymLog {
		a.Least = math.Pow10(int(math.Floor(math.Log10(a.Least))))
	} else if zero {
		a.zero = math.Log10(a.Least) - max(zeroGap, math.Log10(most/a.Least)/8)
	}
}

// zeroGap is the least distance of 0 from the least of the other values of a logarithmic
// axis, in decades.
const zeroGap = 0.3

// lower makes a logarithmic axis tell the lower ends of all intervals above 0 from it.
func (a *Axis) lower(p *Panel) {
	a.Marked = slices.DeleteFunc(a.Marked, func(v float64) bool { return v == 0 && a.zero == 0 })
	for pt := range p.points() {
		if pt.Low > 0 {
			a.Least = min(a.Least, pt.Low)
		}
	}
}

// span writes a length of time in the largest unit that divides it: s, min, h, d or
// weeks.
func span(s float64) string {
	for _, u := range []unit{{"wk", 604800}, {"d", 86400}, {"h", 3600}, {"min", 60}} {
		if k := s / u.size; k >= 1 && k == math.Trunc(k) {
			return number(k) + " " + u.name
		}
	}
	return number(s) + " s"
}
