package whole

import "github.com/leontief-sim/leontief/sim/event"

// SuspendCost is what suspending a task and resuming it later adds to what
// remains of it: 0.25 s.
const SuspendCost event.Time = 250_000

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

// reallocate allocates afresh:
//
//  1. Suspend every running task, in order of completion.
//  2. Refuse the jobs that cannot be done on the clock any more.
//  3. Let the rule start tasks.
func (e *run) reallocate() error {
	if e.present == 0 {
		return nil
	}
	e.result.Allocations++
	e.servers.Emptied()
	// Invariant: what is scheduled are the completions alone. The slot is this
	// one, and an instant has one allocation.
	for _, completion := range e.engine.Withdraw() {
		e.suspend(completion.Payload)
	}
	e.usage.idle(e.servers.Suspended())
	if err := e.lateTasks(); err != nil || e.present == 0 {
		return err
	}
	return e.rule.slot()
}

// suspend suspends the tasks of a batch. What they held is free when all are suspended.
func (e *run) suspend(at int32) {
	b := e.batches[at]
	u := &e.users[b.user]
	rest := b.due - e.now + SuspendCost
	e.servers.Suspend(&u.kind.Kind, b.server, b.count)
	e.stop(at, TaskSuspend, rest)
	u.parked.push(suspended{b.first, b.count, rest})
	u.result.Suspensions += b.count
	if u.running == 0 {
		e.wait(b.user)
	}
	e.queued += b.count
	e.result.Suspensions += b.count
	e.expect(rest)
}
