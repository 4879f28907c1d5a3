package whole

// seeker is a search for the first user in the order of service who fits.
type seeker struct {
	in   *crowd // where the best one so far waits; nil: there is none
	user int32
	turn turn
}

// firstWaiting finds the first waiting user who may fit.
func (o *inOrder) firstWaiting() {
	o.found.in = nil
	for _, c := range [...]*crowd{o.linked, o.waiting} {
		if c.len() > 0 && c.nodes[1].done != o.round && o.sooner(c, 1) && o.open(c, 1, untried) {
			o.seek(c, 1)
		}
	}
}

// sooner reports whether somebody below a node comes before the best one so
// far.
func (o *inOrder) sooner(c *crowd, node int32) bool {
	return o.found.in == nil || c.head[node].before(&o.found.turn)
}

// seek looks below a node for somebody before the best one so far, first
// in order first, and reports whether anybody there may fit. A node in which
// nobody does is done with: room only shrinks.
func (o *inOrder) seek(c *crowd, node int) (found bool) {
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
func (o *inOrder) seekBelow(c *crowd, node int) (found bool) {
	var list [1 << crowdFork]int32
	n := 0
	for child, end := c.below(node); child < end; child++ {
		if c.low[child].within(o.pool.links) && c.nodes[child].done != o.round {
			list[n] = int32(child)
			n++
		}
	}
	known := c.nodes[node].known
	for ; n > 0; n-- {
		first := 0
		for i := 1; i < n; i++ {
			if c.head[list[i]].before(&c.head[list[first]]) {
				first = i
			}
		}
		child := list[first]
		if !o.sooner(c, child) {
			return true
		}
		if o.open(c, int(child), known) && o.seek(c, int(child)) {
			found = true
		}
		list[first] = list[n-1]
	}
	return found
}

// seekLeaf looks at the users of a leaf.
func (o *inOrder) seekLeaf(c *crowd, leaf int) (found bool) {
	known := c.nodes[leaf].known
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.down[s].within(o.pool.links) {
			if o.consider(c, s, known) {
				found = true
			}
		} else if o.apart && c == o.waiting && c.slots.user[s] >= 0 && o.roomFor(s, known) {
			o.cross(c.slots.user[s])
		}
	}
	return found
}

// consider takes a user that the links let through for the best one so far if
// it is, and reports whether it may fit. One behind the best so far may, for all
// that is known.
func (o *inOrder) consider(c *crowd, slot int32, known int64) bool {
	s := &c.slots
	if o.found.in != nil && !s.turn[slot].before(&o.found.turn) {
		return true
	}
	if c == o.waiting && !o.roomFor(slot, known) || o.misled && s.kind[slot].failed == o.round {
		return false
	}
	o.found = seeker{c, s.user[slot], s.turn[slot]}
	return true
}

// open reports whether a server may have room for somebody below a node. No
// server had room for any of them at the known position. Of users that wait for
// links alone this is not asked.
func (o *inOrder) open(c *crowd, node int, known int64) bool {
	if c == o.linked {
		return true
	}
	n := &c.nodes[node]
	known = o.since(c.high[node], max(known, n.known))
	n.known = known
	low, where := c.low[node], c.allowed(node)
	if s := n.witness; o.pool.log.end-known > 1 && o.pool.left[s] > known && o.pool.roomOn(s, low, where) {
		return true
	}
	s := o.pool.roomSince(low, known, where)
	if s < 0 {
		n.known = o.pool.log.end
		return false
	}
	n.witness = s
	return true
}

// roomFor reports whether a server may have room for a waiting user.
func (o *inOrder) roomFor(slot int32, known int64) bool {
	s := &o.waiting.slots
	known = o.since(s.up[slot], max(known, s.known[slot]))
	s.known[slot] = known
	var where *allowed
	if o.waiting.sets > 0 {
		where = &allowed{may: s.kind[slot].may}
	}
	if o.pool.roomSince(s.down[slot], known, where) < 0 {
		s.known[slot] = o.pool.log.end
		return false
	}
	return true
}

// since returns the last position at which no server had room for users with
// link demands that are at most so high, given one. The links say so where they
// had room for all of them at the end of the last allocation, and where sketches
// leave no link out.
func (o *inOrder) since(high sketch, known int64) int64 {
	if known < o.pool.log.epoch {
		known = untried
	}
	if known < o.settled && o.settled >= o.pool.log.epoch && o.all && high.within(o.linkFree) {
		return o.settled
	}
	return known
}
