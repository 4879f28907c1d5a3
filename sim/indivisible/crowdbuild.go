package indivisible

import "math"

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
	c.forgetNodes()
	c.order = c.order[:0]
	for s := range c.slots.user[:stage+1] {
		if c.slots.user[s] >= 0 {
			c.order = append(c.order, int32(s))
		}
	}
	leaves := 1
	for leaves*crowdLeaf/2 < len(c.order) {
		leaves *= 2
	}
	c.changes = 0
	c.renew(leaves)
	scale := make([]float64, c.dims)
	for i := range scale {
		scale[i] = 1 / max(c.extent(c.order, i), 1)
	}
	c.spare.resize(leaves*crowdLeaf, c.dims)
	for s := range c.spare.user {
		c.spare.user[s], c.spare.may[s] = -1, nil
	}
	c.spread(1, c.order, scale)
	c.slots, c.spare = c.spare, c.slots
	for leaf := leaves; leaf < 2*leaves; leaf++ {
		c.gather(leaf)
		c.known[leaf] = math.MaxInt64
		for s, end := c.within(leaf); s < end; s++ {
			if c.slots.user[s] >= 0 {
				c.known[leaf] = min(c.known[leaf], c.slots.known[s])
			}
		}
	}
	for node := leaves - 1; node > 0; node-- {
		c.merge(node)
		c.known[node] = min(c.known[2*node], c.known[2*node+1])
	}
}

// renew sets the number of leaves. Nodes are filled in afterwards.
func (c *crowd) renew(leaves int) {
	if leaves == c.leaves {
		return
	}
	c.leaves = leaves
	c.lo, c.hi = make([]int64, 2*leaves*c.dims), make([]int64, 2*leaves*c.dims)
	c.head, c.count = make([]turn, 2*leaves), make([]int32, 2*leaves)
	c.known, c.witness = make([]int64, 2*leaves), make([]int32, 2*leaves)
	c.classes = make([]uint64, 2*leaves*c.words)
}

// forgetNodes moves what is known of all nodes to their users.
func (c *crowd) forgetNodes() {
	for node := 1; node < 2*c.leaves; node++ {
		c.passDown(node, untried-1)
	}
}

// spread puts users below a node: half of them on each side of the median in
// the dimension in which they differ most.
func (c *crowd) spread(node int, from []int32, scale []float64) {
	if node >= c.leaves {
		first, _ := c.within(node)
		for i, s := range from {
			c.transfer(s, first+int32(i))
		}
		return
	}
	dim, widest := 0, -1.0
	for i := range scale {
		if w := c.extent(from, i) * scale[i]; w > widest {
			dim, widest = i, w
		}
	}
	half := (len(from) + 1) / 2
	c.part(from, half, dim)
	c.spread(2*node, from[:half], scale)
	c.spread(2*node+1, from[half:], scale)
}

// transfer copies a user to a slot of the spare ones.
func (c *crowd) transfer(from, to int32) {
	a, b := &c.slots, &c.spare
	b.user[to], b.turn[to], b.known[to], b.may[to] = a.user[from], a.turn[from], a.known[from], a.may[from]
	copy(b.point[int(to)*c.dims:(int(to)+1)*c.dims], c.point(from))
	c.at[a.user[from]] = to
}

// gather sums up a leaf.
func (c *crowd) gather(leaf int) {
	low, high := c.low(leaf), c.high(leaf)
	for i := range low {
		low[i], high[i] = math.MaxInt64, math.MinInt64
	}
	n := int32(0)
	s, end := c.within(leaf)
	for ; s < end; s++ {
		if c.slots.user[s] < 0 {
			continue
		}
		n++
		for i, v := range c.point(s) {
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	c.count[leaf] = n
	c.head[leaf] = c.first(leaf)
	if c.words > 0 {
		c.gatherClasses(leaf)
	}
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

// merge sums up an inner node.
func (c *crowd) merge(node int) {
	low, high := c.low(node), c.high(node)
	left, right := 2*node*c.dims, (2*node+1)*c.dims
	for i := range low {
		low[i] = min(c.lo[left+i], c.lo[right+i])
		high[i] = max(c.hi[left+i], c.hi[right+i])
	}
	c.count[node] = c.count[2*node] + c.count[2*node+1]
	c.join(node)
	for w := range c.words {
		c.classes[node*c.words+w] = c.classes[2*node*c.words+w] | c.classes[(2*node+1)*c.words+w]
	}
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

// part reorders slots so that the first n are not above the others in one
// dimension (Hoare's selection).
func (c *crowd) part(of []int32, n, dim int) {
	at := func(i int) int64 { return c.slots.point[int(of[i])*c.dims+dim] }
	for low, high := 0, len(of)-1; low < high; {
		pivot := at((low + high) / 2)
		i, j := low, high
		for i <= j {
			for at(i) < pivot {
				i++
			}
			for at(j) > pivot {
				j--
			}
			if i <= j {
				of[i], of[j] = of[j], of[i]
				i++
				j--
			}
		}
		switch {
		case n-1 <= j:
			high = j
		case n-1 >= i:
			low = i
		default:
			return
		}
	}
}
