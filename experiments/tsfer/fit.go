package tsfer

import (
	"context"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/traces"
)

// FitTarget is the one published value that the fitted workload was fitted to:
// TSF-ER's mean JCT factor in the setting [Central].
var FitTarget = table3[1].values[0]

// The bracket of the fit, and how close it is taken.
const (
	shortestMedianS = 1e3
	longestMedianS  = 1e7
	fitTolerance    = 1e-3 // of the median, relative
)

// Fit is the result of fitting.
type Fit struct {
	MedianS float64 // median of the tasks' durations, in seconds
	// Factor is TSF-ER's mean JCT factor in the setting Central at that median,
	// and StandardError the one of that mean.
	Factor, StandardError float64
}

// FitMedian finds the median duration at which TSF-ER's mean JCT factor in the
// setting [Central] is [FitTarget] on the realisation of
// [experiments.PopulationSeed], by bisection of its logarithm on the given
// number of instances. Only durations change with the median, all in the same
// proportion but for their limits, and every median faces the same draws; so
// the mean falls as the median rises, up to rounding.
//
// The seed should not be one that results are made with: the fit would be to
// their instances.
func FitMedian(ctx context.Context, of Realiser, instances int, seed uint64, workers int) (Fit, error) {
	at := func(median float64) (Fit, error) { return factorAt(ctx, of, median, instances, seed, workers) }
	low, high := math.Log(shortestMedianS), math.Log(longestMedianS)
	for _, end := range []struct {
		log   float64
		above bool
	}{{low, true}, {high, false}} {
		f, err := at(math.Exp(end.log))
		if err != nil {
			return Fit{}, err
		}
		if (f.Factor > FitTarget) != end.above {
			return Fit{}, fmt.Errorf("fit: a median of %g s gives a mean JCT factor of %g, on the wrong side of %g", f.MedianS, f.Factor, FitTarget)
		}
	}
	for high-low > fitTolerance {
		middle := (low + high) / 2
		f, err := at(math.Exp(middle))
		if err != nil {
			return Fit{}, err
		}
		if f.Factor > FitTarget {
			low = middle
		} else {
			high = middle
		}
	}
	return at(math.Exp((low + high) / 2))
}

// factorAt is TSF-ER's mean JCT factor at a median.
func factorAt(ctx context.Context, of Realiser, median float64, instances int, seed uint64, workers int) (Fit, error) {
	r, err := realisedRunner(ctx, of, median, experiments.PopulationSeed, seed, workers)
	if err != nil {
		return Fit{}, err
	}
	settings, rules := []Setting{Central}, rules3[:1]
	outcomes, err := r.sweep("fit", settings, instances, rules, experiments.Want{})
	if err != nil {
		return Fit{}, err
	}
	values := collect(settings, rules, outcomes, plots.MetricJCTFactor)[cell{Central, rules[0]}]
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += v
		squares += v * v
	}
	n := float64(len(values))
	mean := sum / n
	return Fit{median, mean, math.Sqrt(max(0, squares/n-mean*mean) / n)}, nil
}

// realisedRunner prepares runs on a realisation of a workload.
func realisedRunner(ctx context.Context, of Realiser, median float64, population int64, seed uint64, workers int) (*runner, error) {
	w, err := of(median, population)
	if err != nil {
		return nil, err
	}
	return &runner{ctx: ctx, workers: workers, Plan: &Plan{Bandwidth: traces.DefaultBandwidth(), Seed: seed, Workload: w}}, nil
}
