package tsfer

import (
	"fmt"
	"path/filepath"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/seed"
)

// The units of the large experiment.
const (
	hour event.Time = 3600 * second
	day  event.Time = 24 * hour
)

// Cloud is the size of figures 5–10.
type Cloud struct {
	Days   int   `json:"days"` // submissions of so many first days
	SlotsH []int `json:"slots_h"`
}

// cloudSample is the name of the sample of GPU tasks in a folder of Alibaba
// files, by the folders that it may be in.
var cloudSample = []string{"pai2020/derived_gpu_tasks_sample.csv", "derived_gpu_tasks_sample.csv"}

// CloudWorkload returns the workload of figures 5–10: with a folder of Alibaba
// files the hybrid one, made of the sample there; without one (dir is empty)
// the synthetic one.
func CloudWorkload(dir string) (*Workload, error) {
	options := alibaba.HybridOptions{GPUs: alibaba.SharedGPUs, Seed: experiments.PopulationSeed}
	if dir == "" {
		result, err := alibaba.PaperWorkload("", options)
		if err != nil {
			return nil, err
		}
		return cloudOf(result, "requests, durations and gangs are drawn from the published marginals of the trace, independently of each other"), nil
	}
	for _, name := range cloudSample {
		result, err := alibaba.PaperWorkload(filepath.Join(dir, name), options)
		if err != nil {
			return nil, err
		}
		if result.Meta.Label == alibaba.HybridName {
			return cloudOf(result, "submissions, durations and gangs are real; cpu and memory are drawn from the published marginals of the trace"), nil
		}
	}
	return nil, fmt.Errorf("%s: holds no %s", dir, cloudSample[1])
}

func cloudOf(r *alibaba.Result, note string) *Workload {
	return &Workload{Population: experiments.NewPopulation(r.Jobs, r.Meta), Known: []string{note}}
}

// CloudTrace reads a Parquet file of jobs for figures 5–10.
func CloudTrace(path string) (*Workload, error) {
	p, err := experiments.TraceWorkload(path)
	if err != nil {
		return nil, err
	}
	return &Workload{Population: p, Known: []string{"the jobs are taken as the trace has them"}}, nil
}

// cloudRun is one rule with one slot.
type cloudRun struct {
	rule  string
	slotH int
}

// cloudJobs are the jobs of the first days, on a clock that starts with the
// first of them, and their bandwidth.
func (r *runner) cloudJobs() ([]traces.Job, []float64) {
	all := r.Workload.Population.Jobs
	mhz := r.Bandwidth.Synthesize(seed.Stream(Paper, r.Seed, r.Workload.Label, "cloud", "bandwidth"), all)
	var jobs []traces.Job
	for _, j := range all {
		j.SubmitUS -= all[0].SubmitUS
		if event.Time(j.SubmitUS) < event.Time(r.Scale.Cloud.Days)*day {
			jobs = append(jobs, j)
		}
	}
	return jobs, mhz[:len(jobs)]
}

// cloudRuns runs every rule with every slot.
func (r *runner) cloudRuns(slots []int) (map[cloudRun]*experiments.WholeOutcome, error) {
	var runs []cloudRun
	for _, h := range slots {
		for _, rule := range rules3 {
			runs = append(runs, cloudRun{rule, h})
		}
	}
	jobs, mhz := r.cloudJobs()
	var report func(int)
	if r.progress != nil {
		report = func(done int) { r.progress("cloud", done, len(runs)) }
	}
	outcomes, err := experiments.Gather(r.ctx, len(runs), r.workers, func(i int) (*experiments.WholeOutcome, error) {
		return r.cloudRun(runs[i], jobs, mhz)
	}, report)
	if err != nil {
		return nil, err
	}
	all := map[cloudRun]*experiments.WholeOutcome{}
	for i, run := range runs {
		all[run] = outcomes[i]
	}
	return all, nil
}

func (r *runner) cloudRun(run cloudRun, jobs []traces.Job, mhz []float64) (*experiments.WholeOutcome, error) {
	o, err := experiments.Whole{
		Case: experiments.Case{Cluster: alibaba.PaperCluster(), Jobs: jobs, Bandwidth: mhz, Policy: run.rule,
			Want: experiments.Want{TaskRatio: true, Envy: true}},
		Tasks:  experiments.WholeTasks{Slot: event.Time(run.slotH) * hour, SampleEvery: hour, Verify: r.Verify},
		Random: seed.Stream(Paper, r.Seed, r.Workload.Label, "cloud", run.slotH, "fill"),
	}.Run(r.ctx)
	if err != nil {
		return nil, fmt.Errorf("slot of %d h: %w", run.slotH, err)
	}
	return o, nil
}
