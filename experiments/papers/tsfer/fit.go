package tsfer

import (
	"context"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/results"
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

// FitSize is what a fit is made on.
type FitSize struct {
	// Realisations are those of seeds 1 … n; 1 is [experiments.PopulationSeed].
	Realisations int
	Instances    int // of all realisations together, the same number of each
}

// FitMedian finds the median duration at which TSF-ER's mean JCT factor in the
// setting [Central], averaged over realisations, is [FitTarget], by bisection of
// its logarithm. Only durations change with the median, all in the same
// proportion but for their limits, and every median faces the same draws; so
// the mean falls as the median rises, up to rounding.
//
// The seed should not be one that results are made with: the fit would be to
// their instances.
func FitMedian(ctx context.Context, of Realiser, size FitSize, seed uint64, workers int) (Fit, error) {
	at := func(median float64) (Fit, error) { return factorAt(ctx, of, median, size, seed, workers) }
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
func factorAt(ctx context.Context, of Realiser, median float64, size FitSize, seed uint64, workers int) (Fit, error) {
	settings, rules := []Setting{Central}, rules3[:1]
	sum, squares, n := 0.0, 0.0, 0.0
	for population := range size.Realisations {
		r, err := realised(of, median, int64(population+1), seed, workers)
		if err != nil {
			return Fit{}, err
		}
		values, err := r.run(ctx, r.fluid, settings, rules, size.Instances/size.Realisations, results.MetricJCTFactor)
		if err != nil {
			return Fit{}, err
		}
		for _, v := range values[cell{Central, rules[0]}] {
			sum, squares, n = sum+v, squares+v*v, n+1
		}
	}
	mean := sum / n
	return Fit{median, mean, math.Sqrt(max(0, squares/n-mean*mean) / n)}, nil
}

// realised prepares runs on a realisation of a workload.
func realised(of Realiser, median float64, population int64, seed uint64, workers int) (*direct, error) {
	w, err := of(median, population)
	if err != nil {
		return nil, err
	}
	return &direct{workload: w, bandwidth: traces.DefaultBandwidth(), seed: seed, workers: workers}, nil
}
