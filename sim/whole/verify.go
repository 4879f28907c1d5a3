package whole

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// verifier checks after every instant what has to hold, from the running tasks
// alone and with no regard for cost:
//
//   - the ledger is what the running tasks take, and nothing is overcommitted;
//     the utilization counts the same;
//   - of every user, waiting, running and ended tasks are all there were, and
//     none has ended or runs twice;
//   - time worked and time left add up to n·t and the cost of suspensions;
//   - waiting users stand in the index with the shares that they have, the counters are the sums, no task is overdue;
//   - with a rule that serves in order, no waiting task fits anywhere.
type verifier struct {
	e    *run
	last event.Time
	// seen is the number of the last check that has seen a task of a user.
	seen   [][]int32
	number int32
}

func (v *verifier) all() error {
	if v.e.now < v.last {
		return fmt.Errorf("the clock goes back from %d µs", v.last)
	}
	v.last = v.e.now
	for _, check := range []func() error{v.ledger, v.tasks, v.counters, v.idle} {
		if err := check(); err != nil {
			return fmt.Errorf("verification: %w", err)
		}
	}
	return nil
}

// ledger books all running tasks into an empty ledger and compares.
func (v *verifier) ledger() error {
	fresh := cluster.NewLedger(v.e.Env)
	for i := range v.e.batches {
		b := &v.e.batches[i]
		if b.user < 0 {
			continue
		}
		k := v.e.users[b.user].kind
		for range b.count {
			if !k.May.Has(fresh.Class(int(b.server))) || !fresh.Fits(&k.Need, int(b.server)) {
				return fmt.Errorf("server %d holds a task of job %s that does not fit there", b.server, v.e.users[b.user].User.Name)
			}
			fresh.Take(&k.Need, int(b.server))
		}
	}
	for s := range fresh.Servers() {
		for r, free := range fresh.Free(s) {
			if got := v.e.servers.Free(s)[r]; got != free {
				return fmt.Errorf("server %d has %d units of resource %d free, the ledger says %d", s, free, r, got)
			}
		}
	}
	for row := range v.e.usage.rows {
		if got, want := v.e.usage.rows[row].units, taken(fresh, v.e.Env, row); got != want {
			return fmt.Errorf("the utilization counts %d units of %s, the ledger %d", got, v.e.Env.RowName(row), want)
		}
	}
	for e, free := range fresh.LinkFree() {
		if got := v.e.servers.LinkFree()[e]; got != free {
			return fmt.Errorf("link %d has %d units free, the ledger says %d", e, free, got)
		}
	}
	return nil
}

// taken returns the units that are taken of a capacity row.
func taken(l *cluster.Ledger, env *cluster.Environment, row int) int64 {
	if e := row - env.LinkRow(0); e >= 0 {
		return l.LinkCapacity()[e] - l.LinkFree()[e]
	}
	units, r := int64(0), row%len(env.Resources)
	for server := range l.Servers() {
		if l.Class(server) == row/len(env.Resources) {
			units += l.Capacity(server)[r] - l.Free(server)[r]
		}
	}
	return units
}

// tasks checks the running tasks and what each user has.
func (v *verifier) tasks() error {
	e := v.e
	running := make([]int64, len(e.users))
	ahead := make([]event.Time, len(e.users)) // time left of running tasks
	worked := make([]event.Time, len(e.users))
	v.number++
	v.seen = slices.Grow(v.seen, max(0, len(e.users)-len(v.seen)))[:max(len(v.seen), len(e.users))]
	for i := range e.batches {
		b := &e.batches[i]
		if b.user < 0 {
			continue
		}
		u := &e.users[b.user]
		for task := b.first; task < b.first+b.count; task++ {
			if v.again(int(b.user), task) || u.done[task] {
				return fmt.Errorf("task %d of job %s runs twice", task, u.User.Name)
			}
		}
		if b.due <= e.now || b.started > e.now || b.due > e.horizon {
			return fmt.Errorf("task %d of job %s runs from %d to %d µs", b.first, u.User.Name, b.started, b.due)
		}
		running[b.user] += b.count
		ahead[b.user] += event.Time(b.count) * (b.due - e.now)
		worked[b.user] += event.Time(b.count) * (e.now - b.started)
	}
	for at := range e.users {
		u := &e.users[at]
		if u.left == 0 {
			continue
		}
		for _, s := range u.parked.tasks[u.parked.head:] {
			for task := s.first; task < s.first+s.count; task++ {
				if v.again(at, task) || u.done[task] || task >= u.Tasks-u.fresh {
					return fmt.Errorf("task %d of job %s waits and is elsewhere too", task, u.User.Name)
				}
			}
			ahead[at] += event.Time(s.count) * s.rest
		}
		if err := v.user(u, running[at], u.worked+worked[at]+ahead[at]); err != nil {
			return err
		}
	}
	return nil
}

// again reports whether this check has seen the task of a user before.
func (v *verifier) again(user int, task int64) bool {
	if more := task + 1 - int64(len(v.seen[user])); more > 0 {
		v.seen[user] = append(v.seen[user], make([]int32, more)...)
	}
	before := v.seen[user][task] == v.number
	v.seen[user][task] = v.number
	return before
}

// user checks one user; time is what it has worked and has ahead, without its
// fresh tasks.
func (v *verifier) user(u *user, running int64, time event.Time) error {
	if running != u.running || u.left != running+u.waiting() || int64(len(u.done))+u.left+u.dropped != u.Tasks {
		return fmt.Errorf("job %s of %d tasks: %d run (%d by count), %d wait, %d are left, %d ended",
			u.User.Name, u.Tasks, running, u.running, u.waiting(), u.left, len(u.done))
	}
	time += u.lasting(u.Tasks - u.fresh)
	if want := owed(u); time != want && !u.result.Refused {
		return fmt.Errorf("job %s: %d task-µs worked and ahead, want %d", u.User.Name, time, want)
	}
	return nil
}

// owed returns all the time that the tasks of a user take.
func owed(u *user) event.Time {
	return u.lasting(0) + event.Time(u.result.Suspensions)*SuspendCost
}

// lasting returns how long the tasks from a number on run, one after the other.
func (u *user) lasting(from int64) event.Time {
	if u.Each == nil {
		return event.Time(u.Tasks-from) * u.Duration
	}
	sum := event.Time(0)
	for _, t := range u.Each[from:] {
		sum += t
	}
	return sum
}

// departing checks a user that has ended its last task.
func (v *verifier) departing(u *user) error {
	if int64(len(u.done))+u.dropped != u.Tasks || u.running != 0 || u.waiting() != 0 || u.worked != owed(u) && !u.result.Refused {
		return fmt.Errorf("job %s leaves with %d of %d tasks ended, %d µs worked of %d", u.User.Name, len(u.done), u.Tasks, u.worked, owed(u))
	}
	return nil
}

// counters compares the sums that are kept with those over all users.
func (v *verifier) counters() error {
	present, running, queued := 0, int64(0), int64(0)
	for at := range v.e.users {
		u := &v.e.users[at]
		if u.left > 0 {
			present++
			running += u.running
			queued += u.waiting()
		}
	}
	ends, batches := v.e.engine.Scheduled(), len(v.e.batches)-len(v.e.idleBatches)
	if v.e.slotAt != event.Never {
		ends--
	}
	if present != v.e.present || running != int64(v.e.running) || queued != v.e.queued || ends != batches {
		return fmt.Errorf("%d users, %d running and %d waiting tasks; counted %d, %d and %d; %d completions to come of %d batches",
			present, running, queued, v.e.present, v.e.running, v.e.queued, ends, batches)
	}
	return nil
}

// idle checks that a rule that serves in order leaves nothing that fits, and
// that it finds its waiting users again.
func (v *verifier) idle() error {
	if _, inOrder := v.e.rule.(*inOrder); !inOrder {
		return nil
	}
	for at := range v.e.users {
		u := &v.e.users[at]
		if u.left == 0 || u.waiting() == 0 {
			continue
		}
		t, there := v.e.queue.Turn(int32(at))
		if !there {
			return fmt.Errorf("job %s waits and is not in the index once", u.User.Name)
		}
		if want := u.turn(); !t.Equal(&want) {
			return fmt.Errorf("job %s waits with the share of other than its %d running tasks", u.User.Name, u.running)
		}
		for s := range v.e.servers.Servers() {
			if v.e.servers.Fits(&u.kind.Kind, int32(s)) {
				return fmt.Errorf("a task of job %s waits and fits on server %d", u.User.Name, s)
			}
		}
	}
	return nil
}
