package magiks

import (
	"math"

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
	loads  []float64
	broken [checks]bool
}

// levelled prepares a descent for n users on m servers whose demands have h
// levels, 0 for none.
func levelled(n, m int, h int64) descent {
	d := descent{loads: make([]float64, m)}
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
	for s := range d.loads {
		d.loads[s] = p.Load(s)
	}
}

// moved looks at them after a move. Loads are sums of integers in units of a power
// of two or of γ, so that they are compared exactly.
func (d *descent) moved(p *game.Play) {
	a, b := p.From, p.To
	before := [2]float64{d.loads[a], d.loads[b]}
	d.loads[a], d.loads[b] = p.Load(a), p.Load(b)
	d.fell(p.Moves, before, [2]float64{d.loads[a], d.loads[b]})
}

// fell judges a move, the moves-th, by the loads of its two servers before and after
// it. Of two lists that differ in two numbers the one whose larger one of these is
// smaller, or the other where those are the same, is smaller when both are sorted,
// the largest first: lemma 1 compares the sorted loads of all servers.
func (d *descent) fell(moves int, before, after [2]float64) {
	high, low := max(before[0], before[1]), min(before[0], before[1])
	top, rest := max(after[0], after[1]), min(after[0], after[1])
	if top > high || top == high && rest >= low {
		d.broken[lemma1] = true
	}
	if drop := high - top; d.two && (drop <= 0 || drop < d.step*(1-tolerance)) {
		d.broken[lemma2] = true
	}
	if d.bound > 0 && float64(moves) > d.bound {
		d.broken[theorem2] = true
		d.broken[lemma2] = d.broken[lemma2] || d.two
	}
}
