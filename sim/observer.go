package sim

import (
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// Interval is the time between two successive events, in which nothing
// changes. It and what it points to are valid only during the call that it is
// passed to, and must not be changed.
type Interval struct {
	From, To event.Time // From < To
	// Present lists the users in the system in ascending order, at least one;
	// Here says the same as a mask.
	Present []int
	Here    []bool
	// Weights has the weight of each user present; nil where they are those of the jobs.
	Weights []float64
	// Allocation is in force during the interval. Absent users hold 0.
	Allocation *cluster.Allocation
}

// Span returns the length of the interval in microseconds.
func (iv *Interval) Span() int64 { return int64(iv.To - iv.From) }

// Observer watches a replay.
type Observer interface {
	// Observe is called for every interval in which a user is present, in
	// order of time. Intervals of an empty system are left out; they are the
	// gaps. An error ends the replay.
	Observe(iv *Interval) error
}
