package metrics

import (
	"math"
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
		"no units":             func() { Mean(nil) },
		"a mean of NaN":        func() { Mean([]float64{1, math.NaN()}) },
		"a mean of infinity":   func() { Mean([]float64{1, math.Inf(1)}) },
		"unequal lengths":      func() { Difference([]float64{1, 2}, []float64{1}) },
		"more than all":        func() { Share(3, 2) },
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
