package metrics

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// blockCoverage is the share of samples whose interval holds the true ratio, which is that of
// the means of what draw makes of a block's noise: n blocks whose noise is autoregressive.
func blockCoverage(n int, carry float64, change bool, draw func(rng *rand.Rand, noise float64) (a, m float64)) float64 {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	noise := 0.0
	next := func() (a, m float64) {
		noise = carry*noise + math.Sqrt(1-carry*carry)*rng.NormFloat64()
		return draw(rng, noise)
	}
	var sa, sm float64
	for range 2_000_000 {
		a, m := next()
		sa, sm = sa+a, sm+m
	}
	truth, holds := sa/sm, 0
	const samples = 500
	a, m := make([]float64, n), make([]float64, n)
	for range samples {
		for i := range a {
			a[i], m[i] = next()
		}
		blocks := NewBlocks(n, rng)
		iv := Interval{}
		if change {
			iv = blocks.Change(a, m)
			iv.Low, iv.High = iv.Low+1, iv.High+1
		} else {
			iv = blocks.Ratio(a, m)
		}
		if iv.Bounded && iv.Low <= truth && truth <= iv.High {
			holds++
		}
	}
	return float64(holds) / samples
}

// Blocks of very different sizes, skewed differences, blocks that carry over to the next: what
// is covered is written down in docs/compare.md. Seven of the ten rows of 60 blocks take more
// than half of the time, and are of the long form.
func TestBlocksCover(t *testing.T) {
	if testing.Short() {
		t.Skip("draws thousands of samples")
	}
	normal := func(rng *rand.Rand, noise float64) (a, m float64) {
		m = 1 + 100*rng.Float64()
		return m * (3 + noise), m
	}
	skewed := func(rng *rand.Rand, noise float64) (a, m float64) {
		m = math.Ceil(20 * math.Exp(rng.NormFloat64()))
		return m * math.Exp(noise), m
	}
	mild := func(rng *rand.Rand, noise float64) (a, m float64) {
		m = math.Ceil(20 * math.Exp(rng.NormFloat64()/2))
		return m * math.Exp(noise/2), m
	}
	for _, of := range []struct {
		name        string
		draw        func(*rand.Rand, float64) (float64, float64)
		n           int
		carry       float64
		change      bool
		least, most float64
		long        bool
	}{
		{"normal", normal, 8, 0, false, 0.95, 0.99, false},
		{"normal", normal, 20, 0, false, 0.94, 0.98, false},
		{"normal", normal, 60, 0, false, 0.93, 0.98, true},
		{"mild", mild, 8, 0, false, 0.93, 0.98, false},
		{"mild", mild, 20, 0, false, 0.94, 0.985, true},
		{"mild", mild, 60, 0, false, 0.94, 0.985, true},
		{"skewed", skewed, 8, 0, false, 0.88, 0.93, false},
		{"skewed", skewed, 20, 0, false, 0.91, 0.96, false},
		{"skewed", skewed, 60, 0, false, 0.92, 0.97, true},
		{"normal", normal, 20, 0.3, false, 0.93, 0.98, true},
		{"normal", normal, 60, 0.3, false, 0.93, 0.98, true},
		{"normal", normal, 20, 0.6, false, 0.91, 0.97, false},
		{"normal", normal, 60, 0.6, false, 0.92, 0.97, true},
		{"mild", mild, 60, 0.3, false, 0.93, 0.98, true},
		{"mild", mild, 60, 0.6, false, 0.91, 0.97, true},
		{"skewed", skewed, 60, 0.3, false, 0.89, 0.96, true},
		{"skewed", skewed, 60, 0.6, false, 0.88, 0.95, false},
		{"mild", mild, 8, 0, true, 0.93, 0.98, false},
		{"mild", mild, 20, 0, true, 0.94, 0.985, true},
		{"mild", mild, 60, 0, true, 0.94, 0.985, true},
		{"skewed", skewed, 20, 0, true, 0.91, 0.97, false},
	} {
		if of.long && os.Getenv("LEONTIEF_LONG") == "" {
			continue
		}
		got := blockCoverage(of.n, of.carry, of.change, of.draw)
		t.Logf("%s, %d blocks, autocorrelation %g, change %v: %.3f", of.name, of.n, of.carry, of.change, got)
		if got < of.least || got > of.most {
			t.Errorf("%s, %d blocks, autocorrelation %g: coverage %.3f, want [%g, %g]", of.name, of.n, of.carry, got, of.least, of.most)
		}
	}
}

func TestBlocksAreRatiosOfSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, m := []float64{1, 2, 3, 4, 5, 6, 7, 8, 0}, []float64{1, 1, 1, 2, 2, 2, 4, 4, 0}
	iv := NewBlocks(len(a), rng).Ratio(a, m)
	if iv.Value != 36.0/17 || iv.Units != 8 || !iv.Bounded || !(iv.Low < iv.Value && iv.Value < iv.High) {
		t.Errorf("got %+v", iv)
	}
	twice := make([]float64, len(a))
	for i := range a {
		twice[i] = 2 * m[i]
	}
	if iv := NewBlocks(len(a), rng).Ratio(twice, m); iv.Value != 2 || iv.Low != 2 || iv.High != 2 {
		t.Errorf("without spread: %+v", iv)
	}
	if iv := NewBlocks(7, rng).Ratio(a[:7], m[:7]); iv.Bounded {
		t.Errorf("of seven blocks: %+v", iv)
	}
}

// Draws without the one block that differs have no spread but that of rounding, and say nothing
// of quantiles: in which unit a is counted changes no more than the unit of the interval.
func TestBlocksOfOneRatioHaveNoSpread(t *testing.T) {
	a, m := make([]float64, 12), make([]float64, 12)
	for i := range a {
		m[i] = float64(3 + i%4)
		a[i] = -m[i]
	}
	a[7] = -0.9 * m[7]
	want := NewBlocks(len(a), rand.New(rand.NewPCG(1, 2))).Ratio(a, m)
	for _, unit := range []float64{1.0 / 3, 0.1, 1e6 / 7} {
		b := make([]float64, len(a))
		for i := range a {
			b[i] = a[i] * unit
		}
		got := NewBlocks(len(b), rand.New(rand.NewPCG(1, 2))).Ratio(b, m)
		for _, end := range [][2]float64{{got.Low, want.Low * unit}, {got.High, want.High * unit}} {
			if !(math.Abs(end[0]-end[1]) <= 1e-9*math.Abs(end[1])) {
				t.Errorf("in units of %g: %v, want %v", unit, end[0], end[1])
			}
		}
	}
}

// Blocks that hold nothing are left out of the sums: to the last bit that is the same as their
// zeros added, for every statistic over the same draws, whichever blocks it has.
func TestEmptyBlocksAddNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 60
	blocks := NewBlocks(n, rng)
	plain := func(theta float64) (v, slope float64) { return theta, 1 }
	for _, every := range []int{4, 3, 12, 1, 5} {
		a, m := make([]float64, n), make([]float64, n)
		for i := 0; i < n; i += every {
			a[i], m[i] = rng.NormFloat64(), rng.Float64()
		}
		a[every], m[0] = 0, 0
		theta, _ := ratioOf(a, m, blocks.once())
		var want []float64
		for r := range Resamples {
			if drawn, e := ratioOf(a, m, blocks.draws[r*n:(r+1)*n]); e > 0 && !math.IsInf((drawn-theta)/e, 0) {
				want = append(want, (drawn-theta)/e)
			}
		}
		slices.Sort(want)
		if got := blocks.studentised(a, m, plain); !slices.Equal(got, want) {
			t.Errorf("every %d blocks: %d resamples, want %d, or other values", every, len(got), len(want))
		}
	}
}

// The ends of Ratio and Change are those of their definition, worked out from the same draws one
// block at a time: those of the bootstrap where they are the farther ones, and otherwise those of
// the jackknife.
func TestEndsOfBlocksAreTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 20
	bootstrap := 0
	for range 20 {
		a, m := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], m[i] = math.Exp(1.2*rng.NormFloat64()), 1+rng.Float64()
		}
		blocks := NewBlocks(n, rng)
		for _, change := range []bool{false, true} {
			got := blocks.Ratio(a, m)
			if change {
				got = blocks.Change(a, m)
			}
			low, high, farther := endsOfBlocks(blocks, a, m, change)
			if bootstrap += farther; math.Abs(got.Low-low) > 1e-12 || math.Abs(got.High-high) > 1e-12 {
				t.Fatalf("change %v: [%v, %v], want [%v, %v]", change, got.Low, got.High, low, high)
			}
		}
	}
	if bootstrap < 8 || bootstrap > 72 {
		t.Errorf("%d of 80 ends are the bootstrap's: one of the two was not tried", bootstrap)
	}
}

// endsOfBlocks returns the ends, and how many are the bootstrap's.
func endsOfBlocks(b *Blocks, a, m []float64, change bool) (low, high float64, farther int) {
	// value and error of the blocks drawn
	of := func(drawn []int32) (v, e float64) {
		n, sa, sm, squares := float64(len(drawn)), 0.0, 0.0, 0.0
		for _, k := range drawn {
			sa, sm = sa+a[k], sm+m[k]
		}
		for _, k := range drawn {
			squares += (a[k] - sa/sm*m[k]) * (a[k] - sa/sm*m[k])
		}
		v, e = sa/sm, math.Sqrt(n/(n-1)*squares)/sm
		if change {
			return math.Log(v), e / v
		}
		return v, e
	}
	v, e := of(b.once())
	var q []float64
	for r := range Resamples {
		drawn, its := of(b.draws[r*b.n : (r+1)*b.n])
		q = append(q, (drawn-v)/its)
	}
	slices.Sort(q)
	knife := jackknife(b.n, blockSkew, func(mean func([]float64) float64) float64 {
		if change {
			return math.Log(mean(a) / mean(m))
		}
		return mean(a) / mean(m)
	})
	low, high = v-knife.Low, knife.High-v
	if x := min(Quantile(q, 0.975)*e, 3*low); x > low {
		low = x
		farther++
	}
	if x := min(-Quantile(q, 0.025)*e, 3*high); x > high {
		high = x
		farther++
	}
	theta := v
	if change {
		theta = math.Exp(v)
	}
	wider := carried(a, m, theta)
	if low, high = v-wider*low, v+wider*high; change {
		low, high = math.Expm1(low), math.Expm1(high)
	}
	return low, high, farther
}
