package indivisible

import (
	"cmp"
	"math"

	"github.com/leontief-sim/leontief/policies/solve/exact"
)

// turn is a user's place in the order of service: by share x/(w·N), of equal
// shares by the larger N, which is the smaller 1/N, then by index.
//
// Shares are compared as rational numbers, in which 2·0.3 is 3·0.2: every number
// of the input is the decimal that it is written as, and x is a whole number.
// Doubles decide where they lie so far apart that their rounding cannot matter,
// see apart; fractions decide otherwise. Either way the answer is that of the
// rational numbers, so the order is strict and total.
type turn struct {
	share float64 // to doubles; NaN: fractions decide
	count int64   // running tasks; 0 where they do not matter
	index int     // of the job; -1: there is none
	scale *scale
}

// apart is 1 − 2^-32: of two shares a and b, in doubles a' and b', a is the
// smaller one for certain if a' < apart·b'.
//
// Each is x/(w·N) with a relative error of at most e = [maxError]: that of N, one
// rounding each of reading w, of the product and of the quotient. So
// a ≤ a'/(1−e) and b' ≤ (1+e)·b, and the product is rounded once more:
//
//	a·(1−e) ≤ a' < (1−2^-32)·(1+2^-53)·(1+e)·b,
//
// and since e = 2^-34 the factor of b is below 1 − e. Nothing under- or
// overflows: w·N and N lie between 2^-900 and 2^900, see [held].
const apart = 1 - 0x1p-32

// maxError bounds the relative error of a share in doubles. N may have half of
// it; where the rule proves no such bound, N is rounded from its fraction.
const maxError = 0x1p-34

// held reports whether a positive number is one of which doubles tell enough.
func held(v float64) bool { return v > 0x1p-900 && v < 0x1p900 }

func (a *turn) before(b *turn) bool {
	if a.share < b.share*apart {
		return true
	}
	if b.share < a.share*apart {
		return false
	}
	return a.precedes(b)
}

// precedes is before where doubles cannot tell the shares apart.
func (a *turn) precedes(b *turn) bool {
	if a.scale == b.scale {
		if a.count != b.count {
			return a.count < b.count
		}
		return a.index < b.index
	}
	if c := a.compareShares(b); c != 0 {
		return c < 0
	}
	if c := a.scale.norm.compare(b.scale.norm); c != 0 {
		return c > 0
	}
	return a.index < b.index
}

// compareShares compares the shares as rational numbers.
func (a *turn) compareShares(b *turn) int {
	if infinite := a.scale.norm.zero; infinite || b.scale.norm.zero {
		switch {
		case infinite == b.scale.norm.zero:
			return 0
		case infinite:
			return 1
		}
		return -1
	}
	if a.count == 0 || b.count == 0 {
		return cmp.Compare(a.count, b.count)
	}
	return compareQuotients(a.count, a.scale.fraction(), b.count, b.scale.fraction())
}

// scale is w·N: a running task adds 1/(w·N) to the share of its user. Users of
// one kind with one weight have one scale.
type scale struct {
	norm   *norm
	weight float64
	near   float64   // w·N to doubles; NaN: they do not hold it
	exact  *fraction // nil: not needed so far
}

// noScale is that of users that the rule does not see.
var noScale = &scale{norm: unseen}

// scaleOf returns the scale of users of the kind with a weight.
func (k *kind) scaleOf(weight float64) *scale {
	if k.norm == unseen {
		return noScale
	}
	if k.scale != nil && k.scale.weight == weight {
		return k.scale
	}
	s := &scale{norm: k.norm, weight: weight, near: weight * k.norm.near}
	if !held(s.near) {
		s.near = math.NaN()
	}
	if k.scale == nil {
		k.scale = s
	}
	return s
}

// fraction returns w·N, which is positive and finite.
func (s *scale) fraction() *fraction {
	if s.exact == nil {
		wn := exact.Rational(s.weight)
		s.exact = newFraction(wn.Mul(wn, s.norm.fraction().rat()))
	}
	return s.exact
}

// turn returns the place of a user that runs so many tasks. A user that the rule
// does not see (N = +Inf) has share 0, one to which it gives nothing (N = 0)
// comes last.
func (s *scale) turn(running int64, index int) turn {
	switch {
	case s.norm.never:
		return turn{0, 0, index, s}
	case s.norm.zero:
		return turn{math.Inf(1), 0, index, s}
	}
	return turn{float64(running) / s.near, running, index, s}
}
