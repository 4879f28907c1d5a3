package indivisible

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// crowd holds the users with waiting tasks in a balanced tree of bounding boxes
// of their demands, each with its first user in the order of service. What a
// search finds never depends on the shape of the tree: only its cost does.
//
// The tree is an implicit binary one over slots; a leaf is a run of crowdLeaf
// slots. All that a search looks at lies with the slots and the nodes, so that
// it need not go to the users. A new user goes to its side of every median at
// which the tree was split, so that boxes hardly overlap; where it finds a leaf
// full, the smallest part of the tree that is loose enough is spread anew. One
// change costs O(dims·log n), spreading apart; after as many new users as there
// are in it the whole tree is built anew.
type crowd struct {
	dims, width int // demands in all: of resources, width of them, then of links
	skip        int // demands of a kind's point that are left out in front
	words       int // of the sets of classes of a node; 0 before the first user with constraints

	at     []int32 // per user: its slot; -1: not in the crowd
	slots  slots
	spare  slots
	leaves int // a power of two; 0 before the first user

	// Per node, the root being node 1.
	nodes   []crowdNode
	corners []int64  // low corner, then high corner
	classes []uint64 // words; a superset of where somebody below may run

	changes int
	scale   []float64 // per demand: 1 over its extent when the tree was built
	order   []int32   // scratch
	was     []int64   // scratch
}

// crowdNode is what a search looks at first.
type crowdNode struct {
	head    turn  // of the first user below; index −1: there is none
	known   int64 // see inOrder; the larger one on the way to a user holds for it
	users   int32 // below
	witness int32 // a server that had room for the low corner
	split   int64 // users below went to either side by their demand dim
	dim     int32
}

// slots are the places for users in a crowd, leaf by leaf.
type slots struct {
	user  []int32 // −1: empty
	point []int64 // per slot: dims
	turn  []turn
	known []int64
	may   []cluster.Set
}

// turn is a user's place in the order of service.
type turn struct {
	share, inverse float64
	index          int
}

func (a *turn) before(b *turn) bool {
	if a.share != b.share {
		return a.share < b.share
	}
	if a.inverse != b.inverse {
		return a.inverse < b.inverse
	}
	return a.index < b.index
}

const (
	crowdLeaf = 4
	// crowdWords bounds the words of the set of a node: beyond 64 times as many
	// classes, several share a bit.
	crowdWords = 16
)

// newCrowd returns an empty crowd in the space of resources and links.
func newCrowd(width, links int) *crowd { return &crowd{dims: width + links, width: width} }

// newLinkCrowd returns an empty crowd in the space of the links alone.
func newLinkCrowd(width, links int) *crowd { return &crowd{dims: links, skip: width} }

func (c *crowd) len() int {
	if c.leaves == 0 {
		return 0
	}
	return int(c.nodes[1].users)
}

func (c *crowd) has(user int32) bool { return int(user) < len(c.at) && c.at[user] >= 0 }

func (c *crowd) point(slot int32) []int64 {
	return c.slots.point[int(slot)*c.dims : (int(slot)+1)*c.dims]
}

func (c *crowd) low(node int) []int64  { return c.corners[2*node*c.dims : (2*node+1)*c.dims] }
func (c *crowd) high(node int) []int64 { return c.corners[(2*node+1)*c.dims : (2*node+2)*c.dims] }

// within returns the slots of a leaf.
func (c *crowd) within(leaf int) (first, end int32) {
	first = int32((leaf - c.leaves) * crowdLeaf)
	return first, first + crowdLeaf
}

// allowed says where somebody below a node may run; it may err on the side of
// yes.
func (c *crowd) allowed(node int) allowed {
	if c.words == 0 {
		return allowed{}
	}
	return allowed{words: c.classes[node*c.words : (node+1)*c.words]}
}

// add puts in a user that is not there.
func (c *crowd) add(user int32, k *kind, when turn, known int64) {
	for int(user) >= len(c.at) {
		c.at = append(c.at, -1)
	}
	if k.may != nil && c.words == 0 && c.width > 0 {
		c.constrain(k)
	}
	if c.changes++; c.changes > 64+c.len() || c.len() >= c.leaves*crowdLeaf*3/4 {
		stage := c.stage(user, k, when, known)
		c.rebuild(stage)
		return
	}
	leaf := c.settle(k.point[c.skip:], known)
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.user[s] < 0 {
			c.fill(s, user, k, when, known)
			c.count(s, 1)
			c.refresh(s)
			return
		}
	}
	c.loosen(leaf, c.stage(user, k, when, known))
}

// stage puts a user into a slot behind all others.
func (c *crowd) stage(user int32, k *kind, when turn, known int64) (slot int32) {
	slot = int32(c.leaves * crowdLeaf)
	c.slots.resize(int(slot)+1, c.dims)
	c.fill(slot, user, k, when, known)
	return slot
}

func (c *crowd) fill(slot, user int32, k *kind, when turn, known int64) {
	s := &c.slots
	s.user[slot], s.turn[slot], s.known[slot], s.may[slot] = user, when, known, k.may
	copy(c.point(slot), k.point[c.skip:])
	c.at[user] = slot
}

// constrain makes room for sets of classes, when everybody so far may run
// everywhere. Users may have sets of different length: the first decides.
func (c *crowd) constrain(k *kind) {
	c.words = 1
	for c.words < crowdWords && c.words < len(k.may) {
		c.words *= 2
	}
	c.classes = make([]uint64, 2*c.leaves*c.words)
	for i := range c.classes {
		c.classes[i] = math.MaxUint64
	}
}

// drop takes a user out.
func (c *crowd) drop(user int32) {
	slot := c.at[user]
	c.at[user], c.slots.user[slot], c.slots.may[slot] = -1, -1, nil
	c.count(slot, -1)
	c.refresh(slot)
}

// count notes that there are so many more users in a leaf.
func (c *crowd) count(slot, more int32) {
	for node := c.leaves + int(slot)/crowdLeaf; node > 0; node >>= 1 {
		c.nodes[node].users += more
	}
}

// move tells the crowd that a user's turn has changed.
func (c *crowd) move(user int32, when turn) {
	slot := c.at[user]
	c.slots.turn[slot] = when
	node := c.leaves + int(slot)/crowdLeaf
	was := c.nodes[node].head
	c.nodes[node].head = c.first(node)
	for changed := c.nodes[node].head != was; changed && node > 1; {
		node >>= 1
		changed = c.join(node)
	}
}

// first returns the first turn in a leaf.
func (c *crowd) first(leaf int) turn {
	best := nobody
	s, end := c.within(leaf)
	for ; s < end; s++ {
		if c.slots.user[s] >= 0 && (best.index < 0 || c.slots.turn[s].before(&best)) {
			best = c.slots.turn[s]
		}
	}
	return best
}

// nobody is the turn where there is no user.
var nobody = turn{index: -1}

// join finds the first turn below an inner node and reports whether it has
// changed.
func (c *crowd) join(node int) bool {
	first, right := &c.nodes[2*node].head, &c.nodes[2*node+1].head
	if first.index < 0 || right.index >= 0 && right.before(first) {
		first = right
	}
	changed := c.nodes[node].head != *first
	c.nodes[node].head = *first
	return changed
}

// settle finds the leaf for a new user: at every node on its side of where the
// node was split, on the split itself where the box grows less, then where there
// are fewer.
func (c *crowd) settle(point []int64, known int64) int {
	node := 1
	for node < c.leaves {
		c.passDown(node, known)
		n := &c.nodes[node]
		node *= 2
		if v := point[n.dim]; v > n.split || v == n.split && c.closer(node+1, node, point) {
			node++
		}
	}
	c.passDown(node, known)
	return node
}

// closer reports whether a new user is better put into a box than into another.
func (c *crowd) closer(node, other int, point []int64) bool {
	mine, its := c.growth(node, point), c.growth(other, point)
	return mine < its || mine == its && c.nodes[node].users < c.nodes[other].users
}

// passDown moves what is known of a node to what is below it if less is known
// of a user who is to go there.
func (c *crowd) passDown(node int, known int64) {
	above := c.nodes[node].known
	if known >= above {
		return
	}
	c.nodes[node].known = untried
	if node < c.leaves {
		left, right := &c.nodes[2*node], &c.nodes[2*node+1]
		left.known, right.known = max(left.known, above), max(right.known, above)
		return
	}
	for s, end := c.within(node); s < end; s++ {
		c.slots.known[s] = max(c.slots.known[s], above)
	}
}

// growth is how much the box of a node grows to hold a point, as a sum over
// the dimensions in parts of the root's extent.
func (c *crowd) growth(node int, point []int64) float64 {
	if c.nodes[node].users == 0 {
		return 0
	}
	sum := 0.0
	low, high := c.low(node), c.high(node)
	first, last := c.low(1), c.high(1)
	for i, v := range point {
		extent := max(float64(last[i]-first[i]), 1)
		if v < low[i] {
			sum += float64(low[i]-v) / extent
		} else if v > high[i] {
			sum += float64(v-high[i]) / extent
		}
	}
	return sum
}

// refresh brings the nodes above a slot up to date; it stops at the first that
// stays what it was.
func (c *crowd) refresh(slot int32) {
	node := c.leaves + int(slot)/crowdLeaf
	for changed := c.gather(node); changed && node > 1; {
		node >>= 1
		changed = c.merge(node)
	}
}
