package whole

import (
	"math/big"

	"github.com/leontief-sim/leontief/policies/solve/exact"
)

// Fits that are equal as rational numbers are equal: each resource counts in
// parts of Σ_s c[s,r], the capacities being the decimals that they are written as.
// In doubles a distance is a sum of squares, one a resource, of a whole number
// times unit. With S classes of servers, R resources and u = 2^-53 it has a
// relative error below (2·(S+8) + R)·u: the total takes S sums and products,
// reading a capacity, 10^-k, the quotient, the whole number and the product with
// it one rounding each, all of it twice in the square. That is below [maxError] for
// 2^17 classes, so distances that are [apart] are told by doubles.

// closer reports whether a server, at a distance in doubles, is a better fit than
// the best one so far.
func (p *pool) closer(s int32, distance float64) bool {
	if distance < p.ask.least*apart {
		return true
	}
	if p.ask.least < distance*apart {
		return false
	}
	if c := p.compareFits(s, p.ask.server); c != 0 {
		return c < 0
	}
	return s < p.ask.server
}

// gap returns what a task of the kind looked for leaves free on a server, of one
// resource.
func (p *pool) gap(s int32, r int) int64 {
	return p.Free(int(s))[r] - p.ask.kind.need.On(p.Class(int(s)))[r]
}

// compareFits compares the distances to two servers exactly. Most of those that
// are equal are so resource by resource.
func (p *pool) compareFits(s, t int32) int {
	alike := true
	for r := range p.width {
		alike = alike && p.gap(s, r) == p.gap(t, r)
	}
	if alike {
		return 0
	}
	sum := new(big.Int)
	for r, square := range p.squares() {
		a, b := big.NewInt(p.gap(s, r)), big.NewInt(p.gap(t, r))
		a.Sub(a.Mul(a, a), b.Mul(b, b))
		sum.Add(sum, a.Mul(a, square))
	}
	return sum.Sign()
}

// squares returns the square of unit for each resource, times a number that
// makes all of them whole.
func (p *pool) squares() []*big.Int {
	if p.square != nil {
		return p.square
	}
	var units []*big.Rat
	whole := big.NewInt(1)
	for r := range p.width {
		unit := p.exactUnit(r)
		units = append(units, unit)
		whole.Mul(whole, unit.Denom())
	}
	for _, unit := range units {
		n := new(big.Int).Mul(whole, unit.Num())
		n.Quo(n, unit.Denom())
		p.square = append(p.square, n.Mul(n, n))
	}
	return p.square
}

// exactUnit returns one unit of a resource in parts of the total.
func (p *pool) exactUnit(r int) *big.Rat {
	total := new(big.Rat)
	for _, server := range p.env.Servers {
		total.Add(total, new(big.Rat).Mul(exact.Rational(server.Capacity[r]), big.NewRat(int64(server.Count), 1)))
	}
	if total.Sign() == 0 {
		return total
	}
	unit := p.Grid(r).Unit()
	return unit.Quo(unit, total)
}

// cornered reports whether the server found so far is at the corner of the box
// of a node that is nearest to the demand: then nothing below the node is closer.
func (p *pool) cornered(node int) bool {
	low := p.tree.low(node)
	for r, most := range p.ask.kind.most {
		if max(low[r]-most, 0) != p.gap(p.ask.server, r) {
			return false
		}
	}
	return true
}
