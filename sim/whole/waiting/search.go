package waiting

import "github.com/leontief-sim/leontief/sim/whole/order"

// candidate is the first user in the order of service who may fit, of those seen
// so far.
type candidate struct {
	in   *userTree // where the best one so far waits; nil: there is none
	user int32
	turn order.Turn
}

// firstWaiting finds the first waiting user who may fit.
func (o *Index) firstWaiting() {
	o.found.in = nil
	for _, c := range [...]*userTree{o.byLinks, o.byServers} {
		if c.len() > 0 && c.nodes[1].done != o.round && o.sooner(c, 1) && o.mayFit(c, 1, untried) {
			o.seek(c, 1)
		}
	}
}

// sooner reports whether somebody below a node comes before the best one so
// far.
func (o *Index) sooner(c *userTree, node int32) bool {
	return o.found.in == nil || c.head[node].Before(&o.found.turn)
}

// seek looks below a node for somebody before the best one so far, first
// in order first, and reports whether anybody there may fit. A node in which
// nobody does is done with: room only shrinks.
func (o *Index) seek(c *userTree, node int) (found bool) {
	if node >= c.leaves {
		found = o.seekLeaf(c, node)
	} else {
		found = o.seekBelow(c, node)
	}
	if !found {
		c.nodes[node].done = o.round
	}
	return found
}

// seekBelow looks below an inner node. It asks for room on servers only where
// somebody may come before the best one found: that costs most.
func (o *Index) seekBelow(c *userTree, node int) (found bool) {
	var list [1 << forkLevels]int32
	n := 0
	for child, end := c.below(node); child < end; child++ {
		if c.low[child].within(o.servers.links) && c.nodes[child].done != o.round {
			list[n] = int32(child)
			n++
		}
	}
	tried := c.nodes[node].tried
	for ; n > 0; n-- {
		first := 0
		for i := 1; i < n; i++ {
			if c.head[list[i]].Before(&c.head[list[first]]) {
				first = i
			}
		}
		child := list[first]
		if !o.sooner(c, child) {
			return true
		}
		if o.mayFit(c, int(child), tried) && o.seek(c, int(child)) {
			found = true
		}
		list[first] = list[n-1]
	}
	return found
}

// seekLeaf looks at the users of a leaf.
func (o *Index) seekLeaf(c *userTree, leaf int) (found bool) {
	tried := c.nodes[leaf].tried
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.down[s].within(o.servers.links) {
			if o.consider(c, s, tried) {
				found = true
			}
		} else if o.apart && c == o.byServers && c.slots.user[s] >= 0 && o.roomFor(s, tried) {
			o.moveToLinks(s)
		}
	}
	return found
}

// consider takes a user that the links let through for the best one so far if
// it is, and reports whether it may fit. One behind the best so far may, for all
// that is tried.
func (o *Index) consider(c *userTree, slot int32, tried int64) bool {
	s := &c.slots
	if o.found.in != nil && !s.turn[slot].Before(&o.found.turn) {
		return true
	}
	if c == o.byServers && !o.roomFor(slot, tried) || o.misled && s.kind[slot].failed == o.round {
		return false
	}
	o.found = candidate{c, s.user[slot], s.turn[slot]}
	return true
}

// mayFit reports whether a server may have room for somebody below a node. No
// server had room for any of them at the tried position. Of users that wait for
// links alone this is not asked.
func (o *Index) mayFit(c *userTree, node int, tried int64) bool {
	if c == o.byLinks {
		return true
	}
	n := &c.nodes[node]
	tried = o.since(c.high[node], max(tried, n.tried))
	n.tried = tried
	low, where := c.low[node], c.allowed(node)
	if s := n.witness; o.servers.log.end-tried > 1 && o.servers.left[s] > tried && o.servers.roomOn(s, low, where) {
		return true
	}
	s := o.servers.roomSince(low, tried, where)
	if s < 0 {
		n.tried = o.servers.log.end
		return false
	}
	n.witness = s
	return true
}

// roomFor reports whether a server may have room for a waiting user.
func (o *Index) roomFor(slot int32, tried int64) bool {
	s := &o.byServers.slots
	tried = o.since(s.up[slot], max(tried, s.tried[slot]))
	s.tried[slot] = tried
	var where *allowed
	if o.byServers.sets > 0 {
		where = &allowed{may: s.kind[slot].May}
	}
	if o.servers.roomSince(s.down[slot], tried, where) < 0 {
		s.tried[slot] = o.servers.log.end
		return false
	}
	return true
}

// since returns the last position at which no server had room for users with
// link demands that are at most so high, given one. The links say so where they
// had room for all of them at the end of the last allocation, and where sketches
// leave no link out.
func (o *Index) since(high sketch, tried int64) int64 {
	if tried < o.servers.log.epoch {
		tried = untried
	}
	if tried < o.settled && o.settled >= o.servers.log.epoch && o.complete && high.within(o.linkFree) {
		return o.settled
	}
	return tried
}
