package plots

import (
	"fmt"
	"maps"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Kind is what a column of a result table holds.
type Kind string

// The kinds of columns.
const (
	Texts   Kind = "texts"
	Numbers Kind = "numbers"
	Times   Kind = "times"
)

// Form is a form of figure that any result table can be drawn in: what [Draw], and
// with it the command plot, chooses from.
type Form struct {
	Name  string // as on the command line
	Title string // one line of its help
	// Axis are the kinds of column that its horizontal axis takes; none if the form
	// has an axis of its own. Usual are those of them for which it is drawn where no
	// form is asked for; at most one form a kind.
	Axis, Usual []Kind
	// Pooled are columns, beside that of the colours and the instance, whose values are
	// drawn together.
	Pooled []string
	// Raw forms draw values and not their means: they take no baseline.
	Raw bool
	// Apart forms have a panel for each value of the column of colours, and so have grid
	// forms.
	Apart bool
	// Grid forms have a second column, on the vertical axis.
	Grid bool
	// Draw fills a panel, whose horizontal axis is set, and says what is to be said
	// below it.
	Draw func(Data, *Panel) (note string, err error)
}

// Data is what a form draws: rows of one metric, which differ in nothing but the
// column of colours, instance, the column X and what the form pools.
type Data struct {
	Rows []results.Row
	// Cells are the means of the rows with their intervals, or their comparison with a
	// baseline, in the order of Names; none for a raw form.
	Cells []results.Cell
	X     string // the column of the horizontal axis; "" for a form that has its own
	Down  string // the column of the vertical axis of a grid form
	Color string // the column that tells series apart
	Names []string
	// Value returns what a row counts: its value, once, unless the figure says that the
	// values stand in a column and the row's value is how often they were found.
	Value func(*results.Row) (value float64, times int)
	// Label is that of the metric, with its unit.
	Label string
}

// forms holds what is registered, by name.
var forms = map[string]*Form{}

// RegisterForm makes a form known by its name. It panics if the form has no name or no
// Draw, if the name is taken, or if another form is the usual one of a kind: all are
// programming errors.
func RegisterForm(f Form) {
	if f.Name == "" || f.Draw == nil || forms[f.Name] != nil {
		panic(fmt.Sprintf("plots: form %q is unusable, or registered twice", f.Name))
	}
	for _, other := range forms {
		for _, k := range f.Usual {
			if slices.Contains(other.Usual, k) {
				panic(fmt.Sprintf("plots: %s and %s are both usual for %s", f.Name, other.Name, k))
			}
		}
	}
	forms[f.Name] = &f
}

// Forms returns what is registered, by name.
func Forms() []Form {
	var all []Form
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		all = append(all, *forms[name])
	}
	return all
}

// usual returns the form for a kind of column where none is asked for.
func usual(k Kind) *Form {
	for _, f := range forms {
		if slices.Contains(f.Usual, k) {
			return f
		}
	}
	panic("plots: no form is usual for " + k)
}

// values returns the values of each series, in the order of the names, for each value
// of the horizontal axis; for that of a form with its own axis under "".
func (d *Data) values() map[[2]string][]float64 {
	of := map[[2]string][]float64{}
	for i := range d.Rows {
		at := [2]string{d.Rows[i].Is(d.Color), ""}
		if d.X != "" {
			at[1] = d.Rows[i].Is(d.X)
		}
		v, times := d.Value(&d.Rows[i])
		of[at] = append(of[at], slices.Repeat([]float64{v}, times)...)
	}
	return of
}
