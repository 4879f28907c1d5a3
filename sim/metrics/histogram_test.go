package metrics

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Values below 512 have a bin each, so that their quantiles are exact; of larger ones
// the bins' middles are known.
func TestHistogramIsKnown(t *testing.T) {
	h := Histogram{}
	for _, v := range []int64{511, 0, 3, 3, 100} {
		h.Add(v)
	}
	for p, want := range map[float64]float64{0: 0, 0.25: 3, 0.5: 3, 0.75: 100, 0.875: 305.5, 1: 511} {
		if got, ok := h.Quantile(p); !ok || got != want {
			t.Errorf("the %g-quantile is %g, want %g", p, got, want)
		}
	}
	if mean, ok := h.Mean(); !ok || mean != 617./5 {
		t.Errorf("the mean is %g", mean)
	}
	for v, want := range map[int64]float64{512: 513, 513: 513, 514: 515, 1023: 1023, 1024: 1026, math.MaxInt64: 511.5 * (1 << 54)} {
		octave, at := bin(v)
		if got := middle(octave, at); got != want || math.Abs(got-float64(v)) > HistogramError*float64(v) {
			t.Errorf("%d stands at %g, want %g", v, got, want)
		}
	}
	if _, ok := (&Histogram{}).Quantile(0.5); ok {
		t.Error("nothing has a median")
	}
}

// Quantiles are within the bound of those of the sorted values, of any sizes, and the
// means are those of the values.
func TestHistogramIsWithinItsBound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		h, n := Histogram{}, 1+random.IntN(2000)
		var values []float64
		sum := 0.0
		for range n {
			v := random.Int64() >> random.IntN(63)
			if trial%3 == 0 {
				v = int64(math.Exp(30 * random.NormFloat64() / 10))
			}
			h.Add(v)
			values, sum = append(values, float64(v)), sum+float64(v)
		}
		slices.Sort(values)
		for _, p := range []float64{0, 0.01, 0.5, 0.95, 0.99, 1, random.Float64()} {
			got, _ := h.Quantile(p)
			if want := Quantile(values, p); math.Abs(got-want) > HistogramError*want*(1+1e-12) {
				t.Fatalf("trial %d: the %g-quantile of %d values is %g, want %g", trial, p, n, got, want)
			}
		}
		if mean, _ := h.Mean(); math.Abs(mean-sum/float64(n)) > 1e-12*mean {
			t.Errorf("the mean is %g, want %g", mean, sum/float64(n))
		}
	}
}

// However values are divided among histograms, and in whatever order these are merged,
// the state is the same.
func TestHistogramsMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	all, parts, back := Histogram{}, [4]Histogram{}, Histogram{}
	for range 5000 {
		v := random.Int64() >> random.IntN(63)
		all.Add(v)
		parts[random.IntN(len(parts))].Add(v)
	}
	for k := range parts {
		back.Merge(&parts[len(parts)-1-k])
	}
	if !reflect.DeepEqual(all, back) {
		t.Error("merged histograms are another one")
	}
}

// Memory is bounded, whatever is counted.
func TestHistogramIsBounded(t *testing.T) {
	h := Histogram{}
	for k := range 63 {
		h.Add(1 << k)
		h.Add(1<<k - 1)
	}
	bytes := 0
	for _, bins := range h.bins {
		bytes += 8 * len(bins)
	}
	if bytes > 115_000 {
		t.Errorf("%d bytes", bytes)
	}
}
