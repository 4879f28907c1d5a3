package extended

import (
	"errors"
	"math/big"
)

// prec is the number of bits of a mantissa.
const prec = 512

// negligible is the part below which a number is the rounding of 0: half of the
// bits are left for what cancels in between.
var negligible = new(big.Float).SetMantExp(big.NewFloat(1), -prec/2)

// widestBits is the ratio, in bits, of the largest to the smallest coefficient up to
// which a program is solved here: beyond it a coefficient is itself next to
// negligible beside another.
const widestBits = prec/2 - 64

// ErrPrecision is returned where 512 bits do not do.
var ErrPrecision = errors.New("solve: the numbers span too many decades even for extended precision")

// precise turns a panic of package big, which cancellation of everything ends in,
// into [ErrPrecision].
func precise(err *error) {
	if p := recover(); p != nil {
		if _, ok := p.(big.ErrNaN); !ok {
			panic(p)
		}
		*err = ErrPrecision
	}
}

// vector is a list of numbers of prec bits.
type vector []big.Float

func newVector(n int) vector {
	v := make(vector, n)
	for i := range v {
		v[i].SetPrec(prec)
	}
	return v
}

func newMatrix(rows, columns int) []vector {
	m := make([]vector, rows)
	for i := range m {
		m[i] = newVector(columns)
	}
	return m
}

func (v vector) clone() vector {
	c := newVector(len(v))
	for i := range v {
		c[i].Set(&v[i])
	}
	return c
}

func (v vector) clear() {
	for i := range v {
		v[i].SetInt64(0)
	}
}

// largest returns the largest absolute value.
func (v vector) largest() *big.Float {
	most, abs := newNumber(), newNumber()
	for i := range v {
		if abs.Abs(&v[i]); abs.Cmp(most) > 0 {
			most.Set(abs)
		}
	}
	return most
}

// clean sets to 0 what is negligible beside unit.
func (v vector) clean(unit *big.Float) {
	limit, abs := newNumber().Mul(unit, negligible), newNumber()
	for i := range v {
		if v[i].Sign() != 0 && abs.Abs(&v[i]).Cmp(limit) < 0 {
			v[i].SetInt64(0)
		}
	}
}

// addScaled adds f·w to v.
func (v vector) addScaled(f *big.Float, w vector) {
	if f.Sign() == 0 {
		return
	}
	t := newNumber()
	for i := range w {
		if w[i].Sign() != 0 {
			v[i].Add(&v[i], t.Mul(f, &w[i]))
		}
	}
}

func newNumber() *big.Float { return new(big.Float).SetPrec(prec) }

// exactly returns a double as a number.
func exactly(v float64) *big.Float { return newNumber().SetFloat64(v) }

func double(v *big.Float) float64 {
	f, _ := v.Float64()
	return f
}

// less takes y off x; what cancels but for a negligible part is 0.
func less(x, y *big.Float) {
	if x.Sign() == 0 {
		x.Neg(y)
		return
	}
	before := x.MantExp(nil)
	if x.Sub(x, y); x.Sign() != 0 && x.MantExp(nil) < before-prec/2 {
		x.SetInt64(0)
	}
}
