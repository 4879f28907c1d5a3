package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Resamples is the number of bootstrap resamples where the caller has no
// reason for another. The ends of a 95% interval then have 50 resamples beyond
// them, which places them within about a tenth of the standard error.
const Resamples = 2000

// Interval is an estimate with the ends of its confidence interval.
type Interval struct {
	Value     float64
	Low, High float64
	Units     int // how many independent units the estimate rests on
}

// Bootstrap returns the percentile bootstrap interval of a statistic.
//
// The unit of resampling is the caller's choice and has to be what was drawn
// independently: with users that compete inside an instance it is the
// instance, not the user. statistic is given a multiset of units as indices in
// 0..units-1, which it must not keep, and returns the statistic of the sample
// that consists of them. Its value on all units, each once and in order, is
// the estimate. The ends are the (1-level)/2 and (1+level)/2 quantiles
// (linear between order statistics) over resamples draws with replacement.
//
// With one unit the interval is that unit. It panics if there is no unit, no
// resample or a level outside (0, 1). The result depends on nothing but the
// arguments and the state of rng. Efron, Tibshirani, An Introduction to the
// Bootstrap (1993), section 13.3.
func Bootstrap(rng *rand.Rand, units, resamples int, level float64, statistic func(pick []int) float64) Interval {
	if units < 1 || resamples < 1 || !(level > 0 && level < 1) {
		panic("metrics: a bootstrap needs units, resamples and a level in (0, 1)")
	}
	pick := make([]int, units)
	for i := range pick {
		pick[i] = i
	}
	estimate := Interval{Value: statistic(pick), Units: units}
	replicas := make([]float64, resamples)
	for b := range replicas {
		for i := range pick {
			pick[i] = rng.IntN(units)
		}
		replicas[b] = statistic(pick)
	}
	slices.Sort(replicas)
	estimate.Low = Quantile(replicas, (1-level)/2)
	estimate.High = Quantile(replicas, (1+level)/2)
	return estimate
}

// MeanInterval returns the mean of values, one per unit, with its 95%
// percentile bootstrap interval.
func MeanInterval(rng *rand.Rand, values []float64) Interval {
	return Bootstrap(rng, len(values), Resamples, 0.95, func(pick []int) float64 {
		sum := 0.0
		for _, i := range pick {
			sum += values[i]
		}
		return sum / float64(len(pick))
	})
}

// RatioInterval returns Σ sums / Σ counts with its 95% percentile bootstrap
// interval: the mean over all members of units of unequal size (over all users
// of all instances, say), resampled by unit. It panics if the lengths differ
// or a count is not positive.
func RatioInterval(rng *rand.Rand, sums, counts []float64) Interval {
	if len(sums) != len(counts) {
		panic("metrics: as many sums as counts are wanted")
	}
	for _, c := range counts {
		if !(c > 0) {
			panic("metrics: a unit without members")
		}
	}
	return Bootstrap(rng, len(sums), Resamples, 0.95, func(pick []int) float64 {
		sum, count := 0.0, 0.0
		for _, i := range pick {
			sum += sums[i]
			count += counts[i]
		}
		return sum / count
	})
}

// Quantile returns the p-quantile of values in ascending order, linear between
// order statistics: the value at position p·(n-1) counted from 0 (type 7 of
// Hyndman and Fan). It panics if there are no values or p is outside [0, 1].
func Quantile(ascending []float64, p float64) float64 {
	if len(ascending) == 0 || !(p >= 0 && p <= 1) {
		panic("metrics: a quantile needs values and p in [0, 1]")
	}
	position := p * float64(len(ascending)-1)
	i := int(math.Floor(position))
	if i+1 >= len(ascending) {
		return ascending[len(ascending)-1]
	}
	return ascending[i] + (position-float64(i))*(ascending[i+1]-ascending[i])
}
