package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// LeastBlocks is the number of blocks below which [Blocks.Ratio] gives no interval: the
	// ends of a studentised bootstrap are not known from fewer.
	LeastBlocks = 8
	// Resamples is how often blocks are drawn.
	Resamples = 1999
	// farthest is how many times as far from the value as the jackknife's an end may be. Where
	// one block has all of an effect, draws without it have an error near 0, and quantiles of
	// them are no measure of anything.
	farthest = 3
	// blockSkew is what makes up for the skewness of few blocks in the jackknife's interval, as
	// [meanSkew] does for that of instances: sizes of blocks are skewed as well as what is in
	// them. It is the least of 2, 4, 6 and 9 with which 20 blocks of lognormal sizes and effects
	// (σ = 1) were covered in 93% of samples.
	blockSkew = 9
)

// Blocks resamples the blocks of a replay: the days or weeks in which its jobs were
// submitted, each taken as a whole, since jobs of one day compete with each other. It holds
// the draws, so that all statistics over the same blocks are of the same resamples.
//
// It is not safe for concurrent use.
type Blocks struct {
	n     int
	draws []int32 // Resamples rows of n blocks
	held  held
}

// held are the draws of the blocks that hold anything, in their order: of a year in minutes
// most have no job, and adding nothing to a sum changes none of its bits.
type held struct {
	blocks []bool  // that hold something; the others have been left out
	draws  []int32 // rows one after the other
	ends   []int   // of the rows
}

// NewBlocks draws the resamples of n blocks.
func NewBlocks(n int, random *rand.Rand) *Blocks {
	b := &Blocks{n: n, held: held{blocks: make([]bool, n)}}
	if n >= LeastBlocks {
		b.draws = make([]int32, Resamples*n)
		for i := range b.draws {
			b.draws[i] = int32(random.IntN(n))
		}
	}
	return b
}

// Ratio returns θ = Σa[b] / Σm[b] over blocks with its 95% interval. With a the sums of the
// waiting times of the jobs of a block and m their numbers it is their mean; with a the
// differences of the sums of two rules, their paired difference; and with m the sums of one
// of the two, the relative change. m must not be negative, nor all zero.
//
// The interval is a studentised block bootstrap (bootstrap-t) with [Resamples] draws of n
// blocks with replacement. With the linearised error
//
//	e = √(n/(n-1)·Σ(a[b] - θ·m[b])²) / Σm[b]
//
// of θ, and θ*, e* the same of a resample, the ends are θ - q(97.5%)·e and θ - q(2.5%)·e,
// q being the quantiles of (θ* - θ)/e*; each end is then the farther of this one and of the
// jackknife's ([Ratio], with 9 in place of 2 in the factor of the skewness), since alone it
// covers 90% of skewed ratios and not 95%, and at most three times as far as that. Resamples in which e* is 0 or Σm is 0 are not counted. There is no interval below [LeastBlocks]
// blocks with m > 0; without any spread it is the point.
//
// Last, both ends are moved away from θ by the factor √((1+r)/(1-r)), r >= 0 being the
// correlation of the residuals a[b] - θ·m[b] of neighbouring blocks, for what one carries
// over to the next (a queue that is not empty at midnight): the growth of the error in an
// autoregression of first order, r corrected for small samples. TestBlocksCover has measured what is covered. It panics if a and m are not a number a block.
//
// References: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 12.5;
// Lahiri, Resampling Methods for Dependent Data (2003), section 2.5; Marriott and Pope,
// Bias in the estimation of autocorrelations, Biometrika 41 (1954).
// Deviations: the farther of two ends, as in [Mean], and the factor.
func (b *Blocks) Ratio(a, m []float64) Interval {
	knife := func(a, m []float64) Interval {
		return jackknife(len(a), blockSkew, func(mean func([]float64) float64) float64 { return mean(a) / mean(m) })
	}
	return b.interval(a, m, knife, func(theta float64) (v, slope float64) { return theta, 1 })
}

// Change returns Σa[b] / Σm[b] - 1 over blocks with its 95% interval: by how much the sums of
// one rule are larger than those of another. Neither may be negative. The interval is that of
// [Blocks.Ratio], made of the logarithm of the ratio, so that it stays above -100%. There is
// none where the ratio is 0.
func (b *Blocks) Change(a, m []float64) Interval {
	knife := func(a, m []float64) Interval {
		return jackknife(len(a), blockSkew, func(mean func([]float64) float64) float64 { return math.Log(mean(a) / mean(m)) })
	}
	iv := b.interval(a, m, knife, func(theta float64) (v, slope float64) { return math.Log(theta), 1 / theta })
	iv.Value, iv.Low, iv.High = math.Expm1(iv.Value), math.Expm1(iv.Low), math.Expm1(iv.High)
	return iv
}

// interval is that of a function of θ, which returns its value and its slope; knife is the
// jackknife's interval of the same.
func (b *Blocks) interval(a, m []float64, knife func(a, m []float64) Interval, of func(theta float64) (v, slope float64)) Interval {
	if len(a) != b.n || len(m) != b.n {
		panic(fmt.Sprintf("metrics: %d and %d values of %d blocks", len(a), len(m), b.n))
	}
	theta, e := ratioOf(a, m, b.once())
	v, slope := of(theta)
	iv := Interval{Value: v, Low: v, High: v}
	for i := range m {
		if m[i] > 0 {
			iv.Units++
		}
	}
	if iv.Units < LeastBlocks || math.IsNaN(v) || math.IsInf(v, 0) {
		return iv
	}
	if e == 0 {
		iv.Bounded = true
		return iv
	}
	other := knife(a, m)
	if iv.Bounded = other.Bounded; !iv.Bounded {
		return iv
	}
	iv.Low, iv.High = other.Low, other.High
	if q := b.studentised(a, m, of); len(q) >= Resamples/2 {
		iv.Low = min(iv.Low, max(v-Quantile(q, (1+Level)/2)*e*slope, v-farthest*(v-iv.Low)))
		iv.High = max(iv.High, min(v-Quantile(q, (1-Level)/2)*e*slope, v+farthest*(iv.High-v)))
	}
	wider := carried(a, m, theta)
	iv.Low, iv.High = v-wider*(v-iv.Low), v+wider*(iv.High-v)
	return iv
}

// carried is by how much the error of θ grows by what blocks carry over to the next:
// √((1+r)/(1-r)) as of an autoregression of first order, r being the correlation of
// neighbouring residuals a[b] - θ·m[b] less its bias of -1/n, times 1 + 2/√n + 4/n, from 0 to
// 0.9: what is estimated of a correlation ρ from n values is too small by (1+4ρ)/n, and an
// error of it makes the factor too small more than it makes it too large.
func carried(a, m []float64, theta float64) float64 {
	var both, one float64
	for i := range a {
		e := a[i] - theta*m[i]
		one += e * e
		if i > 0 {
			both += e * (a[i-1] - theta*m[i-1])
		}
	}
	n := float64(len(a))
	r := min(max(0, (both/one+1/n)*(1+2/math.Sqrt(n)+4/n)), 0.9)
	return math.Sqrt((1 + r) / (1 - r))
}

// studentised returns (v* - v)/e* of the resamples, ascending.
func (b *Blocks) studentised(a, m []float64, of func(float64) (v, slope float64)) []float64 {
	theta, _ := ratioOf(a, m, b.once())
	v, _ := of(theta)
	b.hold(a, m)
	q, begin := make([]float64, 0, Resamples), 0
	for _, end := range b.held.ends {
		theta, e := ratioOf(a, m, b.held.draws[begin:end])
		drawn, slope := of(theta)
		if t := (drawn - v) / (e * slope); e > 0 && !math.IsNaN(t) && !math.IsInf(t, 0) {
			q = append(q, t)
		}
		begin = end
	}
	slices.Sort(q)
	return q
}

// hold leaves no draw out of a block in which a or m is not 0.
func (b *Blocks) hold(a, m []float64) {
	h, known := &b.held, b.held.ends != nil
	for i := range a {
		if (a[i] != 0 || m[i] != 0) && !h.blocks[i] {
			h.blocks[i], known = true, false
		}
	}
	if known {
		return
	}
	if h.ends = h.ends[:0]; !slices.Contains(h.blocks, false) {
		h.draws = b.draws // for good: no block is left that could be added
		for r := range Resamples {
			h.ends = append(h.ends, (r+1)*b.n)
		}
		return
	}
	h.draws = h.draws[:0]
	for r := range Resamples {
		for _, k := range b.draws[r*b.n : (r+1)*b.n] {
			if h.blocks[k] {
				h.draws = append(h.draws, k)
			}
		}
		h.ends = append(h.ends, len(h.draws))
	}
}

// once are the blocks, each drawn once.
func (b *Blocks) once() []int32 {
	drawn := make([]int32, b.n)
	for i := range drawn {
		drawn[i] = int32(i)
	}
	return drawn
}

// ratioOf is Σa/Σm over the blocks drawn, and its linearised error: 0 where the residuals are
// no more than what rounding leaves of proportional a and m. Residuals are squared one by one,
// since Σa² - 2θ·Σam + θ²·Σm² cancels where they are small. Blocks without a and m may be left
// out of those drawn.
func ratioOf(a, m []float64, drawn []int32) (theta, e float64) {
	var sa, sm float64
	for _, k := range drawn {
		sa, sm = sa+a[k], sm+m[k]
	}
	theta = sa / sm
	var squares, largest float64
	for _, k := range drawn {
		rest := a[k] - theta*m[k]
		squares, largest = squares+rest*rest, max(largest, math.Abs(a[k]))
	}
	if math.Sqrt(squares) <= equalWithin*largest {
		return theta, 0
	}
	n := float64(len(a))
	return theta, math.Sqrt(n/(n-1)*squares) / sm
}
