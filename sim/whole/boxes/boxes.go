// Package boxes holds numbered points in a balanced tree of bounding boxes, so
// that a search can leave out whole parts of space.
package boxes

import "math"

// Tree is an implicit binary tree over slots; a leaf is a run of slots, each with
// at most one point. Every node knows the smallest box around the points below it
// and which of them comes first in an order. A point that moves stays in its
// slot, and the boxes follow; after as many changes as there are points the tree
// is built anew by splitting at medians. One change costs O(dims·log n).
//
// Nodes are numbered from the root, node 1: those below node n are 2n and 2n+1,
// and the leaves are the nodes from Leaves on.
//
// Invariant: what a search finds may never depend on the shape of the tree; only
// its cost does.
type Tree[T int64 | float64] struct {
	Leaves int     // a power of two; 0 before the first point
	Best   []int32 // per node: the first point below; -1: none
	Count  []int32 // per node: the points below
	// Stamp is, per node, the largest stamp of a point below; nil without
	// [Tree.KeepStamps].
	Stamp []int64

	dims    int
	before  func(a, b int32) bool // order of the points; strict and total
	points  []T                   // per point: dims
	slot    []int32               // per point: its slot; -1: not in the tree
	items   []int32               // per slot: its point; -1: none
	lo, hi  []T                   // per node
	stampOf []int64               // per point
	changes int
	order   []int32 // scratch
}

const leafSize = 8

// bounds returns the smallest and the largest number. The box of an empty node is
// from the largest to the smallest: no search enters it.
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

// New returns an empty tree of points in dims dimensions. before is their order,
// which is strict and total.
func New[T int64 | float64](dims int, before func(a, b int32) bool) *Tree[T] {
	return &Tree[T]{dims: dims, before: before}
}

// Len returns the number of points.
func (b *Tree[T]) Len() int {
	if b.Leaves == 0 {
		return 0
	}
	return int(b.Count[1])
}

// Has reports whether a point is in the tree.
func (b *Tree[T]) Has(item int32) bool { return int(item) < len(b.slot) && b.slot[item] >= 0 }

// Point returns the coordinates of a point, for reading.
func (b *Tree[T]) Point(item int32) []T {
	return b.points[int(item)*b.dims : (int(item)+1)*b.dims]
}

// Low returns the smallest coordinates below a node.
func (b *Tree[T]) Low(node int) []T { return b.lo[node*b.dims : (node+1)*b.dims] }

// High returns the largest coordinates below a node.
func (b *Tree[T]) High(node int) []T { return b.hi[node*b.dims : (node+1)*b.dims] }

// KeepStamps gives every point of the tree the stamp 0, and returns the stamps
// per point, for reading.
func (b *Tree[T]) KeepStamps() []int64 {
	b.stampOf, b.Stamp = make([]int64, len(b.slot)), make([]int64, 2*b.Leaves)
	return b.stampOf
}

// Mark gives a point a stamp that is not smaller than any so far.
func (b *Tree[T]) Mark(item int32, stamp int64) {
	b.stampOf[item] = stamp
	for node := b.Leaves + int(b.slot[item])/leafSize; node > 0; node >>= 1 {
		b.Stamp[node] = stamp
	}
}

// Put adds a point, or moves it.
func (b *Tree[T]) Put(item int32, point []T) {
	for int(item) >= len(b.slot) {
		b.slot = append(b.slot, -1)
		b.points = append(b.points, point...)
	}
	copy(b.Point(item), point)
	b.changes++
	if b.slot[item] < 0 {
		if b.Leaves == 0 || int(b.Count[1]) == b.Leaves*leafSize {
			b.rebuild(item)
			return
		}
		b.settle(item)
	}
	if b.changes > 64+b.Len() {
		b.rebuild(-1)
		return
	}
	b.refresh(b.slot[item])
}

// ShiftAll moves points whose places in the order stay what they are. Of many points it
// sums up the whole tree once.
func (b *Tree[T]) ShiftAll(items []int32, point func(item int32) []T) {
	for _, item := range items {
		copy(b.Point(item), point(item))
	}
	b.changes += len(items)
	switch {
	case b.changes > 64+b.Len():
		b.rebuild(-1)
	case len(items) > b.Leaves:
		for node := 2*b.Leaves - 1; node >= b.Leaves; node-- {
			b.enclose(node)
		}
		for node := b.Leaves - 1; node > 0; node-- {
			b.stretch(node)
		}
	default:
		for _, item := range items {
			b.reshape(b.slot[item])
		}
	}
}

// Drop takes a point out.
func (b *Tree[T]) Drop(item int32) {
	s := b.slot[item]
	b.slot[item], b.items[s] = -1, -1
	b.refresh(s)
}

// Rekey tells the tree that the place of a point in the order has changed.
func (b *Tree[T]) Rekey(item int32) {
	node := b.Leaves + int(b.slot[item])/leafSize
	b.Best[node] = b.bestOf(node)
	for node >>= 1; node > 0; node >>= 1 {
		b.Best[node] = b.better(b.Best[2*node], b.Best[2*node+1])
	}
}

func (b *Tree[T]) better(x, y int32) int32 {
	if y < 0 || x >= 0 && !b.before(y, x) {
		return x
	}
	return y
}

// Slots returns the points of a leaf; -1 stands for an empty slot.
func (b *Tree[T]) Slots(leaf int) []int32 {
	first := (leaf - b.Leaves) * leafSize
	return b.items[first : first+leafSize : first+leafSize]
}

func (b *Tree[T]) bestOf(leaf int) int32 {
	best := int32(-1)
	for _, item := range b.Slots(leaf) {
		if item >= 0 {
			best = b.better(best, item)
		}
	}
	return best
}

// settle finds a slot for a new point: at every node on the side whose box
// grows less and that has room.
func (b *Tree[T]) settle(item int32) {
	node, room := 1, b.Leaves*leafSize
	for node < b.Leaves {
		node, room = 2*node, room/2
		if int(b.Count[node]) == room || int(b.Count[node+1]) < room && b.growth(node+1, item) < b.growth(node, item) {
			node++
		}
	}
	for i, other := range b.Slots(node) {
		if other < 0 {
			s := int32((node-b.Leaves)*leafSize + i)
			b.items[s], b.slot[item] = item, s
			return
		}
	}
	panic("boxes: no free slot in a leaf that has room")
}

// growth is how much the box of a node grows to hold a point, as a sum over
// the dimensions in parts of the root's extent.
func (b *Tree[T]) growth(node int, item int32) float64 {
	if b.Count[node] == 0 {
		return 0
	}
	sum := 0.0
	low, high := b.Low(node), b.High(node)
	first, last := b.Low(1), b.High(1)
	for i, v := range b.Point(item) {
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
func (b *Tree[T]) refresh(slot int32) {
	node := b.Leaves + int(slot)/leafSize
	b.gather(node)
	for node >>= 1; node > 0; node >>= 1 {
		b.join(node)
	}
}

// reshape does the same where a point has shifted: it stops at the first node whose box stays what it was.
func (b *Tree[T]) reshape(slot int32) {
	node := b.Leaves + int(slot)/leafSize
	b.enclose(node)
	for node >>= 1; node > 0 && b.stretch(node); node >>= 1 {
	}
}

// stretch brings the box of an inner node up to date and reports whether it
// has changed.
func (b *Tree[T]) stretch(node int) bool {
	low, high := b.Low(node), b.High(node)
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
func (b *Tree[T]) gather(leaf int) {
	b.Count[leaf] = b.enclose(leaf)
	b.Best[leaf] = b.bestOf(leaf)
}

// enclose finds the box of a leaf and counts its points.
func (b *Tree[T]) enclose(leaf int) int32 {
	low, high := b.Low(leaf), b.High(leaf)
	bottom, top := bounds[T]()
	for i := range low {
		low[i], high[i] = top, bottom
	}
	n := int32(0)
	for _, item := range b.Slots(leaf) {
		if item < 0 {
			continue
		}
		n++
		for i, v := range b.Point(item) {
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	return n
}

// join sums up an inner node.
func (b *Tree[T]) join(node int) {
	low, high := b.Low(node), b.High(node)
	left, right := 2*node*b.dims, (2*node+1)*b.dims
	for i := range low {
		low[i] = min(b.lo[left+i], b.lo[right+i])
		high[i] = max(b.hi[left+i], b.hi[right+i])
	}
	b.Count[node] = b.Count[2*node] + b.Count[2*node+1]
	b.Best[node] = b.better(b.Best[2*node], b.Best[2*node+1])
}

// rebuild spreads all points, and one more unless it is -1, evenly over new
// leaves that are at most half full.
func (b *Tree[T]) rebuild(extra int32) {
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

func (b *Tree[T]) resize(leaves int) {
	if leaves != b.Leaves {
		b.Leaves = leaves
		b.items = make([]int32, leaves*leafSize)
		b.lo, b.hi = make([]T, 2*leaves*b.dims), make([]T, 2*leaves*b.dims)
		b.Best, b.Count = make([]int32, 2*leaves), make([]int32, 2*leaves)
		if b.stampOf != nil {
			b.Stamp = make([]int64, 2*leaves)
		}
	}
	for s := range b.items {
		b.items[s] = -1
	}
}

// spread puts points below a node: half of them on each side of the median in
// the dimension in which they differ most.
func (b *Tree[T]) spread(node int, items []int32, scale []float64) {
	if node >= b.Leaves {
		slots := b.Slots(node)
		for i, item := range items {
			slots[i] = item
			b.slot[item] = int32((node-b.Leaves)*leafSize + i)
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
	Partition(items, half, func(item int32) T { return b.points[int(item)*b.dims+dim] })
	b.spread(2*node, items[:half], scale)
	b.spread(2*node+1, items[half:], scale)
	b.join(node)
	if b.stampOf != nil {
		b.Stamp[node] = max(b.Stamp[2*node], b.Stamp[2*node+1])
	}
}

// latest finds the stamp of a leaf.
func (b *Tree[T]) latest(leaf int, items []int32) {
	if b.stampOf == nil {
		return
	}
	b.Stamp[leaf] = 0
	for _, item := range items {
		b.Stamp[leaf] = max(b.Stamp[leaf], b.stampOf[item])
	}
}

func (b *Tree[T]) extent(items []int32, dim int) float64 {
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
