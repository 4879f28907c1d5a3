package tsfer

import (
	"context"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// Fit4 is the result of fitting the workload of table 4: two medians, and
// TSF-ER's mean JCT factor there in both models.
type Fit4 struct {
	Tasks, DurationS float64
	// Fluid is the factor in the setting [Central], Whole that in [Central4],
	// the first with its standard error.
	Fluid, Whole, FluidError, WholeError float64
}

// The bracket of the median task count, and how close it is taken.
const (
	fewestTasks   = 1
	mostTasks     = 300
	tasksAccuracy = 1e-2 // of the median, relative
)

// FitTable4 finds the medians of task counts and of durations at which TSF-ER's
// mean JCT factor is [FitTarget] in the fluid model and [FitTarget4] with whole
// tasks, by bisection of the logarithm of the task count; for each, that of the
// duration is found as [FitMedian] does. Every pair faces the same draws. With
// more and shorter tasks the factor of whole tasks falls, up to the sampling of
// the instances.
func FitTable4(ctx context.Context, instances int, seed uint64, workers int) (Fit4, error) {
	at := func(logTasks float64) (Fit4, error) {
		return fitDuration(ctx, math.Exp(logTasks), instances, seed, workers)
	}
	low, high := math.Log(fewestTasks), math.Log(mostTasks)
	for high-low > tasksAccuracy {
		middle := (low + high) / 2
		f, err := at(middle)
		if err != nil {
			return Fit4{}, err
		}
		if f.Whole > FitTarget4 {
			low = middle
		} else {
			high = middle
		}
	}
	f, err := at((low + high) / 2)
	if err == nil && math.Abs(f.Whole-FitTarget4) > 0.01 {
		err = fmt.Errorf("fit: no median task count in [%d, %d] gives %g; the nearest gives %g", fewestTasks, mostTasks, FitTarget4, f.Whole)
	}
	return f, err
}

// fitDuration finds the median duration for a median task count.
func fitDuration(ctx context.Context, tasks float64, instances int, seed uint64, workers int) (Fit4, error) {
	at := func(logS float64) (Fit4, error) {
		return fluidAt(ctx, tasks, math.Exp(logS), instances, seed, workers)
	}
	low, high := math.Log(10), math.Log(longestMedianS)
	for high-low > fitTolerance {
		middle := (low + high) / 2
		f, err := at(middle)
		if err != nil {
			return Fit4{}, err
		}
		if f.Fluid > FitTarget {
			low = middle
		} else {
			high = middle
		}
	}
	f, err := at((low + high) / 2)
	if err != nil {
		return Fit4{}, err
	}
	r, err := twoParameters(tasks, f.DurationS, seed, workers)
	if err != nil {
		return Fit4{}, err
	}
	values, err := r.run(ctx, r.whole, []Setting{Central4}, rules3[:1], instances, results.MetricJCTFactor)
	f.Whole, f.WholeError = factorOf(values[cell{Central4, rules3[0]}])
	return f, err
}

// fluidAt measures TSF-ER in the fluid model.
func fluidAt(ctx context.Context, tasks, durationS float64, instances int, seed uint64, workers int) (Fit4, error) {
	r, err := twoParameters(tasks, durationS, seed, workers)
	if err != nil {
		return Fit4{}, err
	}
	values, err := r.run(ctx, r.fluid, []Setting{Central}, rules3[:1], instances, results.MetricJCTFactor)
	f := Fit4{Tasks: tasks, DurationS: durationS}
	f.Fluid, f.FluidError = factorOf(values[cell{Central, rules3[0]}])
	return f, err
}

// factorOf returns the mean of JCT factors, with its standard error; 0 for none.
func factorOf(factors []float64) (mean, standardError float64) {
	if len(factors) == 0 {
		return 0, 0
	}
	sum, squares := 0.0, 0.0
	for _, v := range factors {
		sum += v
		squares += v * v
	}
	n := float64(len(factors))
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean) / n)
}

// twoParameters prepares runs on the workload of table 4 with other medians.
func twoParameters(tasks, durationS float64, seed uint64, workers int) (*direct, error) {
	options := synthetic.TwoParameter()
	options.Tasks.Median, options.Durations.Median = tasks, durationS
	p, err := run.SyntheticWorkload(options, run.PopulationSeed)
	if err != nil {
		return nil, err
	}
	return &direct{workload: &Workload{Population: p}, bandwidth: traces.DefaultBandwidth(), seed: seed, workers: workers}, nil
}
