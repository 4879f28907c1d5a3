package waiting

import (
	"math/bits"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// listed reports whether sets of users are the better way to find those who may fit: where
// targets are few and users not too many.
func (ix *Index) listed() bool {
	t := ix.byServers
	return ix.eligible != nil && ix.eligible.words > 0 && ix.targeted && t.sets > 0 && t.len() <= listedUsers
}

// beginListed begins a search through sets of users.
func (ix *Index) beginListed() {
	ix.listing, ix.from = true, 0
	ix.done = sized(ix.done, ix.eligible.words)
	clear(ix.done)
}

// nextListed compares the first waiting user that may fit with the first newcomer, and tries
// the first of both, until one fits.
func (ix *Index) nextListed() (user, server int32) {
	l, t := ix.eligible, ix.byServers
	for ix.aim(); ; {
		p, heap := ix.firstListed(), ix.front.heap
		switch {
		case len(heap) > 0 && (p < 0 || ix.front.turn(&heap[0]).Before(&t.turns[t.at[l.users[p]]])):
			if user, server = ix.tryNewcomer(heap[0]); server < 0 {
				ix.front.pop()
			}
		case p >= 0:
			if user, server = ix.tryWaiting(t, t.at[l.users[p]]); server < 0 {
				ix.done[p>>6] |= 1 << (uint(p) & 63)
			}
		default:
			return -1, -1
		}
		if server >= 0 {
			return user, server
		}
	}
}

// firstListed returns the position of the first waiting user in the order of service who may
// fit on a target and is not done with; -1 if there is none. Where that is the order of
// positions, a search goes through these once, since room only shrinks.
func (ix *Index) firstListed() int {
	l, best := ix.eligible, -1
	for w := ix.from; w<<6 < len(l.users); w++ {
		found := l.fitting(w, ix.targets, ^ix.done[w])
		if found != 0 && l.inOrder {
			ix.from = w
			return w<<6 + bits.TrailingZeros64(found)
		}
		for ; found != 0; found &= found - 1 {
			if p := w<<6 + bits.TrailingZeros64(found); best < 0 || ix.ahead(p, best) {
				best = p
			}
		}
	}
	return best
}

// ahead reports whether the user at a position comes before that at another.
func (ix *Index) ahead(p, q int) bool {
	l, t := ix.eligible, ix.byServers
	if l.keys[p] == l.keys[q] && (l.ties[p]^l.ties[q])>>32 == 0 && l.ties[p]>>32 != 0 {
		return l.ties[p] < l.ties[q]
	}
	if l.keys[p] < l.keys[q]*order.Apart {
		return true
	}
	return !(l.keys[q] < l.keys[p]*order.Apart) && t.turns[t.at[l.users[p]]].Precedes(&t.turns[t.at[l.users[q]]])
}
