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
	key  float64 // of its turn
	tie  uint64
}

// slot returns where the candidate waits.
func (c *candidate) slot() int32 { return c.in.at[c.user] }

// turn returns its turn.
func (c *candidate) turn() *order.Turn { return &c.in.turns[c.slot()] }

// firstWaiting finds the first waiting user who may fit.
func (ix *Index) firstWaiting() {
	ix.found.in = nil
	ix.aimLinked()
	for _, c := range ix.trees {
		if c.len() == 0 {
			continue
		}
		ix.seek(c, 0, 1<<1, untried, false)
	}
}

// aimLinked finds what the targets have room for, with what the links let through now.
func (ix *Index) aimLinked() {
	p := ix.servers
	for i := range ix.targets {
		ix.targets[i].room = least(p.rooms[ix.targets[i].server], p.links)
	}
	ix.grown = !ix.targeted || !covers(ix.linksThen, p.LinkFree())
}

// before reports whether the first user of a lane comes before the best one so far.
func (ix *Index) before(c *userTree, f *fork, lane int) bool {
	b := &ix.found
	if b.in == nil || f.key[lane] == b.key && (f.tie[lane]^b.tie)>>32 == 0 && b.tie>>32 != 0 {
		return b.in == nil || f.tie[lane] < b.tie
	}
	if f.key[lane] < b.key*order.Apart {
		return true
	}
	return !(b.key < f.key[lane]*order.Apart) && c.turns[f.head[lane]].Precedes(b.turn())
}

// seek looks in lanes of a fork, and below, for somebody before the best one so far, and
// reports whether anybody there may fit:
//
//  1. List the lanes whose low corner the links let through, that are not done with, and
//     that a target has room for or that hold somebody whom the links kept out. Where
//     servers have no tree, some server has room for the low corner.
//  2. Take the one whose first user comes first.
//  3. If the best one so far comes before that user, end: somebody may fit there, for all
//     that is known.
//  4. If that user may fit it is the best one so far, and nobody else of the lane is asked.
//  5. Otherwise, if there may be room for the low corner, look below. Go on with step 2.
//
// Invariant: within a search room only shrinks. So a lane in which nobody may fit is done
// with until the next search.
func (ix *Index) seek(c *userTree, at int, lanes uint, tried int64, leaf bool) (found bool) {
	f := &c.forks[at]
	open := c.lowWithin(at, &ix.servers.links) & lanes
	if leaf && ix.apart && c != ix.byLinks {
		ix.moveKeptOut(c, f, ^open&lanes, tried)
	}
	if f.round == ix.round {
		open &^= uint(f.done)
	}
	if open == 0 {
		return false
	}
	onTarget, passes := open, c.needWithin(at, &ix.servers.links)
	if c != ix.byLinks {
		onTarget, open = ix.reachable(c, at, open)
		if ix.scanned && at > 0 && open&^onTarget != 0 {
			low, need := ix.maxima.within(c, at, ix.servers)
			open, passes = open&low, passes&need
		}
	}
	for open != 0 {
		lane := c.soonest(f, open)
		if lane < 0 {
			break
		}
		if !ix.before(c, f, lane) {
			return true
		}
		open &^= 1 << lane
		from := max(tried, f.tried[lane])
		if passes>>lane&1 == 1 && ix.take(c, f, lane, from) {
			found = true
			continue
		}
		if node := int32(at<<forkLevels + lane); !leaf && (onTarget>>lane&1 == 1 || ix.mayFitBelow(c, node, tried)) {
			below, all := c.below(int(node))
			if ix.seek(c, below, all, max(from, f.tried[lane]), int(node) >= c.leaves) {
				found = true
				continue
			}
		}
		if f.round != ix.round {
			f.round, f.done = ix.round, 0
		}
		f.done |= 1 << lane
	}
	return found
}

// mayFitBelow reports whether a server may have room for somebody below a node. Where
// servers have no tree the lanes of all forks but the root's have been asked already.
func (ix *Index) mayFitBelow(c *userTree, node int32, tried int64) bool {
	if !ix.scanned {
		return ix.mayFit(c, node, tried)
	}
	if node > 1 {
		return true
	}
	low, _ := ix.maxima.within(c, 0, ix.servers)
	return low>>1&1 == 1
}

// reachable returns, of lanes of a fork that the links let through, those that a target
// has room for, and those that are to be looked at: these, and where the links have
// grown those that hold somebody whom they may have kept out (no false negatives).
func (ix *Index) reachable(c *userTree, at int, open uint) (onTarget, all uint) {
	for i := range ix.targets {
		onTarget |= c.lowWithin(at, &ix.targets[i].room)
	}
	onTarget &= open
	switch {
	case !ix.grown:
		return onTarget, onTarget
	case ix.targeted && ix.complete:
		return onTarget, onTarget | open&^c.highWithin(at, &ix.linkFree)
	}
	return onTarget, open
}

// take takes the first user of a lane, whom the links let through, for the best one so
// far if it may fit.
func (ix *Index) take(c *userTree, f *fork, lane int, tried int64) bool {
	slot := f.head[lane]
	if c != ix.byLinks && !ix.roomOnTarget(c, slot) && !ix.roomFor(c, slot, tried) || ix.misled && c.kinds[slot].failed == ix.round {
		return false
	}
	ix.found = candidate{c, c.users[slot], f.key[lane], f.tie[lane]}
	return true
}

// roomOnTarget reports whether a target may have room for a user where it may run.
func (ix *Index) roomOnTarget(c *userTree, slot int32) bool {
	node := c.nodeOf(slot)
	return ix.onTarget(c.low(node), c.allowed(node))
}

// moveKeptOut moves the users of some lanes of a leaf, whom a link keeps out, to those who
// wait for links, if some server has room for them.
func (ix *Index) moveKeptOut(c *userTree, f *fork, lanes uint, tried int64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		if slot := f.head[bits.TrailingZeros(lanes)]; slot >= 0 && ix.roomFor(c, slot, tried) {
			ix.moveToLinks(c, slot)
		}
	}
}
