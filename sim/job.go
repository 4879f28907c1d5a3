package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// Job is one user of the rule and what it wants done: Tasks tasks, each of which runs for
// Duration once it has its demand.
type Job struct {
	// User says who wants it and what one task takes. Its task cap is ignored.
	User cluster.User
	// Tenant, if it is not empty, is who shares its weight among this and its other
	// jobs, all of which state the same; see [Tenants]. Empty: the job is one of its own.
	Tenant   string
	Priority int64      // the larger, the more important; of no matter but to rules by priority
	Arrival  event.Time // not before [event.Earliest]
	Tasks    int64      // n, at least 1
	Duration event.Time // t, of one task, at least 1 µs
	// Each, if not nil, holds how long each of the Tasks tasks runs, in the order
	// in which they start; Duration is then not looked at. Whole tasks only: fluid
	// ones all last for Duration.
	Each []event.Time
}

// work returns n·t in task-microseconds.
func (j *Job) work() float64 { return float64(j.Tasks) * float64(j.Duration) }

func (j *Job) check() error {
	switch {
	case j.Tasks < 1:
		return fmt.Errorf("job %s: %d tasks: at least one is needed", j.User.Name, j.Tasks)
	case j.Duration < 1:
		return fmt.Errorf("job %s: tasks of %d µs: at least 1 µs is needed", j.User.Name, j.Duration)
	case !(j.User.Weight > 0):
		return fmt.Errorf("job %s: weight %g: it has to be positive", j.User.Name, j.User.Weight)
	case j.Arrival < event.Earliest:
		return fmt.Errorf("job %s: arrives at %d µs, before the clock can begin (%d µs)", j.User.Name, j.Arrival, event.Earliest)
	case j.Each != nil && (int64(len(j.Each)) != j.Tasks || slices.Min(j.Each) < 1):
		return fmt.Errorf("job %s: %d times for %d tasks, or one of less than 1 µs", j.User.Name, len(j.Each), j.Tasks)
	}
	return nil
}

// Arrivals hands out jobs by time of arrival, those of one instant in the order
// in which they are listed.
type Arrivals struct {
	First   event.Time // 0 if there are no jobs
	Horizon event.Time // the last instant of the clock

	jobs  []Job
	order []int32
}

// NewArrivals checks the jobs and sorts them.
func NewArrivals(jobs []Job) (*Arrivals, error) {
	a := &Arrivals{jobs: jobs, order: make([]int32, len(jobs))}
	for i := range jobs {
		if err := jobs[i].check(); err != nil {
			return nil, err
		}
		a.order[i] = int32(i)
	}
	slices.SortStableFunc(a.order, func(x, y int32) int { return cmp.Compare(jobs[x].Arrival, jobs[y].Arrival) })
	if len(jobs) > 0 {
		a.First = jobs[a.order[0]].Arrival
	}
	a.Horizon = event.Horizon(a.First)
	return a, nil
}

// Next returns the arrival of the next job and its index; false if there are no
// more. It is a feed of an [event.Engine].
func (a *Arrivals) Next() (event.Time, int32, bool) {
	if len(a.order) == 0 {
		return 0, 0, false
	}
	next := a.order[0]
	a.order = a.order[1:]
	return a.jobs[next].Arrival, next, true
}
