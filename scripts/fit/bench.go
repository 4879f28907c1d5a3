package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/sweeps"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// realiser makes the realisation of a seed of a workload with one fitted parameter,
// the median of the tasks' durations in seconds. For one seed only the durations
// depend on the median.
type realiser func(medianS float64, seed int) ([]traces.Job, traces.Meta, error)

// generated returns the realisations of a synthetic workload.
func generated(options synthetic.Options) realiser {
	return func(medianS float64, seed int) ([]traces.Job, traces.Meta, error) {
		of := options
		of.Durations.Median = medianS
		jobs, err := synthetic.Generate(of, int64(seed))
		return jobs, synthetic.Meta(of, int64(seed)), err
	}
}

// fittedWith makes realisations of the workload of table 3.
var fittedWith = generated(synthetic.Fitted())

// twoParameters makes those of the workload of table 4 with a median of the task
// counts.
func twoParameters(tasks float64) realiser {
	options := synthetic.TwoParameter()
	options.Tasks.Median = tasks
	return generated(options)
}

// submissions are the first ones of a trace that are taken, as in the paper.
const submissions = 1000

// redrawn makes realisations that have each of the first jobs once, with its own
// request and task count, in random order; arrivals and durations are those of the
// fitted workload. They are labelled hybrid: half of them is drawn. It returns how
// many jobs they have, too.
func redrawn(all []traces.Job, meta traces.Meta) (realiser, int) {
	p := run.NewPopulation(all, meta)
	run.FirstSubmissions(p, submissions)
	return func(medianS float64, seed int) ([]traces.Job, traces.Meta, error) {
		options := synthetic.Fitted()
		options.Name, options.Jobs, options.Durations.Median = "redrawn", len(p.Jobs), medianS
		drawn, err := synthetic.Generate(options, int64(seed))
		if err != nil {
			return nil, meta, err
		}
		mixed := slices.Clone(p.Jobs)
		rng := stream.New("tsfer/redrawn", int64(seed), "order")
		rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		for i := range mixed {
			mixed[i].SubmitUS, mixed[i].DurationUS, mixed[i].Censored = drawn[i].SubmitUS, drawn[i].DurationUS, false
		}
		of := meta
		of.Label, of.Options = options.Name+" (hybrid)", synthetic.Meta(options, int64(seed)).Options
		return mixed, of, nil
	}, len(p.Jobs)
}

// bench runs realisations as the scenarios of any trace: from a file in a folder.
type bench struct {
	folder string
	seed   uint64
	second float64 // parameter of the cycles per bit; 0: the default
}

// inFolder gives a bench a folder for the time of f.
func inFolder(f func(*bench) error) error {
	folder, err := os.MkdirTemp("", "leontief-fit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return f(&bench{folder: folder, seed: seed})
}

// central is the setting of tables 3 and 4 that they vary from, with n users; in the
// fluid model if the slot is 0.
func central(rule string, n, slotS int) map[string]string {
	values := map[string]string{"policy": rule, "n": fmt.Sprint(n), "cluster": "three", "rho": "0.7", "bandwidth": "2", "metrics": "jct-factor", "draws": "tsf-er"}
	if slotS > 0 {
		values["slot"] = fmt.Sprint(slotS)
	}
	return values
}

// factors returns the mean JCT factor of each instance of a setting on a realisation.
func (b *bench) factors(of realiser, medianS float64, population int, setting map[string]string, instances int) ([]float64, error) {
	jobs, meta, err := of(medianS, population)
	if err != nil {
		return nil, err
	}
	setting["workload"] = filepath.Join(b.folder, "jobs.parquet")
	if err := traces.WriteJobs(setting["workload"], jobs, meta); err != nil {
		return nil, err
	}
	if b.second > 0 {
		setting["gamma_second"] = fmt.Sprint(b.second)
	}
	kind := sweeps.Fluid
	if setting["slot"] != "" {
		kind = sweeps.Whole
	}
	scenario, err := spec.NewScenario(kind, setting, b.seed, instances)
	if err != nil {
		return nil, err
	}
	rows, err := run.InMemory(runtime.NumCPU(), nil)(context.Background(), []spec.Scenario{scenario})
	if err != nil {
		return nil, err
	}
	var factors []float64
	for _, r := range rows.Of(scenario) {
		if r.Metric == results.MetricJCTFactor {
			factors = append(factors, r.Value)
		}
	}
	return factors, nil
}

// users are the settings in which realisations are compared: so many users, ρ = 0.7
// and 2 MHz.
var users = []int{10, 15, 20}

// realisations measures those of seeds 1 … count. For each number of users it returns
// two lists with a number a realisation: TSF-ER's mean JCT factor, and how far it is
// below CRU's, relative to that.
func (b *bench) realisations(of realiser, medianS float64, count, instances int) ([][]float64, error) {
	numbers := make([][]float64, 2*len(users))
	for population := 1; population <= count; population++ {
		for i, n := range users {
			var mean [2]float64
			for k, rule := range []string{"tsf-er", "cru"} {
				factors, err := b.factors(of, medianS, population, central(rule, n, 0), instances)
				if err != nil {
					return nil, fmt.Errorf("realisation %d: %w", population, err)
				}
				mean[k] = stat.Mean(factors, nil)
			}
			numbers[2*i] = append(numbers[2*i], mean[0])
			numbers[2*i+1] = append(numbers[2*i+1], 1-mean[0]/mean[1])
		}
	}
	return numbers, nil
}
