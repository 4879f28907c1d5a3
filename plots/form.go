package plots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// Form is a form of figure that any result table can be drawn in: what [Against], and
// with it the command plot, chooses from.
type Form struct {
	Name  string // as on the command line
	Title string // one line of its help
	// Axis are the kinds of column that its horizontal axis takes; none if the form
	// has an axis of its own. Usual are those of them for which it is drawn where no
	// form is asked for; at most one form a kind.
	Axis, Usual []Kind
	// Pooled are columns, beside policy and instance, whose values are drawn
	// together.
	Pooled []string
	// Draw returns the panel, and what is to be said below it.
	Draw func(Data) (panel Panel, note string, err error)
}

// Data is what a form draws: rows of one metric, which differ in nothing but policy,
// instance, the column X and what the form pools.
type Data struct {
	Rows  []results.Row
	X     string // the column of the horizontal axis; "" for a form that takes none
	Label string // of the metric, with its unit
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

// ByRank returns an order of names: those of a list as they stand there, then all
// others by the alphabet.
func ByRank(list ...string) func(a, b string) int {
	rank := func(s string) int {
		if i := slices.Index(list, s); i >= 0 {
			return i
		}
		return len(list)
	}
	return func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	}
}
