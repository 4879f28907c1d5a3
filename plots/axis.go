package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

const (
	thin       = vg.Length(0.5) // pt: axes, lines that join points
	barWidth   = vg.Length(0.7) // pt: error bars
	tickLength = vg.Length(2.5) // pt
	tickGap    = vg.Length(3)   // pt: between labels
	headroom   = 0.06           // of the range of the data, above and below
)

var ink = color.Color(color.Black)

func gray(level uint8) color.Color { return color.Gray{level} }

// Scale says where on an axis a value lies.
type Scale int

// The scales.
const (
	Linear     Scale = iota
	Log              // powers of ten are equally far apart; what is not above Least lies there
	SymLog           // as Log to both sides of 0, which is where what is at most Least in size lies
	Categories       // 0, 1, … stand for names
)

// Axis is a horizontal or vertical axis.
type Axis struct {
	Label string // with the unit
	Scale Scale
	Names []string // of Categories
	// Least is the smallest size that Log and SymLog tell from 0; it must be positive.
	Least float64
	// Ticks are where the axis is labelled, in Text; nil: at round values.
	Ticks []float64
	Text  func(float64) string
	// Marked are values at which a line crosses the panel, as 0 of differences.
	Marked []float64
	// From and To are values that the axis must hold, NaN for none. An axis without
	// room has no space beyond the data.
	From, To float64
	NoRoom   bool

	values    []string // of the column, in the order of Names
	per       float64  // of the column's unit in the axis's; 0: the same
	low, high float64  // the range, scaled
	last      float64  // where ticks end, if the range is longer for labels
	thousands int      // ticks are in units of 10^(3·thousands)
}

// at returns where on the axis a value lies.
func (a *Axis) at(v float64) float64 {
	switch a.Scale {
	case Log:
		return math.Log10(max(v, a.Least))
	case SymLog:
		return math.Copysign(max(0, math.Log10(math.Abs(v)/a.Least)), v)
	}
	return v
}

// value is the inverse of at, of what is not below Least.
func (a *Axis) value(at float64) float64 {
	switch a.Scale {
	case Log:
		return math.Pow(10, at)
	case SymLog:
		if at == 0 {
			return 0
		}
		return math.Copysign(math.Pow(10, math.Abs(at))*a.Least, at)
	}
	return at
}

// sameWithin is the relative difference up to which values count as equal, so that an
// axis does not stretch rounding over the page.
const sameWithin = 1e-6

// fit sets the range to that of the data.
func (a *Axis) fit(data extent) {
	if a.Scale == Categories {
		a.low, a.high = -0.5, float64(len(a.Names))-0.5
		return
	}
	for _, v := range []float64{a.From, a.To} {
		if !math.IsNaN(v) {
			data.hold(a.at(v))
		}
	}
	if data.empty() {
		data = extent{0, 1}
	}
	size := max(1, math.Abs(data.high))
	pad := headroom * (data.high - data.low)
	switch same := data.high-data.low < sameWithin*size; {
	case same:
		pad = 0.05 * size
	case a.NoRoom:
		pad = 0
	}
	a.low, a.high = data.low-pad, data.high+pad
	if top := max(math.Abs(a.low), math.Abs(a.high)); a.Scale == Linear && a.Text == nil && a.Ticks == nil && top >= 2e4 {
		a.thousands = int(math.Log10(top/2)) / 3
	}
}

// title is the label with the power of ten that the ticks leave out.
func (a *Axis) title() string {
	if a.thousands == 0 {
		return a.Label
	}
	return a.Label + " (×" + power(3*a.thousands) + ")"
}

// ticks returns the labelled ticks inside the range.
func (a *Axis) ticks() []plot.Tick {
	all := a.allTicks()
	if a.last == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(t plot.Tick) bool { return t.Value > a.last })
}

func (a *Axis) allTicks() []plot.Tick {
	switch {
	case a.Scale == Categories:
		var ticks []plot.Tick
		for k, name := range a.Names {
			ticks = append(ticks, plot.Tick{Value: float64(k), Label: name})
		}
		return ticks
	case a.Ticks != nil:
		var ticks []plot.Tick
		for _, v := range a.Ticks {
			if at := a.at(v); at >= a.low && at <= a.high {
				ticks = append(ticks, plot.Tick{Value: at, Label: a.text(v)})
			}
		}
		return ticks
	case a.Scale == Linear:
		return niceTicks(a.low, a.high, 5, math.Pow10(3*a.thousands))
	}
	return a.decades()
}

func (a *Axis) text(v float64) string {
	if a.Text != nil {
		return a.Text(v)
	}
	return number(v)
}

// decades returns ticks at the powers of ten, of both signs where the axis has them,
// as far apart as leaves room for the labels; at 1, 2 and 5 times them on a short axis.
func (a *Axis) decades() []plot.Tick {
	least := int(math.Round(math.Log10(a.Least)))
	from, to := int(math.Floor(a.low)), int(math.Ceil(a.high))
	if a.Scale == SymLog {
		from, to = least, least+to
	}
	step := max(1, (to-from+5)/6)
	multiples := []float64{1}
	if a.high-a.low < 1.5 && a.Scale == Log {
		multiples = []float64{1, 2, 5}
	}
	var ticks []plot.Tick
	add := func(v float64) {
		if at := a.at(v); math.Abs(v) >= a.Least*(1-1e-9) && at >= a.low-1e-9 && at <= a.high+1e-9 {
			ticks = append(ticks, plot.Tick{Value: at, Label: a.text(v)})
		}
	}
	if a.Scale == SymLog {
		for k := from + step*((to-from)/step); k > from; k -= step {
			add(-math.Pow10(k))
		}
		ticks = append(ticks, plot.Tick{Value: 0, Label: a.text(0)})
		from += step
	}
	for k := from; k <= to; k += step {
		for _, m := range multiples {
			add(m * math.Pow10(k))
		}
	}
	return ticks
}

// thinned returns every k-th of the ticks for the least k with which no two labels touch
// on an axis of the given length; those that are kept hold 0, where it is one of them.
func (a *Axis) thinned(ticks []plot.Tick, length vg.Length) []plot.Tick {
	if a.fits(ticks, length) {
		return ticks
	}
	origin := max(0, slices.IndexFunc(ticks, func(t plot.Tick) bool { return t.Value == 0 }))
	for k := 1; k < len(ticks); k++ {
		var kept []plot.Tick
		for i, t := range ticks {
			if (i-origin)%k == 0 {
				kept = append(kept, t)
			}
		}
		if a.fits(kept, length) {
			return kept
		}
	}
	return ticks
}

// fits reports whether no two labels touch on an axis of the given length.
func (a *Axis) fits(ticks []plot.Tick, length vg.Length) bool {
	sty := textStyle(smallText)
	for i := 1; i < len(ticks); i++ {
		apart := vg.Length((ticks[i].Value-ticks[i-1].Value)/(a.high-a.low)) * length
		if apart < (sty.Width(ticks[i].Label)+sty.Width(ticks[i-1].Label))/2+tickGap {
			return false
		}
	}
	return true
}

// niceTicks returns labelled ticks at the multiples of a round step inside [low, high],
// at most count and a few, with as many decimals as the step has in units of one.
func niceTicks(low, high float64, count int, one float64) []plot.Tick {
	raw := (high - low) / one / float64(count)
	exp := math.Floor(math.Log10(raw))
	unit, step, decimals := math.Pow(10, exp), 0.0, 0
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * unit; step >= raw*(1-1e-9) {
			decimals = max(0, -int(exp))
			if m == 2.5 {
				decimals = max(0, 1-int(exp))
			} else if m == 10 {
				decimals = max(0, -int(exp)-1)
			}
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/one/step - 1e-9); k*step <= high/one+1e-9*step; k++ {
		v := k*step + 0 // no -0
		ticks = append(ticks, plot.Tick{Value: v * one, Label: minus(fmt.Sprintf("%.*f", decimals, v))})
	}
	return ticks
}

// number writes a value of an axis: with all its digits up to 9999, in powers of ten
// beyond.
func number(v float64) string {
	size := math.Abs(v)
	if size >= 1e4 && size < 1e9 {
		k := int(math.Floor(math.Log10(size) + 1e-12))
		mantissa := v / math.Pow10(k)
		switch short := strconv.FormatFloat(mantissa, 'g', -1, 64); {
		case short == "1":
			return power(k)
		case short == "-1":
			return "−" + power(k)
		case len(short) <= 4:
			return minus(short) + "·" + power(k)
		}
	}
	return minus(strconv.FormatFloat(v, 'g', -1, 64))
}

// power writes a power of ten; the fonts have raised digits from 1 to 8.
func power(k int) string {
	if k < 1 || k > 8 {
		return fmt.Sprintf("1e%d", k)
	}
	return "10" + string([]rune("¹²³⁴⁵⁶⁷⁸")[k-1])
}

// minus writes the sign of a number as printers do.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }
