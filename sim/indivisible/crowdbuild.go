package indivisible

import (
	"math"
	"slices"
)

// resize makes room for n slots; the new ones are empty.
func (s *slots) resize(n, dims int) {
	for len(s.user) < n {
		s.user = append(s.user, -1)
		s.turn = append(s.turn, nobody)
		s.known = append(s.known, untried)
		s.may = append(s.may, nil)
	}
	for len(s.point) < n*dims {
		s.point = append(s.point, 0)
	}
	for i := n; i < len(s.user); i++ {
		s.user[i], s.may[i] = -1, nil
	}
	s.user, s.turn, s.known, s.may = s.user[:n], s.turn[:n], s.known[:n], s.may[:n]
	s.point = s.point[:n*dims]
}

// rebuild spreads all users, and one more in an extra slot, evenly over new
// leaves that are at most half full.
func (c *crowd) rebuild(stage int32) {
	if c.leaves > 0 {
		c.forgetNodes(1)
	}
	c.collect(0, stage+1)
	leaves := 1
	for leaves*crowdLeaf/2 < len(c.order) {
		leaves *= 2
	}
	c.changes = 0
	c.renew(leaves)
	c.scale = c.scale[:0]
	for i := range c.dims {
		c.scale = append(c.scale, 1/max(c.extent(c.order, i), 1))
	}
	c.spare.resize(leaves*crowdLeaf, c.dims)
	c.spare.clear(0, int32(leaves*crowdLeaf))
	c.spread(1, c.order)
	c.slots, c.spare = c.spare, c.slots
	c.sum(1)
}

// loosen spreads the users around a full leaf, and one more in an extra slot,
// over the smallest part of the tree that then has room left.
func (c *crowd) loosen(leaf int, stage int32) {
	node := leaf
	var first, end int32
	for size := int32(1); ; size *= 2 {
		first = int32(leaf-c.leaves) / size * size * crowdLeaf
		end = first + size*crowdLeaf
		if node == 1 || c.nodes[node].users < size*crowdLeaf*3/4+crowdLeaf/4 {
			break
		}
		node /= 2
	}
	c.forgetNodes(node)
	c.collect(first, end)
	c.order = append(c.order, stage)
	c.spare.resize(int(stage), c.dims)
	c.spare.clear(first, end)
	c.spread(node, c.order)
	c.slots.copy(&c.spare, first, end, c.dims)
	c.slots.resize(int(stage), c.dims)
	c.sum(node)
	for node /= 2; node > 0; node /= 2 {
		c.merge(node)
		c.nodes[node].users = c.nodes[2*node].users + c.nodes[2*node+1].users
	}
}

// collect lists the slots of a run that have a user.
func (c *crowd) collect(first, end int32) {
	c.order = c.order[:0]
	for s := first; s < end; s++ {
		if c.slots.user[s] >= 0 {
			c.order = append(c.order, s)
		}
	}
}

// clear empties a run of slots.
func (s *slots) clear(first, end int32) {
	for i := first; i < end; i++ {
		s.user[i], s.may[i] = -1, nil
	}
}

// copy takes over a run of slots.
func (s *slots) copy(from *slots, first, end int32, dims int) {
	copy(s.user[first:end], from.user[first:end])
	copy(s.turn[first:end], from.turn[first:end])
	copy(s.known[first:end], from.known[first:end])
	copy(s.may[first:end], from.may[first:end])
	copy(s.point[int(first)*dims:int(end)*dims], from.point[int(first)*dims:int(end)*dims])
}

// sum sums up a part of the tree.
func (c *crowd) sum(node int) {
	n := &c.nodes[node]
	if node < c.leaves {
		c.sum(2 * node)
		c.sum(2*node + 1)
		left, right := &c.nodes[2*node], &c.nodes[2*node+1]
		n.known, n.users = min(left.known, right.known), left.users+right.users
		c.merge(node)
		return
	}
	n.known, n.users = math.MaxInt64, 0
	for s, end := c.within(node); s < end; s++ {
		if c.slots.user[s] >= 0 {
			n.known = min(n.known, c.slots.known[s])
			n.users++
		}
	}
	c.gather(node)
}

// renew sets the number of leaves. Nodes are filled in afterwards.
func (c *crowd) renew(leaves int) {
	if leaves == c.leaves {
		return
	}
	c.leaves = leaves
	c.nodes, c.corners = make([]crowdNode, 2*leaves), make([]int64, 4*leaves*c.dims)
	c.classes = make([]uint64, 2*leaves*c.words)
}

// forgetNodes moves what is known of the nodes of a part of the tree to their
// users.
func (c *crowd) forgetNodes(node int) {
	c.passDown(node, untried-1)
	if node < c.leaves {
		c.forgetNodes(2 * node)
		c.forgetNodes(2*node + 1)
	}
}

// spread puts users below a node: half of them on each side of the median in
// the dimension in which they differ most.
func (c *crowd) spread(node int, from []int32) {
	if node >= c.leaves {
		first, _ := c.within(node)
		for i, s := range from {
			c.transfer(s, first+int32(i))
		}
		return
	}
	dim, widest := 0, -1.0
	for i, scale := range c.scale {
		if w := c.extent(from, i) * scale; w > widest {
			dim, widest = i, w
		}
	}
	half := (len(from) + 1) / 2
	part(from, half, func(s int32) int64 { return c.slots.point[int(s)*c.dims+dim] })
	c.nodes[node].dim, c.nodes[node].split = int32(dim), math.MinInt64
	if half > 0 {
		c.nodes[node].split = c.slots.point[int(from[half-1])*c.dims+dim]
	}
	c.spread(2*node, from[:half])
	c.spread(2*node+1, from[half:])
}

// transfer copies a user to a slot of the spare ones.
func (c *crowd) transfer(from, to int32) {
	a, b := &c.slots, &c.spare
	b.user[to], b.turn[to], b.known[to], b.may[to] = a.user[from], a.turn[from], a.known[from], a.may[from]
	copy(b.point[int(to)*c.dims:(int(to)+1)*c.dims], c.point(from))
	c.at[a.user[from]] = to
}

// gather sums up a leaf and reports whether anything has changed.
func (c *crowd) gather(leaf int) bool {
	low, high := c.low(leaf), c.high(leaf)
	c.was = append(append(c.was[:0], low...), high...)
	for i := range low {
		low[i], high[i] = math.MaxInt64, math.MinInt64
	}
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.user[s] < 0 {
			continue
		}
		for i, v := range c.point(s) {
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	head := c.first(leaf)
	changed := head != c.nodes[leaf].head || !slices.Equal(low, c.was[:c.dims]) || !slices.Equal(high, c.was[c.dims:])
	c.nodes[leaf].head = head
	if c.words > 0 {
		c.gatherClasses(leaf)
		return true
	}
	return changed
}

func (c *crowd) gatherClasses(leaf int) {
	set := c.classes[leaf*c.words : (leaf+1)*c.words]
	clear(set)
	for s, end := c.within(leaf); s < end; s++ {
		if c.slots.user[s] < 0 {
			continue
		}
		for i := range set {
			if c.slots.may[s] == nil {
				set[i] = math.MaxUint64
			}
		}
		for i, w := range c.slots.may[s] {
			set[i&(c.words-1)] |= w
		}
	}
}

// merge sums up an inner node and reports whether anything has changed.
func (c *crowd) merge(node int) bool {
	low, high := c.low(node), c.high(node)
	lowLeft, lowRight, highLeft, highRight := c.low(2*node), c.low(2*node+1), c.high(2*node), c.high(2*node+1)
	changed := c.join(node)
	for i := range low {
		l, h := min(lowLeft[i], lowRight[i]), max(highLeft[i], highRight[i])
		changed = changed || l != low[i] || h != high[i]
		low[i], high[i] = l, h
	}
	for w := range c.words {
		c.classes[node*c.words+w] = c.classes[2*node*c.words+w] | c.classes[(2*node+1)*c.words+w]
	}
	return changed || c.words > 0
}

func (c *crowd) extent(of []int32, dim int) float64 {
	if len(of) == 0 {
		return 0
	}
	low := c.slots.point[int(of[0])*c.dims+dim]
	high := low
	for _, s := range of {
		v := c.slots.point[int(s)*c.dims+dim]
		low, high = min(low, v), max(high, v)
	}
	return float64(high) - float64(low)
}
