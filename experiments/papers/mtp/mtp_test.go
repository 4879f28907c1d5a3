package mtp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/papertest"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/traces"
)

// Table 1, with the sums of its columns.
func TestClusterIsTable1(t *testing.T) {
	env := Cluster(LinkMHz)
	if cpu, mem := env.TotalCapacity(0), env.TotalCapacity(1); cpu != 5 || mem != 7.25 {
		t.Errorf("%g cpu and %g memory in all, want 5 and 7.25", cpu, mem)
	}
	behind := make([]int, len(env.Links))
	for s := range env.Servers {
		for e := range env.Links {
			if env.Reaches(e, s) {
				behind[e]++
			}
		}
	}
	if !slices.Equal(behind, []int{1, 2, 2, 2, 2}) || len(env.Servers) != 9 {
		t.Errorf("servers behind the links: %v of %d", behind, len(env.Servers))
	}
	if c := env.Servers[2]; c.Name != "ap2-s2" || c.Capacity[0] != 0.75 || c.Capacity[1] != 0.25 {
		t.Errorf("the second server of AP 2 is %+v", c)
	}
}

func TestCut(t *testing.T) {
	job := func(id string, submitH, durationH, cpu float64, tasks int64, censored bool) traces.Job {
		return traces.Job{ID: id, SubmitUS: int64((5 + submitH) * 3600e6), DurationUS: int64(durationH * 3600e6), CPU: cpu, Mem: 1, Tasks: tasks, Censored: censored}
	}
	jobs := []traces.Job{
		job("first", 0, 1.9, 1, 10000, false), job("long", 1, 2, 1, 10000, false), job("no cpu", 2, 1, 0, 10000, false),
		job("censored", 3, 1, 1, 10000, true), job("last", 6.9, 1, 1, 10000, false), job("late", 7, 1, 1, 10000, false),
	}
	for range 40 {
		jobs = append(jobs, job("small", 1, 1, 1, 1, false))
	}
	kept, out := cut{7, 2, 0.1}.apply(rand.New(rand.NewPCG(1, 1)), jobs)
	if kept[0].ID != "first" || kept[0].SubmitUS != 0 || kept[1].ID != "last" {
		t.Errorf("kept %v", kept)
	}
	for _, j := range kept[:2] {
		if math.Abs(float64(j.Tasks)-1000) > 5*30 {
			t.Errorf("%d of 10,000 tasks were picked", j.Tasks)
		}
	}
	for _, j := range kept[2:] {
		if j.Tasks != 1 {
			t.Errorf("%d of one task", j.Tasks)
		}
	}
	if n := out["none of its tasks was picked"]; n != 40-(len(kept)-2) || n < 25 {
		t.Errorf("%d of 40 small jobs without a task", n)
	}
	delete(out, "none of its tasks was picked")
	want := map[string]int{"submitted after the first 7 hours": 1, "runs for 2 hours or longer": 2, "requests no cpu, so that no bandwidth can be derived": 1}
	if d := cmp.Diff(want, out); d != "" {
		t.Error(d)
	}
	if all, _ := (cut{100, 100, 1}).apply(rand.New(rand.NewPCG(1, 1)), jobs); len(all) != len(jobs)-2 || all[0].Tasks != 10000 {
		t.Errorf("with everything wanted, %d jobs", len(all))
	}
}

// Demands lie between 0.9 and 9 times ρ/3.5, differ between access points, and
// are spread evenly.
func TestChannels(t *testing.T) {
	jobs := make([]traces.Job, 400)
	for i := range jobs {
		jobs[i].CPU = 0.01
	}
	b := traces.DefaultBandwidth()
	mhz := b.Synthesize(random(1, "w", 0, "cycles"), jobs)
	demands := channels(random(1, "w", 0, "cycles"), random(1, "w", 0, "channels"), b, jobs, 5)
	sum, n := 0.0, 0
	for i, d := range demands {
		for e, v := range d {
			u := v / mhz[i]
			if u < 0.9 || u > 9 || e > 0 && v == d[e-1] {
				t.Fatalf("job %d needs %v, its bit rate makes %v", i, d, mhz[i])
			}
			sum, n = sum+u, n+1
		}
	}
	if mean := sum / float64(n); math.Abs(mean-4.95) > 0.2 {
		t.Errorf("the mean is %g, want 4.95", mean)
	}
}

func TestLargestDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	below := func(a []float64, x float64) float64 {
		n := 0
		for _, v := range a {
			if v <= x {
				n++
			}
		}
		return float64(n) / float64(len(a))
	}
	for range 100 {
		a, b := make([]float64, 1+rng.IntN(20)), make([]float64, 1+rng.IntN(20))
		for i := range a {
			a[i] = float64(rng.IntN(12))
		}
		for i := range b {
			b[i] = float64(rng.IntN(12))
		}
		slices.Sort(a)
		slices.Sort(b)
		want := 0.0
		for x := range 12 {
			want = max(want, math.Abs(below(a, float64(x))-below(b, float64(x))))
		}
		if got := largestDistance(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, %v: %v, want %v", a, b, got, want)
		}
	}
}

// The quick scale: what does not hang on the load is reproduced, the two gaps
// are what they are, and the bytes do not depend on the number of workers.
func TestReproduceQuick(t *testing.T) {
	r := papers.Request{Seed: 1, Instances: 1, Items: simulated}
	found := papertest.Reproduce(t, Name, r, 1)
	got := papertest.Entries(t, found.Ledger)
	for _, id := range []string{
		"fig3/over-eq#cpu/mtp", "fig3/over-eq#mem/mtp", "fig3/tsf-over-mtp#cpu", "fig4/none", "fig4/none#eq",
		"fig4/si", "fig4/si#tsf", "fig5/mtp-like-tsf",
	} {
		if e := got[id]; e.Verdict != ledger.Reproduced || e.Workload != "seven-hours (synthetic)" {
			t.Errorf("%s: %s on %q: %s", id, e.Verdict, e.Workload, e.Why)
		}
	}
	if e := got["fig5/eq-later"]; *e.Ours <= 0 || *e.Published != 30 {
		t.Errorf("eq later by %v minutes", *e.Ours)
	}
	for id, is := range map[string]bool{"fig5/eq-later": false, "fig5/eq-later#ghz=3.6": false, "fig5/eq-later/ghz=4.4": true, "fig4/tsf/time/submitted/ghz=4.4": true} {
		if e, ok := got[id]; !ok || e.FittedTo != is {
			t.Errorf("%s: there %v, fitted to %v", id, ok, e.FittedTo)
		}
	}
	for id, e := range got { // an entry that counts is as bad as the worst of its parts
		whole, _, isPart := strings.Cut(id, "#")
		if of, ok := got[whole]; isPart && ok && e.Published == nil && e.Verdict == ledger.Differs && of.Verdict == ledger.Reproduced {
			t.Errorf("%s differs, %s does not", id, whole)
		}
	}
	if e := got["fig3/cpu/mtp#1"]; *e.Ours > 0.01 {
		t.Errorf("with a rate of 200 the cpus are used to %v", *e.Ours)
	}
	var digests []string
	for _, workers := range []int{1, 3} {
		dir := filepath.Join(t.TempDir(), "out")
		if workers > 1 {
			found = papertest.Reproduce(t, Name, r, workers)
		}
		if err := found.Write(dir, store.Timing{}); err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, name := range []string{"ledger.json", "manifest.json", "fig3.parquet", "fig4.parquet", "fig5.parquet", "mtp-fig3.svg", "mtp-fig4.svg", "mtp-fig5.svg"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		digests = append(digests, all)
	}
	if digests[0] != digests[1] {
		t.Error("three workers write other bytes than one")
	}
}

// Every rule faces the same jobs and channels, whatever the order of instances.
func TestRulesFaceTheSameJobs(t *testing.T) {
	var users [][]string
	for _, policy := range []string{"mtp", "tsf", "eq"} {
		s, err := spec.NewScenario(kindName, map[string]string{"policy": policy, "hours": "0.3"}, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		of, err := s.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rows, err := of.Instance(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range rows {
			if r.Metric == results.MetricCompletion {
				names = append(names, r.User)
			}
			if r.Timed {
				t.Fatal("a time series of an instance that is not the first")
			}
		}
		users = append(users, names)
	}
	if len(users[0]) < 10 || cmp.Diff(users[0], users[1]) != "" || cmp.Diff(users[0], users[2]) != "" {
		t.Errorf("the rules face %d, %d, %d jobs", len(users[0]), len(users[1]), len(users[2]))
	}
}

func TestKindsParametersAreChecked(t *testing.T) {
	for name, values := range map[string]map[string]string{
		"policy": {}, "policy: ": {"policy": "dictator"}, "fraction": {"policy": "mtp", "fraction": "1.5"},
		"gamma": {"policy": "mtp", "gamma": "shape"}, "trace": {"policy": "mtp", "trace": "absent.parquet"},
	} {
		if _, err := spec.NewScenario(kindName, values, 1, 1); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(name, " ")) {
			t.Errorf("%v: %v", values, err)
		}
	}
}

// Bit rates grow with f_CPU as the links shrink: half the bandwidth is twice the
// frequency. The default is 2.6 GHz.
func TestFrequencyIsBandwidth(t *testing.T) {
	completions := func(values map[string]string) []float64 {
		values["policy"], values["hours"] = "tsf", "0.3"
		s, err := spec.NewScenario(kindName, values, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		of, err := s.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rows, err := of.Instance(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return completionsOf(slices.Values(rows), "tsf")
	}
	usual, same := completions(map[string]string{}), completions(map[string]string{ghzName: "2.6"})
	fast, narrow := completions(map[string]string{ghzName: "20.8"}), completions(map[string]string{"bandwidth": "2.5"})
	if !slices.Equal(usual, same) || slices.Equal(usual, fast) {
		t.Error("the default is not 2.6 GHz, or the frequency changes nothing")
	}
	for i := range fast {
		if math.Abs(fast[i]/narrow[i]-1) > 1e-6 {
			t.Fatalf("job %d: %v s at 20.8 GHz and 20 MHz, %v s at 2.6 GHz and 2.5 MHz", i, fast[i], narrow[i])
		}
	}
}

// A trace from a file is known by its checksum.
func TestTraceOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	var jobs []traces.Job
	for i := range 40 {
		jobs = append(jobs, traces.Job{ID: string(rune('A' + i)), SubmitUS: int64(i) * 60e6, Tasks: 200, DurationUS: 600e6, CPU: 0.05, Mem: 0.02})
	}
	meta := traces.Meta{Source: "made up", Label: "made up (synthetic)", Units: "none", Options: "{}"}
	if err := traces.WriteJobs(path, jobs, meta); err != nil {
		t.Fatal(err)
	}
	r := papers.Request{Seed: 1, Instances: 2, Items: []string{"fig5"}, Options: map[string]string{"trace": path}}
	found := papertest.Reproduce(t, Name, r, 2)
	if e := papertest.Entries(t, found.Ledger)["fig5/eq-later#mtp"]; e.Workload != "made up (synthetic)" || *e.Ours <= 0 || e.Instances != 2 {
		t.Errorf("%+v", e)
	}
	s, err := spec.NewScenario(kindName, map[string]string{"policy": "eq", "trace": path}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := traces.WriteJobs(path, jobs[1:], meta); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(context.Background()); !errors.Is(err, spec.ErrChanged) {
		t.Errorf("another trace: %v", err)
	}
}
