package order

import (
	"cmp"
	"math"

	"github.com/leontief-sim/leontief/policies/solve/exact"
)

// Turn is a user's place in the order of service: by share x/(w·N), of equal
// shares by the larger N, which is the smaller 1/N, then by index.
//
// Shares are compared as rational numbers, in which 2·0.3 is 3·0.2: every number
// of the input is the decimal that it is written as, and x is a whole number.
// Doubles decide where they lie so far Apart that their rounding cannot matter,
// see margin; fractions decide otherwise. Either way the answer is that of the
// rational numbers, so the order is strict and total.
type Turn struct {
	// key is, to doubles, the share; of a user that runs nothing idle/N, which is
	// below every share and puts those in the order of 1/N; of one that the rule does not
	// see less than that, in the order of the indices. NaN: fractions decide.
	key   float64
	scale *Scale
	count int64 // running tasks; 0 where they do not matter
	Index int   // of the job; -1: there is none
}

// Nobody is the turn where there is no user. It comes after all others.
var Nobody = Turn{key: math.Inf(1), Index: -1}

// Apart is 1 − 2^-32: if a' < Apart·b' for two keys in doubles, then a < b for
// what they stand for.
//
// Each is x/(w·N) or idle/N with a relative error of at most e = [MaxError]: that
// of N, and one rounding each of reading w, of the product and of the quotient.
// The product with Apart is rounded once more. So
//
//	a·(1−e) ≤ a' < (1−2^-32)·(1+2^-53)·(1+e)·b,
//
// and since e = 2^-34 the factor of b is below 1 − e. Nothing under- or
// overflows: see [held].
const Apart = 1 - 0x1p-32

// MaxError bounds the relative error of a key in doubles. N may have half of it;
// where the rule proves no such bound, N is rounded from its fraction.
const MaxError = 0x1p-34

// held reports whether a positive number, N or w·N, is one of which doubles tell
// enough. Shares are then above 2^-300.
func held(v float64) bool { return v > 0x1p-300 && v < 0x1p300 }

// idle is so small that idle/N is below every share, and no less than 2^-1000.
const idle = 0x1p-700

// unseen is below every idle/N, and at least twice the smallest normal double. Times
// 1 + index·2^-31 it is the key of users that the rule does not see: those of
// neighbouring indices below 2^30 are [Apart].
const unseen = 0x1p-1020

var nan = math.NaN()

func (a *Turn) Before(b *Turn) bool {
	if a.key < b.key*Apart {
		return true
	}
	return !(b.key < a.key*Apart) && a.Precedes(b)
}

// Key returns the number that tells turns apart where it can: if a.Key() is less than
// b.Key()·[Apart], a is before b. Otherwise, and if the converse does not hold either, it
// is as [Turn.Precedes] says.
func (a *Turn) Key() float64 { return a.key }

// Precedes is Before where doubles cannot tell.
func (a *Turn) Precedes(b *Turn) bool {
	if a.scale == b.scale {
		if a.count != b.count {
			return a.count < b.count
		}
		return a.Index < b.Index
	}
	if a.scale == nil || b.scale == nil { // one is Nobody
		return b.scale == nil
	}
	if c := a.compareShares(b); c != 0 {
		return c < 0
	}
	if c := a.scale.norm.compare(b.scale.norm); c != 0 {
		return c > 0
	}
	return a.Index < b.Index
}

// compareShares compares the shares as rational numbers.
func (a *Turn) compareShares(b *Turn) int {
	if none := a.scale.norm.zero; none || b.scale.norm.zero { // a share of +Inf
		switch {
		case none == b.scale.norm.zero:
			return 0
		case none:
			return 1
		}
		return -1
	}
	if a.count == 0 || b.count == 0 {
		return cmp.Compare(a.count, b.count)
	}
	return compareQuotients(a.count, a.scale.fraction(), b.count, b.scale.fraction())
}

// scale is w·N: a running task adds 1/(w·N) to the share of its user.
type Scale struct {
	norm   *Norm
	weight float64
	near   float64   // w·N to doubles; NaN: they do not hold it
	exact  *fraction // nil: not needed so far
}

// noScale is that of users that the rule does not see.
var noScale = &Scale{norm: Unseen}

// ScaleOf returns the scale of users with this N and a weight.
func (n *Norm) ScaleOf(weight float64) *Scale {
	if n == Unseen {
		return noScale
	}
	if n.scale != nil && n.scale.weight == weight {
		return n.scale
	}
	s := &Scale{norm: n, weight: weight, near: weight * n.near}
	if !held(s.near) {
		s.near = math.NaN()
	}
	if n.scale == nil {
		n.scale = s
	}
	return s
}

// fraction returns w·N, which is positive and finite.
func (s *Scale) fraction() *fraction {
	if s.exact == nil {
		wn := exact.Rational(s.weight)
		s.exact = newFraction(wn.Mul(wn, s.norm.fraction().rat()))
	}
	return s.exact
}

// Turn returns the place of a user that runs so many tasks. A user that the rule
// does not see (N = +Inf) has share 0, one to which it gives nothing (N = 0)
// comes last.
func (s *Scale) Turn(running int64, index int) Turn {
	switch {
	case s.norm.never:
		return Turn{unseen * (1 + float64(index)*0x1p-31), s, 0, index}
	case s.norm.zero:
		return Turn{math.Inf(1), s, 0, index}
	case running == 0:
		return Turn{idle / s.norm.near, s, 0, index}
	}
	return Turn{float64(running) / s.near, s, running, index}
}

// Equal reports whether two turns are those of the same user with as many
// running tasks.
func (a *Turn) Equal(b *Turn) bool {
	return a.scale == b.scale && a.count == b.count && a.Index == b.Index
}

// Tie tells turns with the same key apart where it can: if a.Key() == b.Key() and the high
// words of the ties are the same and not 0, a is before b if a's tie is less.
//
// The high word names N, which only turns of the same N share. Of users that run nothing N
// and the index decide. Others are those of one scale, so that shares of the same key are
// the same: counts below 2^31 that differ make keys that do.
func (a *Turn) Tie() uint64 {
	if a.scale == nil || a.count >= 1<<31 || a.Index>>32 != 0 || a.count > 0 && a.scale != a.scale.norm.scale {
		return 0
	}
	return uint64(a.scale.norm.number)<<32 | uint64(a.Index)
}
