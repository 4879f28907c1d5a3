package run

import (
	"slices"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/whole"
)

// jobShares follows what each job receives and deserves where tasks are whole, from the
// events of a replay: the tasks of j that run, and
//
//	min( w[j]/Σw·η'[j], the tasks of j that are left ),
//
// Σw being over the jobs in the system. What a job holds is written down when it changes,
// so the start or the end of a task costs as much whatever the number of jobs; when a job
// comes or goes what all of them deserve changes.
type jobShares struct {
	*eventClock
	course  *Course
	tenants *sim.Tenants // nil: each job has its own weight
	eta     []float64    // η' of each job
	here    []int        // the jobs in the system, by arrival
	total   float64      // Σw
	states  []jobState
}

// jobState is what a job holds since a time.
type jobState struct {
	since              event.Time
	running, left      int64
	received, deserved float64
}

// watchJobs has a course follow the jobs of a replay; the result is [whole.Replay.OnEvent].
func watchJobs(c *Course, jobs []sim.Job, eta []float64) (func(*whole.Event), error) {
	tenants, err := sim.NewTenants(jobs)
	if err != nil {
		return nil, err
	}
	clock, err := newEventClock(jobs)
	if err != nil {
		return nil, err
	}
	s := &jobShares{eventClock: clock, course: c, tenants: tenants, eta: eta, states: make([]jobState, len(jobs))}
	c.received, c.deserved = c.series(len(jobs), clock.first), c.series(len(jobs), clock.first)
	return s.event, nil
}

// event takes in the jobs that have come by then, and what happened.
func (s *jobShares) event(ev *whole.Event) {
	s.until(ev.At, s.came)
	j := &s.states[ev.Job]
	switch ev.Kind {
	case whole.TaskStart:
		j.running++
	case whole.TaskSuspend:
		j.running--
	case whole.TaskEnd:
		j.running--
		j.left--
	default:
		s.gone(ev.Job, ev.At)
		return
	}
	s.change(ev.Job, ev.At)
}

// came counts a job in.
func (s *jobShares) came(j int, at event.Time) {
	s.states[j] = jobState{since: at, left: s.jobs[j].Tasks}
	s.here = append(s.here, j)
	if s.tenants != nil {
		s.tenants.Come(s.tenants.Of[j])
	}
	s.weigh(at)
}

// gone counts a job out.
func (s *jobShares) gone(j int, at event.Time) {
	s.flush(j, at)
	s.here = slices.DeleteFunc(s.here, func(k int) bool { return k == j })
	if s.tenants != nil {
		s.tenants.Leave(s.tenants.Of[j])
	}
	s.weigh(at)
}

// weigh sums the weights anew, so that no rounding is carried on, and changes what all
// jobs deserve.
func (s *jobShares) weigh(at event.Time) {
	s.total = 0
	for _, j := range s.here {
		s.total += s.weight(j)
	}
	for _, j := range s.here {
		s.change(j, at)
	}
}

func (s *jobShares) weight(j int) float64 {
	if s.tenants != nil {
		return s.tenants.JobWeight(s.tenants.Of[j])
	}
	return s.jobs[j].User.Weight
}

// change writes down what a job has held, if it holds something else from now on.
func (s *jobShares) change(j int, at event.Time) {
	state := &s.states[j]
	received, deserved := float64(state.running), min(s.weight(j)/s.total*s.eta[j], float64(state.left))
	if received == state.received && deserved == state.deserved {
		return
	}
	s.flush(j, at)
	state.received, state.deserved = received, deserved
}

// flush writes down what a job has held up to a time.
func (s *jobShares) flush(j int, at event.Time) {
	state := &s.states[j]
	if at > state.since {
		for _, of := range []struct {
			series *metrics.Series
			value  float64
		}{{&s.course.received[j], state.received}, {&s.course.deserved[j], state.deserved}} {
			of.series.Add(of.value, int64(state.since), int64(at))
		}
	}
	state.since = at
}

// eventClock takes the jobs of a replay in the order of their arrival, beside its events.
type eventClock struct {
	jobs   []sim.Job
	arrive *sim.Arrivals
	first  event.Time
	next   int32 // job to arrive; -1: none
	nextAt event.Time
}

func newEventClock(jobs []sim.Job) (*eventClock, error) {
	arrivals, err := sim.NewArrivals(jobs)
	if err != nil {
		return nil, err
	}
	c := &eventClock{jobs: jobs, arrive: arrivals, first: arrivals.First}
	c.advance()
	return c, nil
}

// advance finds the next arrival.
func (c *eventClock) advance() {
	at, job, ok := c.arrive.Next()
	if !ok {
		at, job = event.Never, -1
	}
	c.nextAt, c.next = at, job
}

// until calls came with the jobs that have come by a time.
func (c *eventClock) until(at event.Time, came func(j int, at event.Time)) {
	for c.nextAt <= at {
		j, when := int(c.next), c.nextAt
		c.advance()
		came(j, when)
	}
}
