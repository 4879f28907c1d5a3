package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMeanWeighsValuesByTheirTime(t *testing.T) {
	var w Weighted
	w.Add(1, 30)
	w.Add(0.25, 10)
	w.Add(-9, 0) // an instant without length does not count
	w.Add(0.5, 40)
	mean, ok := w.Mean()
	if want := (30 + 2.5 + 20) / 80.0; mean != want || !ok {
		t.Errorf("mean %v, want %v", mean, want)
	}
	low, high, _ := w.Range()
	if low != 0.25 || high != 1 || w.Span() != 80 || w.Integral() != 52.5 {
		t.Errorf("range %v to %v over %d µs, integral %v", low, high, w.Span(), w.Integral())
	}
}

func TestNothingRecordedHasNoMean(t *testing.T) {
	var w Weighted
	w.Add(3, 0)
	if _, ok := w.Mean(); ok {
		t.Error("a mean of nothing")
	}
	if _, _, ok := w.Range(); ok {
		t.Error("a range of nothing")
	}
	if _, ok := (&Below{Threshold: 1}).Fraction(); ok {
		t.Error("a fraction of nothing")
	}
}

func TestAMillionSmallSpansDoNotDrift(t *testing.T) {
	var w Weighted
	for range 1_000_000 {
		w.Add(0.1, 1)
	}
	w.Add(1e15, 1)
	w.Add(-1e15, 1)
	if got := w.Integral(); math.Abs(got-100_000) > 1e-9 {
		t.Errorf("integral %.12f, want 100000", got)
	}
}

func TestMergingKeepsWhatRoundingWouldLose(t *testing.T) {
	var left, right Weighted
	left.Add(-1e16, 1)
	right.Add(1e16, 1)
	right.Add(1, 1)
	left.Merge(&right)
	if got := left.Integral(); got != 1 {
		t.Errorf("integral %v, want 1", got)
	}
}

func TestMergingEqualsRecordingInARow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64Range(-1e6, 1e6)).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		var whole, left, right Weighted
		below := [3]Below{{Threshold: 0.5}, {Threshold: 0.5}, {Threshold: 0.5}}
		for i, v := range values {
			part, b := &left, &below[1]
			if i >= cut {
				part, b = &right, &below[2]
			}
			span := int64(i * i % 7)
			whole.Add(v, span)
			part.Add(v, span)
			below[0].Add(v, span)
			b.Add(v, span)
		}
		left.Merge(&right)
		below[1].Merge(&below[2])
		if math.Abs(left.Integral()-whole.Integral()) > 1e-9 || left.Span() != whole.Span() {
			t.Fatalf("merged %+v, whole %+v", left, whole)
		}
		l1, h1, _ := left.Range()
		l2, h2, _ := whole.Range()
		if l1 != l2 || h1 != h2 || below[0] != below[1] {
			t.Fatalf("merged %+v, whole %+v; %+v, %+v", left, whole, below[1], below[0])
		}
	})
}

func TestFractionOfTimeBelowTheThreshold(t *testing.T) {
	b := Below{Threshold: 1}
	b.Add(1, 10) // equal is not below
	b.Add(0.999999, 3)
	b.Add(2, 7)
	if f, ok := b.Fraction(); f != 3.0/20 || !ok {
		t.Errorf("fraction %v, want 0.15", f)
	}
	if total, under := b.Span(); total != 20 || under != 3 {
		t.Errorf("%d of %d µs", under, total)
	}
}

func TestMisuseOfARecorderPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"negative span":        func() { new(Weighted).Add(1, -1) },
		"NaN":                  func() { new(Weighted).Add(math.NaN(), 1) },
		"infinite":             func() { new(Below).Add(math.Inf(1), 1) },
		"different thresholds": func() { (&Below{Threshold: 1}).Merge(&Below{Threshold: 2}) },
		"no units":             func() { MeanInterval(rand.New(rand.NewPCG(1, 1)), nil) },
		"an empty unit":        func() { RatioInterval(rand.New(rand.NewPCG(1, 1)), []float64{1}, []float64{0}) },
		"unequal lengths":      func() { RatioInterval(rand.New(rand.NewPCG(1, 1)), []float64{1}, nil) },
		"quantile of nothing":  func() { Quantile(nil, 0.5) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestQuantileIsLinearBetweenOrderStatistics(t *testing.T) {
	values := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 1: 8, 0.5: 3, 0.25: 1.75, 0.9: 6.8} {
		if got := Quantile(values, p); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v is %v, want %v", p, got, want)
		}
	}
	if got := Quantile([]float64{7}, 0.3); got != 7 {
		t.Errorf("quantile of one value %v", got)
	}
}

// The bootstrap distribution of a small sample can be written down in full:
// n^n resamples, all equally likely. For values 0, 3, 9 the 27 means are
//
//	0 ×1, 1 ×3, 2 ×3, 3 ×4 (0,0,9 and 3,3,3), 4 ×6, 5 ×3, 6 ×3, 7 ×3, 9 ×1
//
// so P(mean <= 1) = 4/27 = 0.148 and P(mean >= 7) = 4/27: the 80% interval,
// which cuts 0.1 off each side, is [1, 7]; the 95% interval cuts 0.025 off, less
// than 1/27, and is [0, 9].
func TestIntervalOfThreeValuesByHand(t *testing.T) {
	values := []float64{0, 3, 9}
	mean := func(pick []int) float64 {
		return (values[pick[0]] + values[pick[1]] + values[pick[2]]) / 3
	}
	for level, want := range map[float64]Interval{0.8: {4, 1, 7, 3}, 0.95: {4, 0, 9, 3}} {
		got := Bootstrap(rand.New(rand.NewPCG(3, 4)), 3, 20_000, level, mean)
		if got != want {
			t.Errorf("level %v: %+v, want %+v", level, got, want)
		}
	}
}

func TestOneUnitIsItsOwnInterval(t *testing.T) {
	if got, want := MeanInterval(rand.New(rand.NewPCG(1, 1)), []float64{0.4}), (Interval{0.4, 0.4, 0.4, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTheSameSourceGivesTheSameInterval(t *testing.T) {
	values := []float64{3.1, 1.41, 4.7, 1.7, 5.5, 9.3, 2.71, 6.02}
	a := MeanInterval(rand.New(rand.NewPCG(5, 6)), values)
	b := MeanInterval(rand.New(rand.NewPCG(5, 6)), values)
	c := MeanInterval(rand.New(rand.NewPCG(5, 7)), values)
	if a != b || a == c {
		t.Errorf("%+v, %+v with the same source, %+v with another", a, b, c)
	}
	if !slices.Equal(values, []float64{3.1, 1.41, 4.7, 1.7, 5.5, 9.3, 2.71, 6.02}) {
		t.Error("the values were changed")
	}
}

// For 200 normal values the interval has to be close to ± 1.96 standard errors.
// Each end of a 95% percentile interval from 2,000 resamples has a standard
// deviation of 0.06 standard errors, so 0.3 is five of them.
func TestMeanIntervalIsCloseToTheNormalOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	values := make([]float64, 200)
	var sum, squares float64
	for i := range values {
		values[i] = rng.NormFloat64()
		sum += values[i]
		squares += values[i] * values[i]
	}
	mean := sum / 200
	standard := math.Sqrt((squares/200 - mean*mean) / 200)
	got := MeanInterval(rng, values)
	low, high := (mean-got.Low)/standard, (got.High-mean)/standard
	if math.Abs(low-1.96) > 0.3 || math.Abs(high-1.96) > 0.3 || math.Abs(got.Value-mean) > 1e-15 {
		t.Errorf("%+v: ends at -%.2f and +%.2f standard errors", got, low, high)
	}
}

// Two instances, one of 1 user with factor 1 and one of 3 users with factor 0
// each: the mean over users is 1/4, whatever the order; resampling instances
// gives 0, 1/4 or 1, resampling users would never give more than it draws.
func TestRatioIntervalPoolsUnitsOfUnequalSize(t *testing.T) {
	got := RatioInterval(rand.New(rand.NewPCG(9, 9)), []float64{1, 0}, []float64{1, 3})
	if want := (Interval{0.25, 0, 1, 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
