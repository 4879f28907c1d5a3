package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/leontief-sim/leontief/experiments/results"
)

func labelsOf(a *Axis) (labels []string) {
	for _, t := range labelled(a.ticks()) {
		labels = append(labels, t.Label)
	}
	return labels
}

func TestNiceTicksKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []string
	}{
		{0, 1, []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{-.03, .51, []string{"0.0", "0.2", "0.4"}},
		{.99, 1.2, []string{"1.00", "1.05", "1.10", "1.15", "1.20"}},
		{0, 1200, []string{"0", "250", "500", "750", "1000"}},
		{.95, 1.05, []string{"0.96", "0.98", "1.00", "1.02", "1.04"}},
	} {
		if got := labelsOf(&Axis{low: c.low, high: c.high}); !slices.Equal(got, c.want) {
			t.Errorf("[%g, %g]: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

// Ticks lie inside the range, rise evenly, and their labels say their values.
func TestNiceTicksOnAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e3, 1e3).Draw(t, "low")
		width := math.Pow(10, rapid.Float64Range(-2, 4).Draw(t, "log width"))
		ticks := niceTicks(low, low+width, 5, 1)
		if len(ticks) < 2 || len(ticks) > 6 {
			t.Fatalf("%d ticks", len(ticks))
		}
		for i, tick := range ticks {
			if tick.Value < low-1e-6*width || tick.Value > low+width+1e-6*width {
				t.Fatalf("tick %v outside [%v, %v]", tick.Value, low, low+width)
			}
			var says float64
			if _, err := fmt.Sscan(strings.Replace(tick.Label, "−", "-", 1), &says); err != nil || math.Abs(says-tick.Value) > 1e-6*width {
				t.Fatalf("label %q of %v (%v)", tick.Label, tick.Value, err)
			}
			if i > 0 && tick.Value <= ticks[i-1].Value {
				t.Fatalf("ticks do not rise: %v", ticks)
			}
		}
	})
}

// Large numbers are in powers of ten: on the axis, and at its ticks.
func TestLargeNumbers(t *testing.T) {
	a := Axis{Label: "Tasks", From: 0, To: 90000}
	a.fit(newExtent())
	if a.title() != "Tasks (×10³)" || !slices.Contains(labelsOf(&a), "75") {
		t.Errorf("%s %q", a.title(), labelsOf(&a))
	}
	for v, want := range map[float64]string{1e4: "10⁴", 5e4: "5·10⁴", -1e5: "−10⁵", 9999: "9999", 0.25: "0.25", 2.5e6: "2.5·10⁶", 12345: "12345", 1e9: "1e+09"} {
		if got := number(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}

func TestLogarithmicAxes(t *testing.T) {
	var a Axis
	a.scaled([]float64{0.05, 1200}, 0)
	a.fit(extent{a.at(0.05), a.at(1200)})
	if got := labelsOf(&a); !slices.Equal(got, []string{"0.1", "1", "10", "100", "1000"}) {
		t.Errorf("%q", got)
	}
	a = Axis{}
	a.scaled([]float64{-1e4, 1e4}, 10)
	a.fit(extent{a.at(-1e4), a.at(1e4)})
	if got := labelsOf(&a); a.Scale != SymLog || !slices.Equal(got, []string{"−10⁴", "−1000", "−100", "0", "100", "1000", "10⁴"}) {
		t.Errorf("%q", got)
	}
	for _, v := range []float64{-5e3, -20, 20, 777} {
		if back := a.value(a.at(v)); math.Abs(back-v) > 1e-9*math.Abs(v) {
			t.Errorf("%g came back as %g", v, back)
		}
	}
	// h of 10 … 100000 asks for a logarithmic axis by itself, 1 … 99 does not.
	rows := selected(t, map[string]string{"n": "20"})
	for i := range rows {
		rows[i].Point = rows[i].Point.With("h", results.OfFloat(rows[i].Point.Number("rho")*2e2)).With("rho", results.Value{})
	}
	if p := drawn(t, rows, View{}).Panels[0]; p.X.Scale != Linear {
		t.Error("100 and 180 on a logarithmic axis")
	}
	for i := range rows {
		if rows[i].Point.Number("h") > 150 {
			rows[i].Point = rows[i].Point.With("h", results.OfFloat(1e5))
		}
	}
	if p := drawn(t, rows, View{}).Panels[0]; p.X.Scale != Log {
		t.Error("100 and 100000 on a linear axis")
	}
	if p := drawn(t, rows, View{Log: "none"}).Panels[0]; p.X.Scale != Linear {
		t.Error("log: none is not heard")
	}
}

func TestRangeHoldsAllIntervals(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []results.Summary
		most   float64 // width of the range
	}{
		{"intervals", []results.Summary{{Mean: .5, Low: .2, High: .9, N: 3}, {Mean: .6, Low: .55, High: .61, N: 3}}, 0.8},
		{"all equal", []results.Summary{{Mean: 1, Low: 1, High: 1, N: 3}, {Mean: 1, Low: 1, High: 1, N: 3}}, 0.11},
		{"equal to rounding", []results.Summary{{Mean: 1, Low: 1 - 1e-15, High: 1 + 1e-15, N: 3}}, 0.11},
		{"small but real", []results.Summary{{Mean: 1.0004, Low: 1.0002, High: 1.0006, N: 3}, {Mean: 1, Low: 1, High: 1, N: 3}}, 0.0007},
		{"zero", []results.Summary{{Mean: 0, Low: 0, High: 0, N: 3}}, 0.11},
		{"nothing", []results.Summary{{}}, 1.2},
	} {
		p := &Panel{X: Axis{From: math.NaN(), To: math.NaN()}, Y: Axis{From: math.NaN(), To: math.NaN()}}
		for k, s := range c.points {
			p.Add("tsf-er", float64(k), s)
		}
		p.fit()
		low, high := p.Y.low, p.Y.high
		if !(high-low >= 6e-4) || high-low > c.most {
			t.Errorf("%s: range [%g, %g]", c.name, low, high)
		}
		for _, v := range c.points {
			if v.N > 0 && (v.Low <= low || v.High >= high) {
				t.Errorf("%s: [%g, %g] is not inside [%g, %g]", c.name, v.Low, v.High, low, high)
			}
		}
	}
}

// Labels that would touch are left out, 0 never.
func TestTicksAreThinned(t *testing.T) {
	a := Axis{Scale: SymLog, Least: 0.1}
	a.fit(extent{-9, 9})
	kept := a.thinned(a.ticks(), 100)
	if !a.fits(kept, 100) || !slices.ContainsFunc(kept, func(t tick) bool { return t.Label == "0" }) || len(kept) < 3 {
		t.Errorf("%v", kept)
	}
}
