package whole

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// Job is one user and what it wants done: Tasks tasks, each of which runs for
// Duration.
type Job struct {
	// User says who wants it and what one task takes. Its task cap is ignored.
	User     cluster.User
	Arrival  event.Time // not before [event.Earliest]
	Tasks    int64      // n, at least 1
	Duration event.Time // t, of one task, at least 1 µs
	// Each, if not nil, holds how long each of the Tasks tasks runs, in the order
	// in which they start; Duration is then not looked at.
	Each []event.Time
}

func (j *Job) check() error {
	switch {
	case j.Tasks < 1:
		return fmt.Errorf("job %s: %d tasks: at least one is needed", j.User.Name, j.Tasks)
	case j.Duration < 1:
		return fmt.Errorf("job %s: tasks of %d µs: at least 1 µs is needed", j.User.Name, j.Duration)
	case !(j.User.Weight > 0):
		return fmt.Errorf("job %s: weight %g: it has to be positive", j.User.Name, j.User.Weight)
	}
	if j.Arrival < event.Earliest {
		return fmt.Errorf("job %s: arrives at %d µs, before the clock can begin (%d µs)", j.User.Name, j.Arrival, event.Earliest)
	}
	if j.Each != nil && (int64(len(j.Each)) != j.Tasks || slices.Min(j.Each) < 1) {
		return fmt.Errorf("job %s: %d times for %d tasks, or one of less than 1 µs", j.User.Name, len(j.Each), j.Tasks)
	}
	return nil
}

// JobResult is what became of one job.
type JobResult struct {
	Index int // in the stream of jobs, from 0
	Name  string
	// Refused is set for a job of which no single task fits into the empty
	// cluster, which left at once, and for one that is BeyondClock. Completion
	// and Standalone of a refused job are 0.
	Refused bool
	// BeyondClock is set for a refused job whose completion would lie beyond the
	// clock ([event.Horizon]). If even alone it would, it left at once. If that
	// turned out when it had waited, its waiting tasks were dropped then, and it
	// left when those that ran had ended.
	BeyondClock bool
	Tasks       int64
	Arrival     event.Time
	Start       event.Time // of its first task
	// Completion is when its last task ended.
	Completion event.Time
	// Standalone is the standalone JCT in µs: ceil(n/K)·t, K being the tasks of
	// it that the empty cluster holds at once, on the servers on which they may
	// run (see sim.JobResult); with [Job.Each] the time that they take there in
	// their order. Without slots no job is done faster.
	Standalone event.Time
	// Suspensions counts how often a task of it was suspended.
	Suspensions int64
}

// JCT returns the job completion time in microseconds.
func (r *JobResult) JCT() event.Time { return r.Completion - r.Arrival }

// Factor returns the JCT factor, standalone JCT over JCT; 0 for a refused job.
//
// It is at most 1 without slots. With slots it is less than 2: tasks that are
// suspended take turns, so a job whose last round is not full can be done before
// ceil(n/K)·t has passed. Three tasks of 4 s on two cores take 8 s in their
// order, and little more than 6 s in turns.
func (r *JobResult) Factor() float64 {
	if r.Refused {
		return 0
	}
	return float64(r.Standalone) / float64(r.JCT())
}

// Result sums up a replay. What it holds does not grow with the number of
// jobs; the single ones are shown to [Replay.OnDone].
type Result struct {
	Jobs, Refused int // jobs that arrived; how many of them were refused
	BeyondClock   int // how many of these could not be done on the clock
	Tasks         int64
	// Placements counts the starts of tasks, those after a suspension
	// included.
	Placements, Suspensions int64
	Reallocations           int
	// Stalls counts how often a rule left the cluster idle with tasks waiting
	// and nothing to come, so that it had to be started again; see [Rounded].
	Stalls int
	// Inexact counts the demands and capacities that are no whole number of
	// units of the ledger.
	Inexact int
	// Verified counts the instants after which every invariant was checked; see
	// [Replay.Verify].
	Verified int
	End      event.Time // of the last task
	// Utilization is that of the whole replay; nil if nobody ever was in the
	// system.
	Utilization *cluster.MeanUtilization
	factors     float64
}

// MeanFactor returns the mean JCT factor over the jobs that were served; false
// if there were none.
func (r *Result) MeanFactor() (float64, bool) {
	n := r.Jobs - r.Refused
	if n == 0 {
		return 0, false
	}
	return r.factors / float64(n), true
}
