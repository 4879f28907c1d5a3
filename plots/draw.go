package plots

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// OverTime is the column of times, and Policy that of the rules.
const (
	OverTime = "time_s"
	Policy   = "policy"
)

// mostPanels is the number of values up to which a column that nothing is said of is
// drawn as panels.
const mostPanels = 9

// Draw draws a view of a result table. Rows may differ in the column of colours,
// instance, the horizontal axis, the column of panels and what the form pools. Where one
// column more differs and none of them was chosen, it takes the panels or, of too many
// values, makes a heat map; anything else that tells rows apart is an error that names
// it. Means and intervals are those of [results.Summarize] and [results.Versus].
func Draw(rows []results.Row, view View, styles Styles) (Figure, error) {
	if err := view.check(); err != nil {
		return Figure{}, err
	}
	f := Figure{Name: view.Name, Title: view.Title, Width: view.Width, Height: view.Height, Legend: view.Legend, Styles: styles}
	view.styles = styles
	parts := []View{view}
	if view.Parts != nil {
		parts = nil
		for _, p := range view.Parts {
			parts = append(parts, p.under(view))
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
	for _, m := range metrics {
		of := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Metric != m })
		chosen, err := v.choose(of)
		if err != nil {
			return err
		}
		d.facts.add(of)
		for _, column := range []string{v.Color, v.X, v.Panels, v.Down, Policy} {
			d.facts.shown[column] = true
		}
		if v.Note == "" {
			d.facts.shown[chosen.view.Panels] = true
		}
		facets, err := chosen.facets(of)
		if err != nil {
			return err
		}
		if len(metrics) > 1 && len(facets) > 1 {
			d.figure.columns = len(facets)
		}
		for _, facet := range facets {
			p, note, err := chosen.panel(facet.rows, m)
			if err != nil {
				return err
			}
			p.Title = facet.title
			if view := chosen.view; len(facets) == 1 {
				p.Title = view.panelTitle(d.figure.Title)
			}
			d.facts.say(note)
			d.facts.say(p.gaps())
			d.figure.Panels = append(d.figure.Panels, p)
		}
	}
	return nil
}

// panelTitle is that of a part, where the figure has another.
func (v *View) panelTitle(figure string) string {
	if v.Title == figure {
		return ""
	}
	return v.Title
}

// rows returns those that the view is of.
func (v *View) rows(rows []results.Row) ([]results.Row, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("the table has no rows")
	}
	wanted := maps.Clone(v.Where)
	if len(v.Policies) > 0 {
		if wanted == nil {
			wanted = Pairs{}
		}
		for _, p := range v.Policies {
			if _, err := results.Select(rows, map[string]string{Policy: p}); err != nil {
				return nil, err
			}
		}
		rows = slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool {
			return !slices.Contains(v.Policies, r.Policy) && r.Policy != v.Baseline
		})
	}
	rows, err := results.Select(rows, wanted)
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
	var there []string
	for i := range rows {
		if !slices.Contains(there, rows[i].Metric) {
			there = append(there, rows[i].Metric)
		}
	}
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
	timed := slices.ContainsFunc(rows, func(r results.Row) bool { return r.Timed })
	if own := c.form != nil && len(c.form.Axis) == 0; !own && c.view.X == "" {
		free = c.horizontal(free, timed)
	}
	free = c.remaining(free)
	if len(free) > 0 {
		return nil, c.asked(free)
	}
	return c, c.settle(timed)
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
	best := c.view.Color
	rank := func(column string) [2]int {
		if column == c.view.Color {
			return [2]int{-1, 0}
		}
		numbers := 0
		if kindOf(column, c.values[column]) == Numbers {
			numbers = 1
		}
		return [2]int{numbers, len(c.values[column])}
	}
	for _, a := range free {
		if r, b := rank(a), rank(best); r[0] > b[0] || r[0] == b[0] && r[1] > b[1] {
			best = a
		}
	}
	c.view.X = best
	return slices.DeleteFunc(free, func(a string) bool { return a == best })
}

// remaining gives the last column that differs to the panels, or to a heat map.
func (c *choice) remaining(free []string) []string {
	if c.form != nil && c.form.Grid && c.view.Down == "" && len(free) > 0 {
		most := free[0]
		for _, a := range free {
			if len(c.values[a]) > len(c.values[most]) {
				most = a
			}
		}
		c.view.Down = most
		free = slices.DeleteFunc(free, func(a string) bool { return a == most })
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
func (c *choice) settle(timed bool) error {
	v := &c.view
	for _, column := range []string{v.X, v.Down, v.Panels} {
		if column != "" && column != OverTime && column != v.Color && len(c.values[column]) == 0 {
			return fmt.Errorf("all rows have the same %s", column)
		}
	}
	if c.form != nil && len(c.form.Axis) == 0 {
		if timed {
			return nil
		}
		return c.gridNeeds()
	}
	kind := kindOf(v.X, c.values[v.X])
	if c.form == nil {
		c.form = usual(kind)
	}
	if !slices.Contains(c.form.Axis, kind) {
		return fmt.Errorf("the form %s does not take %s, which holds %s", c.form.Name, v.X, kind)
	}
	return c.gridNeeds()
}

// gridNeeds gives a heat map a panel for each of the values that colours tell apart
// elsewhere.
func (c *choice) gridNeeds() error {
	v := &c.view
	switch {
	case !c.form.Grid && v.Down != "":
		return fmt.Errorf("the form %s has no column on its vertical axis, not %s", c.form.Name, v.Down)
	case c.form.Grid && v.Down == "":
		return fmt.Errorf("the form %s needs a column on its vertical axis", c.form.Name)
	case c.form.Grid && len(c.values[v.Color]) > 0 && v.Color != v.X && v.Color != v.Down:
		if v.Panels != "" && v.Panels != v.Color {
			return fmt.Errorf("a heat map has a panel for each %s: choose one %s", v.Color, v.Panels)
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
		of := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool {
			return r.Is(column) != value && !(column == Policy && value != c.view.Baseline && r.Policy == c.view.Baseline)
		})
		if column == Policy && value == c.view.Baseline {
			continue
		}
		title := c.view.label(column, value)
		if kindOf(column, c.values[column]) == Numbers {
			title = c.view.equation(column, title)
		}
		all = append(all, facet{title, of})
	}
	return all, nil
}

// order returns the values of a column as they are drawn: policies as the view lists
// them, else as its order says, numbers by size, and texts as they come.
func (c *choice) order(column string) []string {
	if len(c.values[column]) == 0 {
		return []string{c.first.Is(column)}
	}
	values := sortedValues(c.values[column])
	wanted := c.view.Order
	if column == Policy && len(c.view.Policies) > 0 {
		wanted = c.view.Policies
	}
	if len(wanted) == 0 || column != c.view.Color && column != Policy {
		return values
	}
	rank := func(s string) int {
		if i := slices.Index(wanted, s); i >= 0 {
			return i
		}
		return len(wanted)
	}
	values = slices.Clone(values)
	slices.SortStableFunc(values, func(a, b string) int { return rank(a) - rank(b) })
	return values
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
	return slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		if numbers[a] < numbers[b] {
			return -1
		}
		return 1
	})
}

// facts are what the rows of a figure have in common, for its note.
type facts struct {
	values    map[string][]string
	shown     map[string]bool // columns that the view tells apart
	said      []string
	instances [2]int // least and most of a place
}

func newFacts() *facts { return &facts{values: map[string][]string{}, shown: map[string]bool{}} }

func (f *facts) add(rows []results.Row) {
	seen := map[int64]bool{}
	for _, column := range append(results.Axes(rows), "workload") {
		for i := range rows {
			seen[rows[i].Instance] = true
			if v := rows[i].Is(column); !slices.Contains(f.values[column], v) {
				f.values[column] = append(f.values[column], v)
			}
		}
	}
	f.instances = [2]int{min(max(1, f.instances[0]), len(seen)), max(f.instances[1], len(seen))}
}

func (f *facts) say(sentence string) {
	if sentence != "" && !slices.Contains(f.said, sentence) {
		f.said = append(f.said, sentence)
	}
}

// placeholder is a name in braces.
var placeholder = regexp.MustCompile(`\{([a-z0-9_]+)\}`)

// note fills in a note. A column that rows have several values of is an error: what a
// note says must be true of all.
func (f *facts) note(text string) (string, error) {
	switch text {
	case "none":
		return "", nil
	case "":
		text = DefaultNote
	}
	var failed error
	text = placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		switch name {
		case "bars":
			return strings.Join(f.said, " ")
		case "instances":
			return strconv.Itoa(f.instances[1])
		}
		values := f.values[name]
		if len(values) != 1 && failed == nil && !f.shown[name] {
			failed = fmt.Errorf("note: the rows have %d values of %s, not one", len(values), name)
		}
		if n, err := strconv.ParseFloat(strings.Join(values, ""), 64); err == nil && strings.HasSuffix(name, "_s") {
			return span(n)
		}
		return strings.Join(values, ", ")
	})
	text = strings.TrimSpace(text)
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "Workload: .", ""), "  ", " ")), failed
}
