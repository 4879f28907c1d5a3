package indivisible

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// pool is the ledger with what is needed to find servers in it quickly.
//
// The best-fit server for a task with demand d is the feasible one with the
// smallest Σ_r (a[s,r] − d[r])², a being what is free there, each resource in
// parts of all there is of it; of several, the one of lowest index. With many
// servers their free vectors are kept in [boxes]: the distance from d to the
// part of a box in which the task fits bounds the distance to every server in
// it, since every rounding in between is monotone.
type pool struct {
	*cluster.Ledger
	env    *cluster.Environment
	width  int
	unit   []float64     // per resource: one unit in parts of the total
	tree   *boxes[int64] // of what is free; nil where a scan is cheaper
	global []int32       // links that reach every server
	ask    query         // the search under way
}

// scanLimit is the number of servers up to which all are looked at.
const scanLimit = 48

func newPool(env *cluster.Environment, index, always bool) *pool {
	p := &pool{Ledger: cluster.NewLedger(env), env: env, width: len(env.Resources)}
	for r := range env.Resources {
		total := p.Grid(r).Float(1) / max(env.TotalCapacity(r), math.SmallestNonzeroFloat64)
		if env.TotalCapacity(r) == 0 {
			total = 0
		}
		p.unit = append(p.unit, total)
	}
	for e := range env.Links {
		everywhere := true
		for s := range env.Servers {
			everywhere = everywhere && env.Reaches(e, s)
		}
		if everywhere {
			p.global = append(p.global, int32(e))
		}
	}
	if index && p.Servers() > scanLimit || always {
		p.tree = newBoxes[int64](p.width, func(a, b int32) bool { return a < b })
		for s := range p.Servers() {
			p.tree.put(int32(s), p.Free(s))
		}
	}
	return p
}

func (p *pool) take(k *kind, server int32) {
	p.Take(k.need, int(server))
	p.moved(server)
}

func (p *pool) give(k *kind, server int32) {
	p.Give(k.need, int(server))
	p.moved(server)
}

func (p *pool) moved(server int32) {
	if p.tree != nil {
		p.tree.put(server, p.Free(int(server)))
	}
}

// fits reports whether a task of the kind fits on a server that may run it.
func (p *pool) fits(k *kind, server int32) bool {
	return k.may.Has(p.Class(int(server))) && p.Fits(k.need, int(server))
}

// distance is what best fit minimises. The conversions keep the compiler from
// fusing products and sums, which some processors would and others not.
func (p *pool) distance(free, demand []int64) float64 {
	sum := 0.0
	for r, unit := range p.unit {
		gap := float64(float64(free[r]-demand[r]) * unit)
		sum += float64(gap * gap)
	}
	return sum
}

// query is a search for the best-fit server.
type query struct {
	kind   *kind
	server int32 // -1: none so far
	least  float64
}

// bestFit returns the best-fit server for a task of the kind; -1 if it fits
// nowhere.
func (p *pool) bestFit(k *kind) int32 {
	if !p.passes(k.need.Link) {
		return -1
	}
	p.ask = query{kind: k, server: -1, least: math.Inf(1)}
	if p.tree == nil {
		for s := range int32(p.Servers()) {
			p.try(s)
		}
	} else if p.tree.len() > 0 {
		p.descend(1)
	}
	return p.ask.server
}

// bestSince returns the best-fit server among those in a log from a position on.
func (p *pool) bestSince(k *kind, log *recent, position int64) int32 {
	p.ask = query{kind: k, server: -1, least: math.Inf(1)}
	for ; position < log.end; position++ {
		p.try(log.at(position))
	}
	return p.ask.server
}

// passes reports whether the links that reach every server have room.
func (p *pool) passes(link []int64) bool {
	free := p.LinkFree()
	for _, e := range p.global {
		if link[e] > free[e] {
			return false
		}
	}
	return true
}

func (p *pool) try(s int32) {
	if !p.fits(p.ask.kind, s) {
		return
	}
	d := p.distance(p.Free(int(s)), p.ask.kind.need.On[p.Class(int(s))])
	if d < p.ask.least || d == p.ask.least && s < p.ask.server {
		p.ask.least, p.ask.server = d, s
	}
}

// descend searches the servers below a node, the more promising side first.
func (p *pool) descend(node int) {
	if node >= p.tree.leaves {
		for _, s := range p.tree.slots(node) {
			if s >= 0 {
				p.try(s)
			}
		}
		return
	}
	left, right := 2*node, 2*node+1
	dl, dr := p.bound(left), p.bound(right)
	if dr < dl || dr == dl && p.tree.best[right] < p.tree.best[left] {
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
func (p *pool) worth(node int, bound float64) bool {
	if math.IsInf(bound, 1) {
		return false
	}
	return bound < p.ask.least || bound == p.ask.least && p.tree.best[node] < p.ask.server
}

// bound is a lower bound on the distance to the servers below a node; +Inf if
// the task fits on none of them.
func (p *pool) bound(node int) float64 {
	if p.tree.count[node] == 0 {
		return math.Inf(1)
	}
	low, high := p.tree.low(node), p.tree.high(node)
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

// roomFor reports whether some server has at least this much free of every
// resource. With links it looks at no more than the resources.
func (p *pool) roomFor(demand []int64) bool {
	if p.tree != nil {
		return p.tree.len() > 0 && p.dominates(1, demand)
	}
	for s := range p.Servers() {
		if covers(p.Free(s), demand) {
			return true
		}
	}
	return false
}

func (p *pool) dominates(node int, demand []int64) bool {
	if p.tree.count[node] == 0 || !covers(p.tree.high(node), demand) {
		return false
	}
	if covers(p.tree.low(node), demand) {
		return true
	}
	if node < p.tree.leaves {
		return p.dominates(2*node, demand) || p.dominates(2*node+1, demand)
	}
	for _, s := range p.tree.slots(node) {
		if s >= 0 && covers(p.tree.point(s), demand) {
			return true
		}
	}
	return false
}

// covers reports whether a is at least b everywhere that b is positive. What
// is free is never negative.
func covers(a, b []int64) bool {
	for r, d := range b {
		if d > a[r] {
			return false
		}
	}
	return true
}
