package whole

import (
	"fmt"
	"iter"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
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

	// Tests: look at all servers without an index, or use it for few too.
	scanOnly, indexAlways bool
	end                   event.Time // tests: the end of the clock, if it is not 0
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

// engine is a replay under way.
type engine struct {
	*Replay
	rule    scheduler
	pool    *pool
	kinds   kinds
	users   []user
	unused  []int32 // entries of users that are free
	present int
	queued  int64 // waiting tasks of all users
	running int

	tasks     []task
	idleTasks []int32
	due       event.Queue[int32] // completions
	waiting   *crowd             // users with waiting tasks; see inOrder
	linked    *crowd             // the others of them
	newcomers []int32            // users that arrived at this instant
	suspended []int32            // users of whom tasks were suspended at this instant

	next   func() (Job, error, bool)
	head   Job
	more   bool
	now    event.Time
	slotAt event.Time // the next reallocation; event.Never if nothing has changed
	// The clock ends at horizon. A task that starts by latest ends on it.
	horizon, latest event.Time
	what            instant
	dirty           []int32 // servers that tasks have left at this instant
	marked          []bool  // per server: whether it is in dirty
	result          Result
	usage           usage
	sample          sampler
	check           *verifier
}

// instant is what has happened at the present one.
type instant struct {
	tasksLeft, tasksCame, usersLeft, usersCame bool
}

// Run replays the jobs. The error is one of the input, of the rule or of a
// callback, or names a job that is never served ([StarvedError]). Jobs that
// arrive out of order are an error.
func (r *Replay) Run() (*Result, error) {
	e, stop, err := r.start()
	if err != nil {
		return nil, err
	}
	defer stop()
	for {
		at := e.nextInstant()
		if at == event.Never {
			break
		}
		if err := e.step(at); err != nil {
			return nil, fmt.Errorf("at %d µs: %w", at, err)
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

func (r *Replay) start() (*engine, func(), error) {
	if err := cluster.Validate(r.Env.With(nil)); err != nil {
		return nil, nil, err
	}
	if r.Slot < 0 || r.SampleEvery < 0 {
		return nil, nil, fmt.Errorf("slot of %d µs, samples every %d µs: neither may be negative", r.Slot, r.SampleEvery)
	}
	e := &engine{Replay: r, pool: newPool(r.Env, !r.scanOnly, r.indexAlways), slotAt: event.Never}
	e.result.Inexact = e.pool.Inexact
	e.marked = make([]bool, e.pool.Servers())
	e.waiting = newCrowd(len(r.Env.Resources), len(r.Env.Links))
	e.linked = newLinkCrowd(len(r.Env.Resources), len(r.Env.Links))
	e.rule = r.Rule.open(e)
	e.kinds = kinds{pool: e.pool, norm: e.rule.norm, fair: r.Fairness != nil, known: map[string]*kind{}, norms: norms{}}
	if r.Fairness != nil {
		r.Fairness.open(e)
	}
	if r.Verify {
		e.check = &verifier{e: e}
	}
	next, stop := iter.Pull2(r.Jobs)
	e.next = next
	if err := e.read(); err != nil {
		stop()
		return nil, nil, err
	}
	e.now = min(e.now, e.head.Arrival)
	e.horizon = event.Horizon(e.now)
	if r.end != 0 {
		e.horizon = r.end
	}
	e.latest = e.horizon
	if e.check != nil {
		e.check.last = e.now
	}
	e.usage.open(e)
	e.sample.open(e)
	return e, stop, nil
}

// read looks at the next job of the stream.
func (e *engine) read() error {
	before := e.head.Arrival
	had := e.more
	job, err, ok := e.next()
	e.more = ok
	if !ok {
		return nil
	}
	if err != nil {
		return err
	}
	e.head = job
	if had && job.Arrival < before {
		return fmt.Errorf("job %s arrives at %d µs, before the one ahead of it (%d µs)", job.User.Name, job.Arrival, before)
	}
	return job.check()
}

// nextInstant returns the time of the next event; event.Never at the end.
func (e *engine) nextInstant() event.Time {
	at := e.slotAt
	if first, ok := e.due.Peek(); ok {
		at = min(at, first.At)
	}
	if e.more {
		at = min(at, e.head.Arrival)
	}
	if e.running == 0 && e.present == 0 && !e.more {
		return event.Never // a slot with nobody left
	}
	if at == event.Never && e.rule.restart() {
		at = e.stalled()
	}
	return min(at, e.sample.at(at))
}

// stalled returns when the rule is to be started again: the next multiple of
// the slot; event.Never if it lies beyond the clock.
func (e *engine) stalled() event.Time {
	e.slotAt = e.now
	if e.Slot > 0 {
		e.slotAt = e.after(e.now)
	}
	if e.slotAt != event.Never {
		e.result.Stalls++
	}
	return e.slotAt
}

// after returns the first multiple of the slot after a time; event.Never if it
// lies beyond the clock.
func (e *engine) after(t event.Time) event.Time {
	k := t / e.Slot
	if t < 0 && t%e.Slot != 0 {
		k--
	}
	if k*e.Slot > e.horizon-e.Slot {
		return event.Never
	}
	return (k + 1) * e.Slot
}

// step handles all events of one instant.
func (e *engine) step(at event.Time) error {
	if err := e.elapse(at); err != nil {
		return err
	}
	e.now, e.what = at, instant{}
	if err := e.completions(); err != nil {
		return err
	}
	if err := e.arrivals(); err != nil {
		return err
	}
	if err := e.allocate(); err != nil {
		return err
	}
	if e.check != nil {
		if err := e.check.all(); err != nil {
			return err
		}
		e.result.Verified++
	}
	return e.sample.take()
}

// elapse accounts for the time since the last event.
func (e *engine) elapse(at event.Time) error {
	if span := at - e.now; span > 0 {
		e.sample.elapse(span)
		if e.present == 0 {
			return nil
		}
		e.usage.busy += span
		if e.Fairness != nil {
			return e.Fairness.elapse(span)
		}
	}
	return nil
}

func (e *engine) completions() error {
	for {
		first, ok := e.due.Peek()
		if !ok || first.At > e.now {
			return nil
		}
		e.due.Pop()
		if err := e.complete(first.Payload); err != nil {
			return err
		}
	}
}

func (e *engine) arrivals() error {
	for e.more && e.head.Arrival == e.now {
		if err := e.arrive(&e.head); err != nil {
			return err
		}
		if err := e.read(); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) arrive(j *Job) error {
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
		fresh: j.Tasks, left: j.Tasks, scale: k.norm.scaleOf(j.User.Weight),
	}
	e.enter(u)
	return nil
}

// admit counts a job and says whether it is refused when it arrives.
func (e *engine) admit(j *Job, k *kind) JobResult {
	result := JobResult{Index: e.result.Jobs, Name: j.User.Name, Tasks: j.Tasks, Arrival: e.now}
	e.result.Jobs++
	e.result.Inexact += k.need.Inexact
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
func (e *engine) count(j *JobResult) {
	e.result.Refused++
	if j.BeyondClock {
		e.result.BeyondClock++
	}
}

// allocate makes the one allocation of the instant.
func (e *engine) allocate() error {
	if e.what != (instant{}) && e.Slot > 0 && e.slotAt == event.Never {
		e.slotAt = e.now
		if e.now%e.Slot != 0 {
			e.slotAt = e.after(e.now)
		}
	}
	var err error
	switch {
	case e.slotAt == e.now:
		e.slotAt = event.Never
		err = e.reallocate()
	case e.what != (instant{}):
		if err = e.lateTasks(); err == nil {
			err = e.rule.events()
		}
	}
	e.newcomers = e.newcomers[:0]
	for _, s := range e.dirty {
		e.marked[s] = false
	}
	e.dirty = e.dirty[:0]
	return err
}

// reallocate suspends every running task, in order of completion, and
// allocates afresh.
func (e *engine) reallocate() error {
	if e.present == 0 {
		return nil
	}
	e.result.Reallocations++
	e.pool.log.forget()
	e.suspended = e.suspended[:0]
	for {
		first, ok := e.due.Pop()
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
			e.suspended = append(e.suspended, t.user)
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

func (e *engine) starved() error {
	for at := range e.users {
		if u := &e.users[at]; u.left > 0 {
			return &StarvedError{u.Name, e.present}
		}
	}
	panic("whole: users are present, but none has tasks left")
}
