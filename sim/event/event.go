// Package event is the clock and the queue of a discrete-event simulation. It
// knows nothing of users, servers or tasks.
//
// Events are totally ordered by (time, phase, sequence). The phase orders the
// kinds of events that fall on one instant (completions before arrivals before
// one allocation, say); the sequence number keeps those of one kind in the
// order in which they were scheduled. Two runs that schedule the same events
// therefore handle them in the same order.
package event

import "math"

// Time is simulated time in whole microseconds.
type Time int64

// Never is later than every instant of a clock.
const Never Time = math.MaxInt64

// Earliest is the first instant at which a replay may begin.
const Earliest = -Never / 2

// Horizon returns the last instant of a clock that begins at first, which is not
// before [Earliest]: the latest one before [Never] whose distance from first is
// less than 2^63 µs, or 292,000 years. No span between two instants overflows.
func Horizon(first Time) Time { return Never + min(first, -1) }

// Phase orders the events of one instant: smaller phases come first.
type Phase uint8

// Event is something that happens at one instant.
type Event[T any] struct {
	At      Time
	Phase   Phase
	Payload T
}
