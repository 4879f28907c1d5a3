package run

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/experiments/explain"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// What the tables say of a time is what the replay's samples say of it: who is there, how
// many tasks run and how many wait, with suspensions; and what runs fits.
func TestAMomentOfWholeTasksIsWhatTheReplayHad(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	c := Case{Cluster: &cluster.Environment{
		Resources: []string{"mem", "cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{4, 4}, Count: 3}, {Name: "t", Capacity: []float64{16, 8}, Count: 1}},
		Links:     []cluster.Link{{Name: "bw", Capacity: 12}},
	}}
	for range 30 {
		c.Jobs = append(c.Jobs, traces.Job{ID: "job-" + string(rune('A'+len(c.Jobs))), SubmitUS: int64(rng.IntN(20)) * 3e6, Tasks: 1 + rng.Int64N(9),
			DurationUS: 1 + rng.Int64N(2e7), CPU: 0.5 + float64(rng.IntN(3)), Mem: float64(1 + rng.IntN(4))})
		c.Bandwidth = append(c.Bandwidth, rng.Float64())
	}
	for rule, slot := range map[string]event.Time{"tsf-er": 0, "drfh": 7_500_000, FIFO: 0, "mnw": 10_000_000} {
		c.Policy, c.Placements = rule, &Placements{}
		t.Cleanup(c.Placements.Discard)
		var samples []whole.Sample
		tasks := WholeTasks{Slot: slot, SampleEvery: 2_500_000, OnSample: func(s *whole.Sample) error {
			samples = append(samples, *s)
			return nil
		}}
		out, err := Whole{Case: c, Tasks: tasks, Random: rand.NewPCG(1, 2)}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		done, where := filepath.Join(dir, "c.parquet"), filepath.Join(dir, "p.parquet")
		if err := WriteCompletions(done, &Workload{}, []Case{c}, []*Outcome{&out.Outcome}); err != nil {
			t.Fatal(err)
		}
		if err := WritePlacements(where, &Workload{}, []Case{c}, []*Outcome{&out.Outcome}); err != nil {
			t.Fatal(err)
		}
		busy := 0
		for _, s := range samples {
			m, err := MomentOf(done, rule, c.Cluster, int64(s.At), false)
			if err != nil {
				t.Fatal(err)
			}
			running, err := m.Running(where)
			if err != nil {
				t.Fatal(err)
			}
			compareSample(t, &s, m, running)
			busy += min(1, int(s.Waiting))
		}
		if busy < 10 {
			t.Errorf("%s: tasks waited at %d of %d samples", rule, busy, len(samples))
		}
	}
}

func compareSample(t *testing.T, s *whole.Sample, m *Moment, running []RunningTasks) {
	t.Helper()
	n, waiting := 0, int64(0)
	var held []explain.Held
	for j, r := range running {
		of := int64(0)
		for _, k := range r.On {
			of += int64(k)
		}
		if left := m.Environment.Users[j].Tasks; float64(of+r.Waiting) != left || of+r.Waiting+r.Done != m.Tasks[j] {
			t.Errorf("%s at %d: %d running, %d waiting, %d done of %d, %g left", m.Policy, s.At, of, r.Waiting, r.Done, m.Tasks[j], left)
		}
		n, waiting = n+int(of), waiting+r.Waiting
		held = append(held, explain.Held(r))
	}
	if n != s.Running || waiting != s.Waiting || len(running) != s.Present {
		t.Errorf("%s at %d: %d running, %d waiting, %d users; the sample has %d, %d, %d", m.Policy, s.At, n, waiting, len(running), s.Running, s.Waiting, s.Present)
	}
	if _, err := explain.Whole("p", "", nil, m.Environment, held, nil); err != nil {
		t.Errorf("%s at %d: %v", m.Policy, s.At, err)
	}
}
