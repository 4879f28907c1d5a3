package tsfer

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// someDays plans and runs figures 5–10 with other days and slots than the spec's.
func someDays(t *testing.T, w *Workload, days string, slotsH []int, items []string, values map[string]string, workers int) (*plan, run.Rows) {
	t.Helper()
	p := &plan{Request: checked(t, papers.Request{Items: items, Seed: 1}), cloud: w}
	var all []spec.Scenario
	for _, h := range slotsH {
		for _, rule := range rules3 {
			set := map[string]string{"policy": rule, "slot": fmt.Sprint(int64(h) * hourS), "days": days}
			if h == slotsH[0] {
				set["series"] = "yes"
			}
			maps.Copy(set, values)
			one, err := spec.NewScenario(CloudKind, set, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
	}
	p.blocks = map[string][]spec.Scenario{cloudBlock: all}
	rows, err := run.InMemory(workers, nil)(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	return p, rows
}

func TestFigures5To10DoNotDependOnTheWorkers(t *testing.T) {
	w, err := CloudWorkload("")
	if err != nil {
		t.Fatal(err)
	}
	p, one := someDays(t, w, "1", []int{1, 24}, cloudItems, nil, 1)
	_, two := someDays(t, w, "1", []int{1, 24}, cloudItems, nil, 2)
	if d := cmp.Diff(one, two); d != "" {
		t.Error(d)
	}
	count := map[string]int{}
	for _, e := range p.cloudEntries(one) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e.ID, e.Item+"/"), "/")
		count[e.Item+" "+kind]++
	}
	delete(count, "table5 c64-m512-g2")
	want := map[string]int{"table5 c96-m512-g2": 1, "table5 c96-m512-g8": 1, "table5 c96-m384-g8": 1,
		"fig6 throughput": 2, "fig6 behind": 2, "fig7 slope": 4, "fig8 lead": 3, "fig8 smaller-slots": 2,
		"fig9 lead": 3, "fig9 lead-early": 2, "fig10 lead": 3, "fig10 lead-early": 2}
	if d := cmp.Diff(want, count); d != "" {
		t.Errorf("entries by kind (-want +got):\n%s", d)
	}
	tables := p.cloudTables(one)
	if tables["fig8"].Len() != 2*3 || tables["fig9"].Len() != 3*2*3 {
		t.Errorf("%d and %d rows of figures 8 and 9", tables["fig8"].Len(), tables["fig9"].Len())
	}
	for item, metric := range map[string]string{"fig5": results.MetricArrivedTasks, "fig7": results.MetricWaitingTasks} {
		if tables[item].Len() == 0 || tables[item].Rows()[0].Metric != metric || tables[item].Rows()[0].Point.Number("slot_s") != 3600 {
			t.Errorf("%s has %d rows", item, tables[item].Len())
		}
		for row := range tables[item].All() {
			if row.Metric != metric {
				t.Errorf("%s has a row of %s", item, row.Metric)
			}
		}
	}
}

// The rows of a scenario are what a run that knows nothing of specs gives.
func TestTheLargeRunsAreDirectRuns(t *testing.T) {
	w, err := CloudWorkload("")
	if err != nil {
		t.Fatal(err)
	}
	p, rows := someDays(t, w, "1", []int{24}, []string{"fig5", "fig6", "fig8"}, nil, 2)
	c := &cloud{workload: w, bandwidth: traces.DefaultBandwidth(), seed: 1, days: 1}
	from := p.cloudResults(rows)
	for _, rule := range rules3 {
		run := cloudRun{rule, 24}
		h, want := &hours{end: c.end(), like: &results.Row{}}, []float64(nil)
		o, err := c.run(context.Background(), run, h)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := from.of(run, results.MetricJCTFactor), measure(&o.Outcome, results.MetricJCTFactor); got != want {
			t.Errorf("%s: factor %g, want %g", rule, got, want)
		}
		if got, want := from.of(run, MetricDone), h.done(); got != want || want == 0 {
			t.Errorf("%s: %g tasks done, want %g", rule, got, want)
		}
		var got []float64
		for _, row := range h.rows {
			if row.Metric == results.MetricWaitingTasks {
				want = append(want, row.Value)
			}
		}
		for _, row := range rows.Of(p.blocks[cloudBlock]...) {
			if row.Metric == results.MetricWaitingTasks && row.Policy == rule {
				got = append(got, row.Value)
			}
		}
		if d := cmp.Diff(want, got); d != "" || len(want) < 24 {
			t.Errorf("%s: %d waiting tasks:\n%s", rule, len(want), d)
		}
	}
}

// TestTheLargeRunsVerify is silent when every invariant holds.
func TestTheLargeRunsVerify(t *testing.T) {
	w, err := CloudWorkload("")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "few.parquet")
	if err := traces.WriteJobs(path, w.Population.Jobs[:120], traces.Meta{Source: "a test", Label: "made up"}); err != nil {
		t.Fatal(err)
	}
	p, rows := someDays(t, w, "1", []int{1}, []string{"fig6"}, map[string]string{"verify": "yes", "workload": path}, 2)
	if entries, instants := p.cloudEntries(rows), verified(rows); len(entries) != 4 || instants < 300 {
		t.Errorf("%d entries, %d instants verified", len(entries), instants)
	}
}

// The quick scale on what is real: the sample of PAI's tasks and the pods of
// 2023. Skipped where the files are not at hand.
func TestTheLargeRunsOfRealJobsVerify(t *testing.T) {
	dir := tracetest.AtHand(t, "alibaba")
	pods, err := alibaba.ImportGPU2023(filepath.Join(dir, "gpu2023"), alibaba.DefaultGPU2023())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pods.parquet")
	if err := traces.WriteJobs(path, pods.Jobs, pods.Meta); err != nil {
		t.Fatal(err)
	}
	for _, values := range []map[string]string{{"workload": "hybrid", "alibaba": dir}, {"workload": path}} {
		values["verify"] = "yes"
		if _, rows := someDays(t, nil, "2", []int{1, 24, 336}, []string{"fig6", "fig8"}, values, 2); verified(rows) < 5000 {
			t.Errorf("%s: %d instants verified", values["workload"], verified(rows))
		}
	}
}

func TestTheSlopeOfAQueue(t *testing.T) {
	var samples []whole.Sample
	for h := 1; h <= 60; h++ {
		s := whole.Sample{At: event.Time(h) * hour, Waiting: 7, Arrived: 10}
		if h > 24 && h <= 48 {
			s.Waiting = int64(3 * h) // 3 an hour of 10 that arrive
		}
		samples = append(samples, s)
	}
	sum := func() *hours {
		h := &hours{end: 2 * day}
		for i := range samples {
			if err := h.take(&samples[i]); err != nil {
				t.Fatal(err)
			}
		}
		return h
	}
	if got := sum().growth(); math.Abs(got-0.3) > 1e-12 {
		t.Errorf("slope %g, want 0.3", got)
	}
	if got := sum().done(); got != 48*10-3*48 {
		t.Errorf("%g tasks done, want %d", got, 48*10-3*48)
	}
	if got := sum().idleEnd(); got != 0 {
		t.Errorf("nobody is present, yet %g of the end is idle", got)
	}
	for i := range samples { // 12 hours after the submissions, 3 of them idle, and one when nobody is there
		samples[i].Present, samples[i].Running = 2, i%4
	}
	samples[55].Present = 0
	if got, want := sum().idleEnd(), 3./11; got != want {
		t.Errorf("%g of the end is idle, want %g", got, want)
	}
}

func TestTheBusiestDays(t *testing.T) {
	at := func(days ...float64) (jobs []traces.Job) {
		for _, d := range days {
			jobs = append(jobs, traces.Job{SubmitUS: int64(d * float64(day))})
		}
		return jobs
	}
	w := &Workload{Population: &run.Population{Jobs: at(1, 5, 9, 9.5, 9.9, 10.1)}, Busiest: true}
	c := &cloud{bandwidth: traces.DefaultBandwidth(), workload: w, days: 1}
	jobs, mhz := c.jobs()
	if len(jobs) != 3 || len(mhz) != 3 || jobs[0].SubmitUS != 0 || jobs[2].SubmitUS != int64(0.9*float64(day)) {
		t.Errorf("jobs %v", jobs)
	}
	w.Busiest = false
	if jobs, _ := c.jobs(); len(jobs) != 1 {
		t.Errorf("first day: %v", jobs)
	}
}
