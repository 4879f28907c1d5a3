package waiting

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/boxes"
)

// rebuild spreads all users, and one more in an extra slot, evenly over new
// leaves that are at most half full.
func (c *userTree) rebuild(stage int32) {
	if c.leaves > 0 {
		c.forget(1)
	}
	c.collect(0, stage+1)
	leaves := 1
	for leaves*leafUsers/2 < len(c.order) {
		leaves *= 2
	}
	c.changes = 0
	c.renew(leaves)
	c.scale = c.scale[:0]
	for i := range c.fields {
		c.scale = append(c.scale, 1/max(c.extent(c.order, i), 1))
	}
	c.spare.resize(leaves * leafUsers)
	c.spare.clear(0, int32(leaves*leafUsers))
	c.spread(1, c.order)
	c.slots, c.spare = c.spare, c.slots
	c.sum(1)
}

// respread spreads the users around a full leaf, and one more in an extra slot,
// over the smallest part of the tree that then has room left.
func (c *userTree) respread(leaf int, stage int32) {
	node, size := leaf, int32(1)
	for node > 1 && c.users[node] >= size*leafUsers*3/4+leafUsers/4 {
		node, size = node/2, 2*size
	}
	first := int32(leaf-c.leaves) / size * size * leafUsers
	end := first + size*leafUsers
	tops, ends := c.tops(node)
	for n := tops; n < ends; n++ {
		c.forget(n)
	}
	c.collect(first, end)
	c.order = append(c.order, stage)
	c.spare.resize(int(stage))
	c.spare.clear(first, end)
	c.spread(node, c.order)
	c.slots.copy(&c.spare, first, end)
	c.slots.resize(int(stage))
	for n := tops; n < ends; n++ {
		c.sum(n)
	}
	for n := node / 2; n > 0; n /= 2 {
		c.users[n]++
	}
	for n := tops; n > 1; {
		n = above(n)
		c.merge(n)
	}
}

// tops returns the highest nodes with boxes that are, all together, a node of
// the binary tree.
func (c *userTree) tops(node int) (first, end int) {
	first, end = node, node+1
	for first > 1 && !c.boxed(first) {
		first, end = 2*first, 2*end
	}
	return first, end
}

// boxed reports whether a node has a box.
func (c *userTree) boxed(node int) bool {
	for node < c.leaves {
		node <<= forkLevels
	}
	return node == 1 || node < 2*c.leaves
}

// collect lists the slots of a run that have a user.
func (c *userTree) collect(first, end int32) {
	c.order = c.order[:0]
	for s := first; s < end; s++ {
		if c.slots.user[s] >= 0 {
			c.order = append(c.order, s)
		}
	}
}

// sum sums up a part of the tree.
func (c *userTree) sum(node int) {
	n := &c.nodes[node]
	n.tried, n.done = math.MaxInt64, 0
	if node < c.leaves {
		for child, end := c.below(node); child < end; child++ {
			c.sum(child)
			n.tried = min(n.tried, c.nodes[child].tried)
		}
		c.merge(node)
		return
	}
	for s, end := c.within(node); s < end; s++ {
		if c.slots.user[s] >= 0 {
			n.tried = min(n.tried, c.slots.tried[s])
		}
	}
	c.gather(node)
}

// forget moves what is tried of the nodes of a part of the tree to their users.
func (c *userTree) forget(node int) {
	c.pushTried(node)
	if node < c.leaves {
		for n, end := c.below(node); n < end; n++ {
			c.forget(n)
		}
	}
}

// spread puts users below a node: half of them on each side of the median in
// one dimension.
func (c *userTree) spread(node int, from []int32) {
	c.users[node] = int32(len(from))
	if node >= c.leaves {
		first, _ := c.within(node)
		for i, s := range from {
			c.slots.transfer(s, &c.spare, first+int32(i))
			c.at[c.slots.user[s]] = first + int32(i)
		}
		return
	}
	dim := c.selective(from)
	if dim < 0 {
		dim = c.widest(from)
	}
	half := (len(from) + 1) / 2
	boxes.Partition(from, half, func(s int32) int64 { return c.slots.field(s, dim) })
	c.splits[node] = split{int32(dim), -1}
	if half > 0 {
		c.splits[node].at = int32(c.slots.field(from[half-1], dim))
	}
	c.spread(2*node, from[:half])
	c.spread(2*node+1, from[half:])
}

// widest returns the dimension in which users differ most.
func (c *userTree) widest(users []int32) int {
	dim, widest := 0, -1.0
	for i := c.ignore; i < c.fields; i++ {
		if w := c.extent(users, i) * c.scale[i]; w > widest {
			dim, widest = i, w
		}
	}
	return dim
}

// selective returns the dimension in which the median keeps most of the rooms that
// were searched for of late from the upper half of users, of those rooms that
// may reach the lower one; -1 if it keeps none, or if users are few.
func (c *userTree) selective(users []int32) int {
	if len(users) < selectiveUsers || c.searches == 0 {
		return -1
	}
	low := impossible
	for _, s := range users {
		low = least(low, c.slots.down[s])
	}
	dim, most := -1, 0
	for i := range c.fields {
		median, kept := c.median(users, i), 0
		if median == low.field(i) {
			continue
		}
		for _, room := range c.recent[:min(c.searches, len(c.recent))] {
			if low.within(room) && room.field(i) < median {
				kept++
			}
		}
		if kept > most {
			dim, most = i, kept
		}
	}
	return dim
}

// median returns about the median of a demand, from a few of many users.
func (c *userTree) median(users []int32, dim int) uint64 {
	var few [15]uint64
	for i := range few {
		few[i] = c.slots.down[users[i*len(users)/len(few)]].field(dim)
	}
	slices.Sort(few[:])
	return few[len(few)/2]
}

// search notes that a search for a room begins.
func (c *userTree) search(room sketch) {
	c.recent[c.searches%len(c.recent)] = room
	c.searches++
}

// field returns a user's demand in brief.
func (s *slots) field(slot int32, dim int) int64 { return int64(s.down[slot].field(dim)) }

// extent is the difference of the largest and the smallest demand.
func (c *userTree) extent(of []int32, dim int) float64 {
	if len(of) == 0 {
		return 0
	}
	low := c.slots.field(of[0], dim)
	high := low
	for _, s := range of {
		v := c.slots.field(s, dim)
		low, high = min(low, v), max(high, v)
	}
	return float64(amount(uint64(high)) - amount(uint64(low)))
}

// gather sums up a leaf and reports whether anything has changed.
func (c *userTree) gather(leaf int) bool {
	first, end := c.within(leaf)
	changed := c.enclose(leaf, c.slots.down[first:end], c.slots.up[first:end])
	if head := c.firstIn(leaf); head != c.head[leaf] {
		c.head[leaf], changed = head, true
	}
	if c.sets > 0 {
		c.gatherClasses(leaf)
		return true
	}
	return changed
}

// enclose makes the box of a node hold others and reports whether it has
// changed.
func (c *userTree) enclose(node int, lows, highs []sketch) bool {
	low, high := impossible, sketch{}
	for i := range lows {
		low, high = least(low, lows[i]), most(high, highs[i])
	}
	changed := low != c.low[node] || high != c.high[node]
	c.low[node], c.high[node] = low, high
	return changed
}

func (c *userTree) gatherClasses(leaf int) {
	set := c.classes[leaf*c.sets : (leaf+1)*c.sets]
	clear(set)
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.user[s] < 0 {
			continue
		}
		may := c.slots.kind[s].May
		for i := range set {
			if may == nil {
				set[i] = math.MaxUint64
			}
		}
		for i, w := range may {
			set[i&(c.sets-1)] |= w
		}
	}
}

// merge sums up an inner node and reports whether anything has changed.
func (c *userTree) merge(node int) bool {
	first, end := c.below(node)
	changed := c.enclose(node, c.low[first:end], c.high[first:end])
	if head := c.firstBelow(node); head != c.head[node] {
		c.head[node], changed = head, true
	}
	if c.sets == 0 {
		return changed
	}
	set := c.classes[node*c.sets : (node+1)*c.sets]
	clear(set)
	for n := first; n < end; n++ {
		for w := range set {
			set[w] |= c.classes[n*c.sets+w]
		}
	}
	return true
}
