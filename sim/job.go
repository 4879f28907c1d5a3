package sim

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/event"
)

// Job is what a user of the environment wants done: Tasks tasks, each of which
// runs for Duration once it has its demand. The i-th job of a replay is the
// i-th user of its environment.
type Job struct {
	Arrival  event.Time // not before [event.Earliest]
	Tasks    int64      // n, at least 1
	Duration event.Time // t, of one task, at least 1 µs
}

// work returns n·t in task-microseconds.
func (j Job) work() float64 { return float64(j.Tasks) * float64(j.Duration) }

func (j Job) check(i int) error {
	if j.Tasks < 1 {
		return fmt.Errorf("job %d: %d tasks: at least one is needed", i, j.Tasks)
	}
	if j.Duration < 1 {
		return fmt.Errorf("job %d: tasks of %d µs: at least 1 µs is needed", i, j.Duration)
	}
	if j.Arrival < event.Earliest {
		return fmt.Errorf("job %d: arrives at %d µs, before the clock can begin (%d µs)", i, j.Arrival, event.Earliest)
	}
	return nil
}

// JobResult is what became of one job.
type JobResult struct {
	// Refused is set for a job that nothing in the cluster can host or that
	// cannot be done on the clock; the other fields but Arrival and BeyondClock
	// are 0.
	Refused bool
	// BeyondClock is set for a refused job whose completion would lie beyond the
	// clock, see [Fluid.Run].
	BeyondClock bool
	Arrival     event.Time
	// FirstStart is when its first task starts; with fluid tasks, when it is first
	// served at a positive rate.
	FirstStart event.Time
	// Completion is rounded up to a whole microsecond.
	Completion event.Time
	// Standalone is the standalone JCT in microseconds: the time that the job
	// takes alone in the cluster, on the servers on which it may run. That is
	// n·t/η' with fluid tasks and ceil(n/K)·t with whole ones.
	//
	// Reference: TSF-ER, section 6.2: "A user's standalone JCT is defined as its
	// JCT if it had received all resources of all servers." The paper has no
	// placement constraints. A constrained user that has received everything
	// still runs on its eligible servers only, so η' and not the η of rules that
	// ignore eligibility is what bounds it, and its JCT factor is 1 when it is
	// alone.
	Standalone float64
}

// JCT returns the job completion time in microseconds.
func (r JobResult) JCT() event.Time { return r.Completion - r.Arrival }

// Factor returns the JCT factor: standalone JCT over JCT, at most 1 but for
// rounding, or for a rule that allocates from another cluster
// ([Result.Pooled]); 0 for a refused job.
func (r JobResult) Factor() float64 {
	if r.Refused {
		return 0
	}
	return r.Standalone / float64(r.JCT())
}

// Result is what became of a replay.
type Result struct {
	Jobs        []JobResult // in the order of the users
	Refused     int         // how many jobs were refused
	BeyondClock int         // how many of them since they could not be done on the clock
	// Pooled is the number of servers of a cluster that the rule does not
	// allocate from: it pools them into others, as drf does into one. A job may
	// then be done faster than the servers themselves could, and its JCT factor
	// exceed 1. It is 0 for every other rule.
	Pooled      int
	Allocations int // how often the policy was asked
}

// MeanFactor returns the mean JCT factor over the jobs that were served; false
// if there were none.
func (r *Result) MeanFactor() (float64, bool) {
	sum, n := 0.0, 0
	for _, j := range r.Jobs {
		if !j.Refused {
			sum += j.Factor()
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}
