package whole

import (
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// user is a user in the system.
type user struct {
	*sim.Job
	result *sim.JobResult
	number int32 // of the job
	tenant int32 // where there are some
	index  int   // its place in the order of arrival
	place  int   // its place where nothing else orders users
	kind   *kind

	running int64
	fresh   int64 // waiting tasks that have not run yet
	left    int64 // tasks that are not done
	dropped int64 // waiting tasks that went when the job was refused
	parked  parked

	scale *order.Scale // of its share, which decides when it is served

	// What Verify counts, in µs: the time for which tasks have run. Sums over
	// tasks may be beyond the clock; they are compared modulo 2^64.
	worked event.Time
	done   map[int64]bool
}

// suspended is a task that was suspended.
type suspended struct {
	task int64 // number within the job
	rest event.Time
}

// parked holds suspended tasks, first in, first out.
type parked struct {
	tasks []suspended
	head  int
}

func (p *parked) len() int64 { return int64(len(p.tasks) - p.head) }

func (p *parked) push(s suspended) {
	if p.head > 0 && len(p.tasks) == cap(p.tasks) {
		p.tasks = p.tasks[:copy(p.tasks, p.tasks[p.head:])]
		p.head = 0
	}
	p.tasks = append(p.tasks, s)
}

func (p *parked) pop() suspended {
	s := p.tasks[p.head]
	if p.head++; p.head == len(p.tasks) {
		p.tasks, p.head = p.tasks[:0], 0
	}
	return s
}

// waiting returns the number of tasks in the queue of the user.
func (u *user) waiting() int64 { return u.fresh + u.parked.len() }

// pop takes the next task from the queue: its number and how long it has to
// run.
func (u *user) pop(suspendedLast bool) (task int64, rest event.Time) {
	if u.parked.len() == 0 || suspendedLast && u.fresh > 0 {
		task = u.Tasks - u.fresh
		u.fresh--
		return task, u.lasts(task)
	}
	s := u.parked.pop()
	return s.task, s.rest
}

// lasts returns how long a task runs.
func (u *user) lasts(task int64) event.Time {
	if u.Each != nil {
		return u.Each[task]
	}
	return u.Duration
}

// task is a running task.
type task struct {
	user, server int32
	number       int64 // within the job
	started, due event.Time
}

// turn returns the user's place in the order of service.
func (u *user) turn() order.Turn { return u.scale.Turn(u.running, u.place) }
