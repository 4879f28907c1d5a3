package compare

import (
	"math"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
)

// Kept are the properties that are looked at, in the order of [Watch.Seen].
var Kept = [...]policies.Property{policies.EF, policies.SI, policies.PO}

const (
	envyFree = iota // places in Kept
	sharing
	optimal
)

// tolerance is how far from satisfied a property may be, as in package sim.
const tolerance = sim.SITolerance

// Seen is how often a property was violated in a replay. An allocation is in force from one
// instant with an event to the next, and counts if a user is present.
//
//   - EF is violated where MIN-EF-SAT < 1 − 1e-6, SI where MIN-SI-SAT < 1 − 1e-6, as package
//     fair defines them; with whole tasks the task caps are the tasks that are not done.
//   - PO is violated, with fluid tasks, where the domination factor exceeds 1 + 1e-6. An
//     allocation that gives nobody anything has no such factor and is not looked at.
//   - PO is violated, with whole tasks, where another task of some user that has one waiting
//     fits, by the exact amounts that are free, on a server that may run it: then that user
//     could have more, and nobody less. Whether tasks that run could be moved so that one
//     more fits is an integer program, and is not asked.
type Seen struct {
	Looked, Violated int   // allocations
	Time, Bad        int64 // µs: of those looked at; of those violated
	Worst            *Violation
}

// Violation is an allocation that violates a property, with the witness.
type Violation struct {
	At event.Time // since when it is in force
	// Value is MIN-EF-SAT, MIN-SI-SAT or the domination factor; of Pareto optimality of whole
	// tasks the time, in seconds, for which without a break some waiting task fitted.
	Value    float64
	User, Of string // Of is whose bundle is envied, or on which server the task fits
	Says     string
}

// saw counts an allocation and reports whether it is a violation that is worse than all
// before it: of whole tasks and fluid ones alike the first of several.
func (s *Seen) saw(from, to event.Time, lack float64) (worst bool) {
	s.Looked++
	s.Time += int64(to - from)
	if !(lack > tolerance) {
		return false
	}
	s.Violated++
	s.Bad += int64(to - from)
	return s.Worst == nil || lack > s.Worst.lack()
}

// lack is by how much a violation violates what it is one of, in terms of its value.
func (v *Violation) lack() float64 { return math.Abs(1 - v.Value) }

// Part is the share of the time for which the property was violated.
func (s *Seen) Part() float64 {
	if s.Time == 0 {
		return 0
	}
	return float64(s.Bad) / float64(s.Time)
}
