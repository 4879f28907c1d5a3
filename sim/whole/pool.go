package whole

import (
	"math"
	"math/big"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// pool is the ledger with what is needed to find servers in it quickly.
//
// The best-fit server for a task with demand d is the feasible one with the
// smallest Σ_r (a[s,r] − d[r])², a being what is free there, each resource in
// parts of all there is of it; of several, the one of lowest index. The sums are
// compared as rational numbers (fit.go). With many servers their free vectors are
// kept in [boxes]: the distance from d to the part of a box in which the task fits
// bounds the distance to every server in it.
type pool struct {
	*cluster.Ledger
	env    *cluster.Environment
	width  int
	first  []int32       // per class: its first server
	unit   []float64     // per resource: one unit in parts of the total
	tree   *boxes[int64] // of what is free; nil where a scan is cheaper
	left   []int64       // per server: the position in the log at which a task last left it
	log    recent
	square []*big.Int // per resource: unit², see squares; nil: not needed so far
	short  int64      // entries of the log that are looked at one by one
	every  []int32    // all links
	global []int32    // those that reach every server
	ask    query      // the search under way

	sketches
	floor []int64 // scratch
}

// capacity returns what the empty server of a class offers, per resource.
func (p *pool) capacity(class int) []int64 { return p.Capacity(int(p.first[class])) }

// scanLimit is the number of servers up to which all are looked at.
const scanLimit = 48

// shortLog is the number of servers in the log up to which these are looked at
// without the index.
const shortLog = 16

// allowed says which classes of servers are looked at.
type allowed struct {
	may   cluster.Set
	words []uint64 // if not nil: folded, see crowd
}

func (a *allowed) has(class int) bool {
	if a.words == nil {
		return a.may.Has(class)
	}
	bit := class & (64*len(a.words) - 1)
	return a.words[bit>>6]>>(uint(bit)&63)&1 == 1
}

func newPool(env *cluster.Environment, index, always bool) *pool {
	p := &pool{Ledger: cluster.NewLedger(env), env: env, width: len(env.Resources), short: shortLog}
	for r := range env.Resources {
		total := p.Grid(r).Float(1) / max(env.TotalCapacity(r), math.SmallestNonzeroFloat64)
		if env.TotalCapacity(r) == 0 {
			total = 0
		}
		p.unit = append(p.unit, total)
	}
	first := 0
	for s := range env.Servers {
		p.first = append(p.first, int32(first))
		first += env.Servers[s].Count
	}
	for e := range env.Links {
		everywhere := true
		for s := range env.Servers {
			everywhere = everywhere && env.Reaches(e, s)
		}
		p.every = append(p.every, int32(e))
		if everywhere {
			p.global = append(p.global, int32(e))
		}
	}
	p.sketches = newSketches(p.Ledger)
	p.links = linksOf(p.Ledger, p.global, p.width)
	if index && p.Servers() > scanLimit || always {
		p.tree = newBoxes[int64](p.width, func(a, b int32) bool { return a < b })
		for s := range p.Servers() {
			p.tree.put(int32(s), p.Free(s))
		}
		p.tree.stampOf, p.tree.stamp = make([]int64, p.Servers()), make([]int64, 2*p.tree.leaves)
		p.left = p.tree.stampOf
		return p
	}
	p.left = make([]int64, p.Servers())
	p.short = min(p.short, int64(p.Servers()))
	return p
}

// freed notes that a task has left a server.
func (p *pool) freed(server int32) {
	p.log.add(server)
	if p.tree != nil {
		p.tree.mark(server, p.log.end)
		return
	}
	p.left[server] = p.log.end
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
	p.sketches.server(p.Ledger, server)
	p.links = linksOf(p.Ledger, p.global, p.width)
	if p.tree != nil {
		p.tree.shift(server, p.Free(int(server)))
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
	since  int64   // a task has left it since
	server int32   // -1: none so far
	least  float64 // its distance, to doubles
}

// bestFit returns the best-fit server for a task of the kind among those that
// a task has left since a position; -1 if it fits on none.
func (p *pool) bestFit(k *kind, since int64) int32 {
	if !p.passes(k.need.Link) {
		return -1
	}
	p.ask = query{kind: k, since: since, server: -1, least: math.Inf(1)}
	switch {
	case p.log.end-since <= p.short:
		for q := since; q < p.log.end; q++ {
			p.try(p.log.at(q))
		}
	case p.tree == nil:
		for s, left := range p.left {
			if left > since {
				p.try(int32(s))
			}
		}
	case k.few != nil:
		for _, s := range k.few {
			if p.left[s] > since {
				p.try(s)
			}
		}
	default:
		p.descend(1)
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
	if !p.ask.kind.down.within(p.rooms[s]) || !p.fits(p.ask.kind, s) {
		return
	}
	d := p.distance(p.Free(int(s)), p.ask.kind.need.On(p.Class(int(s))))
	if p.closer(s, d) {
		p.ask.least, p.ask.server = d, s
	}
}

// descend searches the servers below a node, the more promising side first.
func (p *pool) descend(node int) {
	if node >= p.tree.leaves {
		for _, s := range p.tree.slots(node) {
			if s >= 0 && p.left[s] > p.ask.since {
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
	switch {
	case math.IsInf(bound, 1) || p.ask.least < bound*apart:
		return false
	case bound < p.ask.least*apart || p.tree.best[node] < p.ask.server:
		return true
	}
	return !p.cornered(node)
}

// bound is a lower bound on the distance to the servers below a node; +Inf if
// the task fits on none of them.
func (p *pool) bound(node int) float64 {
	if p.tree.count[node] == 0 || p.tree.stamp[node] <= p.ask.since {
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

// roomFor reports whether some server may have room for a task of the kind.
// With links it looks at no more than the resources.
func (p *pool) roomFor(k *kind) bool { return p.roomSince(k.down, untried, nil) >= 0 }

// roomSince returns a server that a task has left since a position and that
// has room for a demand, going by sketches; -1 if there is none. It has to be
// allowed, if that is not nil.
func (p *pool) roomSince(demand sketch, since int64, in *allowed) int32 {
	switch {
	case p.log.end-since <= p.short:
		for q := since; q < p.log.end; q++ {
			if s := p.log.at(q); p.roomOn(s, demand, in) {
				return s
			}
		}
	case p.tree == nil:
		for s, left := range p.left {
			if left > since && p.roomOn(int32(s), demand, in) {
				return int32(s)
			}
		}
	default:
		p.floor = p.floor[:0]
		for r := range p.width {
			p.floor = append(p.floor, amount(demand.field(r)))
		}
		return p.dominating(1, p.floor, since, in)
	}
	return -1
}

func (p *pool) roomOn(s int32, demand sketch, in *allowed) bool {
	return demand.within(p.rooms[s]) && (in == nil || in.has(p.Class(int(s))))
}

func (p *pool) dominating(node int, demand []int64, since int64, in *allowed) int32 {
	if p.tree.count[node] == 0 || p.tree.stamp[node] <= since || !covers(p.tree.high(node), demand) {
		return -1
	}
	if node < p.tree.leaves {
		if s := p.dominating(2*node, demand, since, in); s >= 0 {
			return s
		}
		return p.dominating(2*node+1, demand, since, in)
	}
	for _, s := range p.tree.slots(node) {
		if s >= 0 && p.left[s] > since && covers(p.Free(int(s)), demand) && (in == nil || in.has(p.Class(int(s)))) {
			return s
		}
	}
	return -1
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
