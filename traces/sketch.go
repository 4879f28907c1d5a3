package traces

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Sketch is a histogram small enough for a line of a terminal. Its bins are of
// equal width on a logarithmic axis (or a linear one) from Low to High, the
// smallest and the largest positive value; values of 0 are counted apart.
type Sketch struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Linear bool    `json:"linear"`
	Zeros  int     `json:"zeros"`
	Bins   []int   `json:"bins"` // empty where no value is positive
}

// SketchBins is the number of bins of a sketch whose values differ.
const SketchBins = 32

// NewSketch counts values, which must be finite and not negative, on a
// logarithmic axis.
func NewSketch(values []float64) Sketch { return sketch(values, false, math.Log) }

// NewLinearSketch counts values on a linear axis; a value of 0 is one like any
// other.
func NewLinearSketch(values []float64) Sketch {
	return sketch(values, true, func(v float64) float64 { return v })
}

func sketch(values []float64, linear bool, scale func(float64) float64) Sketch {
	s := Sketch{Linear: linear}
	positive := make([]float64, 0, len(values))
	for _, v := range values {
		if v > 0 || linear {
			positive = append(positive, v)
		} else {
			s.Zeros++
		}
	}
	if len(positive) == 0 {
		return s
	}
	s.Low, s.High = slices.Min(positive), slices.Max(positive)
	low, high := scale(s.Low), scale(s.High)
	if high == low {
		s.Bins = []int{len(positive)}
		return s
	}
	s.Bins = make([]int, SketchBins)
	for _, v := range positive {
		s.Bins[min(int(SketchBins*(scale(v)-low)/(high-low)), SketchBins-1)]++
	}
	return s
}

// blocks are eight heights of a bar, the lowest first.
var blocks = []rune("▁▂▃▄▅▆▇█")

// String draws the sketch: a bar a bin, its height in proportion to the bin's
// count (a bin with any value has the lowest bar at least), between the values
// at both ends.
func (s Sketch) String() string {
	var b strings.Builder
	if s.Zeros > 0 {
		fmt.Fprintf(&b, "0: %d  ", s.Zeros)
	}
	if len(s.Bins) == 0 {
		return strings.TrimSpace(b.String())
	}
	fmt.Fprintf(&b, "%.3g ", s.Low)
	if len(s.Bins) == 1 {
		fmt.Fprintf(&b, "(all %d)", s.Bins[0])
		return b.String()
	}
	most := slices.Max(s.Bins)
	for _, n := range s.Bins {
		switch {
		case n == 0:
			b.WriteByte(' ')
		default:
			b.WriteRune(blocks[(len(blocks)*n-1)/most])
		}
	}
	fmt.Fprintf(&b, " %.3g", s.High)
	return b.String()
}
