package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// placementsOf replays a case, in the fluid model where tasks is nil, and returns the
// tables of what became of its jobs and of who ran where.
func placementsOf(t *testing.T, c Case, tasks *WholeTasks) ([]Completion, []Placement, *Outcome) {
	t.Helper()
	c.Placements = &Placements{}
	t.Cleanup(c.Placements.Discard)
	var out *Outcome
	if tasks == nil {
		o, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out = o
	} else {
		o, err := Whole{Case: c, Tasks: *tasks, Random: rand.NewPCG(1, 2)}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out = &o.Outcome
	}
	dir, w := t.TempDir(), &Workload{Label: "made up (synthetic)"}
	done, where := filepath.Join(dir, "c.parquet"), filepath.Join(dir, "p.parquet")
	if err := WriteCompletions(done, w, []Case{c}, []*Outcome{out}); err != nil {
		t.Fatal(err)
	}
	if err := WritePlacements(where, w, []Case{c}, []*Outcome{out}); err != nil {
		t.Fatal(err)
	}
	return rowsOf[Completion](t, done, CompletionColumns()), rowsOf[Placement](t, where, PlacementColumns()), out
}

func rowsOf[T any](t *testing.T, path string, columns []parquet.Column) (all []T) {
	t.Helper()
	r, err := parquet.Open(path, columns)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for row, err := range parquet.RowsOf[T](r) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}

// says writes a placement in a line.
func (p Placement) says() string {
	text := func(v *int64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprint(*v)
	}
	return fmt.Sprintf("%s task %s: %g on %s/%s, %g to %g s, %s, cpu %.4g", p.JobID, text(p.Task), p.Tasks, p.Class, text(p.Server),
		float64(p.StartUS)/1e6, float64(p.EndUS)/1e6, p.Ended, *p.CPUFraction)
}

func said(all []Placement) string {
	var lines []string
	for _, p := range all {
		lines = append(lines, p.says())
	}
	return strings.Join(lines, "\n") + "\n"
}

// Two servers of 2 cpu hold four tasks of 1 cpu. Job b comes at 5 s: with slots of 10 s
// two tasks of a have to leave then.
func TestWhoRunsWhereIsKnown(t *testing.T) {
	c := Case{
		Cluster: &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{2}, Count: 2}}},
		Policy:  "drfh", Jobs: []traces.Job{{ID: "a", Tasks: 4, DurationUS: 20e6, CPU: 1}, {ID: "b", SubmitUS: 5e6, Tasks: 2, DurationUS: 5e6, CPU: 1}},
	}
	_, all, _ := placementsOf(t, c, &WholeTasks{Slot: 10e6})
	want := `a task 0: 1 on s/0, 0 to 10 s, suspended, cpu 0.5
a task 1: 1 on s/0, 0 to 10 s, suspended, cpu 0.5
a task 2: 1 on s/1, 0 to 10 s, suspended, cpu 0.5
a task 3: 1 on s/1, 0 to 10 s, suspended, cpu 0.5
b task 0: 1 on s/0, 10 to 15 s, completed, cpu 0.5
b task 1: 1 on s/1, 10 to 15 s, completed, cpu 0.5
a task 0: 1 on s/0, 10 to 20 s, suspended, cpu 0.5
a task 1: 1 on s/1, 10 to 20 s, suspended, cpu 0.5
a task 2: 1 on s/0, 15 to 20 s, suspended, cpu 0.5
a task 3: 1 on s/1, 15 to 20 s, suspended, cpu 0.5
`
	if got := said(all); !strings.HasPrefix(got, want) {
		t.Errorf("placements:\n%swant\n%s", got, want)
	}
	// Fluid: a has all four, then both two each; b's work of 10 task-seconds is done
	// at 10 s, and a's of 80 at 22.5 s.
	_, all, _ = placementsOf(t, c, nil)
	want = `a task -: 4 on s/-, 0 to 5 s, reallocated, cpu 1
b task -: 2 on s/-, 5 to 10 s, completed, cpu 0.5
a task -: 2 on s/-, 5 to 10 s, reallocated, cpu 0.5
a task -: 4 on s/-, 10 to 22.5 s, completed, cpu 1
`
	if diff := cmp.Diff(want, said(all)); diff != "" {
		t.Errorf("fluid placements (-want +got):\n%s", diff)
	}
}

// randomCase is jobs that together want more than there is.
func randomCase(random *rand.Rand, policy string) Case {
	c := Case{Policy: policy, Want: []string{Utilization}, Cluster: &cluster.Environment{Resources: []string{"cpu", "mem"}, Servers: []cluster.Server{
		{Name: "s", Capacity: []float64{4, 8}, Count: 3}, {Name: "t", Capacity: []float64{8, 4}, Count: 1}, {Name: "v", Capacity: []float64{2, 2}, Count: 2},
	}}}
	for i := range 30 {
		c.Jobs = append(c.Jobs, traces.Job{
			ID: fmt.Sprintf("j%d", i), SubmitUS: random.Int64N(60e6), Tasks: 1 + random.Int64N(12), DurationUS: 1 + random.Int64N(20e6),
			CPU: float64(1+random.IntN(20)) / 10, Mem: float64(1+random.IntN(20)) / 10,
		})
	}
	return c
}

// The table agrees with what became of the jobs, no server holds more than it has at any
// instant, recomputed from the table alone, and what all hold is the utilization.
func TestPlacementsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	for k, of := range []struct {
		policy string
		tasks  *WholeTasks
	}{
		{"tsf-er", &WholeTasks{}}, {FIFO, &WholeTasks{Slot: 7e6}}, {"drfh", &WholeTasks{Slot: 3e6, SuspendedLast: true}}, {"mnw", &WholeTasks{Slot: 5e6}},
		{"tsf-er", nil}, {"drfh", nil}, {"mnw", nil}, {"per-machine-drf", nil},
	} {
		c := randomCase(random, of.policy)
		done, where, out := placementsOf(t, c, of.tasks)
		name := fmt.Sprintf("%d, %s, whole %v", k, of.policy, of.tasks != nil)
		agreesWithCompletions(t, name, done, where, of.tasks != nil)
		withinCapacity(t, name, where)
		busy, area := busyTime(done), map[string]float64{}
		for _, p := range where {
			for _, s := range c.Cluster.Servers {
				if s.Name != p.Class {
					continue
				}
				parts := float64(s.Count)
				if p.Server == nil {
					parts = 1
				}
				area[p.Class+"/cpu"] += *p.CPUFraction / parts * float64(p.EndUS-p.StartUS)
				area[p.Class+"/mem"] += *p.MemFraction / parts * float64(p.EndUS-p.StartUS)
			}
		}
		for _, m := range out.Measures {
			if of, found := strings.CutPrefix(m.Metric, results.MetricMeanUtilization+":"); found && strings.Contains(of, "/") {
				if got := area[of] / float64(busy); math.Abs(got-m.Value) > 1e-9 {
					t.Errorf("%s: %s: the table says %g", name, m.Metric, got)
				}
			}
		}
	}
}

// busyTime is the time with a job in the system: the union of all from submission to
// completion.
func busyTime(done []Completion) (busy int64) {
	at := map[int64]int{}
	for _, c := range done {
		at[c.SubmitUS]++
		at[*c.CompletionUS]--
	}
	here, last := 0, int64(0)
	for _, now := range sortedTimes(at) {
		if here > 0 {
			busy += now - last
		}
		here, last = here+at[now], now
	}
	return busy
}

func agreesWithCompletions(t *testing.T, name string, done []Completion, where []Placement, whole bool) {
	t.Helper()
	for _, c := range done {
		first, last, ran, finished := int64(math.MaxInt64), int64(0), 0.0, map[int64]int{}
		suspended := map[int64]int64{}
		perTask := map[int64]int64{}
		for _, p := range where {
			if p.JobID != c.JobID {
				continue
			}
			first, last = min(first, p.StartUS), max(last, p.EndUS)
			ran += p.Tasks * float64(p.EndUS-p.StartUS)
			if p.EndUS <= p.StartUS || p.Policy != c.Policy || p.User != c.User || p.Tenant != c.Tenant {
				t.Errorf("%s: %s", name, p.says())
			}
			if !whole {
				if (p.Ended == "completed") != (p.EndUS == *c.CompletionUS) {
					t.Errorf("%s: %s, but the job is done at %d µs", name, p.says(), *c.CompletionUS)
				}
				continue
			}
			perTask[*p.Task] += p.EndUS - p.StartUS
			switch p.Ended {
			case "completed":
				finished[*p.Task]++
			case "suspended":
				suspended[*p.Task]++
			default:
				t.Errorf("%s: %s", name, p.says())
			}
		}
		if first != *c.FirstStartUS || last != *c.CompletionUS {
			t.Errorf("%s, job %s: ran from %d to %d µs, completions say %d to %d", name, c.JobID, first, last, *c.FirstStartUS, *c.CompletionUS)
		}
		if !whole {
			if work := float64(c.Tasks * c.DurationUS); ran < work*(1-1e-9) || ran > work*(1+1e-9)+100 {
				t.Errorf("%s, job %s: %g task-µs were done, want %g", name, c.JobID, ran, work)
			}
			continue
		}
		for task := range c.Tasks {
			if want := c.DurationUS + suspended[task]*250_000; finished[task] != 1 || perTask[task] != want {
				t.Errorf("%s, job %s, task %d: ended %d times and ran %d µs, want %d", name, c.JobID, task, finished[task], perTask[task], want)
			}
		}
	}
}

// withinCapacity looks at every instant at which something starts, at all that runs
// then.
func withinCapacity(t *testing.T, name string, where []Placement) {
	t.Helper()
	for _, at := range where {
		cpu, mem := 0.0, 0.0
		for _, p := range where {
			same := p.Class == at.Class && (p.Server == nil) == (at.Server == nil) && (p.Server == nil || *p.Server == *at.Server)
			if same && p.StartUS <= at.StartUS && at.StartUS < p.EndUS {
				cpu, mem = cpu+*p.CPUFraction, mem+*p.MemFraction
			}
		}
		if max(cpu, mem) > 1+1e-9 {
			t.Errorf("%s: at %d µs %s holds %g of its cpu and %g of its memory", name, at.StartUS, at.says(), cpu, mem)
		}
	}
}

func sortedTimes(at map[int64]int) []int64 {
	var all []int64
	for now := range at {
		all = append(all, now)
	}
	for i := range all {
		for j := range all[:i] {
			if all[j] > all[i] {
				all[i], all[j] = all[j], all[i]
			}
		}
	}
	return all
}

// A record that can not be kept is an error.
func TestPlacementsThatCanNotBeKept(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	c := Case{Cluster: &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{2}, Count: 1}}},
		Policy: "drfh", Jobs: []traces.Job{{ID: "a", Tasks: 4, DurationUS: 20e6, CPU: 1}}, Placements: &Placements{}}
	_, fluid := c.Run(t.Context())
	_, whole := Whole{Case: c}.Run(t.Context())
	for _, err := range []error{fluid, whole} {
		if err == nil || !strings.Contains(err.Error(), "placements, kept in") {
			t.Errorf("error %v", err)
		}
	}
}

// A spill gives back what was put into it.
func TestSpillGivesBackWhatWasPut(t *testing.T) {
	random, s, want := rand.New(rand.NewPCG(1, 1)), spill{}, []spilled(nil)
	defer s.discard()
	at := int64(event.Earliest) / 4
	for range 2000 {
		at += random.Int64N(1 << uint(1+random.IntN(50)))
		p := spilled{job: random.IntN(1 << 20), task: -1, server: random.IntN(1 << 16), tasks: random.ExpFloat64(), start: at - random.Int64N(1<<40), end: at, why: random.IntN(4)}
		if random.IntN(2) == 0 {
			p.task, p.single, p.tasks = random.Int64N(1<<40), true, 1
		}
		s.put(p)
		want = append(want, p)
	}
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var got []spilled
		for p, err := range s.all() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(spilled{})); diff != "" {
			t.Fatalf("(-put +got):\n%s", diff)
		}
	}
}
