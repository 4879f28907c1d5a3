package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

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
	Log              // powers of ten are equally far apart; what is not above Least lies there, 0 before it
	SymLog           // as Log to both sides of 0, and linear where the size is at most Least
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
	round     bool     // round numbers may take the place of Ticks
	zero      float64  // where 0 lies on a Log axis that has it, scaled; 0: nowhere
	thousands int      // ticks are in units of 10^(3·thousands)
}

// at returns where on the axis a value lies.
func (a *Axis) at(v float64) float64 {
	switch a.Scale {
	case Log:
		if v <= 0 && a.zero != 0 {
			return a.zero
		}
		return math.Log10(max(v, a.Least))
	case SymLog:
		if size := math.Abs(v) / a.Least; size > 1 {
			return math.Copysign(1+math.Log10(size), v)
		}
		return v / a.Least
	}
	return v
}

// part is the part of the range that lies before a scaled value.
func (a *Axis) part(at float64) float64 { return (at - a.low) / (a.high - a.low) }

// value is the inverse of at, of what is not below Least.
func (a *Axis) value(at float64) float64 {
	switch a.Scale {
	case Log:
		if a.zero != 0 && at == a.zero {
			return 0
		}
		return math.Pow(10, at)
	case SymLog:
		if size := math.Abs(at); size > 1 {
			return math.Copysign(math.Pow(10, size-1)*a.Least, at)
		}
		return at * a.Least
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

// tick is a mark of an axis; one without a label is shorter.
type tick struct {
	Value float64 // scaled
	Label string
}

func (t tick) length() vg.Length {
	if t.Label == "" {
		return tickLength / 2
	}
	return tickLength
}

// labelled returns the ticks that have labels.
func labelled(ticks []tick) []tick {
	return slices.DeleteFunc(slices.Clone(ticks), func(t tick) bool { return t.Label == "" })
}

// ticks returns the ticks inside the range.
func (a *Axis) ticks() (ticks []tick) {
	switch {
	case a.Scale == Categories:
		for k, name := range a.Names {
			ticks = append(ticks, tick{float64(k), name})
		}
		return ticks
	case a.Ticks != nil:
		return slices.DeleteFunc(a.ticksAt(a.Ticks), func(t tick) bool { return t.Value < a.low || t.Value > a.high })
	}
	return a.roundTicks()
}

// ticksAt returns ticks at values.
func (a *Axis) ticksAt(values []float64) (ticks []tick) {
	for _, v := range values {
		ticks = append(ticks, tick{a.at(v), a.text(v)})
	}
	return ticks
}

// roundTicks returns ticks at round values.
func (a *Axis) roundTicks() []tick {
	if a.Scale == Linear {
		return niceTicks(a.low, a.high, 5, math.Pow10(3*a.thousands))
	}
	return a.decades()
}

// named returns the ticks of a horizontal axis of a length: as many of them as have names
// that do not touch, or round values in their place; of categories all, turned by an
// angle if need be.
func (a *Axis) named(length vg.Length) (ticks []tick, turned float64) {
	ticks = a.ticks()
	tooLong := func(name string) bool { return textStyle(smallText).Width(name) > length/2 } // beside the panel there is less room than below
	switch room := length / vg.Length(max(1, len(a.Names))); {
	case a.fits(ticks, length):
		return ticks, 0
	case a.Scale != Categories:
		if a.round {
			ticks = a.roundTicks()
		}
		return a.thinned(ticks, length), 0
	case slices.ContainsFunc(a.Names, tooLong) || room < math.Sqrt2*smallText:
		return ticks, math.Pi / 2
	case room < 2*smallText:
		return ticks, math.Pi / 4
	}
	return ticks, math.Pi / 6
}

func (a *Axis) text(v float64) string {
	if a.Text != nil {
		return a.Text(v)
	}
	return number(v)
}

// decades returns ticks at the powers of ten, of both signs where the axis has them,
// as far apart as leaves room for the labels, at 1, 2 and 5 times them on a short axis,
// and between them without labels.
func (a *Axis) decades() (ticks []tick) {
	least := int(math.Round(math.Log10(a.Least)))
	from, to := int(math.Ceil(a.low)), int(math.Floor(a.high))
	if a.Scale == SymLog {
		from, to = least, least+int(math.Ceil(max(-a.low, a.high)))-1
	}
	step := max(1, (to-from+5)/6)
	add := func(v float64, label bool) {
		at := a.at(v)
		if math.Abs(v) < a.Least*(1-1e-9) && v != 0 || at < a.low-1e-9 || at > a.high+1e-9 {
			return
		}
		t := tick{Value: at}
		if label {
			t.Label = a.text(v)
		}
		ticks = append(ticks, t)
	}
	if a.Scale == SymLog {
		for k := from + step*((to-from)/step); k > from; k -= step {
			add(-math.Pow10(k), true)
		}
	}
	if a.Scale == SymLog || a.zero != 0 {
		add(0, true)
	}
	if a.Scale == SymLog {
		from += step
	}
	short := a.high-a.low < 2
	if step == 1 && a.Scale == Log {
		from-- // of which there may be multiples
	}
	for k := from; k <= to; k += step {
		add(math.Pow10(k), true)
		for m := 2; m < 10 && step == 1 && a.Scale == Log; m++ {
			add(float64(m)*math.Pow10(k), short && (m == 2 || m == 5))
		}
	}
	return ticks
}

// thinned returns the ticks of which no two labels touch on an axis of the given length:
// of ticks that are equally far apart, or as far to both sides of 0, every k-th for the least k, those that hold 0 where
// it is one of them, and of others each that has room behind the one before.
func (a *Axis) thinned(ticks []tick, length vg.Length) []tick {
	origin := max(0, slices.IndexFunc(ticks, func(t tick) bool { return t.Value == 0 }))
	for k := 1; k < len(ticks) && (even(ticks) || a.Scale == SymLog); k++ {
		var kept []tick
		for i, t := range ticks {
			if (i-origin)%k == 0 {
				kept = append(kept, t)
			}
		}
		if a.fits(kept, length) {
			return kept
		}
	}
	var kept []tick
	for _, t := range ticks {
		if t.Label == "" || a.fits(append(labelled(kept), t), length) {
			kept = append(kept, t)
		}
	}
	return kept
}

// even reports whether ticks are equally far apart.
func even(ticks []tick) bool {
	for k := 2; k < len(ticks); k++ {
		if d := ticks[1].Value - ticks[0].Value; math.Abs(ticks[k].Value-ticks[k-1].Value-d) > 1e-6*d {
			return false
		}
	}
	return true
}

// fits reports whether no two labels touch on an axis of the given length.
func (a *Axis) fits(ticks []tick, length vg.Length) bool {
	sty := textStyle(smallText)
	ticks = labelled(ticks)
	for i := 1; i < len(ticks); i++ {
		apart := vg.Length(a.part(ticks[i].Value)-a.part(ticks[i-1].Value)) * length
		if apart < (sty.Width(ticks[i].Label)+sty.Width(ticks[i-1].Label))/2+tickGap {
			return false
		}
	}
	return true
}

// niceTicks returns labelled ticks at the multiples of a round step inside [low, high],
// at most count and a few, with as many decimals as the step has in units of one.
func niceTicks(low, high float64, count int, one float64) []tick {
	raw := (high - low) / one / float64(count)
	exp := math.Floor(math.Log10(raw))
	step, decimals := 0.0, 0
	for _, m := range []struct {
		multiple float64
		digits   int // behind those of the power of ten
	}{{1, 0}, {2, 0}, {2.5, 1}, {5, 0}, {10, -1}} {
		if step, decimals = m.multiple*math.Pow(10, exp), max(0, m.digits-int(exp)); step >= raw*(1-1e-9) {
			break
		}
	}
	var ticks []tick
	for k := math.Ceil(low/one/step - 1e-9); k*step <= high/one+1e-9*step; k++ {
		v := k*step + 0 // no -0
		ticks = append(ticks, tick{Value: v * one, Label: minus(fmt.Sprintf("%.*f", decimals, v))})
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
