package run

import (
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
)

// jobShares follows what each job receives and deserves where tasks are whole, from the
// events of a replay: the tasks of j that run, and
//
//	min( w[j]/Σw·η'[j], the tasks of j that are left ),
//
// Σw being over the jobs in the system. What a job holds is written down when it changes.
// What it deserves changes with every job that comes or goes, so that is summed for all jobs
// of a group at once ([deserving]): an event costs as much whatever the number of jobs.
type jobShares struct {
	*eventClock
	course  *Course
	tenants *sim.Tenants // nil: each job has its own weight
	eta     []float64    // η' of each job
	states  []jobState
	deserve *deserving
}

// jobState is what a job holds since a time.
type jobState struct {
	since         event.Time
	running, left int64
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
	s.deserve = newDeserving(c.deserved, clock.first)
	return s.event, nil
}

// event takes in the jobs that have come by then, and what happened.
func (s *jobShares) event(ev *whole.Event) {
	s.until(ev.At, s.came)
	s.deserve.until(ev.At)
	j := &s.states[ev.Job]
	switch ev.Kind {
	case whole.TaskStart:
		s.hold(ev, 1)
	case whole.TaskSuspend:
		s.hold(ev, -1)
	case whole.TaskEnd:
		s.hold(ev, -1)
		j.left--
		s.deserve.cap(ev.Job, float64(j.left))
	default:
		s.hold(ev, 0)
		s.deserve.leave(ev.Job)
		s.weigh(ev.Job, -1)
	}
}

// came counts a job in.
func (s *jobShares) came(j int, at event.Time) {
	s.deserve.until(at)
	s.states[j] = jobState{since: at, left: s.jobs[j].Tasks}
	group, scale := 0, s.jobs[j].User.Weight*s.eta[j]
	if s.shares(j) {
		group, scale = 1+s.tenants.Of[j], s.eta[j]
	}
	s.deserve.come(j, group, scale, float64(s.jobs[j].Tasks))
	s.weigh(j, 1)
}

// shares reports whether a job has a part of a tenant's weight.
func (s *jobShares) shares(j int) bool {
	return s.tenants != nil && s.tenants.Names[s.tenants.Of[j]] != ""
}

// weigh counts the weight of a job that comes (+1) or goes (−1).
func (s *jobShares) weigh(j int, sign float64) {
	weight := s.jobs[j].User.Weight
	if !s.shares(j) {
		s.deserve.weigh(sign * weight)
		return
	}
	tenant := s.tenants.Of[j]
	if sign < 0 {
		s.tenants.Leave(tenant)
	}
	if s.tenants.Active[tenant] > 0 { // with its other jobs
		weight = 0
	}
	if sign > 0 {
		s.tenants.Come(tenant)
	}
	if s.tenants.Active[tenant] > 0 {
		s.deserve.groups[1+tenant].weight = s.tenants.JobWeight(tenant)
	}
	s.deserve.weigh(sign * weight)
}

// hold writes down what a job has held, and changes it.
func (s *jobShares) hold(ev *whole.Event, tasks int64) {
	j := &s.states[ev.Job]
	s.course.received[ev.Job].Add(float64(j.running), int64(j.since), int64(ev.At))
	j.since, j.running = ev.At, j.running+tasks
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
