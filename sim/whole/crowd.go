package whole

import (
	"math"
	"math/bits"
)

// crowd holds the users with waiting tasks in a balanced tree of boxes around
// the sketches of their demands, each with its first user in the order of
// service. What a search finds never depends on the shape of the tree: only its
// cost does.
//
// Users lie in slots, crowdLeaf of them a leaf. They are spread by halves: node
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
// is spread anew. One change costs O(log n), spreading apart; after as many new
// users as there are in it the whole tree is built anew.
type crowd struct {
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
	head    []turn // of the first user below; index −1: there is none
	nodes   []crowdNode
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

// crowdNode is what a search looks at besides the box.
type crowdNode struct {
	known   int64  // see inOrder; the larger one on the way to a user holds for it
	done    uint64 // the last allocation in which nobody below could be served any more
	witness int32  // a server that had room for the low corner
}

// nobody is the turn where there is no user.
var nobody = turn{index: -1}

const (
	crowdLeaf = 4
	// crowdFork is the number of levels of the binary tree between boxes.
	crowdFork = 2
	// tellingUsers is the number of users from which on it matters how they are
	// halved.
	tellingUsers = 16
	// crowdWords bounds the words of the set of a node: beyond 64 times as many
	// classes, several share a bit.
	crowdWords = 16
)

// newCrowd returns an empty crowd in the space of resources and links.
func newCrowd(resources, links int) *crowd {
	return &crowd{fields: min(resources+links, sketchFields)}
}

// newLinkCrowd returns an empty crowd in the space of the links alone.
func newLinkCrowd(resources, links int) *crowd {
	c := newCrowd(resources, links)
	c.ignore = resources
	return c
}

func (c *crowd) len() int {
	if c.leaves == 0 {
		return 0
	}
	return int(c.users[1])
}

func (c *crowd) has(user int32) bool { return int(user) < len(c.at) && c.at[user] >= 0 }

// below returns the nodes with boxes next below one that is no leaf.
func (c *crowd) below(node int) (first, end int) {
	if node == 1 {
		return 1 << c.fork, 2 << c.fork
	}
	return node << crowdFork, (node + 1) << crowdFork
}

// above returns the node with a box next above one that is not the root.
func above(node int) int { return max(node>>crowdFork, 1) }

// within returns the slots of a leaf.
func (c *crowd) within(leaf int) (first, end int32) {
	first = int32((leaf - c.leaves) * crowdLeaf)
	return first, first + crowdLeaf
}

// leafOf returns the leaf of a slot.
func (c *crowd) leafOf(slot int32) int { return c.leaves + int(slot)/crowdLeaf }

// allowed says where somebody below a node may run; it may err on the side of
// yes.
func (c *crowd) allowed(node int) *allowed {
	if c.sets == 0 {
		return nil
	}
	return &allowed{words: c.classes[node*c.sets : (node+1)*c.sets]}
}

// add puts in a user that is not there.
func (c *crowd) add(user int32, k *kind, when turn, known int64) {
	for int(user) >= len(c.at) {
		c.at = append(c.at, -1)
	}
	if k.may != nil && c.sets == 0 {
		c.constrain(k)
	}
	if c.changes++; c.changes > 64+c.len() || c.len() >= c.leaves*crowdLeaf*3/4 {
		c.rebuild(c.stage(user, k, when, known))
		return
	}
	leaf := c.settle(c.regarded(k.down))
	c.makeUnknown(leaf, known)
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.user[s] < 0 {
			c.fill(s, user, k, when, known)
			c.count(leaf, 1)
			c.refresh(leaf)
			return
		}
	}
	c.loosen(leaf, c.stage(user, k, when, known))
}

// stage puts a user into a slot behind all others.
func (c *crowd) stage(user int32, k *kind, when turn, known int64) (slot int32) {
	slot = int32(c.leaves * crowdLeaf)
	c.slots.resize(int(slot) + 1)
	c.fill(slot, user, k, when, known)
	return slot
}

func (c *crowd) fill(slot, user int32, k *kind, when turn, known int64) {
	s := &c.slots
	s.user[slot], s.turn[slot], s.known[slot], s.kind[slot] = user, when, known, k
	s.down[slot], s.up[slot] = c.regarded(k.down), c.regarded(k.up)
	c.at[user] = slot
}

// regarded returns a sketch without what is left out.
func (c *crowd) regarded(s sketch) sketch {
	for i := range c.ignore {
		s = s.with(i, 0)
	}
	return s
}

// constrain makes room for sets of classes, when everybody so far may run
// everywhere. Users may have sets of different length: the first decides.
func (c *crowd) constrain(k *kind) {
	c.sets = 1
	for c.sets < crowdWords && c.sets < len(k.may) {
		c.sets *= 2
	}
	c.classes = make([]uint64, 2*c.leaves*c.sets)
	for i := range c.classes {
		c.classes[i] = math.MaxUint64
	}
}

// drop takes a user out.
func (c *crowd) drop(user int32) {
	slot := c.at[user]
	c.at[user] = -1
	c.slots.clear(slot, slot+1)
	c.count(c.leafOf(slot), -1)
	c.refresh(c.leafOf(slot))
}

// count notes that there are so many more users in a leaf.
func (c *crowd) count(leaf int, more int32) {
	for node := leaf; node > 0; node >>= 1 {
		c.users[node] += more
	}
}

// move tells the crowd that a user's turn has changed.
func (c *crowd) move(user int32, when turn) {
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
func (c *crowd) rehead(node int, when *turn, find func(int) turn) bool {
	head := &c.head[node]
	switch {
	case head.index == when.index:
		was := *head
		*head = find(node)
		return *head != was
	case when.before(head):
		*head = *when
		return true
	}
	return false
}

// firstIn returns the first turn in a leaf.
func (c *crowd) firstIn(leaf int) turn {
	best := &nobody
	s, end := c.within(leaf)
	for ; s < end; s++ {
		if c.slots.user[s] >= 0 && (best.index < 0 || c.slots.turn[s].before(best)) {
			best = &c.slots.turn[s]
		}
	}
	return *best
}

// firstBelow returns the first turn below a node that is no leaf.
func (c *crowd) firstBelow(node int) turn {
	best := &nobody
	n, end := c.below(node)
	for ; n < end; n++ {
		if head := &c.head[n]; head.index >= 0 && (best.index < 0 || head.before(best)) {
			best = head
		}
	}
	return *best
}

// settle finds the leaf for a new user: at every node on its side of where the
// node was split, on the split itself where there are fewer.
func (c *crowd) settle(demand sketch) int {
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

// makeUnknown moves what is known of the nodes above a leaf, and of the leaf,
// to what is below them if less is known of a user who is to go there.
func (c *crowd) makeUnknown(leaf int, known int64) {
	if leaf > 1 {
		c.makeUnknown(above(leaf), known)
	}
	if c.nodes[leaf].known > known {
		c.passDown(leaf)
	}
}

// passDown moves what is known of a node to what is below it.
func (c *crowd) passDown(node int) {
	known := c.nodes[node].known
	c.nodes[node].known = untried
	if node >= c.leaves {
		for s, end := c.within(node); s < end; s++ {
			c.slots.known[s] = max(c.slots.known[s], known)
		}
		return
	}
	for n, end := c.below(node); n < end; n++ {
		c.nodes[n].known = max(c.nodes[n].known, known)
	}
}

// refresh brings the nodes above a leaf up to date; it stops at the first that
// stays what it was.
func (c *crowd) refresh(leaf int) {
	node := leaf
	for changed := c.gather(leaf); changed && node > 1; {
		node = above(node)
		changed = c.merge(node)
	}
}

// renew sets the number of leaves. Nodes are filled in afterwards.
func (c *crowd) renew(leaves int) {
	if leaves == c.leaves {
		return
	}
	c.leaves = leaves
	c.fork = bits.Len(uint(leaves)) - 1
	for c.fork > crowdFork {
		c.fork -= crowdFork
	}
	c.splits, c.users = make([]split, leaves), make([]int32, 2*leaves)
	c.head, c.nodes = make([]turn, 2*leaves), make([]crowdNode, 2*leaves)
	c.low, c.high = make([]sketch, 2*leaves), make([]sketch, 2*leaves)
	c.classes = make([]uint64, 2*leaves*c.sets)
}
