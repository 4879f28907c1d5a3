package waiting

import (
	"math"
	"math/bits"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// userTree holds waiting users in a balanced tree of boxes around the sketches of
// their demands, each box with its first user in the order of service.
//
// Users lie in slots, leafUsers of them a leaf. They are spread by halves: node
// n of an implicit binary tree, of which the leaves are the lowest level, is
// split at a median into nodes 2n and 2n+1. Only every second level has boxes, so
// a box holds those of the four nodes 4n to 4n+3, or two below the root, node 1;
// what a search looks at first of all four lies in one line of memory.
//
// Users are halved in the dimension whose median would have kept most of the
// latest searches out of one half: a search that enters both halves is what costs.
//
// A new user goes to its side of every median, so that boxes hardly overlap; where
// its leaf is full, the smallest part of the tree that is at most three quarters
// full is spread anew. One change costs O(log n), spreading apart; after as many
// new users as there are in it the whole tree is built anew.
//
// Invariant: what a search finds may never depend on the shape of the tree; only
// its cost does.
type userTree struct {
	fields int  // of a sketch: resources, then links
	wide   bool // they take both words
	ignore int  // so many in front are left out
	sets   int  // words of the set of classes of a node; 0 before the first user with constraints

	at     []int32 // per user: its slot; -1: not in the tree
	slots  slots
	spare  slots
	leaves int // a power of two; 0 before the first user
	fork   int // levels from the root to the next ones with boxes

	// Per node of the binary tree.
	splits []split
	users  []int32 // below

	// Per node with a box.
	head []int32   // slot of the first user below; -1 if there is none
	key  []float64 // of that user's turn; +Inf if there is none
	low  sketched  // corner
	high sketched  // corner, rounded up
	// tried is a position of the log at which no server had room for any user below. Of
	// the positions of a user and of all nodes above it the largest holds.
	tried   []int64
	witness []int32  // a server that had room for the low corner
	done    []uint64 // the last search in which nobody below could be served any more
	classes []uint64 // per word of a set, per node: where somebody below may run, or more

	recent   [64]sketch // rooms of searches
	searches int        // so far

	changes int
	scale   []float64 // per demand: 1 over its extent when the tree was built
	order   []int32   // scratch
}

// split says how the users below a node were spread: those whose demand dim is
// larger went to the right.
type split struct{ dim, at int32 }

const (
	leafUsers = 4
	// forkLevels is the number of levels of the binary tree between boxes.
	forkLevels = 2
	// selectiveUsers is the number of users from which on it matters how they are
	// halved.
	selectiveUsers = 16
	// classWords bounds the words of the set of a node: beyond 64 times as many
	// classes, several share a bit.
	classWords = 16
)

// newUserTree returns an empty tree in the space of resources and links.
func newUserTree(resources, links int) *userTree {
	fields := min(resources+links, sketchFields)
	return &userTree{fields: fields, wide: fields > perWord}
}

// newLinkTree returns an empty tree in the space of the links alone.
func newLinkTree(resources, links int) *userTree {
	t := newUserTree(resources, links)
	t.ignore = resources
	return t
}

func (t *userTree) len() int {
	if t.leaves == 0 {
		return 0
	}
	return int(t.users[1])
}

func (t *userTree) has(user int32) bool { return int(user) < len(t.at) && t.at[user] >= 0 }

// below returns the nodes with boxes next below one that is no leaf.
func (t *userTree) below(node int) (first, end int32) {
	if node == 1 {
		return 1 << t.fork, 2 << t.fork
	}
	return int32(node) << forkLevels, int32(node+1) << forkLevels
}

// above returns the node with a box next above one that is not the root.
func above(node int) int { return max(node>>forkLevels, 1) }

// within returns the slots of a leaf.
func (t *userTree) within(leaf int) (first, end int32) {
	first = int32((leaf - t.leaves) * leafUsers)
	return first, first + leafUsers
}

// leafOf returns the leaf of a slot.
func (t *userTree) leafOf(slot int32) int { return t.leaves + int(slot)/leafUsers }

// allowed says where somebody below a node may run; it may err on the side of
// yes.
func (t *userTree) allowed(node int32) *allowed {
	if t.sets == 0 {
		return nil
	}
	return &allowed{words: t.classes[node:], stride: 2 * t.leaves, bits: 64*t.sets - 1}
}

// allowedOf says where a user may run.
func (t *userTree) allowedOf(slot int32) *allowed {
	if t.sets == 0 {
		return nil
	}
	return &allowed{may: t.slots.kind[slot].May}
}

// add puts in a user that is not there.
func (t *userTree) add(user int32, k *Kind, when order.Turn, tried int64) {
	for int(user) >= len(t.at) {
		t.at = append(t.at, -1)
	}
	if k.May != nil && t.sets == 0 {
		t.openSets(k)
	}
	if t.changes++; t.changes > 64+t.len() || t.len() >= t.leaves*leafUsers*3/4 {
		t.rebuild(t.stage(user, k, when, tried))
		return
	}
	leaf := t.settle(t.project(k.down))
	t.lowerTried(leaf, tried)
	for s, end := t.within(leaf); s < end; s++ {
		if t.slots.user[s] < 0 {
			t.fill(s, user, k, when, tried)
			t.count(leaf, 1)
			t.refresh(leaf)
			return
		}
	}
	t.respread(leaf, t.stage(user, k, when, tried))
}

// stage puts a user into a slot behind all others.
func (t *userTree) stage(user int32, k *Kind, when order.Turn, tried int64) (slot int32) {
	slot = int32(t.leaves * leafUsers)
	t.slots.resize(int(slot) + 1)
	t.fill(slot, user, k, when, tried)
	return slot
}

func (t *userTree) fill(slot, user int32, k *Kind, when order.Turn, tried int64) {
	s := &t.slots
	s.user[slot], s.turn[slot], s.tried[slot], s.kind[slot] = user, when, tried, k
	s.down.put(slot, t.project(k.down))
	s.up.put(slot, t.project(k.up))
	t.at[user] = slot
}

// project returns a sketch without what is left out.
func (t *userTree) project(s sketch) sketch {
	for i := range t.ignore {
		s = s.with(i, 0)
	}
	return s
}

// openSets makes room for sets of classes, when everybody so far may run
// everywhere. Users may have sets of different length: the first decides.
func (t *userTree) openSets(k *Kind) {
	t.sets = 1
	for t.sets < classWords && t.sets < len(k.May) {
		t.sets *= 2
	}
	t.classes = make([]uint64, 2*t.leaves*t.sets)
	for i := range t.classes {
		t.classes[i] = math.MaxUint64
	}
}

// drop takes a user out.
func (t *userTree) drop(user int32) {
	slot := t.at[user]
	t.at[user] = -1
	t.slots.clear(slot, slot+1)
	t.count(t.leafOf(slot), -1)
	t.refresh(t.leafOf(slot))
}

// count notes that there are so many more users in a leaf.
func (t *userTree) count(leaf int, more int32) {
	for node := leaf; node > 0; node >>= 1 {
		t.users[node] += more
	}
}

// turn returns the turn of a user that is there.
func (t *userTree) turn(user int32) order.Turn { return t.slots.turn[t.at[user]] }

// move tells the tree that a user's turn has changed.
func (t *userTree) move(user int32, when order.Turn) {
	slot := t.at[user]
	mine := &t.slots.turn[slot]
	if mine.Equal(&when) {
		return
	}
	*mine = when
	for node := t.leafOf(slot); t.rehead(node, slot) && node > 1; {
		node = above(node)
	}
}

// rehead brings the head of a node up to date after a user below has got another turn,
// and reports whether it has changed.
func (t *userTree) rehead(node int, slot int32) bool {
	switch head := t.head[node]; {
	case head == slot:
		return t.lead(node, t.first(node))
	case t.before(slot, head):
		return t.lead(node, slot)
	}
	return false
}

// lead makes a slot the head of a node, and reports whether that is news.
func (t *userTree) lead(node int, slot int32) bool {
	key := math.Inf(1)
	if slot >= 0 {
		key = t.slots.turn[slot].Key()
	}
	if t.head[node] == slot && t.key[node] == key {
		return false
	}
	t.head[node], t.key[node] = slot, key
	return true
}

// before reports whether the user of a slot comes before that of another; -1 stands for
// nobody.
func (t *userTree) before(slot, other int32) bool {
	if slot < 0 || other < 0 {
		return slot >= 0
	}
	return t.slots.turn[slot].Before(&t.slots.turn[other])
}

// sooner reports whether the first user below a node comes before that below another.
func (t *userTree) sooner(node, other int32) bool {
	a, b := t.key[node], t.key[other]
	if a < b*order.Apart {
		return true
	}
	return !(b < a*order.Apart) && t.before(t.head[node], t.head[other])
}

// first returns the slot of the first user below a node; -1 if there is none.
func (t *userTree) first(node int) int32 {
	best := int32(-1)
	if node >= t.leaves {
		for s, end := t.within(node); s < end; s++ {
			if t.slots.user[s] >= 0 && t.before(s, best) {
				best = s
			}
		}
		return best
	}
	least := math.Inf(1)
	for n, end := t.below(node); n < end; n++ {
		head, key := t.head[n], t.key[n]
		if head < 0 || least < key*order.Apart {
			continue
		}
		if key < least*order.Apart || t.before(head, best) {
			best, least = head, key
		}
	}
	return best
}

// settle finds the leaf for a new user: at every node on its side of where the
// node was split, on the split itself where there are fewer.
func (t *userTree) settle(demand sketch) int {
	node := 1
	for node < t.leaves {
		at := t.splits[node]
		node *= 2
		v := int32(demand.field(int(at.dim)))
		if v > at.at || v == at.at && t.users[node+1] < t.users[node] {
			node++
		}
	}
	return node
}

// lowerTried makes room below a leaf for a user with a position tried: where that
// of a node on the way is larger, which would not hold for the user, it is handed
// down to what is below the node.
func (t *userTree) lowerTried(leaf int, tried int64) {
	if leaf > 1 {
		t.lowerTried(above(leaf), tried)
	}
	if t.tried[leaf] > tried {
		t.pushTried(leaf)
	}
}

// pushTried hands the position tried of a node down to what is below it.
func (t *userTree) pushTried(node int) {
	tried, of := t.tried[node], t.tried
	t.tried[node] = untried
	var first, end int32
	if node >= t.leaves {
		first, end = t.within(node)
		of = t.slots.tried
	} else {
		first, end = t.below(node)
	}
	for n := first; n < end; n++ {
		of[n] = max(of[n], tried)
	}
}

// refresh brings the nodes above a leaf up to date; it stops at the first that
// stays what it was.
func (t *userTree) refresh(leaf int) {
	node := leaf
	for changed := t.gather(leaf); changed && node > 1; {
		node = above(node)
		changed = t.merge(node)
	}
}

// renew sets the number of leaves. Nodes are filled in afterwards.
func (t *userTree) renew(leaves int) {
	if leaves == t.leaves {
		return
	}
	t.leaves = leaves
	t.fork = bits.Len(uint(leaves)) - 1
	for t.fork > forkLevels {
		t.fork -= forkLevels
	}
	nodes := 2 * leaves
	t.splits, t.users = make([]split, leaves), make([]int32, nodes)
	t.head, t.key = make([]int32, nodes), make([]float64, nodes)
	t.tried, t.witness = make([]int64, nodes), make([]int32, nodes)
	t.done = make([]uint64, nodes)
	t.low, t.high = sketched{}, sketched{}
	t.low.resize(nodes)
	t.high.resize(nodes)
	t.classes = make([]uint64, nodes*t.sets)
}
