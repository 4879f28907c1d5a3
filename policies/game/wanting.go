package game

import "math/bits"

// buckets is the number of classes into which needs are sorted.
const buckets = 64

// sort readies the sets of users by which [Play.wanting] finds those who need little:
// for each resource and bucket the users whose need falls below that bucket. A need d̄
// falls into bucket ⌊d̄·64⌋ or, by rounding, the one before, which is the same for the
// same d̄ and never falls as d̄ rises. It has nothing to do after the first play.
func (g *Game) sort() {
	if g.sorted {
		return
	}
	g.sorted = true
	g.words = (g.Users + 63) / 64
	if !g.alike {
		return
	}
	g.perBucket = buckets / g.grid
	size := g.words * (buckets + 3)
	g.below = grow(g.below, g.Resources*size)
	clear(g.below)
	for j := range g.Users {
		for r, need := range g.Need(j, 0) {
			g.below[r*size+(g.bucket(need)+1)*g.words+j>>6] |= 1 << (j & 63)
		}
	}
	for r := range g.Resources {
		of := g.below[r*size : (r+1)*size]
		for k := g.words; k < size; k++ {
			of[k] |= of[k-g.words]
		}
	}
}

// bucket is that of a need, at most the last but one for a need of at most a unit.
func (g *Game) bucket(need int64) int { return int(float64(need) * g.perBucket) }

// wanting fills in some with the users of server from who would pay less than limit on
// server to, whose entry is below that, and reports whether there are any. They are those
// with
//
//	d̄[j,r] < limit − Σ d̄[i,r] over the users i of to, for all r.
//
// A bucket below that of the right side is below it, and one above is not: only users in
// the same bucket are compared.
func (p *Play) wanting(from, to int, limit int64) bool {
	g := p.g
	words, at := g.words, p.rows
	for r, sum := range p.sum[to*g.Resources:][:len(at)] {
		at[r] = (r*(buckets+3) + min(g.bucket(limit-sum), buckets+1)) * words
	}
	any, some := uint64(0), p.some[:words]
	for w, users := range p.on[from*words:][:words] {
		doubt := uint64(0)
		if users != 0 {
			for _, k := range at {
				upTo := g.below[k+words+w]
				doubt |= upTo &^ g.below[k+w]
				users &= upTo
			}
		}
		for doubt &= users; doubt != 0; doubt &= doubt - 1 {
			if j := w<<6 + bits.TrailingZeros64(doubt); p.cost(j, to) >= float64(limit) {
				users &^= doubt & -doubt
			}
		}
		some[w] = users
		any |= users
	}
	return any != 0
}

// gaining fills in some with the users of server from who would pay less on server to.
func (p *Play) gaining(from, to int) bool {
	if p.g.alike {
		return p.entry[to] < p.load[from] && p.wanting(from, to, p.load[from])
	}
	clear(p.some)
	any := false
	for w, here := range p.on[from*p.g.words : (from+1)*p.g.words] {
		for ; here != 0; here &= here - 1 {
			if j := w<<6 + bits.TrailingZeros64(here); p.cost(j, to) < p.own(j) {
				p.some[w] |= here & -here
				any = true
			}
		}
	}
	return any
}

// settle brings better and unhappy up to date. The unhappy come to the end of the list
// in their order, and the last one takes the place of one that leaves.
func (p *Play) settle() {
	if len(p.changed) == 0 {
		return
	}
	for _, to := range p.changed {
		for from := range p.g.Servers {
			p.pair(from, to)
		}
	}
	for to, dirty := range p.dirty {
		if dirty {
			continue
		}
		for _, from := range p.changed {
			p.pair(from, to)
		}
	}
	for _, s := range p.changed {
		p.dirty[s] = false
	}
	p.changed, p.settled = p.changed[:0], p.Moves
	p.list()
}

// pair finds the users of server from who would pay less on server to. After one move
// these are some of those before where the load of from fell or that of to rose, and
// not the other way round.
func (p *Play) pair(from, to int) {
	words := p.g.words
	here, better, any := p.on[from*words:(from+1)*words], p.better[to*words:(to+1)*words], uint64(0)
	for w, users := range here {
		any |= better[w] & users
		better[w] &^= users
	}
	fewer := p.settled == p.Moves-1 && (from == p.From || to == p.To) && from != p.To && to != p.From
	if from == to || any == 0 && fewer || !p.gaining(from, to) {
		return
	}
	for w, some := range p.some {
		better[w] |= some
	}
}

// list brings the list of the unhappy up to date.
func (p *Play) list() {
	for w, before := range p.listed {
		now := uint64(0)
		for k := w; k < len(p.better); k += p.g.words {
			now |= p.better[k]
		}
		p.listed[w] = now
		for change := now ^ before; change != 0; change &= change - 1 {
			j := w<<6 + bits.TrailingZeros64(change)
			if now&(change&-change) != 0 {
				p.place[j] = int32(len(p.unhappy))
				p.unhappy = append(p.unhappy, int32(j))
				continue
			}
			last, k := p.unhappy[len(p.unhappy)-1], p.place[j]
			p.unhappy[k], p.place[last] = last, k
			p.unhappy = p.unhappy[:len(p.unhappy)-1]
		}
	}
}

// prefers reports whether server s is better for j than its own; the sets are up to
// date.
func (p *Play) prefers(j, s int) bool {
	return p.better[s*p.g.words+j>>6]>>(j&63)&1 == 1
}
