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
	// Feed, if it is not nil, takes the place of Jobs: jobs that are not held. What becomes
	// of one is then shown to OnJob, as soon as it has left, and not in [sim.Result.Jobs].
	Feed  *sim.Feed
	OnJob func(number int, r *sim.JobResult) error
	Rule  Rule
	// Slot is T, the time between reallocations; 0: never.
	Slot event.Time
	// SuspendedLast queues suspended tasks behind those that have not run yet;
	// they come first otherwise.
	SuspendedLast bool
	// Verify checks every invariant after every instant, slowly.
	Verify bool
	// Fairness watch MIN-EF-SAT and MIN-SI-SAT, each with its own task caps.
	Fairness []*Fairness
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

	engine  event.Engine[int32] // payloads: batches of tasks that end, jobs that arrive
	feed    *sim.Feed
	coming  *sim.Coming // the jobs that have not arrived
	arrived int
	asked   bool // an allocation is scheduled at this instant

	batches     []batch // of running tasks
	idleBatches []int32
	latestBatch int              // the one that has started last
	places      map[int64]int    // of the next job of each priority, where that orders jobs; else nil
	queue       waiting.Queue    // users with waiting tasks; nil: the rule has no order
	tenants     *sim.Tenants     // nil: each job is one
	shared      *waiting.Tenants // the queue, where shares of tenants make its order; else nil
	totals      []*order.Total   // the shares of the tenants then

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
	if err := e.begin(); err != nil {
		return nil, err
	}
	e.result.Inexact = e.servers.Inexact
	e.rule = r.Rule.open(e)
	e.kinds = newKinds(r.Env, e.servers, e.rule.Norm, r.Fairness != nil)
	for _, f := range r.Fairness {
		f.open(e)
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
	e.engine.Feed(phaseArrival, e.coming.Feed())
	return e, nil
}

// begin opens the feed of the jobs.
func (e *run) begin() (err error) {
	if e.feed = e.Feed; e.feed == nil {
		if e.feed, err = sim.FeedOf(e.Jobs); err != nil {
			return err
		}
		e.result.Jobs = make([]sim.JobResult, len(e.Jobs))
	}
	if e.coming, err = e.feed.Begin(); err != nil {
		return err
	}
	if e.feed.Shared {
		e.tenants = &sim.Tenants{}
	}
	e.now, e.horizon = e.coming.First, e.coming.Horizon
	return nil
}

// schedule reports whether there is anything to do: before the first event there
// is, and then where a rule starts again after it has left the cluster idle.
func (e *run) schedule() bool {
	if e.coming.Left() {
		return true
	}
	return e.rule.restart() && e.restart()
}

// handle handles one event. An instant is its completions, its arrivals and one
// allocation.
func (e *run) handle(ev event.Event[int32]) error {
	if err := e.coming.Err(); err != nil {
		return err
	}
	if ev.At > e.now {
		if e.present == 0 && !e.coming.Left() {
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
		return e.arrive()
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
		for _, f := range e.Fairness {
			if err := f.elapse(span); err != nil {
				return err
			}
		}
	}
	e.now = to
	return nil
}

func (e *run) arrive() error {
	j, number := e.coming.Take()
	k, err := e.kinds.enter(&j.User)
	if err != nil {
		return err
	}
	index := e.arrived
	e.arrived++
	e.result.Inexact += k.Need.Inexact
	place, r := e.placeOf(j, index), e.resultOf(number)
	if *r = e.admit(j, k); r.Refused {
		e.kinds.leave(k)
		return e.left(number, r)
	}
	e.expect(longest(j))
	e.result.Tasks += j.Tasks
	e.sample.arrived += j.Tasks
	return e.enter(user{
		Job: j, result: r, number: int32(number), index: index, place: place, kind: k,
		fresh: j.Tasks, left: j.Tasks, scale: k.norm.ScaleOf(j.User.Weight),
	})
}

// resultOf returns where the result of a job goes.
func (e *run) resultOf(number int) *sim.JobResult {
	if e.result.Jobs == nil {
		return &sim.JobResult{}
	}
	return &e.result.Jobs[number]
}

// placeOf returns the place of the index-th job to arrive, where nothing else orders it.
func (e *run) placeOf(j *sim.Job, index int) int {
	if e.places == nil {
		return index
	}
	place := e.places[j.Priority]
	e.places[j.Priority]++
	return place
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
func (e *run) left(number int, r *sim.JobResult) error {
	kind := JobDone
	if e.result.Count(r); r.Refused {
		kind = JobRefused
	}
	if e.OnEvent != nil {
		e.OnEvent(&Event{At: e.now, Kind: kind, Job: number})
	}
	if e.OnJob == nil {
		return nil
	}
	return e.OnJob(number, r)
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
