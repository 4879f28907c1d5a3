package whole

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// batch are running tasks of one user, consecutive in number, that have started together on
// one server and end together. The queue of events has one event for them.
//
// Invariant: no task of another batch was started between them. So events of batches come in
// the order in which events of single tasks would.
type batch struct {
	user, server int32 // user: -1 in an entry that is free
	first, count int64 // numbers within the job
	started, due event.Time
}

// complete ends the tasks of a batch.
func (e *run) complete(at int32) error {
	b := e.batches[at]
	u := &e.users[b.user]
	e.servers.Give(&u.kind.Kind, b.server, b.count)
	e.usage.hold(u.kind, b.server, -b.count)
	e.stop(at, TaskEnd, 0)
	e.what.tasksLeft, e.result.End = true, e.now
	if e.Verify {
		if err := u.end(&b); err != nil {
			return err
		}
	}
	e.servers.Freed(b.server)
	u.left -= b.count
	for _, f := range e.Fairness {
		f.changed(b.user)
	}
	if u.left == 0 {
		return e.leave(b.user)
	}
	if u.waiting() > 0 {
		e.wait(b.user)
	}
	return nil
}

// end notes which tasks have ended.
func (u *user) end(b *batch) error {
	for task := b.first; task < b.first+b.count; task++ {
		if u.done[task] {
			return fmt.Errorf("task %d of job %s ends twice", task, u.User.Name)
		}
		u.done[task] = true
	}
	return nil
}

// wait tells the queue that a user waits, and its turn.
func (e *run) wait(at int32) {
	if u := &e.users[at]; e.queue != nil {
		e.queue.Put(at, &u.kind.Kind, u.turn())
	}
}

// share counts tasks that a user starts (n > 0) or ends to its tenant.
func (e *run) share(u *user, n int64) {
	if e.shared != nil {
		e.totals[u.tenant].Add(u.kind.norm, n)
		e.shared.Moved(u.tenant)
	}
}

// weight returns the weight of a user at this instant.
func (e *run) weight(u *user) float64 {
	if e.tenants == nil {
		return u.User.Weight
	}
	return e.tenants.JobWeight(int(u.tenant))
}

// stop notes that the tasks of a batch have left their server.
func (e *run) stop(at int32, why EventKind, rest event.Time) {
	b := &e.batches[at]
	u := &e.users[b.user]
	e.idleBatches = append(e.idleBatches, at)
	e.running -= int(b.count)
	u.running -= b.count
	if u.checked != nil {
		u.worked += event.Time(b.count) * (e.now - b.started)
	}
	e.share(u, -b.count)
	for _, f := range e.Fairness {
		f.moved(b.user, b.server, -b.count)
	}
	e.tell(why, u, b, rest)
	b.user = -1
}

// tell shows what happens to each task of a batch.
func (e *run) tell(what EventKind, u *user, b *batch, rest event.Time) {
	if e.OnEvent == nil {
		return
	}
	for task := b.first; task < b.first+b.count; task++ {
		e.OnEvent(&Event{e.now, what, int(u.number), task, int(b.server), b.started, rest})
	}
}

// leave ends a job.
func (e *run) leave(at int32) error {
	u := &e.users[at]
	e.what.usersLeft = true
	e.present--
	if r := u.result; r.Refused {
		*r = sim.JobResult{Arrival: r.Arrival, Refused: true, BeyondClock: true}
	} else {
		r.Completion = e.now
	}
	if e.Verify {
		if err := e.check.departing(u); err != nil {
			return err
		}
	}
	for _, f := range e.Fairness {
		f.left(at)
	}
	if e.tenants != nil {
		e.tenants.Leave(int(u.tenant))
	}
	e.kinds.leave(u.kind)
	e.unused = append(e.unused, at)
	return e.left(int(u.number), u.result)
}

// enter puts a user into the system.
func (e *run) enter(u user) error {
	if err := e.belong(&u); err != nil {
		return err
	}
	if e.Verify {
		u.checked = &checked{done: map[int64]bool{}}
	}
	at := int32(len(e.users))
	if n := len(e.unused); n > 0 {
		at, e.unused = e.unused[n-1], e.unused[:n-1]
		u.parked.tasks = e.users[at].parked.tasks[:0]
		e.users[at] = u
	} else {
		e.users = append(e.users, u)
	}
	e.present++
	e.queued += u.fresh
	e.wait(at)
	e.what.usersCame, e.what.tasksCame = true, true
	for _, f := range e.Fairness {
		f.came(at)
	}
	return nil
}

// belong finds the tenant of a user that enters.
func (e *run) belong(u *user) error {
	if e.tenants == nil {
		return nil
	}
	tenant, err := e.tenants.Tenant(u.Job)
	if err != nil {
		return err
	}
	u.tenant = int32(tenant)
	e.tenants.Come(tenant)
	if e.shared == nil {
		return nil
	}
	for len(e.totals) <= tenant {
		e.totals = append(e.totals, nil)
	}
	if u.Tenant == "" || e.totals[tenant] == nil {
		e.totals[tenant] = order.NewTotal(u.User.Weight)
	}
	return nil
}

// place starts the next task of a user on a server.
func (e *run) place(at, server int32) {
	u := &e.users[at]
	e.servers.Take(&u.kind.Kind, server)
	e.usage.hold(u.kind, server, 1)
	e.launch(at, server, 1)
}

// placeSome starts up to n tasks of a user on a server, as many as wait and fit.
func (e *run) placeSome(at, server int32, n int64) {
	u := &e.users[at]
	n = e.servers.TakeSome(&u.kind.Kind, server, min(n, u.waiting()))
	if n == 0 {
		return
	}
	e.usage.hold(u.kind, server, n)
	for n > 0 {
		n -= e.launch(at, server, n)
	}
}

// launch notes that up to most of the next tasks of a user, those of one length, start on a
// server, and returns their number.
func (e *run) launch(at, server int32, most int64) int64 {
	u := &e.users[at]
	first, count, rest := u.pop(most, e.SuspendedLast)
	e.join(batch{user: at, server: server, first: first, count: count, started: e.now, due: e.now + rest})
	e.running += int(count)
	e.queued -= count
	e.result.Placements += count
	u.running += count
	e.share(u, count)
	if first == 0 && u.result.Suspensions == 0 {
		u.result.FirstStart = e.now
	}
	for _, f := range e.Fairness {
		f.moved(at, server, count)
	}
	if e.OnEvent != nil {
		e.tell(TaskStart, u, &batch{server: server, first: first, count: count, started: e.now}, rest)
	}
	return count
}

// join adds tasks to the batch that has started last, if they are its next ones, or
// schedules the end of another one.
func (e *run) join(b batch) {
	if e.latestBatch < len(e.batches) {
		last := &e.batches[e.latestBatch]
		if last.user == b.user && last.server == b.server && last.started == b.started && last.due == b.due && last.first+last.count == b.first {
			last.count += b.count
			return
		}
	}
	id := len(e.batches)
	if n := len(e.idleBatches); n > 0 {
		id = int(e.idleBatches[n-1])
		e.idleBatches = e.idleBatches[:n-1]
		e.batches[id] = b
	} else {
		e.batches = append(e.batches, b)
	}
	e.latestBatch = id
	e.engine.Schedule(b.due, phaseCompletion, int32(id))
}
