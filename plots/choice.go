package plots

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// mostPanels is the number of values up to which a column that nothing is said of is
// drawn as panels.
const mostPanels = 9

// choice is a view of the rows of one metric, with every column chosen.
type choice struct {
	view   View
	form   *Form
	values map[string][]string // of the columns in which rows differ
	first  results.Row
}

// choose settles what the view leaves open.
func (v View) choose(rows []results.Row) (*choice, error) {
	c := &choice{view: v, first: rows[0]}
	if v.Color == "" {
		c.view.Color = Policy
	}
	if err := c.named(); err != nil {
		return nil, err
	}
	axes, values := results.Varying(rows)
	c.values = values
	free := slices.DeleteFunc(axes, func(a string) bool {
		pooled := c.form != nil && slices.Contains(c.form.Pooled, a)
		return a == c.view.Color || a == c.view.X || a == c.view.Panels || a == c.view.Down || a == v.Values || pooled
	})
	free = c.independent(rows, free)
	timed := slices.ContainsFunc(rows, func(r results.Row) bool { return r.Timed })
	if own := c.form != nil && len(c.form.Axis) == 0; !own && c.view.X == "" {
		free = c.horizontal(free, timed)
	}
	free = c.remaining(free)
	if len(free) > 0 {
		return nil, c.asked(free)
	}
	return c, c.settle()
}

// independent returns the free columns but those that another column settles: the label of
// a workload, where there is a column of its source.
func (c *choice) independent(rows []results.Row, free []string) []string {
	var kept []string
	for k, a := range free {
		settles := func(b string) bool { return b != "" && b != OverTime && follows(rows, a, b) }
		mutual := func(b string) bool { return settles(b) && !follows(rows, b, a) } // of two that settle each other the first is kept
		if !slices.ContainsFunc(append([]string{c.view.X, c.view.Panels, c.view.Color, c.view.Down}, kept...), settles) && !slices.ContainsFunc(free[k+1:], mutual) {
			kept = append(kept, a)
		}
	}
	return kept
}

// follows reports whether what rows say of b settles what they say of a.
func follows(rows []results.Row, a, b string) bool {
	of := map[string]string{}
	for i := range rows {
		key, value := rows[i].Is(b), rows[i].Is(a)
		if first, seen := of[key]; seen && first != value {
			return false
		}
		of[key] = value
	}
	return true
}

// named looks up the form.
func (c *choice) named() error {
	v := &c.view
	if f := forms[v.X]; v.Form == "" && f != nil && len(f.Axis) == 0 {
		v.Form, v.X = v.X, ""
	}
	if v.Form == "" {
		return nil
	}
	if err := spelling.Check("form", v.Form, slices.Sorted(maps.Keys(forms))); err != nil {
		return err
	}
	c.form = forms[v.Form]
	if len(c.form.Axis) == 0 && v.X != "" {
		return fmt.Errorf("the form %s has an axis of its own, not %s", v.Form, v.X)
	}
	if c.form.Raw && v.Baseline != "" {
		return fmt.Errorf("the form %s draws values, a baseline compares means", v.Form)
	}
	return nil
}

// horizontal chooses the horizontal axis: time, or the numbers of most values, or the
// texts of most; the column of colours where nothing else differs.
func (c *choice) horizontal(free []string, timed bool) []string {
	if timed {
		c.view.X = OverTime
		return free
	}
	rank := func(column string) int { // numbers before texts, and then by how many values there are
		if kindOf(column, c.values[column]) == Numbers {
			return math.MaxInt32 + len(c.values[column])
		}
		return len(c.values[column])
	}
	c.view.X = c.view.Color
	if len(free) > 0 {
		c.view.X = most(free, rank)
	}
	return without(free, c.view.X)
}

// most returns the first of the columns that rank highest.
func most(columns []string, rank func(string) int) string {
	best := columns[0]
	for _, a := range columns[1:] {
		if rank(a) > rank(best) {
			best = a
		}
	}
	return best
}

func without(columns []string, column string) []string {
	return slices.DeleteFunc(columns, func(a string) bool { return a == column })
}

// remaining gives the last column that differs to the panels, or to a heat map.
func (c *choice) remaining(free []string) []string {
	if c.form != nil && c.form.Grid && c.view.Down == "" && len(free) > 0 {
		c.view.Down = most(free, func(a string) int { return len(c.values[a]) })
		free = without(free, c.view.Down)
	}
	if len(free) != 1 {
		return free
	}
	switch a := free[0]; {
	case c.view.Panels == "" && len(c.values[a]) <= mostPanels:
		c.view.Panels = a
		return nil
	case c.form == nil && c.view.Panels == "" && c.view.X != OverTime:
		c.form, c.view.Down = forms["heat"], a
		return nil
	}
	return free
}

// asked is the error of columns that nothing is said of.
func (c *choice) asked(free []string) error {
	a := free[0]
	shown := c.values[a]
	if len(shown) > 8 {
		shown = append(slices.Clone(shown[:8]), "…")
	}
	others := ""
	if len(free) > 1 {
		others = ", and in " + strings.Join(free[1:], ", ")
	}
	return fmt.Errorf("the rows differ in %s as well (%s)%s: choose one value of it, or give it the panels, the colours or the axis", a, strings.Join(shown, ", "), others)
}

// settle checks the chosen columns against the form, which it chooses where none was.
func (c *choice) settle() error {
	v := &c.view
	for _, column := range []string{v.X, v.Down, v.Panels} {
		if column != "" && column != OverTime && column != v.Color && len(c.values[column]) == 0 {
			return fmt.Errorf("all rows have the same %s", column)
		}
	}
	kind := kindOf(v.X, c.values[v.X])
	if c.form == nil {
		c.form = usual(kind)
	}
	if !slices.Contains(c.form.Axis, kind) && len(c.form.Axis) > 0 {
		return fmt.Errorf("the form %s does not take %s, which holds %s", c.form.Name, v.X, kind)
	}
	return c.gridNeeds()
}

// gridNeeds gives a heat map, and what else is apart, a panel for each of the values that colours tell apart
// elsewhere.
func (c *choice) gridNeeds() error {
	v := &c.view
	switch {
	case !c.form.Grid && v.Down != "":
		return fmt.Errorf("the form %s has no column on its vertical axis, not %s", c.form.Name, v.Down)
	case c.form.Grid && v.Down == "":
		return fmt.Errorf("the form %s needs a column on its vertical axis", c.form.Name)
	case (c.form.Grid || c.form.Apart) && len(c.values[v.Color]) > 0 && v.Color != v.X && v.Color != v.Down:
		if v.Panels != "" && v.Panels != v.Color {
			return fmt.Errorf("the form %s has a panel for each %s: choose one %s", c.form.Name, v.Color, v.Panels)
		}
		v.Panels = v.Color
	}
	return nil
}

// kindOf returns what a column with these values holds.
func kindOf(column string, values []string) Kind {
	if column == OverTime {
		return Times
	}
	notANumber := func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err != nil }
	if len(values) == 0 || column == "seed" || slices.ContainsFunc(values, notANumber) { // a seed is a name
		return Texts
	}
	return Numbers
}

// order returns the values of a column as they are drawn: policies as the view lists
// them, else as its order says, numbers by size, and texts as they come.
func (c *choice) order(column string) []string {
	if len(c.values[column]) == 0 {
		return []string{c.first.Is(column)}
	}
	values := sortedValues(c.values[column])
	if column == c.view.Color && column == c.view.X { // no place for what the others are compared with
		values = slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == c.view.Baseline })
	}
	wanted := c.view.Order
	if column == Policy && len(c.view.Policies) > 0 {
		wanted = c.view.Policies
	}
	if len(wanted) == 0 || column != c.view.Color && column != Policy {
		return values
	}
	rank := func(s string) int { return slices.Index(slices.Concat(wanted, List{s}), s) } // those not wanted last
	return slices.SortedStableFunc(slices.Values(values), func(a, b string) int { return rank(a) - rank(b) })
}

// sortedValues sorts numbers by value, and leaves other texts in their order.
func sortedValues(values []string) []string {
	numbers := map[string]float64{}
	for _, v := range values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return values
		}
		numbers[v] = n
	}
	return slices.SortedFunc(maps.Keys(numbers), func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
}
