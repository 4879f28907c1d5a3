package tsfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// The units of the large experiment.
const (
	second event.Time = 1_000_000 // µs
	hour              = 3600 * second
	day               = 24 * hour
)

// cloudSample is the name of the sample of GPU tasks in a folder of Alibaba
// files, by the folders that it may be in.
var cloudSample = []string{"pai2020/derived_gpu_tasks_sample.csv", "derived_gpu_tasks_sample.csv"}

// The paper's sample: 4% of the submissions of the first two weeks.
const (
	cloudFraction = 0.04
	cloudSpanUS   = 14 * 86400 * 1_000_000
)

// CloudWorkload returns the workload of figures 5–10: with a folder of Alibaba
// files the hybrid one, made of the sample there; without one (dir is empty)
// the synthetic one.
func CloudWorkload(dir string) (*Workload, error) {
	if dir == "" {
		return syntheticCloud()
	}
	for _, name := range cloudSample {
		result, err := firstWeeks(filepath.Join(dir, name), alibaba.HybridOptions{GPUs: alibaba.SharedGPUs, Seed: run.PopulationSeed})
		if errors.Is(err, alibaba.ErrNoTable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return cloudOf(result, "submissions, durations and gangs are real; cpu and memory are drawn from the published marginals of the trace"), nil
	}
	return nil, fmt.Errorf("%s: holds no %s", dir, cloudSample[1])
}

// firstWeeks returns the hybrid workload's submissions of the first two weeks; it is
// a sample of about 4% already.
func firstWeeks(path string, o alibaba.HybridOptions) (*traces.Imported, error) {
	res, err := alibaba.Hybrid(path, o)
	if err != nil {
		return nil, err
	}
	s := alibaba.Selection{Window: alibaba.Window{ToUS: cloudSpanUS}, Fraction: 1}
	all := len(res.Jobs)
	if res.Jobs, err = s.Draw(stream.New("traces/alibaba/paper", o.Seed), res.Jobs); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	res.Report.LeaveOut("jobs", "submitted after the first two weeks", int64(all-len(res.Jobs)))
	res.Meta.Options = s.Note(o.Seed, res.Meta.Options)
	return res, nil
}

// syntheticCloud generates as many jobs as the sample's share of two weeks of the
// trace's task rows.
func syntheticCloud() (*Workload, error) {
	trace := synthetic.DefaultPAI()
	const spanS = cloudSpanUS / 1e6
	o := synthetic.PAI{Jobs: int(math.Round(cloudFraction * float64(trace.Jobs) * spanS / trace.SpanS)), SpanS: spanS}
	jobs, err := o.Generate(run.PopulationSeed)
	if err != nil {
		return nil, err
	}
	return cloudOf(&traces.Imported{Jobs: slices.Collect(jobs), Meta: o.Meta(run.PopulationSeed)},
		"requests, durations and gangs are drawn from the published marginals of the trace, independently of each other"), nil
}

func cloudOf(r *traces.Imported, note string) *Workload {
	return &Workload{Population: run.NewPopulation(r.Jobs, r.Meta), Known: []string{note}}
}

// CloudTrace reads a Parquet file of jobs for figures 5–10. Of a trace that is
// sparse at its start, as that of 2023 is, the first days say nothing; so the
// days with the most submissions are taken.
func CloudTrace(path string) (*Workload, error) {
	p, err := run.TraceWorkload(path)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.Jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	return &Workload{Population: p, Busiest: true, Known: []string{"the jobs are taken as the trace has them, in the days with the most submissions"}}, nil
}

// onCloud compares the workload with the servers of table 5. The paper prints GB of
// memory, and so do Alibaba's tables of 2020; those of 2023 have the same kind of
// machines in MiB. Where jobs count in GiB the servers do too, and a note says so.
func (w *Workload) onCloud() (*run.Population, error) {
	env, note := alibaba.PaperCluster(), ""
	if traces.UnitOf(w.Units, "mem") == "GiB" {
		env.Units["mem"] = "GiB"
		note = "the GB of table 5 are read as GiB, in which the jobs count"
	}
	met, err := w.On(env, "the servers of table 5", nil)
	if err == nil && note != "" {
		met.Notes = append(met.Notes, note)
	}
	return met, err
}

// cloudRun is one rule with one slot.
type cloudRun struct {
	rule  string
	slotH int
}

// cloud is what the runs of figures 5–10 have in common.
type cloud struct {
	workload  *Workload
	bandwidth traces.Bandwidth
	seed      uint64
	days      int  // with submissions
	verify    bool // re-check every invariant after every event
	rounding  whole.Rounding
}

// end is when submissions end.
func (c *cloud) end() event.Time { return event.Time(c.days) * day }

// jobs are the jobs of the first days, or of the busiest ones, on a clock that
// starts with the first of them, and their bandwidth.
func (c *cloud) jobs() ([]traces.Job, []float64) {
	all := c.workload.Population.Jobs
	mhz := c.bandwidth.Synthesize(stream.New(Paper, c.seed, c.workload.Label, "cloud", "bandwidth"), all)
	ends := windows(all, int64(c.end()))
	from, to := 0, ends[0]
	if c.workload.Busiest {
		for i, end := range ends {
			if end-i > to-from {
				from, to = i, end
			}
		}
	}
	jobs := slices.Clone(all[from:to])
	for i := range jobs {
		jobs[i].SubmitUS -= all[from].SubmitUS
	}
	return jobs, mhz[from:to]
}

// windows returns for each job the first one that is submitted a span or more
// after it.
func windows(jobs []traces.Job, span int64) []int {
	ends := make([]int, len(jobs))
	end := 0
	for i := range jobs {
		for end < len(jobs) && jobs[end].SubmitUS < jobs[i].SubmitUS+span {
			end++
		}
		ends[i] = end
	}
	return ends
}

// run runs a rule with a slot and shows h every hour of it.
func (c *cloud) run(ctx context.Context, of cloudRun, h *hours) (*run.WholeOutcome, error) {
	jobs, mhz := c.jobs()
	o, err := run.Whole{
		Case: run.Case{Cluster: alibaba.PaperCluster(), Jobs: jobs, Bandwidth: mhz, Policy: of.rule,
			Want: []string{run.TaskRatio, run.Envy}},
		Tasks:  run.WholeTasks{Slot: event.Time(of.slotH) * hour, Rounding: c.rounding, SampleEvery: hour, OnSample: h.take, Verify: c.verify, Until: c.end()},
		Random: stream.New(Paper, c.seed, c.workload.Label, "cloud", of.slotH, "fill"),
	}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("slot of %d h: %w", of.slotH, err)
	}
	return o, nil
}

// hours sums up the hourly samples of a run as they come.
type hours struct {
	end  event.Time   // of the submissions
	like *results.Row // of figures 5–7, if they are wanted: what all rows have in common
	rows []results.Row

	arrived, left int64 // tasks, up to the end of submissions; those not done then
	// Sums over the second half of the submissions: samples, time in h and
	// waiting tasks; what arrives.
	n, st, sw, stt, stw, came float64
	// Hours after the submissions with jobs in the system; those at which nothing
	// runs.
	after, idle int
}

// take takes a sample in.
func (h *hours) take(s *whole.Sample) error {
	if h.like != nil && s.At <= 2*h.end {
		h.overTime(s)
	}
	if s.At <= h.end {
		h.arrived, h.left = h.arrived+s.Arrived, s.Waiting+int64(s.Running)
		if s.At > h.end/2 {
			t, w := float64(s.At)/float64(hour), float64(s.Waiting)
			h.n, h.st, h.sw, h.stt, h.stw = h.n+1, h.st+t, h.sw+w, h.stt+t*t, h.stw+t*w
			h.came += float64(s.Arrived)
		}
	} else if s.Present > 0 {
		h.after++
		if s.Running == 0 {
			h.idle++
		}
	}
	return nil
}

// overTime adds the rows of figures 5–7: what the samples say, until the queue has
// had as long again as submissions last. What arrives is the same under every
// rule, and a row of the first. An hour without a user has no utilization.
func (h *hours) overTime(s *whole.Sample) {
	add := func(item, metric string, value float64) {
		row := *h.like
		row.Item, row.Metric, row.Value = item, metric, value
		row.At(float64(s.At) / 1e6)
		h.rows = append(h.rows, row)
	}
	if h.like.Policy == rules3[0] {
		add("fig5", results.MetricArrivedTasks, float64(s.Arrived))
	}
	names := append(append([]string{}, alibaba.PaperCluster().Resources...), alibaba.PaperCluster().Links[0].Name)
	for k, used := range s.Used {
		add("fig6", results.MetricUtilization+":"+names[k], used)
	}
	add("fig7", results.MetricWaitingTasks, float64(s.Waiting))
}

// done is [MetricDone].
func (h *hours) done() float64 { return float64(h.arrived - h.left) }

// growth is [MetricQueueGrowth].
func (h *hours) growth() float64 {
	if h.n < 2 || h.came == 0 {
		return 0
	}
	return (h.n*h.stw - h.st*h.sw) / (h.n*h.stt - h.st*h.st) / (h.came / h.n)
}

// idleEnd is [MetricIdleEnd]; 0 if no job is left when submissions end.
func (h *hours) idleEnd() float64 { return float64(h.idle) / float64(max(1, h.after)) }
