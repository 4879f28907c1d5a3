package plots

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"gonum.org/v1/plot/vg"

	"github.com/leontief-sim/leontief/traces/strictyaml"
)

// View says what a figure shows: which rows of a result table, and what of them stands
// where. The zero View draws the only metric of a table against the only column that
// its rows differ in. A figure.yaml is a View.
type View struct {
	Name string `yaml:"name,omitempty"` // of the figure's files, without extension
	// Title stands above the figure; usually a paper's caption has that place.
	Title string `yaml:"title,omitempty"`
	// Caption says in a sentence what the figure shows, for those who do not see it, and for
	// pages that it is part of. It is not drawn.
	Caption string `yaml:"caption,omitempty"`
	Table   string `yaml:"table,omitempty"` // the result table; "": the only one of the folder
	// Where chooses rows: a column, and its value, values (a,b) or range (a..b).
	Where Pairs `yaml:"where,omitempty"`
	// Policies are the rules that are drawn, in this order; all if there are none.
	Policies List `yaml:"policies,omitempty"`
	// Form is the name of a form; "": the usual one of what the horizontal axis holds.
	Form string `yaml:"form,omitempty"`
	// Y are the metrics, a panel each, or in one with Color metric; none: the only one.
	Y List `yaml:"y,omitempty"`
	// X is the column of the horizontal axis; "": the one of most values. Down is that of
	// the vertical axis of a heat map.
	X    string `yaml:"x,omitempty"`
	Down string `yaml:"down,omitempty"`
	// Color is the column that tells series apart, by default the policy. Panels is a
	// column with a panel for each value.
	Color  string `yaml:"color,omitempty"`
	Panels string `yaml:"panels,omitempty"`
	// Values is a column that holds the values; the metric is then how often each was found.
	Values string `yaml:"values,omitempty"`
	// Baseline is the policy (or other value of Color) with which the others are compared,
	// instance by instance: by differences or, with Ratio, by ratios of means.
	Baseline string `yaml:"baseline,omitempty"`
	Ratio    bool   `yaml:"ratio,omitempty"`
	XLabel   string `yaml:"xlabel,omitempty"`
	YLabel   string `yaml:"ylabel,omitempty"`
	// Labels are what columns, metrics and values are called in the figure.
	Labels map[string]string `yaml:"labels,omitempty"`
	// Log names the axes that are logarithmic: x, y or xy; "" leaves it to the data, none
	// makes both linear. From is the least size that they tell from 0; 0 leaves it to the data.
	Log  string  `yaml:"log,omitempty"`
	From float64 `yaml:"from,omitempty"`
	// Order is that of the series; by default that of the table.
	Order  List   `yaml:"order,omitempty"`
	Width  Length `yaml:"width,omitempty"`  // of the page, 3.5in by default
	Height Length `yaml:"height,omitempty"` // of the page; by default as the panels need
	// Legend is top, right, direct (at the ends of the curves) or none; "": direct where
	// there is room, or else top.
	Legend string `yaml:"legend,omitempty"`
	// Note stands below: none, or a text in which {column} is the only value of a column,
	// {workload} its label, {bars} what the form says of its marks, {instances} their number.
	Note string `yaml:"note,omitempty"`
	// Parts are the panels of a figure that is told panel by panel: each has what it says
	// itself, and what the figure says beside.
	Parts []View `yaml:"parts,omitempty"`

	styles Styles
}

// DefaultNote is the note of a figure that says none.
const DefaultNote = "Workload: {workload}. {bars}"

// Length is a length on the page, as 3.5in, 90mm, 9cm or 252pt.
type Length vg.Length

// The two widths that an IEEE page has room for.
const (
	OneColumn  = Length(3.5 * vg.Inch)  // panels below one another
	TwoColumns = Length(7.16 * vg.Inch) // panels side by side
)

// units are those of lengths, in points.
var units = []struct {
	name string
	pt   vg.Length
}{{"in", vg.Inch}, {"mm", vg.Millimeter}, {"cm", vg.Centimeter}, {"pt", 1}}

// ParseLength reads a length of 0.5 to 40 inches.
func ParseLength(s string) (Length, error) {
	for _, u := range units {
		text, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if l := vg.Length(v) * u.pt; err == nil && l >= vg.Inch/2 && l <= 40*vg.Inch {
			return Length(l), nil
		}
	}
	return 0, fmt.Errorf("%q is no length from 0.5in to 40in, as 3.5in, 90mm or 252pt", s)
}

// UnmarshalYAML reads a length.
func (l *Length) UnmarshalYAML(n *yaml.Node) (err error) {
	*l, err = ParseLength(n.Value)
	return err
}

// List is a list, or one value.
type List []string

// UnmarshalYAML reads a list, or one value.
func (l *List) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = List{n.Value}
		return nil
	}
	return n.Decode((*[]string)(l))
}

// Pairs are columns and what is wanted of them.
type Pairs map[string]string

// UnmarshalYAML reads pairs, whose values may be lists.
func (p *Pairs) UnmarshalYAML(n *yaml.Node) error {
	lists := map[string]List{}
	if err := n.Decode(&lists); err != nil {
		return err
	}
	*p = Pairs{}
	for column, values := range lists {
		(*p)[column] = strings.Join(values, ",")
	}
	return nil
}

// ReadView reads a figure.yaml; file is its name in messages. What is wrong is said with
// line and column, as [strictyaml] says it.
func ReadView(file string, data []byte) (View, error) {
	var v View
	tree, err := strictyaml.Parse(file, data)
	if err != nil {
		return View{}, err
	}
	if err := strictyaml.Decode(file, tree, &v); err != nil {
		return View{}, err
	}
	if err := v.check(); err != nil {
		return View{}, fmt.Errorf("%s: %w", file, err)
	}
	return v, nil
}

// check returns what is wrong with what a view says by itself.
func (v *View) check() error {
	for of, c := range map[string]struct {
		value string
		known []string
	}{"log": {v.Log, []string{"", "x", "y", "xy", "none"}}, "legend": {v.Legend, []string{"", "top", "right", "direct", "none"}}} {
		if !slices.Contains(c.known, c.value) {
			return fmt.Errorf("%s %q: one of %s", of, c.value, strings.Join(c.known[1:], ", "))
		}
	}
	if v.Ratio && v.Baseline == "" {
		return errors.New("ratio needs a baseline")
	}
	for k, part := range v.Parts {
		if part.Parts != nil || part.Panels != "" {
			return fmt.Errorf("parts[%d]: a part is one panel a metric, without parts or panels of its own", k)
		}
		if err := part.check(); err != nil {
			return fmt.Errorf("parts[%d]: %w", k, err)
		}
	}
	return nil
}

// Over returns the view with what another says where it says nothing itself; the labels
// and the wanted values of both.
func (v View) Over(other View) View {
	out, where, labels := other, maps.Clone(other.Where), maps.Clone(other.Labels)
	to, own := reflect.ValueOf(&out).Elem(), reflect.ValueOf(v)
	for i := range own.NumField() {
		if field := own.Field(i); to.Field(i).CanSet() && !field.IsZero() {
			to.Field(i).Set(field)
		}
	}
	out.Where, out.Labels = merged(where, v.Where), merged(labels, v.Labels)
	out.Ratio = v.Ratio || other.Ratio && v.Baseline == ""
	return out
}

// merged adds the entries of a map to another, which may be nil.
func merged[M ~map[string]string](to, from M) M {
	if to == nil {
		to = M{}
	}
	maps.Copy(to, from)
	return to
}

// YAML returns the view as a figure.yaml, with what it says alone.
func (v View) YAML() ([]byte, error) {
	return yaml.Marshal(v)
}

// MarshalYAML writes a length in inches.
func (l Length) MarshalYAML() (any, error) {
	return strconv.FormatFloat(float64(vg.Length(l)/vg.Inch), 'g', 6, 64) + "in", nil
}

// Columns returns the columns that the view names, in no order, but for those of time.
func (v View) Columns() []string {
	named := map[string]bool{}
	for _, part := range append([]View{v}, v.Parts...) {
		for column := range part.Where {
			named[column] = true
		}
		for _, column := range []string{part.X, part.Down, part.Color, part.Panels, part.Values} {
			named[column] = true
		}
	}
	for _, own := range []string{"", OverTime, "user", "metric", "instance"} {
		delete(named, own)
	}
	for name := range forms { // a form with an axis of its own may stand in the place of x
		delete(named, name)
	}
	return slices.Sorted(maps.Keys(named))
}
