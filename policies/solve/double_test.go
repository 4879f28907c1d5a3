package solve

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums and products of doubles are right to 30 digits, relative to the operands
// of a sum and to the product.
func TestDoubleAgainstBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() (double, *big.Float) {
		hi := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(20)-10))
		x := normal(hi, hi*rng.NormFloat64()*1e-17)
		return x, exactly(x)
	}
	for range 2000 {
		x, p := draw()
		y, q := draw()
		v := rng.NormFloat64()
		size := new(big.Float).Add(new(big.Float).Abs(p), new(big.Float).Abs(q))
		for _, c := range []struct {
			what            string
			got             double
			want, reference *big.Float
		}{
			{"add", x.add(y), wide().Add(p, q), size},
			{"sub", x.sub(y), wide().Sub(p, q), size},
			{"plus", x.plus(v), wide().Add(p, big.NewFloat(v)), wide().Add(size, big.NewFloat(math.Abs(v)))},
			{"mul", x.mul(y), wide().Mul(p, q), wide().Mul(p, q)},
			{"times", x.times(v), wide().Mul(p, big.NewFloat(v)), wide().Mul(p, big.NewFloat(v))},
		} {
			off := wide().Sub(exactly(c.got), c.want)
			if ratio, _ := off.Quo(off, c.reference).Float64(); !(math.Abs(ratio) <= 1e-30) {
				t.Fatalf("%s of %v and %v (or %v) is off by %g", c.what, x, y, v, ratio)
			}
		}
	}
}

// What agrees in all of 16 digits differs in the digits after them.
func TestDoubleKeepsWhatCancels(t *testing.T) {
	third := double{1. / 3, 0}
	third = third.plus(-third.times(3).plus(-1).hi / 3)
	if rest := third.times(3).plus(-1); math.Abs(rest.hi) > 1e-31 {
		t.Errorf("3·(1/3) − 1 = %g", rest.hi)
	}
	if got := (double{1, 1e-25}).min(double{1, -1e-25}); got.lo != -1e-25 {
		t.Errorf("the smaller one is %v", got)
	}
}

func wide() *big.Float { return new(big.Float).SetPrec(400) }

func exactly(x double) *big.Float {
	return wide().Add(wide().SetFloat64(x.hi), wide().SetFloat64(x.lo))
}
