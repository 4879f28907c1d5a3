package waiting

import (
	"math"
	"math/big"
	"slices"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// query is a search for the best-fit server.
type query struct {
	kind   *Kind
	since  int64   // a task has left it since
	server int32   // -1: none so far
	least  float64 // its distance, to doubles
	// near are the best fits that are looked for; the server is then the last of as many
	// as are wanted. nil: only the best one is.
	near *nearest
}

// BestFit returns the best-fit server for a task of a kind; −1 if it fits nowhere.
//
// Definition: the best-fit server for a task with demand d is the feasible one with the
// smallest Σ_r (a[s,r] − d[r])², a being what is free there, each resource in
// parts of all there is of it; of several, the one of lowest number.
//
// Distances are compared as rational numbers, the capacities being the decimals
// that they are written as. In doubles a distance is a sum of squares, one a
// resource, of a whole number times unit. With S classes of servers, R resources
// and u = 2^-53 it has a relative error below (2·(S+8) + R)·u: the total takes S
// sums and products, reading a capacity, 10^-k, the quotient, the whole number and
// the product with it one rounding each, all of it twice in the square. That is
// below [order.MaxError] for 2^17 classes, so distances that are [order.Apart] are
// told by doubles.
func (p *Servers) BestFit(k *Kind) int32 { return p.bestFit(k, untried) }

// bestFit returns the best-fit server for a task of the kind among those that
// a task has left since a position; -1 if it fits on none.
func (p *Servers) bestFit(k *Kind, since int64) int32 {
	if !p.passes(k.Need.Link) {
		return -1
	}
	p.ask = query{kind: k, since: since, server: -1, least: math.Inf(1)}
	switch {
	case p.log.end-since <= p.scan:
		for q := since; q < p.log.end; q++ {
			p.try(p.log.at(q))
		}
	case p.tree == nil:
		for s, left := range p.left {
			if left > since {
				p.try(int32(s))
			}
		}
	default:
		if n := p.nearestOf(k); !p.refit(n) {
			p.renew(n)
		}
	}
	return p.ask.server
}

// search looks for the best fit among all servers that a task has left.
func (p *Servers) search() {
	switch {
	case p.ask.kind.few != nil:
		for _, s := range p.ask.kind.few {
			if p.left[s] > p.ask.since {
				p.try(s)
			}
		}
	case p.grouped():
		p.searchStates()
	default:
		p.boxed()
		p.descend(1)
	}
}

// distance is what best fit minimises. The conversions keep the compiler from
// fusing products and sums, which some processors would and others not.
func (p *Servers) distance(free, demand []int64) float64 {
	sum := 0.0
	for r, unit := range p.unit {
		gap := float64(float64(free[r]-demand[r]) * unit)
		sum += float64(gap * gap)
	}
	return sum
}

// fitOn reports whether the task fits on a server, and the distance to it.
func (p *Servers) fitOn(s int32) (distance float64, fits bool) {
	if !p.ask.kind.down.within(p.rooms[s]) || !p.Fits(p.ask.kind, s) {
		return 0, false
	}
	return p.distance(p.Free(int(s)), p.ask.kind.Need.On(p.Class(int(s)))), true
}

// try notes a server if it is a better fit than those known, and reports whether it is.
func (p *Servers) try(s int32) bool {
	switch d, fits := p.fitOn(s); {
	case !fits || !p.closer(s, d):
		return false
	case p.ask.near != nil:
		p.offer(p.ask.near, s, d)
	default:
		p.ask.least, p.ask.server = d, s
	}
	return true
}

// descend searches the servers below a node, the more promising side first.
func (p *Servers) descend(node int) {
	if node >= p.tree.Leaves {
		for _, s := range p.tree.Slots(node) {
			if s >= 0 && p.left[s] > p.ask.since {
				p.try(s)
			}
		}
		return
	}
	left, right := 2*node, 2*node+1
	dl, dr := p.bound(left), p.bound(right)
	if dr < dl || dr == dl && p.tree.Best[right] < p.tree.Best[left] {
		left, right, dl, dr = right, left, dr, dl
	}
	if p.worth(left, dl) {
		p.descend(left)
	}
	if p.worth(right, dr) {
		p.descend(right)
	}
}

// worth reports whether a node can hold a better server than the one found.
func (p *Servers) worth(node int, bound float64) bool {
	switch {
	case math.IsInf(bound, 1) || p.ask.least < bound*order.Apart:
		return false
	case bound < p.ask.least*order.Apart || p.tree.Best[node] < p.ask.server:
		return true
	}
	return !p.cornered(node)
}

// bound is a lower bound on the distance to the servers below a node; +Inf if
// the task fits on none of them.
func (p *Servers) bound(node int) float64 {
	if p.tree.Count[node] == 0 || p.tree.Stamp[node] <= p.ask.since {
		return math.Inf(1)
	}
	low, high := p.tree.Low(node), p.tree.High(node)
	sum := 0.0
	for r, d := range p.ask.kind.least {
		if high[r] < d {
			return math.Inf(1)
		}
		// Where demands differ between servers the largest one is the
		// closest that a demand can be to the box from below.
		if most := p.ask.kind.most[r]; low[r] > most {
			gap := float64(float64(low[r]-most) * p.unit[r])
			sum += float64(gap * gap)
		}
	}
	return sum
}

// closer reports whether a server, at a distance in doubles, is a better fit than
// the one to better.
func (p *Servers) closer(s int32, distance float64) bool {
	return p.nearer(s, distance, p.ask.server, p.ask.least)
}

// nearer reports whether a server, at a distance in doubles, is a better fit than
// another.
func (p *Servers) nearer(s int32, distance float64, t int32, other float64) bool {
	if distance < other*order.Apart {
		return true
	}
	if other < distance*order.Apart {
		return false
	}
	p.gapOf, p.gapOther = p.gaps(p.gapOf[:0], s), p.gaps(p.gapOther[:0], t)
	if c := p.compareGaps(p.gapOf, p.gapOther); c != 0 {
		return c < 0
	}
	return s < t
}

// gap returns what a task of the kind looked for leaves free on a server, of one
// resource.
func (p *Servers) gap(s int32, r int) int64 {
	return p.Free(int(s))[r] - p.ask.kind.Need.On(p.Class(int(s)))[r]
}

// gaps appends what a task of the kind looked for leaves free on a server.
func (p *Servers) gaps(to []int64, s int32) []int64 {
	free, demand := p.Free(int(s)), p.ask.kind.Need.On(p.Class(int(s)))
	for r, d := range demand {
		to = append(to, free[r]-d)
	}
	return to
}

// compareGaps compares two distances exactly. Most of those that are equal are so
// resource by resource.
func (p *Servers) compareGaps(x, y []int64) int {
	if slices.Equal(x, y) {
		return 0
	}
	sum := new(big.Int)
	for r, square := range p.squares() {
		a, b := big.NewInt(x[r]), big.NewInt(y[r])
		a.Sub(a.Mul(a, a), b.Mul(b, b))
		sum.Add(sum, a.Mul(a, square))
	}
	return sum.Sign()
}

// squares returns the square of unit for each resource, times a number that
// makes all of them whole.
func (p *Servers) squares() []*big.Int {
	if p.square != nil {
		return p.square
	}
	var units []*big.Rat
	whole := big.NewInt(1)
	for r := range p.env.Resources {
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
func (p *Servers) exactUnit(r int) *big.Rat {
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
func (p *Servers) cornered(node int) bool {
	low := p.tree.Low(node)
	for r, most := range p.ask.kind.most {
		if max(low[r]-most, 0) != p.gap(p.ask.server, r) {
			return false
		}
	}
	return true
}
