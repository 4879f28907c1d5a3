package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

const second = event.Time(1e6)

func cpus(n float64) *cluster.Environment {
	return &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "big", Capacity: []float64{n}, Count: 1}}}
}

func workload(t *testing.T, c *run.Case) *Workload {
	t.Helper()
	w, err := NewWorkload(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Two tasks of one job, of which the second starts ten seconds late though it fits, while
// another job has nothing at all.
func TestWhatAWatchSeesOfWholeTasks(t *testing.T) {
	c := &run.Case{Cluster: cpus(2), Jobs: []traces.Job{
		{ID: "a", Tasks: 2, DurationUS: 20e6, CPU: 1},
		{ID: "b", Tasks: 1, DurationUS: 5e6, CPU: 2},
		{ID: "late", SubmitUS: 12e6, Tasks: 1, DurationUS: 1e6, CPU: 2},
	}}
	w := NewWatch(workload(t, c), []event.Time{5 * second, 11 * second}, false)
	start := func(at event.Time, job int) { w.Event(&whole.Event{At: at, Kind: whole.TaskStart, Job: job}) }
	end := func(at event.Time, job int) { w.Event(&whole.Event{At: at, Kind: whole.TaskEnd, Job: job}) }
	done := func(at event.Time, job int) { w.Event(&whole.Event{At: at, Kind: whole.JobDone, Job: job}) }
	show := func(from, to event.Time, ef, si float64) {
		t.Helper()
		if err := w.Fairness(from*second, to*second, ef, si); err != nil {
			t.Fatal(err)
		}
	}
	start(0, 0)
	show(0, 10, 0.5, 0)
	start(10*second, 0)
	show(10, 12, 0, 0)
	show(12, 20, 0, 0)
	end(20*second, 0)
	show(20, 30, 0, 0)
	end(30*second, 0)
	done(30*second, 0)
	start(30*second, 1)
	show(30, 35, 1, 1)
	end(35*second, 1)
	done(35*second, 1)
	start(35*second, 2)
	show(35, 36, 1, 1)
	end(36*second, 2)
	done(36*second, 2)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Allocations != 6 {
		t.Errorf("%d allocations", w.Allocations)
	}
	room := w.Seen[optimal]
	if room.Looked != 6 || room.Violated != 1 || room.Time != 36e6 || room.Bad != 10e6 {
		t.Errorf("PO: %+v", room)
	}
	if v := room.Worst; v.At != 0 || v.Value != 10 || v.User != "a" || v.Of != "big" {
		t.Errorf("PO: %+v", v)
	}
	// At 0 nobody envies by the numbers that count: the snapshot of the worst, at 10 s, says
	// that b could run a task with the two of a.
	envy := w.Seen[envyFree]
	if envy.Violated != 4 || envy.Worst.At != 10*second || envy.Worst.Value != 0 || envy.Worst.User != "b" || envy.Worst.Of != "a" || envy.Part() != 30.0/36 {
		t.Errorf("EF: %+v, %+v", envy, envy.Worst)
	}
	share := w.Seen[sharing]
	if share.Violated != 4 || share.Worst.At != 0 || share.Worst.User != "b" {
		t.Errorf("SI: %+v, %+v", share, share.Worst)
	}
	if len(w.Moments) != 2 || w.Moments[1].Present != 2 || w.Moments[1].Resources[0] != 1 {
		t.Fatalf("%d moments", len(w.Moments))
	}
	// At 5 s a has one of the two cores, b nothing; utilitarian runs both tasks of a, of η' 2.
	m := w.Moments[0]
	if m.Present != 2 || m.Resources[0] != 0.5 || m.SISat != 0 || m.Tasks != 1 || m.Normalised != 0.5 || m.BestTasks != 2 || m.Domination != 0 {
		t.Errorf("%+v", m)
	}
	// cru divides equally: half of what each could run alone.
	if math.Abs(m.BestFair-1) > 1e-9 {
		t.Errorf("cru: %v", m.BestFair)
	}
}

// Two users of four cores. Of the two tasks that cru gives each, a has one left to do, which is
// what counts: 1/4 + 2/4. Of its equal share of two, b has one.
func TestTheFairestCountsTasksNotDone(t *testing.T) {
	c := &run.Case{Cluster: cpus(4), Jobs: []traces.Job{
		{ID: "a", Tasks: 1, DurationUS: 20e6, CPU: 1},
		{ID: "b", Tasks: 10, DurationUS: 20e6, CPU: 1},
	}}
	w := NewWatch(workload(t, c), nil, false)
	env := w.users(w.Env, []int{0, 1})
	env.Users[0].Tasks, env.Users[1].Tasks = 1, 10
	a := &cluster.Allocation{Region: env, Tasks: []float64{1, 1}, X: []float64{1, 1}}
	if err := w.look(0, []int{0, 1}, a, true); err != nil {
		t.Fatal(err)
	}
	if m := w.Moments[0]; math.Abs(m.BestFair-0.75) > 1e-9 || math.Abs(m.SISat-0.5) > 1e-12 {
		t.Errorf("cru %v, MIN-SI-SAT %v", m.BestFair, m.SISat)
	}
}

// twin looks at every span of a replay of whole tasks by rebuilding who has what from the
// events alone.
type twin struct {
	*Workload
	on      map[int]map[int]int // running tasks, by job and single server
	done    map[int]int64
	gone    map[int]bool
	seen    [len(Kept)]Seen
	since   event.Time
	without bool // no task that waits fitted in the span before
}

func (w *twin) event(ev *whole.Event) {
	if w.on[ev.Job] == nil {
		w.on[ev.Job] = map[int]int{}
	}
	switch ev.Kind {
	case whole.TaskStart:
		w.on[ev.Job][ev.Server]++
	case whole.TaskSuspend:
		w.on[ev.Job][ev.Server]--
	case whole.TaskEnd:
		w.on[ev.Job][ev.Server]--
		w.done[ev.Job]++
	default:
		w.gone[ev.Job] = true
	}
}

// span looks at all pairs of users, and at all waiting users and all servers.
func (w *twin) span(from, to event.Time, ef, si float64) error {
	var present []int
	for j := range w.jobs {
		if w.jobs[j].at <= from && !w.gone[j] {
			present = append(present, j)
		}
	}
	a := &cluster.Allocation{Region: w.users(w.Env, present), X: make([]float64, len(present)*len(w.Env.Servers))}
	ledger := cluster.NewLedger(w.Env)
	for i, j := range present {
		a.Region.Users[i].Tasks = float64(w.jobs[j].tasks - w.done[j])
		running := 0
		for server, n := range w.on[j] {
			a.X[i*len(w.Env.Servers)+ledger.Class(server)] += float64(n)
			running += n
			for range n {
				ledger.Take(ledger.Need(&w.Env.Users[j]), server)
			}
		}
		a.Tasks = append(a.Tasks, float64(running))
	}
	judge := fair.NewJudge(a.Region)
	for k, sat := range [...]float64{judge.MinEFSat(a, nil).Sat, judge.MinSISat(a, nil).Sat} {
		if w.seen[k].saw(from, to, 1-sat) {
			w.seen[k].Worst = &Violation{At: from, Value: sat}
		}
		if said := [...]float64{ef, si}[k]; math.Abs(said-sat) > 1e-9 {
			return fmt.Errorf("at %d µs %s is %v, and %v was said", from, Kept[k], sat, said)
		}
	}
	fits := false
	for i, j := range present {
		for s := range ledger.Servers() {
			fits = fits || a.Tasks[i] < a.Region.Users[i].Tasks && w.Env.Users[j].Eligible.Has(ledger.Class(s)) && ledger.Fits(ledger.Need(&w.Env.Users[j]), s)
		}
	}
	w.fitted(from, to, fits)
	return nil
}

func (w *twin) fitted(from, to event.Time, fits bool) {
	p := &w.seen[optimal]
	p.Looked, p.Time = p.Looked+1, p.Time+int64(to-from)
	if w.without || !fits {
		w.since = from
	}
	if w.without = !fits; fits {
		p.Violated, p.Bad = p.Violated+1, p.Bad+int64(to-from)
		if on := float64(to-w.since) / 1e6; p.Worst == nil || on > p.Worst.Value {
			p.Worst = &Violation{At: w.since, Value: on}
		}
	}
}

// What is seen of every allocation of whole tasks is what the definitions say, under rules
// in order and rounded ones, with and without tenants.
func TestEveryAllocationOfWholeTasksIsSeen(t *testing.T) {
	violated := map[string]int{}
	for k := range 24 {
		rng := rand.New(rand.NewPCG(5, uint64(k)))
		c := run.Case{Cluster: machines(rng), Jobs: jobs(rng, 25), Tenants: k%2 == 1, Policy: []string{"fifo", "drfh", "utilitarian", "mnw"}[k/2%4]}
		w := workload(t, &c)
		watch := NewWatch(w, nil, false)
		slow := &twin{Workload: w, on: map[int]map[int]int{}, done: map[int]int64{}, gone: map[int]bool{}, without: true}
		c.OnEvent = func(ev *whole.Event) { watch.Event(ev); slow.event(ev) }
		c.OnFairness = func(from, to event.Time, ef, si float64) error {
			if err := slow.span(from, to, ef, si); err != nil {
				return err
			}
			return watch.Fairness(from, to, ef, si)
		}
		_, err := run.Whole{Case: c, Tasks: run.WholeTasks{Slot: 60e6}, Random: rand.NewPCG(1, 2)}.Run(t.Context())
		if err == nil {
			err = watch.Close()
		}
		if err != nil {
			t.Fatalf("%d %s: %v", k, c.Policy, err)
		}
		for p := range Kept {
			got, want := watch.Seen[p], slow.seen[p]
			if same := got.Looked == want.Looked && got.Violated == want.Violated && got.Time == want.Time && got.Bad == want.Bad; !same || (got.Worst == nil) != (want.Worst == nil) {
				t.Errorf("%d %s %s: %+v, want %+v", k, c.Policy, Kept[p], got, want)
			} else if got.Worst != nil && (got.Worst.At != want.Worst.At || math.Abs(got.Worst.Value-want.Worst.Value) > 1e-9) {
				t.Errorf("%d %s %s: %+v, want %+v", k, c.Policy, Kept[p], got.Worst, want.Worst)
			}
			violated[c.Policy+" "+string(Kept[p])] += got.Violated
		}
	}
	t.Log(violated)
	for _, rule := range []string{"utilitarian PO", "utilitarian EF", "fifo SI"} {
		if violated[rule] == 0 {
			t.Errorf("%s was never violated: nothing was tried", rule)
		}
	}
	if violated["fifo PO"]+violated["drfh PO"] > 0 {
		t.Error("a rule that serves in order left room for a waiting task")
	}
}

func machines(rng *rand.Rand) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	for s := range 1 + rng.IntN(3) {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: []float64{float64(2 + rng.IntN(6)), float64(2 + rng.IntN(6))}, Count: 1 + rng.IntN(2)})
	}
	return env
}

func jobs(rng *rand.Rand, n int) (all []traces.Job) {
	for j := range n {
		all = append(all, traces.Job{ID: fmt.Sprint("j", j), SubmitUS: int64(rng.IntN(600)) * 1e6, DurationUS: int64(1+rng.IntN(90)) * 1e6, Tasks: int64(1 + rng.IntN(9)),
			CPU: 0.5 * float64(1+rng.IntN(4)), Mem: 0.5 * float64(1+rng.IntN(4)), User: string(rune('a' + rng.IntN(4)))})
	}
	slices.SortStableFunc(all, func(a, b traces.Job) int { return int(a.SubmitUS - b.SubmitUS) })
	return all
}

// The same of divisible tasks, of which each allocation is divided up afresh.
func TestEveryAllocationOfDivisibleTasksIsSeen(t *testing.T) {
	violated := map[policies.Property]int{}
	rules := []string{"drfh", "per-machine-drf", "utilitarian", "eq", "tsf", "mnw"}
	for k := range 3 * len(rules) {
		rule := rules[k%len(rules)]
		rng := rand.New(rand.NewPCG(6, uint64(k)))
		c := run.Case{Cluster: machines(rng), Jobs: jobs(rng, 30), Tenants: k/len(rules) == 1, Policy: rule}
		w := workload(t, &c)
		watch := NewWatch(w, nil, false)
		var want [len(Kept)]Seen
		c.Observers = []sim.Observer{watch, observer(func(iv *sim.Interval) error {
			a, err := policies.AllocateBy(rule, w.users(w.Env, iv.Present))
			if err != nil {
				return err
			}
			judge := fair.NewJudge(a.Region)
			factor, _, err := solve.Domination(a.Region, a.Tasks)
			for p, lack := range [...]float64{1 - judge.MinEFSat(a, nil).Sat, 1 - judge.MinSISat(a, nil).Sat, factor - 1} {
				if want[p].saw(iv.From, iv.To, lack) {
					want[p].Worst = &Violation{At: iv.From, Value: []float64{1 - lack, 1 - lack, 1 + lack}[p]}
				}
			}
			return err
		})}
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for p := range Kept {
			got := watch.Seen[p]
			if got.Looked != watch.Allocations || got.Violated != want[p].Violated || got.Time != want[p].Time || got.Bad != want[p].Bad {
				t.Errorf("%s %s: %+v, want %+v", rule, Kept[p], got, want[p])
			}
			if got.Worst != nil && (want[p].Worst == nil || math.Abs(got.Worst.Value-want[p].Worst.Value) > 1e-6) {
				t.Errorf("%s %s: %+v, want %+v", rule, Kept[p], got.Worst, want[p].Worst)
			}
		}
		for p, property := range Kept {
			violated[property] += watch.Seen[p].Violated
		}
	}
	if t.Log(violated); len(violated) != len(Kept) || violated[policies.PO] == 0 || violated[policies.EF] == 0 {
		t.Error("a property was never violated: nothing was tried")
	}
}

type observer func(*sim.Interval) error

func (o observer) Observe(iv *sim.Interval) error { return o(iv) }

func TestOfManyUsersNotAllAllocationsAreLookedAt(t *testing.T) {
	for users, want := range map[int]int{1: 36, manyUsers: 36, manyUsers + 1: 18, 2 * manyUsers: 9, 3 * manyUsers: 4} {
		f, n := fluidWatch{}, 0
		for range 36 {
			if f.due(users) {
				n++
			}
		}
		if n != want {
			t.Errorf("of 36 allocations to %d users %d are looked at, want %d", users, n, want)
		}
	}
}
