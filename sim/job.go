package sim

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/event"
)

// Job is what a user of the environment wants done: Tasks tasks, each of which
// runs for Duration once it has its demand. The i-th job of a replay is the
// i-th user of its environment.
type Job struct {
	Arrival  event.Time
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
	return nil
}

// JobResult is what became of one job.
type JobResult struct {
	// Refused is set for a job that nothing in the cluster can host, or whose
	// standalone JCT is beyond the clock (see [Fluid.Run]). It left at
	// once; the other fields but Arrival are 0.
	Refused bool
	Arrival event.Time
	// Completion is rounded up to a whole microsecond.
	Completion event.Time
	// Standalone is the standalone JCT, n·t/η, in microseconds.
	Standalone float64
}

// JCT returns the job completion time in microseconds.
func (r JobResult) JCT() event.Time { return r.Completion - r.Arrival }

// Factor returns the JCT factor: standalone JCT over JCT, at most 1 but for
// rounding; 0 for a refused job.
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
	Allocations int         // how often the policy was asked
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
