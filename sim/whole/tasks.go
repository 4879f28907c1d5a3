package whole

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// complete ends a task.
func (e *run) complete(at int32) error {
	t := e.tasks[at]
	u := &e.users[t.user]
	e.servers.Give(u.kind.Kind, t.server)
	e.usage.hold(u.kind, t.server, -1)
	e.stop(at, TaskEnd, 0)
	e.what.tasksLeft, e.result.End = true, e.now
	if e.Verify {
		if u.done[t.number] {
			return fmt.Errorf("task %d of job %s ends twice", t.number, u.User.Name)
		}
		u.done[t.number] = true
	}
	e.servers.Freed(t.server)
	u.left--
	for _, f := range e.Fairness {
		f.changed(t.user)
	}
	if u.left == 0 {
		return e.leave(t.user)
	}
	if u.waiting() > 0 {
		e.wait(t.user)
	}
	return nil
}

// wait tells the queue that a user waits, and its turn.
func (e *run) wait(at int32) {
	if u := &e.users[at]; e.queue != nil {
		e.queue.Put(at, u.kind.Kind, u.turn())
	}
}

// share counts a task that a user starts (+1) or ends (−1) to its tenant.
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

// stop notes that a task has left its server.
func (e *run) stop(at int32, why EventKind, rest event.Time) {
	t := &e.tasks[at]
	u := &e.users[t.user]
	e.idleTasks = append(e.idleTasks, at)
	e.running--
	u.running--
	u.worked += e.now - t.started
	e.share(u, -1)
	for _, f := range e.Fairness {
		f.moved(t.user, t.server, -1)
	}
	if e.OnEvent != nil {
		e.OnEvent(&Event{e.now, why, int(u.number), t.number, int(t.server), t.started, rest})
	}
	t.user = -1
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
		u.done = map[int64]bool{}
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
	e.servers.Take(u.kind.Kind, server)
	e.usage.hold(u.kind, server, 1)
	e.launch(at, server)
}

// placeSome starts up to n tasks of a user on a server, as many as wait and fit.
func (e *run) placeSome(at, server int32, n int64) {
	u := &e.users[at]
	n = e.servers.TakeSome(u.kind.Kind, server, min(n, u.waiting()))
	if n == 0 {
		return
	}
	e.usage.hold(u.kind, server, n)
	for range n {
		e.launch(at, server)
	}
}

// launch notes that the next task of a user starts on a server.
func (e *run) launch(at, server int32) {
	u := &e.users[at]
	number, rest := u.pop(e.SuspendedLast)
	id := int32(len(e.tasks))
	if n := len(e.idleTasks); n > 0 {
		id, e.idleTasks = e.idleTasks[n-1], e.idleTasks[:n-1]
	} else {
		e.tasks = append(e.tasks, task{})
	}
	e.tasks[id] = task{user: at, server: server, number: number, started: e.now, due: e.now + rest}
	e.engine.Schedule(e.now+rest, phaseCompletion, id)
	e.running++
	e.queued--
	e.result.Placements++
	u.running++
	e.share(u, 1)
	if number == 0 && u.result.Suspensions == 0 {
		u.result.FirstStart = e.now
	}
	for _, f := range e.Fairness {
		f.moved(at, server, 1)
	}
	if e.OnEvent != nil {
		e.OnEvent(&Event{e.now, TaskStart, int(u.number), number, int(server), e.now, rest})
	}
}
