package waiting

import (
	"math"
	"math/bits"
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// userTree holds waiting users in a balanced tree of boxes around the sketches of
// their demands, each box with its first user in the order of service.
//
// Users lie in slots, leafUsers of them a leaf. They are spread by halves: node
// n of an implicit binary tree, of which the leaves are the lowest level, is
// split at a median into nodes 2n and 2n+1. Only every second level has boxes, so
// a box holds those of the four nodes 4n to 4n+3, or two below the root, node 1;
// they are lanes of one fork, number n, and so are the users of leaf n.
// Slot s is node 4·leaves + s.
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
	leaves int     // a power of two; 0 before the first user
	fork   int     // levels from the root to the next ones with boxes

	// Per slot.
	users []int32 // -1: it is empty
	turns []order.Turn
	kinds []*Kind

	// Per node of the binary tree.
	splits []split
	count  []int32 // users below

	forks   []fork
	seconds []second // nil unless wide
	classes []uint64 // per word of a set, per node: where somebody below may run, or more

	asked *asked // the latest searches

	changes int
	scale   []float64 // per demand: 1 over its extent when the tree was built
	staged  []stage   // scratch: users on their way to other slots
	order   []int32   // scratch: places among these
}

// stage is a user on the way to a slot.
type stage struct {
	user  int32
	kind  *Kind
	turn  order.Turn
	tried int64
	down  sketch
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
	return &userTree{fields: fields, wide: fields > perWord, asked: &asked{}}
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
	return int(t.count[1])
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

// nodeOf returns the node that a slot is.
func (t *userTree) nodeOf(slot int32) int32 { return int32(t.leaves*leafUsers) + slot }

// lane returns the fork and the lane of a node.
func (t *userTree) lane(node int32) (*fork, int) {
	return &t.forks[node>>forkLevels], int(node & (fan - 1))
}

// allowed says where somebody below a node may run; it may err on the side of
// yes.
func (t *userTree) allowed(node int32) *allowed {
	switch first := int32(t.leaves * leafUsers); {
	case t.sets == 0:
		return nil
	case node >= first:
		return &allowed{may: t.kinds[node-first].May}
	}
	return &allowed{words: t.classes[node:], stride: 2 * t.leaves, bits: 64*t.sets - 1}
}

// add puts in a user that is not there.
func (t *userTree) add(user int32, k *Kind, when order.Turn, tried int64) {
	t.admit(user, k)
	x := stage{user, k, when, tried, t.project(k.down)}
	if t.changes++; t.changes > 64+t.len() || t.len() >= t.leaves*leafUsers*3/4 {
		t.rebuild(x)
		return
	}
	leaf := t.settle(x.down)
	t.lowerTried(leaf, tried)
	for s, end := t.within(leaf); s < end; s++ {
		if t.users[s] < 0 {
			t.fill(s, &x)
			t.adjust(leaf, 1)
			t.refresh(leaf)
			return
		}
	}
	t.respread(leaf, x)
}

// admit makes ready for a user of a kind.
func (t *userTree) admit(user int32, k *Kind) {
	for int(user) >= len(t.at) {
		t.at = append(t.at, -1)
	}
	if k.May != nil && t.sets == 0 {
		t.openSets(k)
	}
}

// fill puts a user into an empty slot.
func (t *userTree) fill(slot int32, x *stage) {
	t.users[slot], t.turns[slot], t.kinds[slot] = x.user, x.turn, x.kind
	t.at[x.user] = slot
	up := t.project(x.kind.up)
	f, i := t.lane(t.nodeOf(slot))
	f.low[i], f.need[i], f.high[i] = x.down.a, x.down.a, up.a
	f.key[i], f.tie[i] = x.turn.Key(), x.turn.Tie()
	f.head[i], f.tried[i] = slot, x.tried
	if t.wide {
		s := &t.seconds[t.nodeOf(slot)>>forkLevels]
		s.low[i], s.need[i], s.high[i] = x.down.b, x.down.b, up.b
	}
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
	t.clear(slot)
	t.adjust(t.leafOf(slot), -1)
	t.refresh(t.leafOf(slot))
}

// clear empties a slot.
func (t *userTree) clear(slot int32) {
	t.users[slot], t.turns[slot], t.kinds[slot] = -1, order.Nobody, nil
	f, i := t.lane(t.nodeOf(slot))
	f.clear(i)
	if t.wide {
		t.seconds[t.nodeOf(slot)>>forkLevels].clear(i)
	}
}

// adjust notes that there are so many more users in a leaf.
func (t *userTree) adjust(leaf int, more int32) {
	for node := leaf; node > 0; node >>= 1 {
		t.count[node] += more
	}
}

// turn returns the turn of a user that is there.
func (t *userTree) turn(user int32) order.Turn { return t.turns[t.at[user]] }

// move tells the tree a user's turn, and reports whether it has changed.
func (t *userTree) move(user int32, when order.Turn) bool {
	slot := t.at[user]
	mine := &t.turns[slot]
	if mine.Equal(&when) {
		return false
	}
	*mine = when
	f, i := t.lane(t.nodeOf(slot))
	f.key[i], f.tie[i] = when.Key(), when.Tie()
	for node := t.leafOf(slot); t.rehead(node, slot) && node > 1; {
		node = above(node)
	}
	return true
}

// rehead brings the head of a node up to date after a user below has got another turn,
// and reports whether it has changed.
func (t *userTree) rehead(node int, slot int32) bool {
	f, i := t.lane(int32(node))
	if f.head[i] == slot {
		return t.lead(node)
	}
	mine, at := t.lane(t.nodeOf(slot))
	if !t.ahead(mine.key[at], mine.tie[at], slot, f.key[i], f.tie[i], f.head[i]) {
		return false
	}
	t.follow(int32(node), t.nodeOf(slot))
	return true
}

// lead finds the first user below a node, and reports whether that is news.
func (t *userTree) lead(node int) bool {
	at, lanes := t.below(node)
	first := &t.forks[at]
	i := t.soonest(first, lanes)
	f, lane := t.lane(int32(node))
	if i < 0 {
		had := f.head[lane] >= 0
		f.key[lane], f.tie[lane], f.head[lane], f.need[lane] = math.Inf(1), 0, -1, impossible.a
		if t.wide {
			t.seconds[node>>forkLevels].need[lane] = impossible.b
		}
		return had
	}
	if f.head[lane] == first.head[i] && f.key[lane] == first.key[i] && f.tie[lane] == first.tie[i] && f.need[lane] == first.need[i] {
		return false
	}
	t.follow(int32(node), int32(at<<forkLevels+i))
	return true
}

// follow makes the first user of a node that of another.
func (t *userTree) follow(node, other int32) {
	f, i := t.lane(node)
	g, k := t.lane(other)
	f.key[i], f.tie[i], f.head[i], f.need[i] = g.key[k], g.tie[k], g.head[k], g.need[k]
	if t.wide {
		t.seconds[node>>forkLevels].need[i] = t.seconds[other>>forkLevels].need[k]
	}
}

// settle finds the leaf for a new user: at every node on its side of where the
// node was split, on the split itself where there are fewer.
func (t *userTree) settle(demand sketch) int {
	node := 1
	for node < t.leaves {
		at := t.splits[node]
		node *= 2
		v := int32(demand.field(int(at.dim)))
		if v > at.at || v == at.at && t.count[node+1] < t.count[node] {
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
	if f, i := t.lane(int32(leaf)); f.tried[i] > tried {
		t.pushTried(leaf)
	}
}

// pushTried hands the position tried of a node down to what is below it.
func (t *userTree) pushTried(node int) {
	f, i := t.lane(int32(node))
	tried := f.tried[i]
	f.tried[i] = untried
	at, lanes := t.below(node)
	for i, f := 0, &t.forks[at]; i < fan; i++ {
		if lanes>>i&1 == 1 {
			f.tried[i] = max(f.tried[i], tried)
		}
	}
}

// refresh brings the nodes above a leaf up to date; it stops at the first that
// stays what it was.
func (t *userTree) refresh(leaf int) {
	node := leaf
	for changed := t.merge(leaf); changed && node > 1; {
		node = above(node)
		changed = t.merge(node)
	}
}

// renew sets the number of leaves, and empties all slots. Nodes are filled in afterwards.
func (t *userTree) renew(leaves int) {
	if leaves != t.leaves {
		t.leaves = leaves
		t.fork = bits.Len(uint(leaves)) - 1
		for t.fork > forkLevels {
			t.fork -= forkLevels
		}
		slots := leaves * leafUsers
		t.users, t.turns, t.kinds = sized(t.users, slots), sized(t.turns, slots), sized(t.kinds, slots)
		t.splits, t.count = make([]split, leaves), make([]int32, 2*leaves)
		t.forks = make([]fork, 2*leaves)
		if t.wide {
			t.seconds = make([]second, 2*leaves)
		}
		t.classes = make([]uint64, 2*leaves*t.sets)
		for i := range fan {
			t.forks[0].clear(i)
		}
	}
	for s := range t.users {
		t.clear(int32(s))
	}
}

// sized makes a slice shorter or longer.
func sized[T any](s []T, n int) []T { return slices.Grow(s, max(n-len(s), 0))[:n] }
