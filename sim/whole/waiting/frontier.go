package waiting

import "github.com/leontief-sim/leontief/sim/whole/order"

// frontier is what a search has still to look at: users, and nodes of a tree that stand
// for all users below, in a binary heap in the order of service of the first one.
//
// Invariant: every user that may fit is in it or below a node in it, once. The user on
// top comes before all others.
type frontier struct {
	heap      []entry
	credit    int // entries that a sweep may look at
	tree      *userTree
	newcomers []newcomer
}

// entry is a user, or the users below a node.
type entry struct {
	key      float64 // of the turn of the user, or of the first one
	need     uint64  // first word of the sketch of the demand, or of the low corner
	slot     int32   // of that user; of a newcomer its number
	node     int32   // 0: a user
	newcomer bool    // in no tree yet
}

// newcomer is a user that is in no tree yet.
type newcomer struct {
	turn order.Turn
	user int32
	kind *Kind // nil: served to the end
}

// turn returns the turn of the first user of an entry.
func (f *frontier) turn(e *entry) *order.Turn {
	if e.newcomer {
		return &f.newcomers[e.slot].turn
	}
	return &f.tree.turns[e.slot]
}

func (f *frontier) before(a, b *entry) bool {
	if a.key < b.key*order.Apart {
		return true
	}
	return !(b.key < a.key*order.Apart) && f.turn(a).Precedes(f.turn(b))
}

func (f *frontier) push(e entry) {
	f.heap = append(f.heap, e)
	f.credit += sweepPerEntry
	heap, i := f.heap, len(f.heap)-1
	for i > 0 {
		parent := (i - 1) / 2
		if !f.before(&e, &heap[parent]) {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = e
}

// pop takes the entry on top away.
func (f *frontier) pop() {
	last := len(f.heap) - 1
	top := f.heap[last]
	if f.heap = f.heap[:last]; last > 0 {
		f.replace(top)
	}
}

// replace puts another entry in place of the one on top.
func (f *frontier) replace(e entry) { f.sift(0, e) }

// sift puts an entry into a place or below it.
func (f *frontier) sift(i int, e entry) {
	heap := f.heap
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && f.before(&heap[child+1], &heap[child]) {
			child++
		}
		if !f.before(&heap[child], &e) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = e
}

// sweep takes out what has no room any more, after a task has started or an entry turned
// out to have none. It looks at all entries, so it is left out until as many times
// sweepPerEntry, and sweepPerCall for every call, have come since the last time.
func (f *frontier) sweep(hasRoom func(e *entry) bool) {
	if f.credit += sweepPerCall; len(f.heap) > f.credit {
		return
	}
	f.credit = 0
	kept := f.heap[:0]
	for i := range f.heap {
		if hasRoom(&f.heap[i]) {
			kept = append(kept, f.heap[i])
		}
	}
	if len(kept) == len(f.heap) {
		return
	}
	f.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		f.sift(i, kept[i])
	}
}

// sweepPerCall and sweepPerEntry are the numbers of entries that a sweep may look at for
// every call and every entry that comes.
const (
	sweepPerCall  = 32
	sweepPerEntry = 4
)
