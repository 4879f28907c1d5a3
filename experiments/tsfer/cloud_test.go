package tsfer

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/indivisible"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

func TestFigures5To10DoNotDependOnTheWorkers(t *testing.T) {
	p := smallPlan(t, cloudItems...)
	p.Verify = false
	one, two := reproduce(t, p, 1), reproduce(t, p, 2)
	if d := cmp.Diff(one, two); d != "" {
		t.Error(d)
	}
	count := map[string]int{}
	for _, e := range one.Entries {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e.ID, e.Item+"/"), "/")
		count[e.Item+" "+kind]++
	}
	delete(count, "table5 c64-m512-g2")
	want := map[string]int{"table5 c96-m512-g2": 1, "table5 c96-m512-g8": 1, "table5 c96-m384-g8": 1,
		"fig6 throughput": 2, "fig6 behind": 2, "fig7 slope": 3, "fig8 lead": 2,
		"fig9 lead": 2, "fig9 lead-early": 2, "fig10 lead": 2, "fig10 lead-early": 2}
	if d := cmp.Diff(want, count); d != "" {
		t.Errorf("entries by kind (-want +got):\n%s", d)
	}
	if len(one.Rows["fig8"]) != 2*3 || len(one.Rows["fig9"]) != 3*2*3 {
		t.Errorf("%d and %d rows of figures 8 and 9", len(one.Rows["fig8"]), len(one.Rows["fig9"]))
	}
	for item, metric := range map[string]string{"fig5": plots.MetricArrivedTasks, "fig7": plots.MetricWaitingTasks} {
		if len(one.Rows[item]) == 0 || one.Rows[item][0].Metric != metric || one.Rows[item][0].SlotS != 3600 {
			t.Errorf("%s has %d rows", item, len(one.Rows[item]))
		}
	}
}

// TestTheLargeRunsVerify is silent when every invariant holds.
func TestTheLargeRunsVerify(t *testing.T) {
	p := smallPlan(t, "fig6")
	jobs := p.Cloud.Population.Jobs
	few := *p.Cloud.Population
	few.Jobs = jobs[:120]
	p.Cloud = &Workload{Population: &few}
	out := reproduce(t, p, 2)
	if len(out.Entries) != 4 || out.Verified < 300 {
		t.Errorf("%d entries, %d instants verified", len(out.Entries), out.Verified)
	}
}

// The quick scale on what is real: the sample of PAI's tasks and the pods of
// 2023. Skipped where the files are not at hand.
func TestTheLargeRunsOfRealJobsVerify(t *testing.T) {
	dir := os.Getenv("LEONTIEF_TRACES")
	if dir == "" {
		dir = "../../../shared/traces"
	}
	dir = filepath.Join(dir, "alibaba")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the official files are not at hand (LEONTIEF_TRACES)")
	}
	hybrid, err := CloudWorkload(dir)
	if err != nil {
		t.Fatal(err)
	}
	pods, err := alibaba.ImportGPU2023(filepath.Join(dir, "gpu2023"), alibaba.DefaultGPU2023())
	if err != nil {
		t.Fatal(err)
	}
	real := &Workload{Population: experiments.NewPopulation(pods.Jobs, pods.Meta), Busiest: true}
	for _, w := range []*Workload{hybrid, real} {
		p := smallPlan(t, "fig6", "fig8")
		p.Cloud, p.Scale.Cloud = w, Scales[0].Cloud
		if out := reproduce(t, p, 2); out.Verified < 5000 {
			t.Errorf("%s: %d instants verified", w.Label, out.Verified)
		}
	}
}

func TestTheSlopeOfAQueue(t *testing.T) {
	r := &runner{Plan: &Plan{Scale: Scale{Cloud: Cloud{Days: 2, SlotsH: []int{1}}}}}
	var o experiments.WholeOutcome
	for h := 1; h <= 60; h++ {
		s := indivisible.Sample{At: event.Time(h) * hour, Waiting: 7, Arrived: 10}
		if h > 24 && h <= 48 {
			s.Waiting = int64(3 * h) // 3 an hour of 10 that arrive
		}
		o.Samples = append(o.Samples, s)
	}
	if got := r.slope(&o); math.Abs(got-0.3) > 1e-12 {
		t.Errorf("slope %g, want 0.3", got)
	}
	if got := r.done(&o); got != 48*10-3*48 {
		t.Errorf("%g tasks done, want %d", got, 48*10-3*48)
	}
	if got := r.idleEnd(&o); got != 0 {
		t.Errorf("nobody is present, yet %g of the end is idle", got)
	}
	for i := range o.Samples { // 12 hours after the submissions, 3 of them idle, and one when nobody is there
		o.Samples[i].Present, o.Samples[i].Running = 2, i%4
	}
	o.Samples[55].Present = 0
	if got, want := r.idleEnd(&o), 3./11; got != want {
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
	w := &Workload{Population: &experiments.Population{Jobs: at(1, 5, 9, 9.5, 9.9, 10.1)}, Busiest: true}
	r := &runner{Plan: &Plan{Bandwidth: traces.DefaultBandwidth(), Workload: w, Scale: Scale{Cloud: Cloud{Days: 1}}}}
	jobs, mhz := r.cloudJobs()
	if len(jobs) != 3 || len(mhz) != 3 || jobs[0].SubmitUS != 0 || jobs[2].SubmitUS != int64(0.9*float64(day)) {
		t.Errorf("jobs %v", jobs)
	}
	w.Busiest = false
	if jobs, _ := r.cloudJobs(); len(jobs) != 1 {
		t.Errorf("first day: %v", jobs)
	}
}
