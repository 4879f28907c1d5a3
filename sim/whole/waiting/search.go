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
func (ix *Index) firstWaiting() {
	ix.found.in = nil
	for _, c := range [...]*userTree{ix.byLinks, ix.byServers} {
		if c.len() > 0 && c.nodes[1].done != ix.round && ix.sooner(c, 1) && ix.mayFit(c, 1, untried) {
			ix.seek(c, 1)
		}
	}
}

// sooner reports whether somebody below a node comes before the best one so
// far.
func (ix *Index) sooner(c *userTree, node int32) bool {
	return ix.found.in == nil || c.head[node].Before(&ix.found.turn)
}

// seek looks below a node for somebody before the best one so far, and reports
// whether anybody there may fit.
//
// Invariant: within a search room only shrinks. So a node in which nobody may fit
// is done with until the next search.
func (ix *Index) seek(c *userTree, node int) (found bool) {
	if node >= c.leaves {
		found = ix.seekLeaf(c, node)
	} else {
		found = ix.seekBelow(c, node)
	}
	if !found {
		c.nodes[node].done = ix.round
	}
	return found
}

// seekBelow looks below an inner node:
//
//  1. List the children whose low corner the links let through and that are not
//     done with.
//  2. Take the one whose first user comes first.
//  3. If the best one so far comes before that user, end: somebody may fit there,
//     for all that is known.
//  4. Ask for room on servers, which costs most, and if there may be some look
//     below the child. Go on with step 2.
func (ix *Index) seekBelow(c *userTree, node int) (found bool) {
	var list [1 << forkLevels]int32
	n, links := 0, ix.servers.links
	for child, end := c.below(node); child < end; child++ {
		if c.low[child].within(links) && c.nodes[child].done != ix.round {
			list[n] = int32(child)
			n++
		}
	}
	tried := c.nodes[node].tried
	for ; n > 0; n-- {
		first, head := 0, &c.head[list[0]]
		for i := 1; i < n; i++ {
			if other := &c.head[list[i]]; other.Before(head) {
				first, head = i, other
			}
		}
		if ix.found.in != nil && !head.Before(&ix.found.turn) {
			return true
		}
		child := list[first]
		if ix.mayFit(c, int(child), tried) && ix.seek(c, int(child)) {
			found = true
		}
		list[first] = list[n-1]
	}
	return found
}

// seekLeaf looks at the users of a leaf.
func (ix *Index) seekLeaf(c *userTree, leaf int) (found bool) {
	tried := c.nodes[leaf].tried
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.down[s].within(ix.servers.links) {
			if ix.consider(c, s, tried) {
				found = true
			}
		} else if ix.apart && c == ix.byServers && c.slots.user[s] >= 0 && ix.roomFor(s, tried) {
			ix.moveToLinks(s)
		}
	}
	return found
}

// consider takes a user that the links let through for the best one so far if
// it is, and reports whether it may fit. One behind the best so far may, for all
// that is known.
func (ix *Index) consider(c *userTree, slot int32, tried int64) bool {
	s := &c.slots
	if ix.found.in != nil && !s.turn[slot].Before(&ix.found.turn) {
		return true
	}
	if c == ix.byServers && !ix.roomFor(slot, tried) || ix.misled && s.kind[slot].failed == ix.round {
		return false
	}
	ix.found = candidate{c, s.user[slot], s.turn[slot]}
	return true
}

// mayFit reports whether a server may have room for somebody below a node, of whom
// none had room at position tried (no false negatives). Of users that wait for
// links this is not asked.
func (ix *Index) mayFit(c *userTree, node int, tried int64) bool {
	if c == ix.byLinks {
		return true
	}
	n := &c.nodes[node]
	tried = ix.since(c.high[node], max(tried, n.tried))
	n.tried = tried
	low, where := c.low[node], c.allowed(node)
	if s := n.witness; ix.servers.log.end-tried > 1 && ix.servers.left[s] > tried && ix.servers.roomOn(s, low, where) {
		return true
	}
	s := ix.servers.roomSince(low, tried, where)
	if s < 0 {
		n.tried = ix.servers.log.end
		return false
	}
	n.witness = s
	return true
}

// roomFor reports whether a server may have room for a waiting user, who had none at
// position tried (no false negatives).
func (ix *Index) roomFor(slot int32, tried int64) bool {
	s := &ix.byServers.slots
	tried = ix.since(s.up[slot], max(tried, s.tried[slot]))
	s.tried[slot] = tried
	var where *allowed
	if ix.byServers.sets > 0 {
		where = &allowed{may: s.kind[slot].May}
	}
	if ix.servers.roomSince(s.down[slot], tried, where) < 0 {
		s.tried[slot] = ix.servers.log.end
		return false
	}
	return true
}

// since returns the latest position known at which no server had room for users
// whose demands are at most high, given an earlier one.
//
// Invariant: nobody who waits fits anywhere at the end of a search. So whom the
// links had room for then, had no room on any server at that position. Sketches
// say so of the links only where they leave none out.
func (ix *Index) since(high sketch, tried int64) int64 {
	if tried < ix.servers.log.epoch {
		tried = untried
	}
	if tried < ix.settled && ix.settled >= ix.servers.log.epoch && ix.complete && high.within(ix.linkFree) {
		return ix.settled
	}
	return tried
}
