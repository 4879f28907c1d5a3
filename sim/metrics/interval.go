package metrics

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the nominal coverage of every interval of the program.
const Level = 0.95

// Interval is an estimate with the ends of its 95% confidence interval.
type Interval struct {
	Value     float64
	Low, High float64
	Units     int // how many independent units the estimate rests on
	// Bounded says that there is an interval: of two units or more. Otherwise
	// Low and High are the value.
	Bounded bool
}

// Mean returns the mean of values, one a unit, with its 95% interval.
//
// A unit is what was drawn independently: with users that compete inside an
// instance it is the instance, not the user. With m the mean, s the standard
// deviation (of a sample), g the skewness (Σ(v-m)³/n) / (Σ(v-m)²/n)^1.5 of the n
// values and t the 97.5% quantile of Student's distribution with n-1 degrees of
// freedom, the interval is
//
//	[m - s·max(x, h(x)), m + s·max(x, -h(-x))],  x = c·t/√n,
//	h(x) = (3/γ)·(∛(1 + γ·(x - γ/(6n))) - 1),  γ = (1 + 2/√n)·g,  c = 1 - 1/(2n²),
//
// and h(x) = x where γ is 0. Each end is the farther of two: Student's, which
// is right for symmetric values, and that after Hall's transformation, which
// moves the interval to the side where a skewed population has its tail. The
// factor of g makes up for a small sample's skewness, which is too small, and c
// takes back a little of what the farther of two covers more. Both were chosen
// by simulation, so that normal and lognormal data are covered in 93–97% of
// samples; docs/intervals.md has the table and its limits, and TestMeanCovers
// makes it again. Two values have no skewness: Student's interval. Adding a
// constant to the values or multiplying them by one does the same to the ends.
//
// Bounds of the values are not used: the interval of a mean of numbers in
// [0, 1] may end outside. Values that are all 0 or 1, with both among them, are
// a share: see [Share]. The interval of values that are equal (within 1e-12
// relative) is the point, whatever they are. With one unit there is no
// interval. It panics if there is no value or if one is not finite.
//
// References: Student (1908); P. Hall, On the removal of skewness by
// transformation, J. R. Stat. Soc. B 54 (1992), section 2.
// Deviations: Hall takes normal quantiles or the bootstrap's, his interval
// alone, and neither of the two factors.
func Mean(values []float64) Interval {
	if ones, ok := indicators(values); ok {
		return Share(ones, len(values))
	}
	return around(average(values), values, meanSkew)
}

// indicators counts the ones of values that are 0 or 1 with both among them.
func indicators(values []float64) (ones int, ok bool) {
	for _, v := range values {
		if v != 0 && v != 1 {
			return 0, false
		}
		ones += int(v)
	}
	return ones, ones > 0 && ones < len(values)
}

// average is the mean of values; of equal ones it is exactly that value.
func average(values []float64) float64 {
	if len(values) == 0 {
		panic("metrics: an interval of no values")
	}
	first, sum := values[0], 0.0
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("metrics: an interval of %v", v))
		}
		sum += v - first
	}
	return first + sum/float64(len(values))
}

// equalWithin is the spread, relative to the largest value, up to which values
// are equal: that of rounding.
const equalWithin = 1e-12

// meanSkew is what makes up for the skewness of a small sample in [Mean].
const meanSkew = 2

// around returns the interval of the mean of values, moved to an estimate that
// need not be their mean.
func around(estimate float64, values []float64, skew float64) Interval {
	iv := Interval{Value: estimate, Low: estimate, High: estimate, Units: len(values), Bounded: len(values) > 1}
	mean := average(values)
	spread, largest := 0.0, 0.0
	for _, v := range values {
		spread, largest = max(spread, math.Abs(v-mean)), max(largest, math.Abs(v))
	}
	if !iv.Bounded || spread <= equalWithin*largest {
		return iv
	}
	n := float64(len(values))
	var squares, cubes float64 // of deviations in parts of the largest: no overflow
	for _, v := range values {
		d := (v - mean) / spread
		squares += d * d
		cubes += d * d * d
	}
	deviation := spread * math.Sqrt(squares/(n-1))
	skewness := cubes / n / math.Pow(squares/n, 1.5)
	low, high := ends(n, skewness, skew)
	iv.Low, iv.High = estimate-deviation*low, estimate+deviation*high
	return iv
}

// ends returns how many standard deviations of the values the ends of the
// interval of their mean lie below and above it, the skewness of a sample counting
// (1 + skew/√n)-fold.
func ends(n, skewness, skew float64) (below, above float64) {
	x := student(n-1) / math.Sqrt(n)
	gamma := skewness * (1 + skew/math.Sqrt(n))
	if n == 2 {
		return x, x
	}
	x *= 1 - 1/(2*n*n)
	if math.Abs(gamma) < 1e-6 { // where the transformation is the identity up to rounding
		return x, x
	}
	h := func(x float64) float64 { return 3 / gamma * (math.Cbrt(1+gamma*(x-gamma/(6*n))) - 1) }
	return max(x, h(x)), max(x, -h(-x))
}

// quantiles are the 97.5% quantiles of Student's distribution that were asked
// for, by degrees of freedom: finding one takes longer than all the rest.
var quantiles sync.Map

func student(freedom float64) float64 {
	if known, ok := quantiles.Load(freedom); ok {
		return known.(float64)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile((1 + Level) / 2)
	quantiles.Store(freedom, t)
	return t
}

// Share returns the share of units in which something holds, with its 95%
// interval: Wilson's, which lies within [0, 1] and is no point where all or
// none hold. It panics unless 0 ≤ holds ≤ units and units > 0.
//
// Reference: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927).
func Share(holds, units int) Interval {
	if units < 1 || holds < 0 || holds > units {
		panic(fmt.Sprintf("metrics: a share of %d of %d", holds, units))
	}
	n, p := float64(units), float64(holds)/float64(units)
	if units == 1 {
		return Interval{Value: p, Low: p, High: p, Units: 1}
	}
	z := distuv.UnitNormal.Quantile((1 + Level) / 2)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{p, min(p, max(0, centre-half)), max(p, min(1, centre+half)), units, true}
}

// Statistic returns a function of means over the same units, with its 95%
// interval: a difference or a ratio of the means of two rules, the slope of a
// line through means. The comparison is paired: what a unit does to all means
// alike cancels.
//
// statistic computes the number from means that it asks for by calling mean
// with the values of all units, in the same order each time; it must be a
// function of them alone, and smooth where the interval is to cover. It is
// called once for the estimate and once a unit with means over all other
// units. The interval is that of [Mean] of the jackknife's pseudo-values
// n·θ - (n-1)·θ₋ᵢ, around the estimate; for a difference of means it is the
// interval of the mean difference. A largest or a smallest of several means is
// not smooth where two are about equal: its interval is that of the one that
// is ahead.
//
// A statistic that is one mean has that mean's interval to the last digit.
// There is no interval of one unit, or where leaving out a unit leaves the
// statistic undefined (not finite). It panics if there is no unit, or if
// values asked for are not one a unit.
//
// Reference: J. W. Tukey (1958); Efron, Tibshirani, An Introduction to the
// Bootstrap (1993), chapter 11.
func Statistic(units int, statistic func(mean func(values []float64) float64) float64) Interval {
	return jackknife(units, meanSkew, statistic)
}

// jackknife is [Statistic] with another factor of the skewness, see [ends].
func jackknife(units int, skew float64, statistic func(mean func(values []float64) float64) float64) Interval {
	if units < 1 {
		panic("metrics: an interval of no units")
	}
	var asked []float64
	known := map[*float64]float64{} // means of all units
	full := func(values []float64) float64 {
		if len(values) != units {
			panic(fmt.Sprintf("metrics: %d values of %d units", len(values), units))
		}
		if _, again := known[&values[0]]; !again {
			known[&values[0]] = average(values)
		}
		asked = values
		return known[&values[0]]
	}
	estimate := statistic(full)
	if len(known) == 1 && estimate == known[&asked[0]] {
		return Mean(asked) // the statistic is a mean
	}
	without := func(i int) float64 {
		return statistic(func(values []float64) float64 {
			m := full(values)
			return m + (m-values[i])/float64(units-1)
		})
	}
	none := Interval{Value: estimate, Low: estimate, High: estimate, Units: units}
	if units == 1 {
		return none
	}
	pseudo := make([]float64, units)
	for i := range pseudo {
		pseudo[i] = estimate + float64(units-1)*(estimate-without(i))
		if math.IsNaN(pseudo[i]) || math.IsInf(pseudo[i], 0) {
			return none
		}
	}
	return around(estimate, pseudo, skew)
}

// Difference returns the mean of a[i] - b[i] with its 95% interval, Ratio the
// mean of a over the mean of b: two rules on the same units, in the same order.
// They panic where [Statistic] does.
func Difference(a, b []float64) Interval {
	return Statistic(len(a), func(mean func([]float64) float64) float64 { return mean(a) - mean(b) })
}

// Ratio is described at [Difference].
func Ratio(a, b []float64) Interval {
	return Statistic(len(a), func(mean func([]float64) float64) float64 { return mean(a) / mean(b) })
}

// Rerun returns the 95% prediction interval of the estimate of a second run
// with as many units of its own: the error of a difference of two runs is √2
// times that of one. Without an interval its ends are the value.
func (iv Interval) Rerun() (low, high float64) {
	return iv.Value - math.Sqrt2*(iv.Value-iv.Low), iv.Value + math.Sqrt2*(iv.High-iv.Value)
}
