package whole

import (
	"fmt"
	"iter"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/waiting"
)

// SuspendCost is what suspending a task and resuming it later adds to what
// remains of it: 0.25 s.
const SuspendCost event.Time = 250_000

// Replay replays jobs in the indivisible task model; see the package's
// documentation. It runs on one goroutine and depends on nothing but what is
// here.
type Replay struct {
	// Env holds the servers and the links. Its users are ignored.
	Env *cluster.Environment
	// Jobs are the jobs by time of arrival. They are read one ahead.
	Jobs iter.Seq2[Job, error]
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
	// OnDone is shown every job when it is done or refused, in order of time.
	OnDone func(*JobResult) error
	// SampleEvery is the distance of samples, 0 for none. They are taken at its
	// multiples from the first arrival to the end of the last task.
	SampleEvery event.Time
	OnSample    func(*Sample) error
	// OnEvent is shown every start, suspension and end of a task.
	OnEvent func(*TaskEvent)

	// Tests: whether servers have a tree, and the end of the clock, if it is not 0.
	indexed *bool
	end     event.Time
}

// TaskEvent says what happened to one task.
type TaskEvent struct {
	At     event.Time
	Kind   TaskEventKind
	Job    *JobResult
	Task   int64 // number within the job
	Server int   // single server, see [cluster.Ledger]
	Rest   event.Time
}

// TaskEventKind is a kind of [TaskEvent].
type TaskEventKind uint8

// The kinds of task events.
const (
	TaskStart   TaskEventKind = iota // or resumption; Rest is how long it will run
	TaskSuspend                      // Rest includes the cost of resuming
	TaskEnd
)

// run is a replay under way.
type run struct {
	*Replay
	rule    scheduler
	servers *waiting.Servers
	kinds   kinds
	users   []user
	unused  []int32 // entries of users that are free
	present int
	queued  int64 // waiting tasks of all users
	running int

	engine event.Engine[int32] // payloads: tasks that end, jobs that arrive
	jobs   []Job
	ahead  int  // jobs that have not arrived
	asked  bool // an allocation is scheduled at this instant

	tasks     []task
	idleTasks []int32
	queue     waiting.Queue // users with waiting tasks; nil: the rule has no order

	now    event.Time
	slotAt event.Time // the next reallocation; event.Never if nothing has changed
	// The clock ends at horizon. A task that starts by latest ends on it.
	horizon, latest event.Time
	what            instant
	result          Result
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
// callback, or names a job that is never served ([StarvedError]). Jobs that
// arrive out of order are an error.
func (r *Replay) Run() (*Result, error) {
	e, err := r.start()
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

func (r *Replay) start() (*run, error) {
	if err := cluster.Validate(r.Env.With(nil)); err != nil {
		return nil, err
	}
	if r.Slot < 0 || r.SampleEvery < 0 {
		return nil, fmt.Errorf("slot of %d µs, samples every %d µs: neither may be negative", r.Slot, r.SampleEvery)
	}
	e := &run{Replay: r, servers: waiting.NewServers(r.Env), slotAt: event.Never}
	if r.indexed != nil {
		e.servers = waiting.NewServersIndexed(r.Env, *r.indexed)
	}
	if err := e.read(); err != nil {
		return nil, err
	}
	e.result.Inexact = e.servers.Inexact
	e.rule = r.Rule.open(e)
	e.kinds = newKinds(r.Env, e.servers, e.rule.Norm, r.Fairness != nil)
	if r.Fairness != nil {
		r.Fairness.open(e)
	}
	if len(e.jobs) > 0 {
		e.now = e.jobs[0].Arrival
	}
	e.horizon = event.Horizon(e.now)
	if r.end != 0 {
		e.horizon = r.end
	}
	e.latest = e.horizon
	if r.Verify {
		e.check = &verifier{e: e, last: e.now}
	}
	e.usage.open(e)
	e.sample.open(e)
	e.engine.Feed(phaseArrival, e.arrivals())
	return e, nil
}

// read reads the jobs.
func (e *run) read() error {
	for job, err := range e.Jobs {
		if err != nil {
			return err
		}
		if n := len(e.jobs); n > 0 && job.Arrival < e.jobs[n-1].Arrival {
			return fmt.Errorf("job %s arrives at %d µs, before the one ahead of it (%d µs)", job.User.Name, job.Arrival, e.jobs[n-1].Arrival)
		}
		if err := job.check(); err != nil {
			return err
		}
		e.jobs = append(e.jobs, job)
	}
	e.ahead = len(e.jobs)
	return nil
}

// arrivals is the feed of the jobs by time of arrival.
func (e *run) arrivals() func() (event.Time, int32, bool) {
	next := int32(0)
	return func() (event.Time, int32, bool) {
		if int(next) == len(e.jobs) {
			return 0, 0, false
		}
		next++
		return e.jobs[next-1].Arrival, next - 1, true
	}
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
		e.ahead--
		return e.arrive(&e.jobs[ev.Payload])
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

// restart schedules a reallocation after the rule has left the cluster idle, at
// the next multiple of the slot; it reports whether that is on the clock.
func (e *run) restart() bool {
	e.slotAt = e.now
	if e.Slot > 0 {
		e.slotAt = e.after(e.now)
	}
	if e.slotAt == event.Never {
		return false
	}
	e.result.Stalls++
	e.engine.Schedule(e.slotAt, phaseAllocation, 0)
	return true
}

// after returns the first multiple of the slot after a time; event.Never if it
// lies beyond the clock.
func (e *run) after(t event.Time) event.Time {
	k := t / e.Slot
	if t < 0 && t%e.Slot != 0 {
		k--
	}
	if k*e.Slot > e.horizon-e.Slot {
		return event.Never
	}
	return (k + 1) * e.Slot
}

// elapse accounts for the time up to an instant, in which nothing changes.
func (e *run) elapse(to event.Time) error {
	span := to - e.now
	e.sample.elapse(span)
	if e.present > 0 {
		e.usage.busy += span
		if e.Fairness != nil {
			if err := e.Fairness.elapse(span); err != nil {
				return err
			}
		}
	}
	e.now = to
	return nil
}

func (e *run) arrive(j *Job) error {
	k, err := e.kinds.enter(&j.User)
	if err != nil {
		return err
	}
	result := e.admit(j, k)
	if result.Refused {
		e.kinds.leave(k)
		e.count(&result)
		if e.OnDone == nil {
			return nil
		}
		return e.OnDone(&result)
	}
	e.expect(j.longest())
	e.result.Tasks += j.Tasks
	e.sample.arrived += j.Tasks
	u := user{
		JobResult: result, kind: k, weight: j.User.Weight, duration: j.Duration, each: j.Each,
		fresh: j.Tasks, left: j.Tasks, scale: k.norm.ScaleOf(j.User.Weight),
	}
	e.enter(u)
	return nil
}

// admit counts a job and says whether it is refused when it arrives.
func (e *run) admit(j *Job, k *kind) JobResult {
	result := JobResult{Index: e.result.Jobs, Name: j.User.Name, Tasks: j.Tasks, Arrival: e.now}
	e.result.Jobs++
	e.result.Inexact += k.Need.Inexact
	if k.alone == 0 {
		result.Refused = true
		return result
	}
	standalone, onClock := j.standalone(k.alone, e.horizon-e.now)
	if onClock {
		result.Standalone = standalone
	}
	result.Refused, result.BeyondClock = !onClock, !onClock
	return result
}

// count counts a refused job.
func (e *run) count(j *JobResult) {
	e.result.Refused++
	if j.BeyondClock {
		e.result.BeyondClock++
	}
}

// allocate makes the one allocation of the instant.
func (e *run) allocate() error {
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

// nextSlot finds when the next reallocation is: now, or at the next multiple of
// the slot.
func (e *run) nextSlot() {
	e.slotAt = e.now
	if e.now%e.Slot == 0 {
		return
	}
	if e.slotAt = e.after(e.now); e.slotAt != event.Never {
		e.engine.Schedule(e.slotAt, phaseAllocation, 0)
	}
}

// reallocate suspends every running task, in order of completion, and
// allocates afresh.
func (e *run) reallocate() error {
	if e.present == 0 {
		return nil
	}
	e.result.Reallocations++
	e.servers.Emptied()
	for {
		// Invariant: what is scheduled are the completions alone. The slot is this
		// one, and an instant has one allocation.
		first, ok := e.engine.Withdraw()
		if !ok {
			break
		}
		t := e.tasks[first.Payload]
		u := &e.users[t.user]
		rest := t.due - e.now + SuspendCost
		e.release(first.Payload, TaskSuspend, rest)
		u.parked.push(suspended{t.number, rest})
		u.Suspensions++
		if u.running == 0 {
			e.wait(t.user)
		}
		e.queued++
		e.result.Suspensions++
		e.expect(rest)
	}
	if err := e.lateTasks(); err != nil || e.present == 0 {
		return err
	}
	return e.rule.slot()
}

// StarvedError says that a rule has left jobs unserved, with the cluster idle and
// nothing to come.
type StarvedError struct {
	Job  string // one of them
	Jobs int
}

func (e *StarvedError) Error() string {
	return fmt.Sprintf("job %s is never served to the end: the rule gives it nothing (%d jobs are left)", e.Job, e.Jobs)
}

func (e *run) starved() error {
	for at := range e.users {
		if u := &e.users[at]; u.left > 0 {
			return &StarvedError{u.Name, e.present}
		}
	}
	panic("whole: users are present, but none has tasks left")
}
