package sim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// Fluid replays jobs in the fluid task model: tasks are infinitely divisible
// and can be moved without cost.
//
// Between events user j is served at rate x[j], its number of tasks in the
// policy's allocation, which may exceed the number of tasks submitted: task
// caps do not bound it. Its work n·t therefore shrinks by x[j] a unit of time.
// At every arrival and every completion the policy allocates anew to the users
// present; what falls on one instant is handled in the order completions,
// arrivals, one allocation.
//
// Work is exact to floating point; a completion is rounded up to the next
// whole microsecond, and the user holds its allocation until then. A replay
// runs on one goroutine and depends on nothing but its arguments.
type Fluid struct {
	Env    *cluster.Environment // servers and links; its users are ignored
	Jobs   []Job                // all that ever arrive; users are numbered as they are
	Policy policies.Policy
	// Observers are shown every interval, in this order.
	Observers []Observer
}

// The phases of one instant.
const (
	phaseCompletion event.Phase = iota
	phaseArrival
	phaseAllocation
)

// fluid is a replay under way.
type fluid struct {
	*Fluid
	ctx     context.Context
	env     *cluster.Environment // with the jobs as users, without task caps
	session policies.Session
	tenants *Tenants            // nil: each job is one
	weights []float64           // of users; nil without tenants
	engine  event.Engine[int32] // payloads: the job that arrives, or the allocation that foresaw a completion

	present []int // ascending
	here    []bool
	started []bool       // was served
	left    []float64    // work left, in task-µs
	due     []event.Time // when it completes at the present rate; never if not served
	current *cluster.Allocation
	since   event.Time // up to when work has been done
	horizon event.Time // the last instant of the clock
	asked   bool       // an allocation is scheduled at this instant
	result  Result
}

// Run replays the jobs. Jobs that nothing in the cluster can host (η = 0, or
// no eligible server) are refused at arrival and counted. So are those that
// even alone would be done only beyond the clock ([event.Horizon]): arrival and
// standalone JCT together are later. A job may also turn out to be late
// afterwards, as it has to share the cluster: those that are left when nothing
// falls on the clock any more, though they are served, are refused then; what
// they held before counts in the observers, and the time after the last event
// does not.
//
// It ends early, with the cause, when ctx does.
//
// The error is one of the input, of the policy or of an observer, or names the
// users that were never served ([StarvedError]).
func (f *Fluid) Run(ctx context.Context) (*Result, error) {
	run, err := f.start(ctx)
	if err != nil {
		return nil, err
	}
	if err := run.engine.Run(run.handle); err != nil {
		return nil, err
	}
	if err := run.unfinished(); err != nil {
		return nil, err
	}
	for j := range run.result.Jobs {
		run.result.Count(&run.result.Jobs[j])
	}
	return &run.result, nil
}

func (f *Fluid) start(ctx context.Context) (*fluid, error) {
	arrivals, err := NewArrivals(f.Jobs)
	if err != nil {
		return nil, err
	}
	n := len(f.Jobs)
	run := &fluid{
		Fluid: f, ctx: ctx, env: f.environment(), horizon: arrivals.Horizon, here: make([]bool, n), started: make([]bool, n),
		left: make([]float64, n), due: make([]event.Time, n), result: Result{Jobs: make([]JobResult, n)},
	}
	if run.tenants, err = NewTenants(f.Jobs); err != nil {
		return nil, err
	}
	if run.tenants != nil {
		run.weights = make([]float64, n)
	}
	if run.session, err = policies.Open(f.Policy, run.env); err != nil {
		return nil, err
	}
	if err := run.measure(); err != nil {
		return nil, err
	}
	run.engine.Feed(phaseArrival, arrivals.Next)
	return run, nil
}

// environment returns the cluster with the jobs as its users, none of them capped.
func (f *Fluid) environment() *cluster.Environment {
	users := make([]cluster.User, len(f.Jobs))
	for j := range users {
		users[j] = f.Jobs[j].User
		users[j].Tasks = cluster.Inf
	}
	return f.Env.With(users)
}

// unbounded returns env with no user's tasks capped.
func unbounded(env *cluster.Environment) *cluster.Environment {
	users := slices.Clone(env.Users)
	for j := range users {
		users[j].Tasks = cluster.Inf
	}
	return env.With(users)
}

// measure finds every job's standalone JCT and the jobs to refuse.
func (f *fluid) measure() error {
	etas, eligible := f.env.Etas(nil), f.env.EtasEligible(nil)
	for j, job := range f.Jobs {
		r := &f.result.Jobs[j]
		r.Arrival = job.Arrival
		switch {
		case math.IsInf(etas[j], 1):
			return fmt.Errorf("user %s: demands nothing that the cluster bounds", f.env.Users[j].Name)
		case eligible[j] == 0:
			f.refuse(j, false)
		default:
			r.Standalone = job.work() / eligible[j]
			if float64(job.Arrival)+r.Standalone > float64(f.horizon) {
				f.refuse(j, true)
			}
		}
	}
	return nil
}

// refuse notes that a job is not done.
func (f *fluid) refuse(j int, beyondClock bool) {
	f.result.Jobs[j] = JobResult{Arrival: f.Jobs[j].Arrival, Refused: true, BeyondClock: beyondClock}
}

func (f *fluid) handle(ev event.Event[int32]) error {
	switch ev.Phase {
	case phaseCompletion:
		if int(ev.Payload) != f.result.Allocations {
			return nil // foreseen by an allocation that is no longer in force
		}
		if err := f.advance(ev.At); err != nil {
			return err
		}
		return f.complete(ev.At)
	case phaseArrival:
		if err := f.advance(ev.At); err != nil {
			return err
		}
		f.arrive(int(ev.Payload))
		return nil
	default:
		return f.allocate()
	}
}

// advance does the work of the time since the last event and shows it to the
// observers.
func (f *fluid) advance(now event.Time) error {
	span := now - f.since
	if len(f.present) > 0 && span > 0 {
		for _, j := range f.present {
			f.left[j] -= f.current.Tasks[j] * float64(span)
		}
		iv := Interval{From: f.since, To: now, Present: f.present, Here: f.here, Weights: f.weights, Allocation: f.current}
		for _, o := range f.Observers {
			if err := o.Observe(&iv); err != nil {
				return err
			}
		}
	}
	f.since = now
	return nil
}

func (f *fluid) arrive(j int) {
	if f.result.Jobs[j].Refused {
		return
	}
	at, _ := slices.BinarySearch(f.present, j)
	f.present = slices.Insert(f.present, at, j)
	f.here[j] = true
	f.left[j] = f.Jobs[j].work()
	f.session.Add(j)
	if f.tenants != nil {
		f.tenants.Come(f.tenants.Of[j])
	}
	f.ask()
}

// weigh tells the rule the weights that have changed.
func (f *fluid) weigh() {
	if f.tenants == nil {
		return
	}
	for _, j := range f.present {
		if w := f.tenants.JobWeight(f.tenants.Of[j]); w != f.env.Users[j].Weight {
			f.session.Weigh(j, w)
		}
		f.weights[j] = f.env.Users[j].Weight
	}
}

// complete ends every job that is due.
func (f *fluid) complete(now event.Time) error {
	staying := f.present[:0]
	for _, j := range f.present {
		if f.due[j] != now {
			staying = append(staying, j)
			continue
		}
		f.here[j] = false
		f.session.Remove(j)
		if f.tenants != nil {
			f.tenants.Leave(f.tenants.Of[j])
		}
		r := &f.result.Jobs[j]
		r.Completion = now
		if err := f.checkFactor(j); err != nil {
			return err
		}
	}
	f.present = staying
	f.ask()
	return nil
}

// factorTolerance is how far a JCT factor may exceed 1: the accuracy that is
// asked of the constraints of an allocation.
const factorTolerance = 1e-9

// checkFactor holds a completed job against its bound: no feasible allocation
// gives a user more than η', so none ends before its standalone JCT. A rule
// that allocates from another cluster than the one replayed (drf pools the
// servers) is not bound by it.
func (f *fluid) checkFactor(j int) error {
	r := f.result.Jobs[j]
	if r.Standalone <= float64(r.JCT())*(1+factorTolerance)+1 || !sameCluster(f.env, f.current.Region) {
		return nil
	}
	return fmt.Errorf("user %s: completed in %d µs, faster than with the whole cluster to itself (%g µs): the allocation is not feasible",
		f.env.Users[j].Name, r.JCT(), r.Standalone)
}

// sameCluster reports whether b is a with other users.
func sameCluster(a, b *cluster.Environment) bool {
	return len(a.Servers) == len(b.Servers) && &a.Servers[0] == &b.Servers[0]
}

// ask schedules the one allocation of this instant.
func (f *fluid) ask() {
	if !f.asked {
		f.asked = true
		f.engine.Schedule(f.engine.Now(), phaseAllocation, 0)
	}
}

// allocate asks the policy and foresees the next completion.
func (f *fluid) allocate() error {
	f.asked = false
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	if len(f.present) == 0 {
		return nil
	}
	f.weigh()
	var err error
	if f.current, err = f.session.Allocate(); err != nil {
		return fmt.Errorf("at %d µs with %d users present: %w", f.engine.Now(), len(f.present), err)
	}
	f.result.Allocations++
	if !sameCluster(f.env, f.current.Region) {
		f.result.Pooled = servers(f.env)
	}
	next := event.Never
	for _, j := range f.present {
		if !f.started[j] && f.current.Tasks[j] > 0 {
			f.started[j], f.result.Jobs[j].FirstStart = true, f.engine.Now()
		}
		f.due[j] = foresee(f.engine.Now(), f.horizon, f.left[j], f.current.Tasks[j])
		next = min(next, f.due[j])
	}
	if next < event.Never {
		f.engine.Schedule(next, phaseCompletion, int32(f.result.Allocations))
	}
	return nil
}

// servers returns the number of single servers.
func servers(env *cluster.Environment) int {
	n := 0
	for s := range env.Servers {
		n += env.Servers[s].Count
	}
	return n
}

// foresee returns the first whole microsecond after now at which the work left
// is done at the given rate; never, if that is beyond the horizon.
func foresee(now, horizon event.Time, left, rate float64) event.Time {
	span := 1.0 // all but rounding is done
	if left > 0 {
		span = math.Ceil(left / rate)
	}
	if !(span < 1<<63) || event.Time(span) > horizon-now {
		return event.Never
	}
	return now + event.Time(span)
}

// unfinished refuses the users that are left at the end: they are served, but
// their completion lies beyond the clock. Users that are not served are an
// error.
func (f *fluid) unfinished() error {
	idle := &StarvedError{}
	for _, j := range f.present {
		if f.current.Tasks[j] > 0 {
			f.refuse(j, true)
		} else {
			idle.Users = append(idle.Users, f.env.Users[j].Name)
		}
	}
	if len(idle.Users) > 0 {
		return idle
	}
	return nil
}
