package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSeriesByHand(t *testing.T) {
	s := Series{Origin: 100, Period: 10}
	s.Add(4, 105, 125) // 5 of the first period, all of the second, 5 of the third
	s.Add(1, 100, 105)
	s.Add(8, 145, 145) // no time
	s.Add(2, 130, 131)
	want := []float64{2.5, 4, 4, 2}
	if s.Periods() != len(want) || s.Begin(3) != 130 {
		t.Fatalf("%d periods, the fourth from %d", s.Periods(), s.Begin(3))
	}
	for k, w := range want {
		if mean, ok := s.At(k).Mean(); !ok || mean != w {
			t.Errorf("period %d: %v, %v; want %v", k, mean, ok, w)
		}
	}
	if span := s.At(3).Span(); span != 1 {
		t.Errorf("the last period has %d µs", span)
	}
}

// A series that is recorded late or backwards begins with its first record, and
// periods may reach beyond the end of the clock.
func TestSeriesBeginsWithItsFirstRecord(t *testing.T) {
	s := Series{Period: 10}
	s.Add(1, 1e15+3, 1e15+5)
	s.Add(2, 1e15-10, 1e15-9)
	want := []struct {
		begin, span int64
		mean        float64
	}{{1e15 - 10, 1, 2}, {1e15, 2, 1}}
	if s.Periods() != len(want) {
		t.Fatalf("%d periods", s.Periods())
	}
	for k, w := range want {
		if mean, _ := s.At(k).Mean(); s.Begin(k) != w.begin || s.At(k).Span() != w.span || mean != w.mean {
			t.Errorf("period %d from %d: %g for %d µs", k, s.Begin(k), mean, s.At(k).Span())
		}
	}
	last := Series{Period: 1 << 62}
	last.Add(3, 5, math.MaxInt64-1)
	if last.Periods() != 2 || last.At(0).Span() != 1<<62-5 || last.At(1).Span() != 1<<62-2 {
		t.Errorf("%d periods", last.Periods())
	}
}

// What is recorded in all periods is what was recorded, whatever their length.
func TestSeriesLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		s := Series{Period: 1 + rng.Int64N(50)}
		var all Weighted
		at := int64(0)
		for range 1 + rng.IntN(40) {
			next, value := at+rng.Int64N(60), rng.NormFloat64()
			s.Add(value, at, next)
			all.Add(value, next-at)
			at = next
		}
		var sum Weighted
		for k := range s.Periods() {
			if s.At(k).Span() > s.Period {
				t.Fatalf("period %d holds %d of %d µs", k, s.At(k).Span(), s.Period)
			}
			sum.Merge(s.At(k))
		}
		if sum.Span() != all.Span() || math.Abs(sum.Integral()-all.Integral()) > 1e-9 {
			t.Fatalf("%d µs with %v, want %d with %v", sum.Span(), sum.Integral(), all.Span(), all.Integral())
		}
	}
}

func TestSeriesPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"before the origin": func() { (&Series{Origin: 5, Period: 1}).Add(1, 4, 6) },
		"backwards":         func() { (&Series{Period: 1}).Add(1, 4, 3) },
		"no period":         func() { (&Series{}).Add(1, 0, 1) },
		"not finite":        func() { (&Series{Period: 1}).Add(math.Inf(1), 0, 1) },
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

// What comes after the end is not recorded, and takes no memory; what begins before it
// counts up to it.
func TestASeriesEnds(t *testing.T) {
	bounded, whole := Series{Period: 10, Until: 25}, Series{Period: 10}
	for _, v := range []struct {
		value    float64
		from, to int64
	}{{1, 0, 7}, {2, 7, 18}, {4, 18, 40}, {8, 40, 1 << 40}} {
		bounded.Add(v.value, v.from, v.to)
		if v.to <= 25 {
			whole.Add(v.value, v.from, v.to)
		}
	}
	whole.Add(4, 18, 25)
	if bounded.Periods() != 3 || whole.Periods() != 3 {
		t.Fatalf("%d periods, want 3", bounded.Periods())
	}
	for k := range 3 {
		if *bounded.At(k) != *whole.At(k) {
			t.Errorf("period %d: %+v, want %+v", k, *bounded.At(k), *whole.At(k))
		}
	}
}
