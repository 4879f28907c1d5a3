package magiks

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies/game"
)

// What is checked of every play, beside the properties of where it ends.
const (
	lemma1   = iota // a move that does not lower the sorted loads
	lemma2          // two servers: a move that does not lower the largest load by 1/γ, or more than γ·n moves
	theorem2        // more moves than the proof allows
	scaling         // a user gains by reporting α times its demand
	checks
)

var checkNames = [checks]string{"Lemma1", "Lemma2", "Theorem2", "scale"}

// commonDenominator returns γ, the least common multiple of 1 to h: of it all
// normalised demands d/max d are parts where demands are whole and at most h, and
// every server has h of everything. +Inf where it is no float64, for h > 708 about.
//
// Reference: MAGIKS paper, proof of lemma 2. Its γ₂ is the least common multiple of
// 1 to (h-1)·h, since there the levels of resources may differ; where they are the
// same the smaller number bounds the same thing.
func commonDenominator(h int64) float64 {
	gamma := 1.0
	for k := int64(2); k <= h && !math.IsInf(gamma, 1); k++ {
		if p := primeOf(k); p > 1 {
			gamma *= float64(p)
		}
	}
	return gamma
}

// primeOf returns p if k is a power of the prime p, and 1 if it is of none.
func primeOf(k int64) int64 {
	for p := int64(2); p*p <= k; p++ {
		if k%p == 0 {
			for k%p == 0 {
				k /= p
			}
			if k == 1 {
				return p
			}
			return 1
		}
	}
	return k
}

// moveBound returns how many moves n users make at most on m servers, by the
// induction of the proof of theorem 2: none on one server; at most γ·n lower the
// largest load, and before, between and after these the others are moves on m-1
// servers. With two it is γ·n, lemma 2.
func moveBound(n, m int, gamma float64) float64 {
	lowering, moves := gamma*float64(n), 0.0
	for range m - 1 {
		moves = lowering + (lowering+1)*moves
	}
	return moves
}

// largestGamma is the largest γ of which a load, a float64, shows a part.
const largestGamma = 1e6

// descent watches the loads of a play fall.
type descent struct {
	bound  float64 // of theorem 2; 0 where demands have no levels
	two    bool    // lemma 2 is about it
	step   float64 // 1/γ; 0 where that is too small to be seen
	before []float64
	after  []float64
	broken [checks]bool
}

// levelled prepares a descent for n users on m servers whose demands have h
// levels, 0 for none.
func levelled(n, m int, h int64) descent {
	d := descent{before: make([]float64, m), after: make([]float64, m)}
	if h > 0 {
		gamma := commonDenominator(h)
		d.bound, d.two = moveBound(n, m, gamma), m == 2
		if gamma <= largestGamma {
			d.step = 1 / gamma
		}
	}
	return d
}

// applies says what is checked of a play.
func (d *descent) applies() [checks]bool {
	return [checks]bool{lemma1: true, lemma2: d.two, theorem2: d.bound > 0, scaling: true}
}

// start looks at the loads before the first move.
func (d *descent) start(p *game.Play) {
	d.broken = [checks]bool{}
	sortLoads(p, d.before)
}

// moved looks at them after a move. Loads are sums of integers in units of a power
// of two or of γ, so that they are compared exactly.
func (d *descent) moved(p *game.Play) {
	sortLoads(p, d.after)
	d.fell(p.Moves)
	d.before, d.after = d.after, d.before
}

// fell judges a move, the moves-th, by the sorted loads before and after it.
func (d *descent) fell(moves int) {
	if slices.Compare(d.after, d.before) >= 0 {
		d.broken[lemma1] = true
	}
	if drop := d.before[0] - d.after[0]; d.two && (drop <= 0 || drop < d.step*(1-tolerance)) {
		d.broken[lemma2] = true
	}
	if d.bound > 0 && float64(moves) > d.bound {
		d.broken[theorem2] = true
		d.broken[lemma2] = d.broken[lemma2] || d.two
	}
}

// sortLoads fills in the loads, the largest first.
func sortLoads(p *game.Play, loads []float64) {
	for s := range loads {
		loads[s] = p.Load(s)
	}
	slices.SortFunc(loads, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
}
