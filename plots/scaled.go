package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
)

// Scaled is a panel of curves that rise to 1 over an axis that is not linear, as
// distribution functions of times: the curves hold scaled values of x, and the ticks,
// at the powers of ten, say what they stand for. The ends of the axis on which all
// curves are flat are left out.
type Scaled struct {
	*Lines
	Of func(x float64) float64 // ascending; nil: linear
}

// Plot implements [Panel].
func (s *Scaled) Plot(styles map[string]Style) *plot.Plot {
	out := s.Lines.Plot(styles)
	out.Y.Max = 1
	if s.Of == nil {
		return out
	}
	s.trim(&out.X)
	out.X.Tick.Marker = plot.ConstantTicks(s.ticks(out.X.Min, out.X.Max))
	return out
}

// trim leaves out the ends of the axis on which all curves lie flat.
func (s *Scaled) trim(x *plot.Axis) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range s.Curves {
		for i := range c.X {
			if c.Y[i] > 0.001 {
				low = min(low, c.X[max(0, i-1)])
				break
			}
		}
		for i := range slices.Backward(c.X) {
			if c.Y[i] < 0.999 {
				high = max(high, c.X[min(len(c.X)-1, i+1)])
				break
			}
		}
	}
	if low < high {
		x.Min, x.Max = low, high
		s.crop(low, high)
	}
}

// crop drops the points outside the axis.
func (s *Scaled) crop(low, high float64) {
	for k := range s.Curves {
		c := &s.Curves[k]
		from, _ := slices.BinarySearch(c.X, low)
		to, found := slices.BinarySearch(c.X, high)
		if found {
			to++
		}
		c.X, c.Y = c.X[from:to], c.Y[from:to]
	}
}

// ticks are at the powers of ten, of both signs where the axis has them, as far
// apart as leaves room for the labels.
func (s *Scaled) ticks(low, high float64) []plot.Tick {
	var all []plot.Tick
	add := func(v float64, label string) {
		if x := s.Of(v); x >= low && x <= high {
			all = append(all, plot.Tick{Value: x, Label: label})
		}
	}
	step, signed := int(math.Ceil((high-low)/7)), low < s.Of(0)
	for k := 0; k <= 8; k += step {
		if signed && k == 0 {
			add(0, "0")
			continue
		}
		add(math.Pow10(k), fmt.Sprintf("1e%d", k))
		if signed {
			add(-math.Pow10(k), fmt.Sprintf("-1e%d", k))
		}
	}
	slices.SortFunc(all, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return all
}
