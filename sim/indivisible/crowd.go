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
// it need not go to the users. One change costs O(dims·log n); after as many
// new users as there are in it the tree is built anew.
type crowd struct {
	dims, width int // demands in all: of resources, width of them, then of links
	skip        int // demands of a kind's point that are left out in front
	words       int // of the sets of classes of a node; 0 before the first user with constraints

	at     []int32 // per user: its slot; -1: not in the crowd
	slots  slots
	spare  slots
	leaves int // a power of two; 0 before the first user

	// Per node, the root being node 1.
	lo, hi  []int64
	head    []turn   // of the first user below; index −1: there is none
	count   []int32  // of users below
	known   []int64  // see inOrder; the larger one on the way to a user holds for it
	witness []int32  // a server that had room for the low corner
	classes []uint64 // per node: words; a superset of where somebody below may run

	changes int
	order   []int32 // scratch
}

// slots are the places for users in a crowd, leaf by leaf.
type slots struct {
	user  []int32 // -1: empty
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
	crowdLeaf = 8
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
	return int(c.count[1])
}

func (c *crowd) has(user int32) bool { return int(user) < len(c.at) && c.at[user] >= 0 }

func (c *crowd) point(slot int32) []int64 {
	return c.slots.point[int(slot)*c.dims : (int(slot)+1)*c.dims]
}

func (c *crowd) low(node int) []int64  { return c.lo[node*c.dims : (node+1)*c.dims] }
func (c *crowd) high(node int) []int64 { return c.hi[node*c.dims : (node+1)*c.dims] }

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
	c.changes++
	if c.leaves == 0 || c.len() == c.leaves*crowdLeaf || c.changes > 64+c.len() {
		stage := int32(c.leaves * crowdLeaf)
		c.slots.resize(int(stage)+1, c.dims)
		c.fill(stage, user, k, when, known)
		c.rebuild(stage)
		return
	}
	slot := c.settle(k.point[c.skip:], known)
	c.fill(slot, user, k, when, known)
	c.refresh(slot)
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
	c.refresh(slot)
}

// move tells the crowd that a user's turn has changed.
func (c *crowd) move(user int32, when turn) {
	slot := c.at[user]
	c.slots.turn[slot] = when
	node := c.leaves + int(slot)/crowdLeaf
	was := c.head[node]
	c.head[node] = c.first(node)
	for now := c.head[node]; now != was && node > 1; now = c.head[node] {
		node >>= 1
		was = c.head[node]
		c.join(node)
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

// join finds the first turn below an inner node.
func (c *crowd) join(node int) {
	left, right := &c.head[2*node], &c.head[2*node+1]
	if right.index < 0 || left.index >= 0 && left.before(right) {
		c.head[node] = *left
	} else {
		c.head[node] = *right
	}
}

// settle finds a slot for a new user: at every node on the side whose box
// grows less and that has room.
func (c *crowd) settle(point []int64, known int64) int32 {
	node, room := 1, c.leaves*crowdLeaf
	for node < c.leaves {
		c.passDown(node, known)
		node, room = 2*node, room/2
		if int(c.count[node]) == room || int(c.count[node+1]) < room && c.growth(node+1, point) < c.growth(node, point) {
			node++
		}
	}
	c.passDown(node, known)
	for s, end := c.within(node); s < end; s++ {
		if c.slots.user[s] < 0 {
			return s
		}
	}
	panic("indivisible: no free slot in a leaf that has room")
}

// passDown moves what is known of a node to what is below it if less is known
// of a user who is to go there.
func (c *crowd) passDown(node int, known int64) {
	if known >= c.known[node] {
		return
	}
	above := c.known[node]
	c.known[node] = untried
	if node < c.leaves {
		c.known[2*node] = max(c.known[2*node], above)
		c.known[2*node+1] = max(c.known[2*node+1], above)
		return
	}
	for s, end := c.within(node); s < end; s++ {
		c.slots.known[s] = max(c.slots.known[s], above)
	}
}

// growth is how much the box of a node grows to hold a point, as a sum over
// the dimensions in parts of the root's extent.
func (c *crowd) growth(node int, point []int64) float64 {
	if c.count[node] == 0 {
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

// refresh brings the nodes above a slot up to date.
func (c *crowd) refresh(slot int32) {
	node := c.leaves + int(slot)/crowdLeaf
	c.gather(node)
	for node >>= 1; node > 0; node >>= 1 {
		c.merge(node)
	}
}
