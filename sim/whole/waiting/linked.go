package waiting

import (
	"math/bits"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

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
		if c.len() > 0 && c.done[1] != ix.round && ix.sooner(c, 1) && ix.mayFit(c, 1, untried) {
			ix.seek(c, 1)
		}
	}
}

// sooner reports whether somebody below a node comes before the best one so
// far.
func (ix *Index) sooner(c *userTree, node int32) bool {
	return ix.found.in == nil || c.slots.turn[c.head[node]].Before(&ix.found.turn)
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
		c.done[node] = ix.round
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
	n := 0
	child, end := c.below(node)
	for rest := c.low.within(child, end, ix.servers.links, c.wide); rest != 0; rest &= rest - 1 {
		if next := child + int32(bits.TrailingZeros(rest)); c.done[next] != ix.round {
			list[n] = next
			n++
		}
	}
	tried := c.tried[node]
	for ; n > 0; n-- {
		first := 0
		for i := 1; i < n; i++ {
			if c.sooner(list[i], list[first]) {
				first = i
			}
		}
		child := list[first]
		if ix.found.in != nil && !ix.sooner(c, child) {
			return true
		}
		if ix.mayFit(c, child, tried) && ix.seek(c, int(child)) {
			found = true
		}
		list[first] = list[n-1]
	}
	return found
}

// seekLeaf looks at the users of a leaf.
func (ix *Index) seekLeaf(c *userTree, leaf int) (found bool) {
	tried := c.tried[leaf]
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.down.at(s).within(ix.servers.links) {
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
