package whole

import "github.com/leontief-sim/leontief/sim/event"

// Interval is the time between two successive instants at which something happens, with at
// least one user in the system; what [sim.Interval] is of fluid tasks. It is valid only
// during the call that it is passed to.
type Interval struct {
	From, To event.Time // From < To
	Present  int        // users in the system
	Waiting  int64      // tasks that wait

	usage *usage
}

// Utilization returns used/total of every capacity row, in the order of
// [cluster.Environment.Row]; 0 where there is none of it. The result is in dst, which may
// be nil.
func (iv *Interval) Utilization(dst []float64) []float64 {
	dst = dst[:0]
	for row, total := range iv.usage.total {
		used := 0.0
		if total > 0 {
			used = float64(iv.usage.rows[row].units) / float64(total)
		}
		dst = append(dst, used)
	}
	return dst
}

// show shows the time from now up to an instant.
func (e *run) show(to event.Time) error {
	if e.OnInterval == nil || to == e.now {
		return nil
	}
	return e.OnInterval(&Interval{From: e.now, To: to, Present: e.present, Waiting: e.queued, usage: &e.usage})
}
