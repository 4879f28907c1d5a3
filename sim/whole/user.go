package whole

import (
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// user is a user in the system. What every start and end of a task reads comes first: it is one
// line of memory, of two.
type user struct {
	*sim.Job
	kind    *kind
	scale   *order.Scale // of its share, which decides when it is served
	place   int          // its place where nothing else orders users
	running int64
	fresh   int64 // waiting tasks that have not run yet
	left    int64 // tasks that are not done
	parked  parked

	result   *sim.JobResult
	number   int32 // of the job
	tenant   int32 // where there are some
	index    int   // its place in the order of arrival
	*checked       // nil without Verify
}

// checked is what Verify counts.
type checked struct {
	// worked is the time for which tasks have run, in µs. Sums over tasks may be beyond the
	// clock; they are compared modulo 2^64.
	worked  event.Time
	done    map[int64]bool
	dropped int64 // waiting tasks that went when the job was refused
}

// suspended are tasks that were suspended, consecutive in number, which have as long to run.
type suspended struct {
	first, count int64 // numbers within the job
	rest         event.Time
}

// parked holds suspended tasks, first in, first out.
type parked struct {
	count int64
	head  int
	tasks []suspended
}

func (p *parked) push(s suspended) {
	p.count += s.count
	if n := len(p.tasks); n > p.head {
		if last := &p.tasks[n-1]; last.rest == s.rest && last.first+last.count == s.first {
			last.count += s.count
			return
		}
	}
	if p.head > 0 && len(p.tasks) == cap(p.tasks) {
		p.tasks = p.tasks[:copy(p.tasks, p.tasks[p.head:])]
		p.head = 0
	}
	p.tasks = append(p.tasks, s)
}

// pop takes up to most of the first tasks that have as long to run.
func (p *parked) pop(most int64) suspended {
	s := p.tasks[p.head]
	if s.count > most {
		p.tasks[p.head].first += most
		p.tasks[p.head].count -= most
		s.count = most
	} else if p.head++; p.head == len(p.tasks) {
		p.tasks, p.head = p.tasks[:0], 0
	}
	p.count -= s.count
	return s
}

// waiting returns the number of tasks in the queue of the user.
func (u *user) waiting() int64 { return u.fresh + u.parked.count }

// pop takes up to most of the next tasks from the queue, consecutive in number, which have
// as long to run.
func (u *user) pop(most int64, suspendedLast bool) (first, count int64, rest event.Time) {
	if u.parked.count > 0 && (!suspendedLast || u.fresh == 0) {
		s := u.parked.pop(most)
		return s.first, s.count, s.rest
	}
	first = u.Tasks - u.fresh
	rest, count = u.lasts(first), min(most, u.fresh)
	if u.Each != nil {
		alike := int64(1)
		for alike < count && u.Each[first+alike] == rest {
			alike++
		}
		count = alike
	}
	u.fresh -= count
	return first, count, rest
}

// lasts returns how long a task runs.
func (u *user) lasts(task int64) event.Time {
	if u.Each != nil {
		return u.Each[task]
	}
	return u.Duration
}

// turn returns the user's place in the order of service.
func (u *user) turn() order.Turn { return u.scale.Turn(u.running, u.place) }
