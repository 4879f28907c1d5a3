package run

import (
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/whole"
)

// RoundingParameters are the parameters of a kind of experiment in which a rule is
// rounded: those that [RoundingOf] reads.
func RoundingParameters() []spec.Parameter {
	option := func(name, doc string, names ...string) spec.Parameter {
		return spec.Parameter{Name: name, Doc: doc, Default: names[0], Canonical: spec.OneOf(names...)}
	}
	return []spec.Parameter{
		option("fill", "When the room that rounding leaves is filled: as users come and go, also as tasks end, also at each reallocation: users, tasks or slot.", "users", "tasks", "slot"),
		option("split", "Split over servers of the allocation that is rounded: interior or vertex.", "interior", "vertex"),
		option("caps", "What bounds a user's tasks in the allocation that is rounded: nothing, the tasks submitted, those that are not done: none, submitted or left.", "none", "submitted", "left"),
		option("floor", "Whether rounding down takes what a solver may be below a whole number (1e-6) for that number, or not: exact or literal.", "exact", "literal"),
	}
}

// RoundingOf are the options of a rule that is rounded which a scenario describes.
func RoundingOf(s spec.Scenario) whole.Rounding {
	r, err := whole.ParseRounding(s.Text("fill"), s.Text("split"), s.Text("caps"), s.Text("floor"))
	if err != nil {
		panic(err) // the parameters were checked
	}
	return r
}

// divisions are those of all replays of the process: a spec asks for many readings of the
// same workloads.
var divisions = whole.NewDivisions(32 << 20)

// compiled reports whether a rule is no program beside leontief, of which nobody knows
// whether it always answers the same.
func compiled(text string) bool {
	name, _, err := policies.Parse(text)
	if err != nil {
		return false
	}
	meta, err := policies.Lookup(name)
	return err == nil && meta.Program == nil
}
