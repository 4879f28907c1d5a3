package order

import (
	"cmp"
	"math/big"
	"math/bits"
)

// fraction is a positive rational number above/below in lowest terms.
type fraction struct {
	above, below uint64   // 0: they are too long
	long         *big.Rat // then
}

func newFraction(v *big.Rat) *fraction {
	if v.Num().IsUint64() && v.Denom().IsUint64() {
		return &fraction{above: v.Num().Uint64(), below: v.Denom().Uint64()}
	}
	return &fraction{long: v}
}

// rat returns the number for reading.
func (f *fraction) rat() *big.Rat {
	if f.long != nil {
		return f.long
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(f.above), new(big.Int).SetUint64(f.below))
}

func (f *fraction) compare(g *fraction) int {
	if f.long != nil || g.long != nil {
		return f.rat().Cmp(g.rat())
	}
	fh, fl := bits.Mul64(f.above, g.below)
	gh, gl := bits.Mul64(g.above, f.below)
	if c := cmp.Compare(fh, gh); c != 0 {
		return c
	}
	return cmp.Compare(fl, gl)
}

// compareQuotients compares a/f with b/g, a and b being positive: it compares
// a·f.below·g.above with b·g.below·f.above.
func compareQuotients(a int64, f *fraction, b int64, g *fraction) int {
	if f.long != nil || g.long != nil {
		p, q := f.rat(), g.rat()
		x, y := big.NewInt(a), big.NewInt(b) // not as a Rat, which would be reduced
		x.Mul(x.Mul(x, p.Denom()), q.Num())
		return x.Cmp(y.Mul(y.Mul(y, q.Denom()), p.Num()))
	}
	x, y := product(uint64(a), f.below, g.above), product(uint64(b), g.below, f.above)
	for i := range x {
		if c := cmp.Compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return 0
}

// product returns a·b·c in three words, the highest first.
func product(a, b, c uint64) [3]uint64 {
	high, low := bits.Mul64(a, b)
	middle, least := bits.Mul64(low, c)
	most, more := bits.Mul64(high, c)
	middle, carry := bits.Add64(middle, more, 0)
	return [3]uint64{most + carry, middle, least}
}
