package tsfer

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/whole"
)

// Reading is one way to read what the paper leaves open about rules without a
// form for whole tasks (SPEC: "as published"). The zero value is the default.
type Reading struct {
	Fill          whole.Fill
	Vertex        bool
	SuspendedLast bool
}

// Readings are all of them, the default first.
func Readings() []Reading {
	var all []Reading
	for _, fill := range []whole.Fill{whole.FillUsers, whole.FillTasks, whole.FillSlot} {
		for _, vertex := range []bool{false, true} {
			for _, last := range []bool{false, true} {
				all = append(all, Reading{fill, vertex, last})
			}
		}
	}
	return all
}

// The names of the options' values, by value.
var (
	fillNames      = map[whole.Fill]string{whole.FillUsers: "users", whole.FillTasks: "tasks", whole.FillSlot: "slot"}
	splitNames     = map[bool]string{false: "interior", true: "vertex"}
	suspendedNames = map[bool]string{false: "first", true: "last"}
)

// String writes the reading as options of a rule.
func (d Reading) String() string {
	return fmt.Sprintf("[fill=%s,split=%s,suspended=%s]", fillNames[d.Fill], splitNames[d.Vertex], suspendedNames[d.SuspendedLast])
}

// variant is a rule, rounded in a reading if it is not one with a form for
// whole tasks or if rounded is set.
type variant struct {
	rule    string
	rounded bool
	reading Reading
}

// String names the variant; a rule as it is published has its own name.
func (v variant) String() string {
	if !v.rounded {
		return v.rule
	}
	return v.rule + v.reading.String()
}

// String writes the setting as in the ledger's ids.
func (s Setting) String() string {
	text := fmt.Sprintf("n=%d,rho=%g,bw=%g", s.N, s.Rho, s.Bandwidth)
	if s.SlotS > 0 {
		text += fmt.Sprintf(",slot=%d", s.SlotS)
	}
	return text
}
