package whole

import (
	"context"
	"fmt"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/order"
	"github.com/leontief-sim/leontief/sim/whole/waiting"
)

// Replay replays jobs in the model of whole tasks; see the package's
// documentation. It runs on one goroutine and depends on nothing but what is
// here.
type Replay struct {
	Env  *cluster.Environment // servers and links; its users are ignored
	Jobs []sim.Job
	Rule Rule
	// Slot is T, the time between reallocations; 0: never.
	Slot event.Time
	// SuspendedLast queues suspended tasks behind those that have not run yet;
	// they come first otherwise.
	SuspendedLast bool
	// Verify checks every invariant after every instant, slowly.
	Verify bool
	// Fairness watches MIN-EF-SAT and MIN-SI-SAT if it is not nil.
	Fairness *Fairness
	// SampleEvery is the distance of samples, 0 for none. They are taken at its
	// multiples from the first arrival to the end of the last task.
	SampleEvery event.Time
	OnSample    func(*Sample) error
	// OnInterval is shown every span of time in which nothing changes and a user is in the
	// system, in order of time and before the events at its end. An error ends the replay.
	OnInterval func(*Interval) error
	// OnEvent is shown every start, suspension and end of a task, and what becomes
	// of a job, in order of time.
	OnEvent func(*Event)

	// Tests: whether servers have a tree, and the end of the clock, if it is not 0.
	indexed *bool
	end     event.Time
}

// Event says what happened to a task or a job.
type Event struct {
	At   event.Time
	Kind EventKind
	Job  int // index
	// Of a task: its number within the job, the single server on which it runs
	// (see [cluster.Ledger]), when it began to run there, and how long it has to run
	// from now on.
	Task        int64
	Server      int
	Since, Rest event.Time
}

// EventKind is a kind of [Event].
type EventKind uint8

// The kinds of events.
const (
	TaskStart   EventKind = iota // or resumption
	TaskSuspend                  // Rest includes the cost of resuming
	TaskEnd
	JobDone
	JobRefused
)

// run is a replay under way.
type run struct {
	*Replay
	ctx     context.Context
	rule    scheduler
	servers *waiting.Servers
	kinds   kinds
	users   []user
	unused  []int32 // entries of users that are free
	present int
	queued  int64 // waiting tasks of all users
	running int

	engine event.Engine[int32] // payloads: tasks that end, jobs that arrive
	ahead  int                 // jobs that have not arrived
	asked  bool                // an allocation is scheduled at this instant

	tasks     []task
	idleTasks []int32
	ranks     []int32          // of jobs, where priority orders them; else nil
	queue     waiting.Queue    // users with waiting tasks; nil: the rule has no order
	tenants   *sim.Tenants     // nil: each job is one
	shared    *waiting.Tenants // the queue, where shares of tenants make its order; else nil
	totals    []*order.Total   // the shares of the tenants then

	now    event.Time
	slotAt event.Time // the next reallocation; event.Never if nothing has changed
	// The clock ends at horizon. A task that starts by latest ends on it.
	horizon, latest event.Time
	what            instant
	result          sim.Result
	usage           usage
	sample          sampler
	check           *verifier
}

// instant is what has happened at the present one.
type instant struct {
	tasksLeft, tasksCame, usersLeft, usersCame bool
}

// The phases of one instant.
const (
	phaseCompletion event.Phase = iota
	phaseArrival
	phaseAllocation
)

// Run replays the jobs. The error is one of the input, of the rule or of a
// callback, or names the users that are never served ([sim.StarvedError]). It ends
// early, with the cause, when ctx does.
func (r *Replay) Run(ctx context.Context) (*sim.Result, error) {
	e, err := r.start(ctx)
	if err != nil {
		return nil, err
	}
	for e.schedule() {
		if err := e.engine.Run(e.handle); err != nil {
			return nil, fmt.Errorf("at %d µs: %w", e.engine.Now(), err)
		}
	}
	if e.present > 0 {
		if e.Slot == 0 || e.after(e.now) != event.Never {
			return nil, e.starved()
		}
		if err := e.outlast(); err != nil {
			return nil, err
		}
	}
	e.result.Utilization = e.usage.mean()
	return &e.result, nil
}

func (r *Replay) start(ctx context.Context) (*run, error) {
	if err := cluster.Validate(r.Env.With(nil)); err != nil {
		return nil, err
	}
	if r.Slot < 0 || r.SampleEvery < 0 {
		return nil, fmt.Errorf("slot of %d µs, samples every %d µs: neither may be negative", r.Slot, r.SampleEvery)
	}
	e := &run{Replay: r, ctx: ctx, servers: waiting.NewServers(r.Env), slotAt: event.Never}
	if r.indexed != nil {
		e.servers = waiting.NewServersIndexed(r.Env, *r.indexed)
	}
	arrivals, err := sim.NewArrivals(r.Jobs)
	if err != nil {
		return nil, err
	}
	e.ahead, e.result.Jobs = len(r.Jobs), make([]sim.JobResult, len(r.Jobs))
	e.now, e.horizon = arrivals.First, arrivals.Horizon
	e.result.Inexact = e.servers.Inexact
	if e.tenants, err = sim.NewTenants(r.Jobs); err != nil {
		return nil, err
	}
	e.rule = r.Rule.open(e)
	e.kinds = newKinds(r.Env, e.servers, e.rule.Norm, r.Fairness != nil)
	if r.Fairness != nil {
		r.Fairness.open(e)
	}
	if r.end != 0 {
		e.horizon = r.end
	}
	e.latest = e.horizon
	if r.Verify {
		e.check = &verifier{e: e, last: e.now}
	}
	e.usage.open(e)
	e.sample.open(e)
	e.engine.Feed(phaseArrival, arrivals.Next)
	return e, nil
}

// schedule reports whether there is anything to do: before the first event there
// is, and then where a rule starts again after it has left the cluster idle.
func (e *run) schedule() bool {
	if e.ahead > 0 {
		return true
	}
	return e.rule.restart() && e.restart()
}

// handle handles one event. An instant is its completions, its arrivals and one
// allocation.
func (e *run) handle(ev event.Event[int32]) error {
	if ev.At > e.now {
		if e.present == 0 && e.ahead == 0 {
			return nil // a slot with nobody left
		}
		if err := e.advance(ev.At); err != nil {
			return err
		}
	}
	switch ev.Phase {
	case phaseCompletion:
		e.ask()
		return e.complete(ev.Payload)
	case phaseArrival:
		e.ask()
		return e.arrive(ev.Payload)
	default:
		return e.allocate()
	}
}

// ask schedules the one allocation of this instant.
func (e *run) ask() {
	if !e.asked && e.slotAt != e.now {
		e.asked = true
		e.engine.Schedule(e.now, phaseAllocation, 0)
	}
}

// advance moves the clock, past the samples that are due before.
func (e *run) advance(to event.Time) error {
	for e.sample.next < to {
		if err := e.elapse(e.sample.next); err != nil {
			return err
		}
		if err := e.sample.take(); err != nil {
			return err
		}
	}
	return e.elapse(to)
}

// elapse accounts for the time up to an instant, in which nothing changes.
func (e *run) elapse(to event.Time) error {
	span := to - e.now
	e.sample.elapse(span)
	if e.present > 0 {
		e.usage.busy += span
		if err := e.show(to); err != nil {
			return err
		}
		if e.Fairness != nil {
			if err := e.Fairness.elapse(span); err != nil {
				return err
			}
		}
	}
	e.now = to
	return nil
}

func (e *run) arrive(number int32) error {
	j := &e.Jobs[number]
	k, err := e.kinds.enter(&j.User)
	if err != nil {
		return err
	}
	index := len(e.Jobs) - e.ahead
	e.ahead--
	e.result.Inexact += k.Need.Inexact
	r := &e.result.Jobs[number]
	if *r = e.admit(j, k); r.Refused {
		e.kinds.leave(k)
		e.left(number)
		return nil
	}
	e.expect(longest(j))
	e.result.Tasks += j.Tasks
	e.sample.arrived += j.Tasks
	e.enter(user{
		Job: j, result: r, number: number, index: index, place: e.placeOf(number, index), kind: k,
		fresh: j.Tasks, left: j.Tasks, scale: k.norm.ScaleOf(j.User.Weight),
	})
	return nil
}

// placeOf returns the place of a job that is the index-th to arrive, where nothing else
// orders it.
func (e *run) placeOf(number int32, index int) int {
	if e.ranks == nil {
		return index
	}
	return int(e.ranks[number])
}

// admit says whether a job is refused when it arrives: if no task of it fits into
// the empty cluster, or if it could not be done on the clock even alone.
func (e *run) admit(j *sim.Job, k *kind) sim.JobResult {
	if k.alone == 0 {
		return sim.JobResult{Arrival: e.now, Refused: true}
	}
	alone, onClock := standalone(j, k.alone, e.horizon-e.now)
	if !onClock {
		return sim.JobResult{Arrival: e.now, Refused: true, BeyondClock: true}
	}
	return sim.JobResult{Arrival: e.now, Standalone: float64(alone)}
}

// left counts a job that has left.
func (e *run) left(number int32) {
	r, kind := &e.result.Jobs[number], JobDone
	if e.result.Count(r); r.Refused {
		kind = JobRefused
	}
	if e.OnEvent != nil {
		e.OnEvent(&Event{At: e.now, Kind: kind, Job: int(number)})
	}
}

// allocate makes the one allocation of the instant, its last event:
//
//  1. If anything has changed, find when the next reallocation is.
//  2. At a reallocation suspend all tasks and allocate afresh; otherwise, if
//     anything has changed, let the rule start what waits.
//  3. Verify, and take the sample that is due now.
func (e *run) allocate() error {
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	changed := e.what != (instant{})
	if changed && e.Slot > 0 && e.slotAt == event.Never {
		e.nextSlot()
	}
	var err error
	switch {
	case e.slotAt == e.now:
		e.slotAt = event.Never
		err = e.reallocate()
	case changed:
		if err = e.lateTasks(); err == nil {
			err = e.rule.events()
		}
	}
	if err != nil {
		return err
	}
	e.what, e.asked = instant{}, false
	if e.check != nil {
		if err := e.check.all(); err != nil {
			return err
		}
		e.result.Verified++
	}
	return e.sample.take()
}

// starved names the users that are left.
func (e *run) starved() error {
	idle := &sim.StarvedError{}
	for at := range e.users {
		if u := &e.users[at]; u.left > 0 {
			idle.Users = append(idle.Users, u.User.Name)
		}
	}
	return idle
}
