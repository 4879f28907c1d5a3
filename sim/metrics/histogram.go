package metrics

import (
	"math"
	"math/bits"
)

// Histogram counts values, whole numbers that are not negative, in bounded memory, for
// their mean and quantiles. The zero Histogram is ready for use.
//
// Values below 512 have a bin each. Above, each octave [2^k, 2^(k+1)) has 256 bins of
// equal width, so a bin is at most 1/256 of its lower end wide, and its middle at most
// [HistogramError] = 1/512 from any value in it, relative to the value. There are 14,336
// bins, of which memory is needed for the octaves that values fall into: at most 115 kB,
// whatever the number of values. All of it is arithmetic in whole numbers, so the state
// depends on nothing but how often each value was added: not on the order, the machine
// or how values were divided among histograms that were merged.
//
// Reference: the log-linear bins of HdrHistogram (G. Tene), with 8 bits.
type Histogram struct {
	bins      [octaves][]int64 // nil where no value fell
	count     int64
	high, low uint64 // the sum, in 128 bits
}

// HistogramError bounds the relative error of a quantile of a [Histogram].
const HistogramError = 1.0 / 512

const (
	binBits = 8            // of an octave's bins
	octaves = 64 - binBits // the first holds all below 2^(binBits+1)
)

// bin returns where a value is counted.
func bin(v int64) (octave, at int) {
	octave = max(0, bits.Len64(uint64(v))-binBits-1)
	if octave == 0 {
		return 0, int(v)
	}
	return octave, int(v>>octave) - 1<<binBits
}

// middle returns the value that stands for those of a bin.
func middle(octave, at int) float64 {
	if octave == 0 {
		return float64(at)
	}
	return (float64(at) + 1<<binBits + 0.5) * math.Ldexp(1, octave)
}

// Add counts a value. It panics where the value is negative.
func (h *Histogram) Add(v int64) {
	if v < 0 {
		panic("metrics: a histogram counts no negative values")
	}
	octave, at := bin(v)
	if h.bins[octave] == nil {
		h.bins[octave] = newBins(octave)
	}
	h.bins[octave][at]++
	h.count++
	var carry uint64
	h.low, carry = bits.Add64(h.low, uint64(v), 0)
	h.high += carry
}

func newBins(octave int) []int64 {
	if octave == 0 {
		return make([]int64, 2<<binBits)
	}
	return make([]int64, 1<<binBits)
}

// Merge adds what another histogram has counted.
func (h *Histogram) Merge(o *Histogram) {
	for octave, bins := range o.bins {
		if bins != nil && h.bins[octave] == nil {
			h.bins[octave] = newBins(octave)
		}
		for at, n := range bins {
			h.bins[octave][at] += n
		}
	}
	h.count += o.count
	var carry uint64
	h.low, carry = bits.Add64(h.low, o.low, 0)
	h.high += o.high + carry
}

// Count returns the number of values.
func (h *Histogram) Count() int64 { return h.count }

// Mean returns the mean, which is exact but for one rounding; false if there are no
// values.
func (h *Histogram) Mean() (float64, bool) {
	return (float64(h.high)*0x1p64 + float64(h.low)) / float64(h.count), h.count > 0
}

// Quantile returns the p-quantile as [Quantile] defines it, within [HistogramError] of
// it, relative to it; false if there are no values. It panics if p is outside [0, 1].
//
// The bound: each of the two order statistics that the quantile lies between is
// replaced by the middle of its bin, which is within the bound of it; all are at least 0,
// so the mean of the two with the same weights is within the same bound.
func (h *Histogram) Quantile(p float64) (float64, bool) {
	if !(p >= 0 && p <= 1) {
		panic("metrics: a quantile needs p in [0, 1]")
	}
	if h.count == 0 {
		return 0, false
	}
	position := p * float64(h.count-1)
	below := int64(math.Floor(position))
	part := position - float64(below)
	low := h.order(below)
	if part == 0 {
		return low, true
	}
	return low + part*(h.order(min(below+1, h.count-1))-low), true
}

// order returns the value number k, from 0, in ascending order.
func (h *Histogram) order(k int64) float64 {
	for octave, bins := range h.bins {
		for at, n := range bins {
			if k < n {
				return middle(octave, at)
			}
			k -= n
		}
	}
	panic("metrics: a histogram with fewer values than it counted")
}
