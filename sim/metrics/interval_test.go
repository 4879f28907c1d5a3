package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Values without skewness have Student's interval, times c = 1 - 1/(2n²):
// 1, 2, 3 has 2 ± 17/18·4.302653·1/√3. So have two values, with c = 1:
// 2 ± 12.706205·√2/√2.
func TestMeanIntervalByHand(t *testing.T) {
	for _, c := range []struct {
		values []float64
		half   float64
	}{
		{[]float64{1, 2, 3}, 17.0 / 18 * 4.302652730 / math.Sqrt(3)},
		{[]float64{3, 1}, 12.706204736},
		{[]float64{-1, 0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0, -1}, (1 - 1.0/392) * 2.160368656 * math.Sqrt(56.0/13) / math.Sqrt(14)},
	} {
		got := Mean(c.values)
		if !got.Bounded || got.Units != len(c.values) || math.Abs(got.Value-2) > 1e-12 ||
			math.Abs(got.High-2-c.half) > 1e-7 || math.Abs(2-got.Low-c.half) > 1e-7 {
			t.Errorf("%v: %+v, want 2 ± %v", c.values, got, c.half)
		}
	}
}

// Values 0, 3, 9: mean 4, s² = 21, g = (Σd³/3)/(Σd²/3)^1.5 = 20/14^1.5. The
// lower end is Student's. The upper one solves h⁻¹(y) = -x with x = c·t/√3 and
// h⁻¹(y) = y + γy²/3 + γ²y³/27 + γ/18, the polynomial of Hall's paper,
// y = (4 - end)/s. The interval of 0, -3, -9 is its mirror image.
func TestSkewedMeanIntervalSolvesHallsPolynomial(t *testing.T) {
	got := Mean([]float64{0, 3, 9})
	gamma := (1 + 2/math.Sqrt(3)) * 20 / math.Pow(14, 1.5)
	hall := func(end float64) float64 {
		y := (4 - end) / math.Sqrt(21)
		return y + gamma*y*y/3 + gamma*gamma*y*y*y/27 + gamma/18
	}
	x := 17.0 / 18 * 4.302652730 / math.Sqrt(3)
	if math.Abs(4-got.Low-x*math.Sqrt(21)) > 1e-7 || math.Abs(hall(got.High)+x) > 1e-7 {
		t.Errorf("%+v: the ends are at %v and %v, want ±%v", got, (4-got.Low)/math.Sqrt(21), hall(got.High), x)
	}
	if m := Mean([]float64{0, -3, -9}); m.Low != -got.High || m.High != -got.Low {
		t.Errorf("%+v is not the mirror image of %+v", m, got)
	}
}

func TestIntervalsOfConstantsAndOfOneValue(t *testing.T) {
	for _, c := range []struct {
		got, want Interval
	}{
		{Mean([]float64{0.4}), Interval{0.4, 0.4, 0.4, 1, false}},
		{Mean([]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}), Interval{0.1, 0.1, 0.1, 7, true}},
		{Mean([]float64{1, 1, 1}), Interval{1, 1, 1, 3, true}},
		{Mean([]float64{0, 0}), Interval{0, 0, 0, 2, true}},
		{Ratio([]float64{2, 2, 2}, []float64{4, 4, 4}), Interval{0.5, 0.5, 0.5, 3, true}},
		{Difference([]float64{5}, []float64{3}), Interval{2, 2, 2, 1, false}},
		{Share(1, 1), Interval{1, 1, 1, 1, false}},
	} {
		if c.got != c.want {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
}

// Newcombe (1998), table I: Wilson's intervals of 81/263, 15/148, 0/20, 29/29.
func TestShareKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		holds, units int
		low, high    float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {29, 29, 0.8830, 1}} {
		got := Share(c.holds, c.units)
		if math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: %+v, want %v to %v", c.holds, c.units, got, c.low, c.high)
		}
	}
	values := make([]float64, 148)
	for i := range 15 {
		values[9*i] = 1
	}
	if got := Mean(values); got != Share(15, 148) {
		t.Errorf("values 0 and 1: %+v", got)
	}
}

// Where one unit cannot be left out there is no interval; a statistic that is a
// mean is that mean.
func TestStatisticEdges(t *testing.T) {
	if got := Ratio([]float64{1, 1}, []float64{1, 0}); got.Bounded || got.Value != 2 {
		t.Errorf("a ratio to 0 without one unit: %+v", got)
	}
	values := []float64{3.1, 1.41, 4.7, 1.7, 5.5}
	one := Statistic(5, func(mean func([]float64) float64) float64 { return mean(values) })
	if one != Mean(values) {
		t.Errorf("%+v, want %+v", one, Mean(values))
	}
}

// The interval moves and grows with the values, and turns with their sign,
// however large or small they are; and it holds the mean.
func TestMeanIntervalIsEquivariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 30).Draw(t, "values")
		shift := rapid.Float64Range(-3, 3).Draw(t, "shift")
		factor := rapid.SampledFrom([]float64{-1e150, -2, -1e-150, 1e-140, 0.5, 1e120}).Draw(t, "factor")
		plain := Mean(values)
		if !(plain.Low <= plain.Value && plain.Value <= plain.High) {
			t.Fatalf("%+v does not hold the mean", plain)
		}
		if slices.Max(values)-slices.Min(values) < 1e-3 {
			return // rounding shows
		}
		moved := slices.Clone(values)
		for i, v := range values {
			moved[i] = (v + shift) * factor
		}
		for _, all := range [][]float64{values, moved} {
			if _, ok := indicators(all); ok {
				return // a share
			}
		}
		low, high := (plain.Low+shift)*factor, (plain.High+shift)*factor
		if factor < 0 {
			low, high = high, low
		}
		got := Mean(moved)
		if within := 1e-6 * (high - low); math.Abs(got.Low-low) > within || math.Abs(got.High-high) > within {
			t.Fatalf("%+v, want %v to %v", got, low, high)
		}
	})
}

// A difference of means is the mean of differences, and what the units share
// drops out of it.
func TestDifferenceIsPaired(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a, b, d := make([]float64, 12), make([]float64, 12), make([]float64, 12)
	for i := range a {
		shared := 100 * rng.NormFloat64()
		a[i], b[i] = shared+rng.NormFloat64(), shared+0.1*rng.ExpFloat64()
		d[i] = a[i] - b[i]
	}
	got, want := Difference(a, b), Mean(d)
	if math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 || got.High-got.Low > 3 {
		t.Errorf("%+v, want %+v", got, want)
	}
}
