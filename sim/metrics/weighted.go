// Package metrics holds the accumulators of a replay: time-weighted means,
// shares of time, and the intervals of what they yield.
//
// Simulated quantities are constant between events, so a recorder is given
// each value with the time for which it held, in whole microseconds. Which
// instants count (all metrics of leontief count those with at least one user)
// is decided by the caller, who leaves the others out.
package metrics

import (
	"fmt"
	"math"
)

// Weighted is the time-weighted record of a piecewise constant quantity. The
// zero Weighted has recorded nothing.
//
// Sums are compensated (Neumaier), so that the mean of a long run carries no
// drift. Records merged in the same order give the same bits.
type Weighted struct {
	span     int64 // µs
	integral kahan // value·µs
	low      float64
	high     float64
}

// Add records that the quantity was value for span µs. A span of 0 leaves no
// trace. It panics if the span is negative or the value not finite.
func (w *Weighted) Add(value float64, span int64) {
	checkSpan(value, span)
	if span == 0 {
		return
	}
	if w.span == 0 || value < w.low {
		w.low = value
	}
	if w.span == 0 || value > w.high {
		w.high = value
	}
	w.span += span
	w.integral.add(value * float64(span))
}

// Merge adds what other has recorded.
func (w *Weighted) Merge(other *Weighted) {
	if other.span == 0 {
		return
	}
	if w.span == 0 {
		*w = *other
		return
	}
	w.low, w.high = min(w.low, other.low), max(w.high, other.high)
	w.span += other.span
	w.integral.add(other.integral.sum)
	w.integral.add(other.integral.carry)
}

// Span returns the recorded time in µs.
func (w *Weighted) Span() int64 { return w.span }

// Integral returns ∫ value dt in value·µs.
func (w *Weighted) Integral() float64 { return w.integral.value() }

// Mean returns ∫ value dt / ∫ dt; false if no time was recorded.
func (w *Weighted) Mean() (float64, bool) {
	if w.span == 0 {
		return 0, false
	}
	return w.integral.value() / float64(w.span), true
}

// Range returns the smallest and the largest value that held for any time;
// false if no time was recorded.
func (w *Weighted) Range() (low, high float64, ok bool) { return w.low, w.high, w.span > 0 }

// Below is the share of time in which a quantity is below a threshold.
//
// Times are summed as integers, so the share is exact up to one division.
type Below struct {
	// Threshold separates: a value equal to it is not below it.
	Threshold   float64
	span, under int64 // µs
}

// Add records that the quantity was value for span µs. It panics if the span
// is negative or the value not finite.
func (b *Below) Add(value float64, span int64) {
	checkSpan(value, span)
	b.span += span
	if value < b.Threshold {
		b.under += span
	}
}

// Merge adds what other has recorded. It panics if the thresholds differ.
func (b *Below) Merge(other *Below) {
	if b.Threshold != other.Threshold {
		panic(fmt.Sprintf("metrics: merging thresholds %g and %g", b.Threshold, other.Threshold))
	}
	b.span += other.span
	b.under += other.under
}

// Span returns the recorded time, and the part of it below the threshold, in
// µs.
func (b *Below) Span() (total, under int64) { return b.span, b.under }

// Fraction returns the share of the recorded time that was spent below the
// threshold; false if no time was recorded.
func (b *Below) Fraction() (float64, bool) {
	if b.span == 0 {
		return 0, false
	}
	return float64(b.under) / float64(b.span), true
}

func checkSpan(value float64, span int64) {
	if span < 0 {
		panic(fmt.Sprintf("metrics: a span of %d µs", span))
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		panic(fmt.Sprintf("metrics: the value %g", value))
	}
}

// kahan is a compensated sum after Neumaier: the rounding error of each
// addition is kept apart and added at the end.
type kahan struct{ sum, carry float64 }

func (k *kahan) add(v float64) {
	t := k.sum + v
	if math.Abs(k.sum) >= math.Abs(v) {
		k.carry += (k.sum - t) + v
	} else {
		k.carry += (v - t) + k.sum
	}
	k.sum = t
}

func (k *kahan) value() float64 { return k.sum + k.carry }
