package waiting

import (
	"math"
	"math/bits"

	"github.com/leontief-sim/leontief/sim/whole/order"
)

// crowd holds the users with waiting tasks in a balanced tree of boxes around
// the sketches of their demands, each with its first user in the order of
// service. What a search finds never depends on the shape of the tree: only its
// cost does.
//
// Users lie in slots, leafUsers of them a leaf. They are spread by halves: node
// n of an implicit binary tree, of which the leaves are the lowest level, is
// split at a median into nodes 2n and 2n+1. Only every second level has boxes, so
// a box holds those of the four nodes 4n to 4n+3, or two below the root, node 1;
// what a search looks at first of all four lies in one line of memory.
//
// Users are halved where that kept most of the latest searches out of a half, by
// what room they were for: a search that enters both halves is what costs.
//
// A new user goes to its side of every median, so that boxes hardly overlap;
// where it finds a leaf full, the smallest part of the tree that is loose enough
// is spread anew. One change costs O(log n), spreading order.Apart; after as many new
// users as there are in it the whole tree is built anew.
type userTree struct {
	fields int // of a sketch: resources, then links
	ignore int // so many in front are left out
	sets   int // words of the set of classes of a node; 0 before the first user with constraints

	at     []int32 // per user: its slot; -1: not in the crowd
	slots  slots
	spare  slots
	leaves int // a power of two; 0 before the first user
	fork   int // levels from the root to the next ones with boxes

	// Per node of the binary tree.
	splits []split
	users  []int32 // below

	// Per node with a box.
	head    []order.Turn // of the first user below; index −1: there is none
	nodes   []userNode
	low     []sketch // corner
	high    []sketch // corner, rounded up
	classes []uint64 // sets; a superset of where somebody below may run

	recent   [64]sketch // rooms of searches
	searches int        // so far

	changes int
	scale   []float64 // per demand: 1 over its extent when the tree was built
	order   []int32   // scratch
}

// split says how the users below a node were spread: those whose demand dim is
// larger went to the right.
type split struct{ dim, at int32 }

// userNode is what a search looks at besides the box.
type userNode struct {
	tried   int64  // see inOrder; the larger one on the way to a user holds for it
	done    uint64 // the last allocation in which nobody below could be served any more
	witness int32  // a server that had room for the low corner
}

// nobody is the turn where there is no user.
var nobody = order.Turn{Index: -1}

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

// newUserTree returns an empty crowd in the space of resources and links.
func newUserTree(resources, links int) *userTree {
	return &userTree{fields: min(resources+links, sketchFields)}
}

// newLinkTree returns an empty crowd in the space of the links alone.
func newLinkTree(resources, links int) *userTree {
	c := newUserTree(resources, links)
	c.ignore = resources
	return c
}

func (c *userTree) len() int {
	if c.leaves == 0 {
		return 0
	}
	return int(c.users[1])
}

func (c *userTree) has(user int32) bool { return int(user) < len(c.at) && c.at[user] >= 0 }

// below returns the nodes with boxes next below one that is no leaf.
func (c *userTree) below(node int) (first, end int) {
	if node == 1 {
		return 1 << c.fork, 2 << c.fork
	}
	return node << forkLevels, (node + 1) << forkLevels
}

// above returns the node with a box next above one that is not the root.
func above(node int) int { return max(node>>forkLevels, 1) }

// within returns the slots of a leaf.
func (c *userTree) within(leaf int) (first, end int32) {
	first = int32((leaf - c.leaves) * leafUsers)
	return first, first + leafUsers
}

// leafOf returns the leaf of a slot.
func (c *userTree) leafOf(slot int32) int { return c.leaves + int(slot)/leafUsers }

// allowed says where somebody below a node may run; it may err on the side of
// yes.
func (c *userTree) allowed(node int) *allowed {
	if c.sets == 0 {
		return nil
	}
	return &allowed{words: c.classes[node*c.sets : (node+1)*c.sets]}
}

// add puts in a user that is not there.
func (c *userTree) add(user int32, k *Kind, when order.Turn, tried int64) {
	for int(user) >= len(c.at) {
		c.at = append(c.at, -1)
	}
	if k.May != nil && c.sets == 0 {
		c.openSets(k)
	}
	if c.changes++; c.changes > 64+c.len() || c.len() >= c.leaves*leafUsers*3/4 {
		c.rebuild(c.stage(user, k, when, tried))
		return
	}
	leaf := c.settle(c.project(k.down))
	c.lowerTried(leaf, tried)
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.user[s] < 0 {
			c.fill(s, user, k, when, tried)
			c.count(leaf, 1)
			c.refresh(leaf)
			return
		}
	}
	c.respread(leaf, c.stage(user, k, when, tried))
}

// stage puts a user into a slot behind all others.
func (c *userTree) stage(user int32, k *Kind, when order.Turn, tried int64) (slot int32) {
	slot = int32(c.leaves * leafUsers)
	c.slots.resize(int(slot) + 1)
	c.fill(slot, user, k, when, tried)
	return slot
}

func (c *userTree) fill(slot, user int32, k *Kind, when order.Turn, tried int64) {
	s := &c.slots
	s.user[slot], s.turn[slot], s.tried[slot], s.kind[slot] = user, when, tried, k
	s.down[slot], s.up[slot] = c.project(k.down), c.project(k.up)
	c.at[user] = slot
}

// project returns a sketch without what is left out.
func (c *userTree) project(s sketch) sketch {
	for i := range c.ignore {
		s = s.with(i, 0)
	}
	return s
}

// openSets makes room for sets of classes, when everybody so far may run
// everywhere. Users may have sets of different length: the first decides.
func (c *userTree) openSets(k *Kind) {
	c.sets = 1
	for c.sets < classWords && c.sets < len(k.May) {
		c.sets *= 2
	}
	c.classes = make([]uint64, 2*c.leaves*c.sets)
	for i := range c.classes {
		c.classes[i] = math.MaxUint64
	}
}

// drop takes a user out.
func (c *userTree) drop(user int32) {
	slot := c.at[user]
	c.at[user] = -1
	c.slots.clear(slot, slot+1)
	c.count(c.leafOf(slot), -1)
	c.refresh(c.leafOf(slot))
}

// count notes that there are so many more users in a leaf.
func (c *userTree) count(leaf int, more int32) {
	for node := leaf; node > 0; node >>= 1 {
		c.users[node] += more
	}
}

// turn returns the turn of a user that is there.
func (c *userTree) turn(user int32) order.Turn { return c.slots.turn[c.at[user]] }

// move tells the crowd that a user's turn has changed.
func (c *userTree) move(user int32, when order.Turn) {
	slot := c.at[user]
	c.slots.turn[slot] = when
	node := c.leafOf(slot)
	if !c.rehead(node, &when, c.firstIn) {
		return
	}
	for node > 1 {
		node = above(node)
		if !c.rehead(node, &when, c.firstBelow) {
			return
		}
	}
}

// rehead brings the head of a node up to date after a user below has got
// another turn, and reports whether it has changed.
func (c *userTree) rehead(node int, when *order.Turn, find func(int) order.Turn) bool {
	head := &c.head[node]
	switch {
	case head.Index == when.Index:
		was := *head
		*head = find(node)
		return *head != was
	case when.Before(head):
		*head = *when
		return true
	}
	return false
}

// firstIn returns the first turn in a leaf.
func (c *userTree) firstIn(leaf int) order.Turn {
	best := &nobody
	s, end := c.within(leaf)
	for ; s < end; s++ {
		if c.slots.user[s] >= 0 && (best.Index < 0 || c.slots.turn[s].Before(best)) {
			best = &c.slots.turn[s]
		}
	}
	return *best
}

// firstBelow returns the first turn below a node that is no leaf.
func (c *userTree) firstBelow(node int) order.Turn {
	best := &nobody
	n, end := c.below(node)
	for ; n < end; n++ {
		if head := &c.head[n]; head.Index >= 0 && (best.Index < 0 || head.Before(best)) {
			best = head
		}
	}
	return *best
}

// settle finds the leaf for a new user: at every node on its side of where the
// node was split, on the split itself where there are fewer.
func (c *userTree) settle(demand sketch) int {
	node := 1
	for node < c.leaves {
		at := c.splits[node]
		node *= 2
		v := int32(demand.field(int(at.dim)))
		if v > at.at || v == at.at && c.users[node+1] < c.users[node] {
			node++
		}
	}
	return node
}

// lowerTried moves what is tried of the nodes above a leaf, and of the leaf,
// to what is below them if less is tried of a user who is to go there.
func (c *userTree) lowerTried(leaf int, tried int64) {
	if leaf > 1 {
		c.lowerTried(above(leaf), tried)
	}
	if c.nodes[leaf].tried > tried {
		c.pushTried(leaf)
	}
}

// pushTried moves what is tried of a node to what is below it.
func (c *userTree) pushTried(node int) {
	tried := c.nodes[node].tried
	c.nodes[node].tried = untried
	if node >= c.leaves {
		for s, end := c.within(node); s < end; s++ {
			c.slots.tried[s] = max(c.slots.tried[s], tried)
		}
		return
	}
	for n, end := c.below(node); n < end; n++ {
		c.nodes[n].tried = max(c.nodes[n].tried, tried)
	}
}

// refresh brings the nodes above a leaf up to date; it stops at the first that
// stays what it was.
func (c *userTree) refresh(leaf int) {
	node := leaf
	for changed := c.gather(leaf); changed && node > 1; {
		node = above(node)
		changed = c.merge(node)
	}
}

// renew sets the number of leaves. Nodes are filled in afterwards.
func (c *userTree) renew(leaves int) {
	if leaves == c.leaves {
		return
	}
	c.leaves = leaves
	c.fork = bits.Len(uint(leaves)) - 1
	for c.fork > forkLevels {
		c.fork -= forkLevels
	}
	c.splits, c.users = make([]split, leaves), make([]int32, 2*leaves)
	c.head, c.nodes = make([]order.Turn, 2*leaves), make([]userNode, 2*leaves)
	c.low, c.high = make([]sketch, 2*leaves), make([]sketch, 2*leaves)
	c.classes = make([]uint64, 2*leaves*c.sets)
}
