package whole

import "math"

// boxes holds numbered points in a balanced tree of bounding boxes, so that a
// search can leave out whole parts of space. What a search finds never depends
// on the shape of the tree: only its cost does.
//
// The tree is an implicit binary one over slots; a leaf is a run of leafSize
// slots. Every node knows the smallest box around its points and its best
// point in the order of before. A point that moves stays in its slot, and the
// boxes follow; after as many changes as there are points the tree is built
// anew by splitting at medians. One change costs O(dims·log n).
type boxes[T int64 | float64] struct {
	dims   int
	before func(a, b int32) bool // order of the points; strict and total

	points []T     // per point: dims
	slot   []int32 // per point: its slot; -1: not in the tree
	items  []int32 // per slot: its point; -1: none
	leaves int     // a power of two; 0 before the first point

	// Per node, the root being node 1.
	lo, hi []T
	best   []int32 // -1: no point below
	count  []int32

	// stamp and stampOf hold, per node and per point, the largest stamp of a
	// point below, or of the point. nil: not in use.
	stamp, stampOf []int64

	changes int
	order   []int32 // scratch
}

const leafSize = 8

// Each empty node has the box that no search enters, which holds for int64
// and float64 alike.
func bounds[T int64 | float64]() (low, high T) {
	var v T
	switch p := any(&v).(type) {
	case *int64:
		*p = math.MaxInt64
		high = v
		*p = math.MinInt64
		return v, high
	case *float64:
		*p = math.Inf(1)
		high = v
		*p = math.Inf(-1)
		return v, high
	}
	panic("unreachable")
}

func newBoxes[T int64 | float64](dims int, before func(a, b int32) bool) *boxes[T] {
	return &boxes[T]{dims: dims, before: before}
}

func (b *boxes[T]) len() int {
	if b.leaves == 0 {
		return 0
	}
	return int(b.count[1])
}

func (b *boxes[T]) has(item int32) bool { return int(item) < len(b.slot) && b.slot[item] >= 0 }

func (b *boxes[T]) point(item int32) []T {
	return b.points[int(item)*b.dims : (int(item)+1)*b.dims]
}

func (b *boxes[T]) low(node int) []T  { return b.lo[node*b.dims : (node+1)*b.dims] }
func (b *boxes[T]) high(node int) []T { return b.hi[node*b.dims : (node+1)*b.dims] }

// mark gives a point a stamp that is not smaller than any so far.
func (b *boxes[T]) mark(item int32, stamp int64) {
	b.stampOf[item] = stamp
	for node := b.leaves + int(b.slot[item])/leafSize; node > 0; node >>= 1 {
		b.stamp[node] = stamp
	}
}

// put adds a point, or moves it.
func (b *boxes[T]) put(item int32, point []T) {
	for int(item) >= len(b.slot) {
		b.slot = append(b.slot, -1)
		b.points = append(b.points, point...)
	}
	copy(b.point(item), point)
	b.changes++
	if b.slot[item] < 0 {
		if b.leaves == 0 || int(b.count[1]) == b.leaves*leafSize {
			b.rebuild(item)
			return
		}
		b.settle(item)
	}
	if b.changes > 64+b.len() {
		b.rebuild(-1)
		return
	}
	b.refresh(b.slot[item])
}

// shift moves a point whose place in the order stays what it is.
func (b *boxes[T]) shift(item int32, point []T) {
	copy(b.point(item), point)
	if b.changes++; b.changes > 64+b.len() {
		b.rebuild(-1)
		return
	}
	b.reshape(b.slot[item])
}

// drop takes a point out.
func (b *boxes[T]) drop(item int32) {
	s := b.slot[item]
	b.slot[item], b.items[s] = -1, -1
	b.refresh(s)
}

// rekey tells the tree that the place of a point in the order has changed.
func (b *boxes[T]) rekey(item int32) {
	node := b.leaves + int(b.slot[item])/leafSize
	b.best[node] = b.bestOf(node)
	for node >>= 1; node > 0; node >>= 1 {
		b.best[node] = b.better(b.best[2*node], b.best[2*node+1])
	}
}

func (b *boxes[T]) better(x, y int32) int32 {
	if y < 0 || x >= 0 && !b.before(y, x) {
		return x
	}
	return y
}

// slots returns the points of a leaf; -1 stands for an empty slot.
func (b *boxes[T]) slots(leaf int) []int32 {
	first := (leaf - b.leaves) * leafSize
	return b.items[first : first+leafSize : first+leafSize]
}

func (b *boxes[T]) bestOf(leaf int) int32 {
	best := int32(-1)
	for _, item := range b.slots(leaf) {
		if item >= 0 {
			best = b.better(best, item)
		}
	}
	return best
}

// settle finds a slot for a new point: at every node on the side whose box
// grows less and that has room.
func (b *boxes[T]) settle(item int32) {
	node, room := 1, b.leaves*leafSize
	for node < b.leaves {
		node, room = 2*node, room/2
		if int(b.count[node]) == room || int(b.count[node+1]) < room && b.growth(node+1, item) < b.growth(node, item) {
			node++
		}
	}
	for i, other := range b.slots(node) {
		if other < 0 {
			s := int32((node-b.leaves)*leafSize + i)
			b.items[s], b.slot[item] = item, s
			return
		}
	}
	panic("whole: no free slot in a leaf that has room")
}

// growth is how much the box of a node grows to hold a point, as a sum over
// the dimensions in parts of the root's extent.
func (b *boxes[T]) growth(node int, item int32) float64 {
	if b.count[node] == 0 {
		return 0
	}
	sum := 0.0
	low, high := b.low(node), b.high(node)
	first, last := b.low(1), b.high(1)
	for i, v := range b.point(item) {
		extent := float64(last[i]) - float64(first[i])
		if v < low[i] {
			sum += (float64(low[i]) - float64(v)) / max(extent, 1e-300)
		} else if v > high[i] {
			sum += (float64(v) - float64(high[i])) / max(extent, 1e-300)
		}
	}
	return sum
}

// refresh brings the nodes above a slot up to date.
func (b *boxes[T]) refresh(slot int32) {
	node := b.leaves + int(slot)/leafSize
	b.gather(node)
	for node >>= 1; node > 0; node >>= 1 {
		b.join(node)
	}
}

// reshape does the same where a point has shifted: it stops at the first node whose box stays what it was.
func (b *boxes[T]) reshape(slot int32) {
	node := b.leaves + int(slot)/leafSize
	b.enclose(node)
	for node >>= 1; node > 0 && b.stretch(node); node >>= 1 {
	}
}

// stretch brings the box of an inner node up to date and reports whether it
// has changed.
func (b *boxes[T]) stretch(node int) bool {
	low, high := b.low(node), b.high(node)
	left, right := 2*node*b.dims, (2*node+1)*b.dims
	changed := false
	for i := range low {
		l, h := min(b.lo[left+i], b.lo[right+i]), max(b.hi[left+i], b.hi[right+i])
		changed = changed || l != low[i] || h != high[i]
		low[i], high[i] = l, h
	}
	return changed
}

// gather sums up a leaf.
func (b *boxes[T]) gather(leaf int) {
	b.count[leaf] = b.enclose(leaf)
	b.best[leaf] = b.bestOf(leaf)
}

// enclose finds the box of a leaf and counts its points.
func (b *boxes[T]) enclose(leaf int) int32 {
	low, high := b.low(leaf), b.high(leaf)
	bottom, top := bounds[T]()
	for i := range low {
		low[i], high[i] = top, bottom
	}
	n := int32(0)
	for _, item := range b.slots(leaf) {
		if item < 0 {
			continue
		}
		n++
		for i, v := range b.point(item) {
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	return n
}

// join sums up an inner node.
func (b *boxes[T]) join(node int) {
	low, high := b.low(node), b.high(node)
	left, right := 2*node*b.dims, (2*node+1)*b.dims
	for i := range low {
		low[i] = min(b.lo[left+i], b.lo[right+i])
		high[i] = max(b.hi[left+i], b.hi[right+i])
	}
	b.count[node] = b.count[2*node] + b.count[2*node+1]
	b.best[node] = b.better(b.best[2*node], b.best[2*node+1])
}

// rebuild spreads all points, and one more unless it is -1, evenly over new
// leaves that are at most half full.
func (b *boxes[T]) rebuild(extra int32) {
	b.order = b.order[:0]
	for _, item := range b.items {
		if item >= 0 {
			b.order = append(b.order, item)
		}
	}
	if extra >= 0 {
		b.order = append(b.order, extra)
	}
	leaves := 1
	for leaves*leafSize/2 < len(b.order) {
		leaves *= 2
	}
	b.resize(leaves)
	b.changes = 0
	scale := make([]float64, b.dims)
	for i := range scale {
		scale[i] = 1 / max(b.extent(b.order, i), 1e-300)
	}
	b.spread(1, b.order, scale)
}

func (b *boxes[T]) resize(leaves int) {
	if leaves != b.leaves {
		b.leaves = leaves
		b.items = make([]int32, leaves*leafSize)
		b.lo, b.hi = make([]T, 2*leaves*b.dims), make([]T, 2*leaves*b.dims)
		b.best, b.count = make([]int32, 2*leaves), make([]int32, 2*leaves)
		if b.stampOf != nil {
			b.stamp = make([]int64, 2*leaves)
		}
	}
	for s := range b.items {
		b.items[s] = -1
	}
}

// spread puts points below a node: half of them on each side of the median in
// the dimension in which they differ most.
func (b *boxes[T]) spread(node int, items []int32, scale []float64) {
	if node >= b.leaves {
		slots := b.slots(node)
		for i, item := range items {
			slots[i] = item
			b.slot[item] = int32((node-b.leaves)*leafSize + i)
		}
		b.gather(node)
		b.latest(node, items)
		return
	}
	dim, widest := 0, -1.0
	for i := range scale {
		if w := b.extent(items, i) * scale[i]; w > widest {
			dim, widest = i, w
		}
	}
	half := (len(items) + 1) / 2
	part(items, half, func(item int32) T { return b.points[int(item)*b.dims+dim] })
	b.spread(2*node, items[:half], scale)
	b.spread(2*node+1, items[half:], scale)
	b.join(node)
	if b.stampOf != nil {
		b.stamp[node] = max(b.stamp[2*node], b.stamp[2*node+1])
	}
}

// latest finds the stamp of a leaf.
func (b *boxes[T]) latest(leaf int, items []int32) {
	if b.stampOf == nil {
		return
	}
	b.stamp[leaf] = 0
	for _, item := range items {
		b.stamp[leaf] = max(b.stamp[leaf], b.stampOf[item])
	}
}

func (b *boxes[T]) extent(items []int32, dim int) float64 {
	if len(items) == 0 {
		return 0
	}
	low := b.points[int(items[0])*b.dims+dim]
	high := low
	for _, item := range items {
		v := b.points[int(item)*b.dims+dim]
		low, high = min(low, v), max(high, v)
	}
	return float64(high) - float64(low)
}

// part reorders items so that of the values that belong to them the first n are
// not above the others, and the n-th is the largest of these (Hoare's
// selection).
func part[T int64 | float64](items []int32, n int, value func(item int32) T) {
	for low, high := 0, len(items)-1; low < high; {
		pivot := value(items[(low+high)/2])
		i, j := low, high
		for i <= j {
			for value(items[i]) < pivot {
				i++
			}
			for value(items[j]) > pivot {
				j--
			}
			if i <= j {
				items[i], items[j] = items[j], items[i]
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
