package whole

import (
	"fmt"
	"github.com/leontief-sim/leontief/sim"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// halfway returns a replay of three jobs on two servers at a time at which
// tasks run, wait suspended and have ended.
func halfway(t *testing.T) *run {
	t.Helper()
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: 2}},
		Links:     []cluster.Link{{Name: "l", Capacity: 5}},
	}
	var jobs []sim.Job
	for j, demand := range []float64{1, 2, 3} {
		u := cluster.NewUser(fmt.Sprint("u", j), []float64{demand}, 1)
		jobs = append(jobs, sim.Job{User: u, Arrival: event.Time(j) * 7e6, Tasks: 4, Duration: 10e6})
	}
	r := &Replay{Env: env, Jobs: jobs, Rule: mustOrdered(t, "tsf-er"), Slot: 4e6, Verify: true}
	e, err := r.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for e.now < 17e6 {
		if _, err := step(e); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// runningTask returns a running task, the k-th by its place.
func runningTask(t *testing.T, e *run, k int) (at int32, u *user) {
	t.Helper()
	for i := range e.batches {
		if of := e.batches[i].user; of >= 0 {
			if k--; k < 0 {
				return int32(i), &e.users[of]
			}
		}
	}
	t.Fatal("too few tasks run")
	return 0, nil
}

// parkedUser returns a user with suspended tasks.
func parkedUser(t *testing.T, e *run) *user {
	t.Helper()
	for at := range e.users {
		if u := &e.users[at]; u.left > 0 && u.parked.count > 0 {
			return u
		}
	}
	t.Fatal("no task is suspended")
	return nil
}

func TestVerifySeesWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, e *run)
		says  string
	}{
		{"nothing", func(*testing.T, *run) {}, ""},
		{"a server too full", func(t *testing.T, e *run) {
			for i := range e.batches {
				e.batches[i].server = 0
			}
		}, "does not fit there"},
		{"a task that the ledger puts elsewhere", func(t *testing.T, e *run) {
			at, u := runningTask(t, e, 0)
			e.servers.Give(&u.kind.Kind, e.batches[at].server, 1)
		}, "the ledger says"},
		{"a task where it may not run", func(t *testing.T, e *run) {
			_, u := runningTask(t, e, 0)
			u.kind.May = cluster.NewSet(1)
		}, "does not fit there"},
		{"a task that runs twice", func(t *testing.T, e *run) {
			for i := range e.batches {
				for k := range e.batches[:i] {
					if a, b := &e.batches[i], &e.batches[k]; a.user >= 0 && a.user == b.user {
						a.first = b.first
						return
					}
				}
			}
			t.Fatal("no two tasks of one user run")
		}, "runs twice"},
		{"a task that runs after its end", func(t *testing.T, e *run) {
			at, u := runningTask(t, e, 0)
			u.done[e.batches[at].first] = true
		}, "runs twice"},
		{"a task that is suspended and has ended", func(t *testing.T, e *run) {
			u := parkedUser(t, e)
			u.done[u.parked.tasks[u.parked.head].first] = true
		}, "waits and is elsewhere too"},
		{"a task that ends twice", func(t *testing.T, e *run) {
			all := e.engine.Withdraw()
			for _, ev := range all {
				e.engine.Schedule(ev.At, ev.Phase, ev.Payload)
			}
			first := all[0]
			at := &e.batches[first.Payload]
			e.users[at.user].done[at.first] = true
		}, "twice"},
		{"a task that is lost", func(t *testing.T, e *run) {
			for at := range e.users {
				if u := &e.users[at]; u.left > 0 && u.fresh > 0 {
					u.fresh--
					return
				}
			}
			t.Fatal("no task is fresh")
		}, "are left"},
		{"time running back", func(t *testing.T, e *run) { e.now = e.check.last - 1 }, "the clock goes back"},
		{"a task that ran longer than it did", func(t *testing.T, e *run) {
			at, _ := runningTask(t, e, 0)
			e.batches[at].started--
		}, "worked and ahead"},
		{"task-seconds lost in a suspension", func(t *testing.T, e *run) {
			u := parkedUser(t, e)
			u.parked.tasks[u.parked.head].rest--
		}, "worked and ahead"},
		{"a suspension without its cost", func(t *testing.T, e *run) { parkedUser(t, e).result.Suspensions++ }, "worked and ahead"},
		{"an overdue task", func(t *testing.T, e *run) {
			at, _ := runningTask(t, e, 0)
			e.batches[at].due = e.now
		}, "runs from"},
		{"a share of before", func(t *testing.T, e *run) {
			for at := range e.users {
				if _, waits := e.queue.Turn(int32(at)); waits {
					u := &e.users[at]
					e.queue.Put(int32(at), &u.kind.Kind, u.scale.Turn(u.running+1, u.index))
					return
				}
			}
			t.Fatal("nobody waits")
		}, "with the share of"},
		{"a counter that is off", func(t *testing.T, e *run) { e.queued++ }, "counted"},
		{"a completion that will not come", func(t *testing.T, e *run) {
			for _, ev := range e.engine.Withdraw()[1:] {
				e.engine.Schedule(ev.At, ev.Phase, ev.Payload)
			}
		}, "completions to come"},
		{"a user that the index has lost", func(t *testing.T, e *run) {
			for at := range e.users {
				if _, waits := e.queue.Turn(int32(at)); waits {
					e.queue.Remove(int32(at))
					return
				}
			}
			t.Fatal("nobody waits")
		}, "not in the index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := halfway(t)
			c.spoil(t, e)
			err := e.check.all()
			if c.name == "a task that ends twice" {
				err = nil
				for err == nil && e.present > 0 {
					_, err = step(e)
				}
			}
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("the verifier says %v, want %q", err, c.says)
			}
		})
	}
}

func TestVerifySeesAJobThatLeavesWithWorkUndone(t *testing.T) {
	e := halfway(t)
	if err := e.check.departing(parkedUser(t, e)); err == nil || !strings.Contains(err.Error(), "tasks ended") {
		t.Errorf("the verifier says %v", err)
	}
}
