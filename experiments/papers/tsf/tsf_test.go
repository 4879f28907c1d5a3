package tsf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/papertest"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2011"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// reproduce runs items of the paper.
func reproduce(t *testing.T, workers, instances int, items ...string) *papers.Findings {
	t.Helper()
	return papertest.Reproduce(t, Paper, papers.Request{Items: items, Seed: 1, Instances: instances}, workers)
}

// verdicts are the verdicts of a ledger by id.
func verdicts(found *papers.Findings) map[string]ledger.Verdict {
	all := map[string]ledger.Verdict{}
	for _, e := range found.Ledger.Entries {
		all[e.ID] = e.Verdict
	}
	return all
}

func TestWorkedExamplesAndTableII(t *testing.T) {
	found := reproduce(t, 1, 0, "fig2", "fig3", "fig4", "table2")
	for _, e := range found.Ledger.Entries {
		if e.Verdict != ledger.Reproduced {
			t.Errorf("%s: %s: %s", e.ID, e.Verdict, e.Why)
		}
	}
	if n := len(found.Ledger.Entries); n != 27 {
		t.Errorf("%d entries, want 27", n)
	}
}

// Shares of figure 5: what the paper prints, and the divisible optimum.
func TestFigure5(t *testing.T) {
	got := verdicts(reproduce(t, 2, 5, "fig5"))
	for _, id := range []string{
		"fig5/job1/alone", "fig5/job1/with-job2", "fig5/job2/with-job1", "fig5/job1/after-job2", "fig5/job1/with-jobs34",
		"fig5/jobs34", "fig5/jobs34#range", "fig5/jobs34/equal", "fig5/job1#divisible", "fig5/job3#divisible", "fig5/job4#divisible",
	} {
		if got[id] != ledger.Reproduced {
			t.Errorf("%s: %q", id, got[id])
		}
	}
}

// Under FIFO job 2 would get nothing while job 1 has tasks waiting: the shares of
// figure 5 are TSF's own.
func TestFigure5IsNotFIFO(t *testing.T) {
	b := &testbed{scene: sceneShares, seed: 1}
	history := make([]steps, 4)
	outcome, err := replayed(context.Background(), nodes(), b.jobs(tableII(), 0), run.FIFO, func(e *whole.Event) {
		history[e.Job].add(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if share := history[1].mean(38*second, 70*second) / 100; share > 0.25 {
		t.Errorf("job 2 has a share of %.3f under FIFO", share)
	}
	if !slices.ContainsFunc(outcome, func(j job) bool { return j.completion > 0 }) {
		t.Error("nothing completes")
	}
}

func TestFigures6And7(t *testing.T) {
	got := verdicts(reproduce(t, 2, 5, "fig6", "fig7"))
	for id, want := range map[string]ledger.Verdict{
		"fig6/slowest": ledger.Differs, "fig6/largest": ledger.Differs,
		"fig6/slowest/job 1#by-job": ledger.Reproduced, "fig6/slowest/job 2#by-job": ledger.Differs,
		"fig6/slowest#large-first": ledger.Reproduced, "fig6/slowest#starts-of-table2": ledger.Differs,
		"fig6/slowest#75-tasks-large-first": ledger.Reproduced, "fig6/largest#75-tasks-large-first": ledger.Reproduced,
		"fig7/mice": ledger.Differs, "fig7/elephants": ledger.Reproduced,
		"fig7/mice/1#by-job": ledger.Differs, "fig7/mice/2#by-job": ledger.Reproduced,
	} {
		if got[id] != want {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
}

// The weights of theorem 1: ten, thirty, twenty and thirty tasks in the pools.
func TestWeightsOfTheorem1(t *testing.T) {
	want := []float64{10.0 / 75, 30.0 / 100, 20.0 / 100, 30.0 / 75}
	for k, b := range (&testbed{job1: tasksOfJob1}).pooled(false, true, false) {
		if math.Abs(b.weight-want[k]) > 1e-15 {
			t.Errorf("%s: weight %g, want %g", b.name, b.weight, want[k])
		}
	}
	// Theorem 1 itself, with divisible tasks.
	env := nodes()
	jobs := (&testbed{job1: tasksOfJob1}).pooled(false, true, false)
	for k := range jobs {
		env.Users = append(env.Users, jobs[k].user())
	}
	a, err := policies.AllocateBy("tsf", env)
	if err != nil {
		t.Fatal(err)
	}
	for k, in := range []float64{10, 30, 20, 30} {
		if a.Tasks[k] < in*(1-exact) {
			t.Errorf("%s: %g tasks, %g in its pool", jobs[k].name, a.Tasks[k], in)
		}
	}
}

func TestSteps(t *testing.T) {
	var s steps
	for _, e := range []struct {
		at   event.Time
		kind whole.EventKind
	}{{0, whole.TaskStart}, {0, whole.TaskStart}, {10, whole.TaskEnd}, {10, whole.TaskStart}, {20, whole.TaskEnd}, {30, whole.TaskEnd}} {
		s.add(&whole.Event{At: e.at, Kind: e.kind})
	}
	for at, want := range map[event.Time]float64{-1: 0, 0: 2, 9: 2, 10: 2, 19: 2, 20: 1, 29: 1, 30: 0, 99: 0} {
		if got := s.value(at); got != want {
			t.Errorf("%g run at %d, want %g", got, at, want)
		}
	}
	if got := s.mean(15, 40); got != (2*5+1*10+0*10)/25.0 {
		t.Errorf("mean %g", got)
	}
}

// Same seed, same bytes, at any number of workers; another seed, other numbers.
func TestWorkersDoNotMatter(t *testing.T) {
	write := func(workers int) map[string][]byte {
		dir := filepath.Join(t.TempDir(), "out")
		found := reproduce(t, workers, 2, "fig5", "fig9")
		if err := found.Write(dir, store.Timing{}); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	one, three := write(1), write(3)
	if d := cmp.Diff(one, three); d != "" {
		t.Error("the folder depends on the number of workers")
	}
	for _, name := range []string{"tsf-fig5.pdf", "tsf-fig9.svg", "tsf-fig9-hour.png", "fig9-spread.parquet", "ledger.json"} {
		if len(one[name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
}

// Every rule keeps every invariant of the engine on constrained machines, and
// eligibility above all.
func TestSimulationsVerify(t *testing.T) {
	w, err := LoadWorkload("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	small := slices.DeleteFunc(slices.Clone(w.Jobs), func(j traces.Job) bool { return j.Tasks > 20 })
	w.Jobs = small
	world, err := w.draw(Setting{Machines: 20, Jobs: 100, Times: Capped, Cap: hour, Capacity: 1}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range Rules {
		rule, err := ruleOf(policy)
		if err != nil {
			t.Fatal(err)
		}
		replay := whole.Replay{Env: world.env, Rule: rule, Verify: true, Jobs: world.jobs, OnEvent: func(e *whole.Event) {
			if e.Kind == whole.TaskStart && !world.jobs[e.Job].User.Eligible.Has(e.Server) {
				t.Fatalf("%s: job %s on machine %d", policy, world.jobs[e.Job].User.Name, e.Server)
			}
		}}
		if _, err := replay.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

func TestReadings(t *testing.T) {
	w, err := LoadWorkload("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	worlds := map[Times]*world{}
	for _, times := range allTimes {
		if worlds[times], err = w.draw(Setting{Machines: 50, Jobs: 300, Times: times, Cap: hour, Capacity: 1}, 1, 0); err != nil {
			t.Fatal(err)
		}
	}
	early := func(w *world) (n int) {
		for i, j := range w.jobs {
			n += int(count(j.Arrival == 0))
			if i > 0 && j.Arrival < w.jobs[i-1].Arrival {
				t.Error("jobs out of order")
			}
		}
		return n
	}
	longest := func(w *world) (t event.Time) {
		for _, j := range w.jobs {
			t = max(t, j.Duration)
		}
		return t
	}
	if longest(worlds[Traced]) <= hour || longest(worlds[Capped]) != hour || longest(worlds[Spread]) != hour {
		t.Error("run times are not capped as the reading says")
	}
	short, err := w.draw(Setting{Machines: 50, Jobs: 300, Times: Spread, Cap: 600 * second, Capacity: 2}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if longest(short) != 600*second {
		t.Error("run times are not capped as the setting says")
	}
	for r := range short.env.Resources {
		if one, two := worlds[Spread].env.TotalCapacity(r), short.env.TotalCapacity(r); math.Abs(two-2*one) > 1e-9 {
			t.Errorf("capacity %g of %g machines", two, one)
		}
	}
	if early(worlds[Traced]) != early(worlds[Capped]) || early(worlds[Capped]) < 200 || early(worlds[Spread]) > 1 {
		t.Error("arrivals are not spread as the reading says")
	}
}

func TestWorkloadThatIsConstrainedNeedsItsMachines(t *testing.T) {
	dir := t.TempDir()
	jobs := []traces.Job{{ID: "a", Tasks: 1, DurationUS: 1, CPU: 0.1, Mem: 0.1, Constraints: `[["ssd","=","1"]]`}}
	machines := []traces.Machine{{ID: "m1", CPU: 1, Mem: 1}, {ID: "m2", CPU: 1, Mem: 1, Attributes: `{"ssd":"1"}`}}
	meta := traces.Meta{Label: "real"}
	trace, list := filepath.Join(dir, "jobs.parquet"), filepath.Join(dir, "machines.parquet")
	if err := errors.Join(traces.WriteJobs(trace, jobs, meta), traces.WriteMachines(list, machines, meta)); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadWorkload(trace, "", nil); err == nil || !strings.Contains(err.Error(), "need the machines") {
		t.Errorf("error %v", err)
	}
	w, err := LoadWorkload(trace, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w.Label != "real" {
		t.Errorf("label %q of a trace with its own constraints", w.Label)
	}
	one, err := w.draw(Setting{Machines: 2, Times: Traced, Capacity: 1}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.eligible, []int{1}) {
		t.Errorf("%v machines, want one", one.eligible)
	}
	if _, err := w.draw(Setting{Machines: 3, Capacity: 1}, 1, 0); err == nil {
		t.Error("three machines are drawn from two")
	}
}

// What the paper says of its hour is true of the trace's first one, time 0 and
// requests for no cpu included; of the constraints, which are synthetic, one thing is not.
func TestTheHourIsThePapers(t *testing.T) {
	res, err := google2011.Import(tracetest.AtHand(t, "google2011"), google2011.Options{ToUS: int64(hour), ZeroRequests: google2011.KeepZero})
	if err != nil {
		t.Fatal(err)
	}
	machines := res.Machines[:100]
	w := &Workload{Population: *run.NewPopulation(res.Jobs, res.Meta), Machines: machines}
	world, err := w.draw(Setting{Machines: 100, Times: Traced, Capacity: 1}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := &measurement{world: world}
	m.workload()
	r := &reading{values: valuesOf(slices.Values(m.out))}
	for _, e := range entries(r.workloadJudges()) {
		want := ledger.Reproduced
		if strings.HasSuffix(e.ID, "on-a-fifth") {
			want = ledger.Differs // some 54% and not half: docs/tsf.md
		}
		if e.Verdict != want {
			t.Errorf("%s: %s: %s", e.ID, e.Verdict, e.Why)
		}
	}
}

// rawText is the raw rows as text.
func (m *measurement) rawText(t *testing.T) (all []string) {
	t.Helper()
	for _, r := range m.raw() {
		line := fmt.Sprintf("%s %s %s %g", r.User, r.Policy, r.Metric, r.Value)
		if at := r.Point.Text("start_s"); at != "" {
			line += " at " + at
		}
		all = append(all, line)
	}
	return all
}

// A simulation of three jobs by hand.
func TestMeasures(t *testing.T) {
	s := func(seconds ...float64) (all []event.Time) {
		for _, v := range seconds {
			all = append(all, micros(v))
		}
		return all
	}
	w := &world{env: nodes(), eligible: []int{50, 10, 11}, jobs: []sim.Job{{Tasks: 1}, {Tasks: 2}, {Tasks: 11}}}
	for i := range w.jobs {
		w.jobs[i].User, w.jobs[i].Duration = cluster.NewUser(fmt.Sprint("j", i), []float64{1, 512}), 10*second
	}
	at := func(completion ...float64) []job {
		all := []job{{}, {arrival: 10 * second}, {refused: true}}
		for k, c := range completion {
			all[k].completion = micros(c)
		}
		return all
	}
	tsf, fifo := at(10, 30), at(20, 30)
	tsf[0].starts, tsf[1].starts = s(0), s(10, 12)
	fifo[0].starts, fifo[1].starts = s(10), s(12, 12)
	m := &measurement{world: w, outcomes: map[string][]job{}}
	for _, policy := range Rules {
		m.outcomes[policy] = tsf
	}
	m.outcomes[run.FIFO] = fifo
	v := valuesOf(slices.Values(m.rows()))
	for at, want := range map[of]float64{
		by(everyPolicy, metricJobs): 3, by(everyPolicy, metricTasks): 14, by(everyPolicy, metricLargest): 11,
		by(everyPolicy, metricRefused): 1, by(everyPolicy, metricEverywhere): 1.0 / 3, by(everyPolicy, metricFew): 1.0 / 3,
		by("tsf", metricDelayed): 0, by(run.FIFO, metricDelayed): 1,
		by("tsf", metricOverFIFO): 0.5, by("tsf", metricMeanDelay): 2.0 / 3, by(run.FIFO, metricMeanDelay): 14.0 / 3,
		by(run.FIFO, metricTaskFaster): 2.0 / 3, by(run.FIFO, metricTaskSlower): 0,
		by("drf", metricTaskFaster): 0, by("tsf", metricTaskBest): 0,
		// Completion times 10 and 20 s under TSF, 20 and 20 under FIFO.
		{policy: "tsf", metric: metricRatio, parameters: "level=0.5"}: 2, {policy: "tsf", metric: metricRatio, parameters: "level=0.8"}: 1,
		// 14 tasks of 10 s and one core on 75 cores in an hour.
		by(everyPolicy, metricLoad): 140.0 / (75 * 3600),
		by("tsf", metricGain):       2, by("tsf", metricAhead): 0.5, by(run.FIFO, metricDistance): 0.5, by("drf", metricDistance): 0,
		// (20 − 10)/10 and (20 − 20)/20 of the two small jobs.
		sized(run.FIFO, metricSpeedup, Bins[0]): 0.5, sized(run.FIFO, metricSpeedupSD, Bins[0]): math.Sqrt(2) / 2, sized(run.FIFO, metricMedian, Bins[0]): 0,
		sized(run.FIFO, metricByOther, Bins[0]): 0.25, sized(run.FIFO, metricFaster, Bins[0]): 0.5, sized(run.FIFO, metricSlower, Bins[0]): 0,
	} {
		if got := v[at]; len(got) != 1 || math.Abs(got[0]-want) > 1e-12 {
			t.Errorf("%v: %v, want %g", at, got, want)
		}
	}
	raw := (&measurement{world: w, outcomes: m.outcomes}).rawText(t)
	for _, want := range []string{"j0 all jobs job_tasks 1", "j0 fifo completion_time 20", "j0 fifo task_starts 1 at 10", "j1 tsf task_starts 1 at 0",
		"j1 tsf task_starts 1 at 2", "j1 fifo task_starts 2 at 2", "j1 fifo completion_time 20"} {
		if !slices.Contains(raw, want) {
			t.Errorf("no raw row %q", want)
		}
	}
	cdf := map[string]float64{}
	for _, r := range m.out {
		if r.Policy == run.FIFO && r.Metric == MetricTaskDelay {
			cdf["x="+r.Point.Text("x")] = r.Value
		}
	}
	for x, want := range map[string]float64{"x=0": 0, "x=1": 0, "x=2": 2.0 / 3, "x=8.91": 2.0 / 3, "x=10": 1, "x=1e+08": 1} {
		if got, ok := cdf[x]; !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("share of delays up to %s: %g, want %g", x, got, want)
		}
	}
}
