package whole

import (
	"math/bits"
	"slices"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
)

// standalone returns the standalone JCT of a job of which the empty cluster
// holds K > 0 tasks at once, K being whole: ceil(n/K)·t. Where tasks differ in
// length it is the time that they take in their order, each starting as soon as
// fewer than K run. It is false if it is more than most.
//
// No schedule that starts tasks in their order and suspends none is faster.
func standalone(j *sim.Job, alone float64, most event.Time) (event.Time, bool) {
	if j.Each != nil {
		return standaloneEach(j.Each, alone, most)
	}
	rounds := int64(1)
	if alone < float64(j.Tasks) {
		rounds = (j.Tasks-1)/int64(alone) + 1
	}
	high, low := bits.Mul64(uint64(rounds), uint64(j.Duration))
	return event.Time(low), high == 0 && low <= uint64(most)
}

// standaloneEach is the standalone JCT of a job whose tasks differ in length.
func standaloneEach(each []event.Time, alone float64, most event.Time) (event.Time, bool) {
	var running event.Queue[struct{}] // ends
	last := event.Time(0)
	for _, t := range each {
		start := event.Time(0)
		if float64(running.Len()) >= alone {
			first, _ := running.Pop()
			start = first.At
		}
		if t > most-start {
			return 0, false
		}
		last = max(last, start+t)
		running.Push(start+t, 0, struct{}{})
	}
	return last, true
}

// longest returns the length of the longest task.
func longest(j *sim.Job) event.Time {
	if j.Each != nil {
		return slices.Max(j.Each)
	}
	return j.Duration
}

// lateTasks refuses the jobs that cannot be done on the clock any more, since one
// of their waiting tasks, started now, would end beyond it. With the jobs that
// are refused when they arrive, since they would be late even alone, this is the
// invariant: whatever starts ends on the clock, and no time overflows. Up to
// latest no task is too long, so hardly any replay looks at its users here.
func (e *run) lateTasks() error {
	if e.now <= e.latest {
		return nil
	}
	for at := range e.users {
		if u := &e.users[at]; u.left > 0 && u.waiting() > 0 && u.longestWaiting() > e.horizon-e.now {
			if err := e.refuse(int32(at)); err != nil {
				return err
			}
		}
	}
	return nil
}

// expect takes note of a task that may have to start and runs for so long.
func (e *run) expect(rest event.Time) { e.latest = min(e.latest, e.horizon-rest) }

// longestWaiting returns how long the longest waiting task runs.
func (u *user) longestWaiting() event.Time {
	longest := event.Time(0)
	if u.fresh > 0 {
		longest = u.Duration
		if u.Each != nil {
			longest = slices.Max(u.Each[u.Tasks-u.fresh:])
		}
	}
	for _, s := range u.parked.tasks[u.parked.head:] {
		longest = max(longest, s.rest)
	}
	return longest
}

// refuse takes the waiting tasks of a job away. Those that run go on to their
// end; then it leaves, as a refused job.
func (e *run) refuse(at int32) error {
	u := &e.users[at]
	waiting := u.waiting()
	e.queued -= waiting
	u.left -= waiting
	if u.checked != nil {
		u.dropped += waiting
	}
	u.fresh, u.parked = 0, parked{}
	u.result.Refused, u.result.BeyondClock = true, true
	if e.queue != nil {
		e.queue.Remove(at)
	}
	for _, f := range e.Fairness {
		f.changed(at)
	}
	if u.left > 0 {
		return nil
	}
	return e.leave(at)
}

// outlast refuses all jobs that are left when the next reallocation, for which
// they wait, lies beyond the clock. Nothing runs then.
func (e *run) outlast() error {
	for at := range e.users {
		if e.users[at].left > 0 {
			if err := e.refuse(int32(at)); err != nil {
				return err
			}
		}
	}
	return nil
}
