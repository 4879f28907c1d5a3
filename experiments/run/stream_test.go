package run

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// traceFile writes jobs to a file.
func traceFile(t *testing.T, jobs []traces.Job) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	if err := traces.WriteJobs(path, jobs, traces.Meta{Source: "a test", Label: "made up (synthetic)", Units: "cpu: cores"}); err != nil {
		t.Fatal(err)
	}
	return path
}

// replayed replays the jobs of a workload and returns what is measured, and the bytes of the
// tables.
func replayed(t *testing.T, p *Population, env *cluster.Environment, s Setup, policy string) (measures []Measure, tables [][]byte, held int) {
	t.Helper()
	met, err := p.On(env, "a cluster", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Population, s.Cluster = met, env
	c, left, err := s.Draw(0)
	if err != nil {
		t.Fatal(err)
	}
	c.Policy, c.Placements = policy, &Placements{}
	defer c.Placements.Discard()
	out, err := s.Replay(t.Context(), c, left, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Discard()
	dir := t.TempDir()
	done, where := filepath.Join(dir, "c.parquet"), filepath.Join(dir, "p.parquet")
	if err := WriteCompletions(done, &met.Workload, []Case{c}, []*Outcome{out}); err != nil {
		t.Fatal(err)
	}
	if err := WritePlacements(where, &met.Workload, []Case{c}, []*Outcome{out}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{done, where} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, data)
	}
	tables = append(tables, fmt.Append(nil, left, met.Notes))
	return out.Measures, tables, len(c.Jobs)
}

// Jobs that are read from their file give the measures and the bytes of those that are
// held: all of them and a sample, with tenants, links, slots, constraints and jobs that can
// not run.
func TestAStreamIsTheJobs(t *testing.T) {
	random := rand.New(rand.NewPCG(171, 172))
	want := append(slices.Clone(BothModels), Tenants)
	for k, policy := range []string{"tsf-er", FIFO, FIFOByPriority, "drfh", "tsf-er", FIFO, "cdrf"} {
		c := randomCase(random, policy)
		for i := range c.Jobs {
			j := &c.Jobs[i]
			j.User, j.Priority = []string{"", "ann", "bob", "bob"}[random.IntN(4)], random.Int64N(3)
			if random.IntN(6) == 0 {
				j.CPU = 1e3
			}
			if random.IntN(4) == 0 {
				j.Constraints = `[["zone","=","a"]]`
			}
		}
		if k%2 == 0 {
			c.Cluster.Links = []cluster.Link{{Name: "bw", Capacity: 9}}
			c.Cluster.Servers[0].Attributes = map[string]string{"zone": "a"}
		}
		slices.SortStableFunc(c.Jobs, func(a, b traces.Job) int { return int(a.SubmitUS - b.SubmitUS) })
		path := traceFile(t, c.Jobs)
		s := Setup{Draws: "test", Seed: uint64(k), Want: want, Tenants: k%3 > 0, Tasks: &WholeTasks{Slot: event.Time(k%2) * 5e6}, Bandwidth: traces.DefaultBandwidth()}
		if k > 4 {
			s.Jobs = 11
		}
		stream, err := StreamWorkload(path)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		held, err := TraceWorkload(path)
		if err != nil {
			t.Fatal(err)
		}
		if stream.Jobs != nil || stream.Len() != held.Len() || stream.Workload.Jobs != held.Workload.Jobs {
			t.Errorf("workload %d: the stream holds %d jobs, of %d", k, len(stream.Jobs), stream.Len())
		}
		got, tables, n := replayed(t, stream, c.Cluster, s, policy)
		wantMeasures, wantTables, _ := replayed(t, held, c.Cluster, s, policy)
		if diff := cmp.Diff(wantMeasures, got); diff != "" || len(got) < 40 {
			t.Errorf("workload %d, %d measures: %s", k, len(got), diff)
		}
		if (n > 0) != (s.Jobs > 0) {
			t.Errorf("workload %d: %d jobs are held", k, n)
		}
		for i := range tables {
			if !bytes.Equal(tables[i], wantTables[i]) {
				t.Errorf("workload %d: table %d is another", k, i)
			}
		}
	}
}

// A file whose jobs do not stand in order of submission is held, and one with a job that can
// not be is refused.
func TestWhatIsNotStreamed(t *testing.T) {
	jobs := []traces.Job{{ID: "a", SubmitUS: 2, Tasks: 1, DurationUS: 1, CPU: 1}, {ID: "b", SubmitUS: 1, Tasks: 1, DurationUS: 1, CPU: 1}}
	p, err := StreamWorkload(traceFile(t, jobs))
	if err != nil || len(p.Jobs) != 2 {
		t.Errorf("%d jobs are held, error %v", len(p.Jobs), err)
	}
	if _, err := StreamWorkload(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("error %v", err)
	}
}

// What replays hold does not grow with the jobs of the trace, whatever is measured: with 8
// times the jobs, at the same load, it is what it was.
func TestMemoryOfAReplayIsThatOfTheJobsInTheSystem(t *testing.T) {
	want := append(slices.Clone(BothModels), Tenants)
	few, many := mostLive(t, 2000, want), mostLive(t, 16_000, want)
	if many > few+few/4+(256<<10) {
		t.Errorf("%d bytes are held with 2,000 jobs, %d with 16,000", few, many)
	}
}

// mostLive returns the most bytes that are in use at ten moments of a replay of n jobs.
func mostLive(t *testing.T, n int, want []string) (most int64) {
	t.Helper()
	c := Case{Policy: FIFOByPriority, Want: want, Tenants: true, Placements: &Placements{}, Stream: &Stream{Jobs: n, all: madeUp(n)},
		Cluster: &cluster.Environment{Resources: []string{"cpu", "mem"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{8, 8}, Count: 10}}}}
	defer c.Placements.Discard()
	before, done := live(), 0
	c.OnEvent = func(ev *whole.Event) {
		if ev.Kind != whole.JobDone {
			return
		}
		if done++; done%(n/10) == 0 {
			most = max(most, live()-before)
		}
	}
	out, err := Whole{Case: c}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Discard()
	if done != n {
		t.Errorf("%d of %d jobs are done", done, n)
	}
	return most
}

// madeUp makes n jobs, the same ones each time, that load ten servers of 8 by four fifths.
func madeUp(n int) iter.Seq2[submission, error] {
	return func(yield func(submission, error) bool) {
		random, at := rand.New(rand.NewPCG(173, 174)), 0.0
		for i := range n {
			at += random.ExpFloat64() * .59e6
			j := &traces.Job{ID: fmt.Sprint("job ", i), SubmitUS: int64(at), Tasks: 1 + random.Int64N(7), DurationUS: 1 + random.Int64N(20e6),
				CPU: .5 + float64(random.IntN(8))/8, Mem: .5 + float64(random.IntN(8))/8, User: fmt.Sprint("user ", random.IntN(20)), Priority: random.Int64N(3)}
			if !yield(submission{Job: j}, nil) {
				return
			}
		}
	}
}

// live returns the bytes that are in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Quantiles of values that are sorted on disk are those of the values.
func TestRankedValuesHaveTheirQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(175, 176))
	for _, n := range []int{1, 2, 100, mostRanked, 3*mostRanked + 17} {
		var r ranked
		defer r.discard()
		values := map[group][]float64{}
		for range n {
			g := group{user: fmt.Sprint(random.IntN(3))}
			v := float64(random.IntN(1000)) * random.ExpFloat64()
			values[g] = append(values[g], v)
			if err := r.add(g, v); err != nil {
				t.Fatal(err)
			}
		}
		if (r.file != nil) != (n >= mostRanked) || len(r.held) > mostRanked {
			t.Errorf("%d values: %d are held", n, len(r.held))
		}
		if of := r.count(group{user: "nobody"}); of != 0 {
			t.Errorf("a group without values has %d", of)
		}
		got, err := r.quantiles()
		if err != nil {
			t.Fatal(err)
		}
		for g, all := range values {
			slices.Sort(all)
			for i, s := range spreads {
				if want := metrics.Quantile(all, s.p); got[g][i] != want {
					t.Errorf("%d values of %v: quantile %g is %g, want %g", n, g, s.p, got[g][i], want)
				}
			}
			if r.count(g) != len(all) {
				t.Errorf("%d of %d values are counted", r.count(g), len(all))
			}
		}
	}
}
