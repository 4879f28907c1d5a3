package compare

import (
	"maps"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/whole"
)

// tally is what a job of whole tasks has.
type tally struct {
	kind          *kind
	on            []float64 // tasks that run, by class of servers
	running, done int64
}

// waiting is how many tasks of a job wait.
func (w *Watch) waiting(job int32, t *tally) int64 { return w.jobs[job].tasks - t.done - t.running }

// Event is shown the events of whole tasks.
func (w *Watch) Event(ev *whole.Event) {
	w.until(ev.At)
	w.arrive(ev.At)
	job := int32(ev.Job)
	t := w.here[job]
	switch ev.Kind {
	case whole.TaskStart:
		t.on[w.classOf[ev.Server]]++
		t.running++
		w.room.wait(t.kind, -1)
		w.room.start(t.kind, ev.Server)
	case whole.TaskSuspend, whole.TaskEnd:
		t.on[w.classOf[ev.Server]]--
		t.running--
		w.room.end(t.kind, ev.Server)
		if ev.Kind == whole.TaskSuspend {
			w.room.wait(t.kind, 1)
		} else {
			t.done++
		}
	default: // done or refused
		w.room.wait(t.kind, -w.waiting(job, t))
		delete(w.here, job)
	}
}

// until takes the moments before an instant.
func (w *Watch) until(at event.Time) {
	for w.next < len(w.Times) && w.Times[w.next] < at {
		w.arrive(w.Times[w.next])
		if len(w.here) > 0 && w.err == nil {
			present, a := w.now()
			w.err = w.look(w.Times[w.next], present, a, true)
		}
		w.pass()
	}
}

// arrive lets jobs come that were submitted by an instant.
func (w *Watch) arrive(by event.Time) {
	if w.room == nil {
		w.room = newUnfilled(w.Env)
	}
	for len(w.ahead) > 0 && w.jobs[w.ahead[0]].at <= by {
		job := w.ahead[0]
		t := &tally{kind: w.room.kindOf(int(job)), on: make([]float64, len(w.Env.Servers))}
		w.here[job], w.ahead = t, w.ahead[1:]
		w.room.wait(t.kind, w.jobs[job].tasks)
	}
}

// now is who is present and what they hold, their task caps being the tasks not done.
func (w *Watch) now() (present []int, a *cluster.Allocation) {
	for _, j := range slices.Sorted(maps.Keys(w.here)) {
		present = append(present, int(j))
	}
	a = &cluster.Allocation{Region: w.users(w.Env, present)}
	for i, j := range present {
		t := w.here[int32(j)]
		a.Region.Users[i].Tasks = float64(w.jobs[j].tasks - t.done)
		a.Tasks, a.X = append(a.Tasks, float64(t.running)), append(a.X, t.on...)
	}
	return present, a
}

// snapshot is an allocation of whole tasks, of which the witness is found at the end: most
// of those that are worse than all before them are not the worst.
type snapshot struct {
	at event.Time
	a  *cluster.Allocation
}

// Fairness is shown MIN-EF-SAT and MIN-SI-SAT of whole tasks for the time from one instant
// with an event to the next.
func (w *Watch) Fairness(from, to event.Time, ef, si float64) error {
	w.until(to)
	w.arrive(from)
	w.Allocations++
	var now *snapshot
	for k, sat := range [...]float64{envyFree: ef, sharing: si} {
		if !w.Seen[k].saw(from, to, 1-sat) {
			continue
		}
		if now == nil {
			_, a := w.now()
			now = &snapshot{from, a}
		}
		w.Seen[k].Worst, w.most[k] = &Violation{At: from, Value: sat}, now
	}
	w.fit(from, to)
	return w.err
}

// fit looks whether a waiting task fits, in the time from one instant to the next.
func (w *Watch) fit(from, to event.Time) {
	s := &w.Seen[optimal]
	s.Looked++
	s.Time += int64(to - from)
	if !w.room.look() {
		w.bad = -1
		return
	}
	s.Violated++
	s.Bad += int64(to - from)
	if w.bad < 0 {
		w.bad, w.recent = from, &Violation{At: from, User: w.first(w.room.found), Of: w.serverName(w.room.server)}
	}
	if w.recent.Value = float64(to-w.bad) / 1e6; s.Worst == nil || w.recent.Value > s.Worst.Value {
		s.Worst = w.recent
	}
}

// first is the name of the first job of a kind of which a task waits.
func (w *Watch) first(k *kind) string {
	k.jobs = slices.DeleteFunc(k.jobs, func(job int32) bool { return w.here[job] == nil })
	i := slices.IndexFunc(k.jobs, func(job int32) bool { return w.waiting(job, w.here[job]) > 0 })
	return w.Env.Users[k.jobs[i]].Name
}

// serverName names a single server by its class.
func (w *Watch) serverName(server int) string { return w.Env.Servers[w.classOf[server]].Name }

// witnesses finds who violates what in the worst allocations of whole tasks.
func (w *Watch) witnesses() {
	if s := w.most[envyFree]; s != nil {
		v, e := w.Seen[envyFree].Worst, fair.NewJudge(s.a.Region).MinEFSat(s.a, nil)
		v.User, v.Of, v.Says = s.a.Region.Users[e.User].Name, s.a.Region.Users[e.Of].Name, e.String()
	}
	if s := w.most[sharing]; s != nil {
		v, e := w.Seen[sharing].Worst, fair.NewJudge(s.a.Region).MinSISat(s.a, nil)
		v.User, v.Says = s.a.Region.Users[e.User].Name, e.String()
	}
	if v := w.Seen[optimal].Worst; v != nil && w.room != nil {
		v.Says = "a task of user " + strconv.Quote(v.User) + " waits and fits on a server of class " + strconv.Quote(v.Of) + "; for " + short(v.Value) + " s on end some waiting task fits"
	}
}
