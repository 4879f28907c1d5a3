package waiting

import "github.com/leontief-sim/leontief/sim/cluster"

// allowed says which classes of servers are looked at.
type allowed struct {
	may cluster.Set
	// If not nil, every stride-th word of a set in which classes modulo bits+1 stand; see
	// userTree.
	words        []uint64
	stride, bits int
}

func (a *allowed) has(class int) bool {
	if a.words == nil {
		return a.may.Has(class)
	}
	bit := class & a.bits
	return a.words[bit>>6*a.stride]>>(uint(bit)&63)&1 == 1
}

// roomSince returns a server that a task has left since a position and that
// has room for a demand, going by sketches; -1 if there is none. It has to be
// allowed, if that is not nil.
func (p *Servers) roomSince(demand sketch, since int64, in *allowed) int32 {
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
	case p.grouped():
		return p.roomInStates(demand, since, in)
	default:
		p.floor = p.floor[:0]
		for r := range p.env.Resources {
			p.floor = append(p.floor, amount(demand.field(r)))
		}
		p.boxed()
		return p.dominating(1, p.floor, since, in)
	}
	return -1
}

// roomOn reports whether a server that is allowed may have room for a demand, going
// by sketches.
func (p *Servers) roomOn(s int32, demand sketch, in *allowed) bool {
	return demand.within(p.rooms[s]) && (in == nil || in.has(p.Class(int(s))))
}

// dominating is roomSince below a node, for the smallest amounts with the sketch of
// the demand.
func (p *Servers) dominating(node int, demand []int64, since int64, in *allowed) int32 {
	if p.tree.Count[node] == 0 || p.tree.Stamp[node] <= since || !covers(p.tree.High(node), demand) {
		return -1
	}
	if node < p.tree.Leaves {
		if s := p.dominating(2*node, demand, since, in); s >= 0 {
			return s
		}
		return p.dominating(2*node+1, demand, since, in)
	}
	for _, s := range p.tree.Slots(node) {
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
