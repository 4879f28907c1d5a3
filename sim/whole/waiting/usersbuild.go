package waiting

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/boxes"
)

// rebuild spreads all users, and one more in an extra slot, evenly over new
// leaves that are at most half full.
func (t *userTree) rebuild(stage int32) {
	if t.leaves > 0 {
		t.forget(1)
	}
	t.collect(0, stage+1)
	leaves := 1
	for leaves*leafUsers/2 < len(t.order) {
		leaves *= 2
	}
	t.changes = 0
	t.renew(leaves)
	t.scale = t.scale[:0]
	for i := range t.fields {
		t.scale = append(t.scale, 1/max(t.extent(t.order, i), 1))
	}
	t.spare.resize(leaves * leafUsers)
	t.spare.clear(0, int32(leaves*leafUsers))
	t.spread(1, t.order)
	t.slots, t.spare = t.spare, t.slots
	t.sum(1)
}

// respread makes room at a full leaf for one more user, who stands in an extra slot:
//
//  1. Go up from the leaf to the first node that is at most three quarters full.
//  2. Hand the positions tried below it down to the users.
//  3. Spread its users and the new one evenly over its leaves.
//  4. Sum up the boxes below it, then those above it.
func (t *userTree) respread(leaf int, stage int32) {
	node, size := leaf, int32(1)
	for node > 1 && t.users[node] >= size*leafUsers*3/4+leafUsers/4 {
		node, size = node/2, 2*size
	}
	first := int32(leaf-t.leaves) / size * size * leafUsers
	end := first + size*leafUsers
	tops, ends := t.tops(node)
	for n := tops; n < ends; n++ {
		t.forget(n)
	}
	t.collect(first, end)
	t.order = append(t.order, stage)
	t.spare.resize(int(stage))
	t.spare.clear(first, end)
	t.spread(node, t.order)
	t.slots.copy(&t.spare, first, end)
	t.slots.resize(int(stage))
	for n := tops; n < ends; n++ {
		t.sum(n)
	}
	for n := node / 2; n > 0; n /= 2 {
		t.users[n]++
	}
	for n := tops; n > 1; {
		n = above(n)
		t.merge(n)
	}
}

// tops returns the highest nodes with boxes that are, all together, a node of
// the binary tree.
func (t *userTree) tops(node int) (first, end int) {
	first, end = node, node+1
	for first > 1 && !t.boxed(first) {
		first, end = 2*first, 2*end
	}
	return first, end
}

// boxed reports whether a node has a box.
func (t *userTree) boxed(node int) bool {
	for node < t.leaves {
		node <<= forkLevels
	}
	return node == 1 || node < 2*t.leaves
}

// collect lists the slots of a run that have a user.
func (t *userTree) collect(first, end int32) {
	t.order = t.order[:0]
	for s := first; s < end; s++ {
		if t.slots.user[s] >= 0 {
			t.order = append(t.order, s)
		}
	}
}

// sum sums up a part of the tree.
func (t *userTree) sum(node int) {
	t.tried[node], t.done[node] = math.MaxInt64, 0
	if node < t.leaves {
		for child, end := t.below(node); child < end; child++ {
			t.sum(int(child))
			t.tried[node] = min(t.tried[node], t.tried[child])
		}
		t.merge(node)
		return
	}
	for s, end := t.within(node); s < end; s++ {
		if t.slots.user[s] >= 0 {
			t.tried[node] = min(t.tried[node], t.slots.tried[s])
		}
	}
	t.gather(node)
}

// forget hands the positions tried of the nodes of a part of the tree down to their
// users.
func (t *userTree) forget(node int) {
	t.pushTried(node)
	if node < t.leaves {
		for n, end := t.below(node); n < end; n++ {
			t.forget(int(n))
		}
	}
}

// spread puts users below a node: half of them on each side of the median in
// one dimension.
func (t *userTree) spread(node int, from []int32) {
	t.users[node] = int32(len(from))
	if node >= t.leaves {
		first, _ := t.within(node)
		for i, s := range from {
			t.slots.transfer(s, &t.spare, first+int32(i))
			t.at[t.slots.user[s]] = first + int32(i)
		}
		return
	}
	dim := t.selective(from)
	if dim < 0 {
		dim = t.widest(from)
	}
	half := (len(from) + 1) / 2
	boxes.Partition(from, half, func(s int32) int64 { return t.slots.field(s, dim) })
	t.splits[node] = split{int32(dim), -1}
	if half > 0 {
		t.splits[node].at = int32(t.slots.field(from[half-1], dim))
	}
	t.spread(2*node, from[:half])
	t.spread(2*node+1, from[half:])
}

// widest returns the dimension in which users differ most.
func (t *userTree) widest(users []int32) int {
	dim, widest := 0, -1.0
	for i := t.ignore; i < t.fields; i++ {
		if w := t.extent(users, i) * t.scale[i]; w > widest {
			dim, widest = i, w
		}
	}
	return dim
}

// selective returns the dimension in which the median keeps most of the rooms that
// were searched for of late from the upper half of users, of those rooms that
// may reach the lower one; -1 if it keeps none, or if users are few.
func (t *userTree) selective(users []int32) int {
	if len(users) < selectiveUsers || t.searches == 0 {
		return -1
	}
	low := impossible
	for _, s := range users {
		low = least(low, t.slots.down.at(s))
	}
	dim, most := -1, 0
	for i := range t.fields {
		median, kept := t.median(users, i), 0
		if median == low.field(i) {
			continue
		}
		for _, room := range t.recent[:min(t.searches, len(t.recent))] {
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
func (t *userTree) median(users []int32, dim int) uint64 {
	var few [15]uint64
	for i := range few {
		few[i] = t.slots.down.at(users[i*len(users)/len(few)]).field(dim)
	}
	slices.Sort(few[:])
	return few[len(few)/2]
}

// search notes that a search for a room begins.
func (t *userTree) search(room sketch) {
	t.recent[t.searches%len(t.recent)] = room
	t.searches++
}

// field returns a user's demand in brief.
func (s *slots) field(slot int32, dim int) int64 { return int64(s.down.at(slot).field(dim)) }

// extent is the difference of the largest and the smallest demand.
func (t *userTree) extent(of []int32, dim int) float64 {
	if len(of) == 0 {
		return 0
	}
	low := t.slots.field(of[0], dim)
	high := low
	for _, s := range of {
		v := t.slots.field(s, dim)
		low, high = min(low, v), max(high, v)
	}
	return float64(amount(uint64(high)) - amount(uint64(low)))
}

// gather sums up a leaf and reports whether anything has changed.
func (t *userTree) gather(leaf int) bool {
	first, end := t.within(leaf)
	changed := t.enclose(leaf, &t.slots.down, &t.slots.up, first, end)
	changed = t.lead(leaf, t.first(leaf)) || changed
	if t.sets > 0 {
		changed = t.gatherClasses(leaf) || changed
	}
	return changed
}

// enclose makes the box of a node hold a run of others and reports whether it has
// changed.
func (t *userTree) enclose(node int, lows, highs *sketched, first, end int32) bool {
	low, high := impossible, sketch{}
	for i := first; i < end; i++ {
		low, high = least(low, lows.at(i)), most(high, highs.at(i))
	}
	n := int32(node)
	changed := low != t.low.at(n) || high != t.high.at(n)
	t.low.put(n, low)
	t.high.put(n, high)
	return changed
}

// gatherClasses finds where the users of a leaf may run and reports whether that has
// changed.
func (t *userTree) gatherClasses(leaf int) (changed bool) {
	var sum [classWords]uint64
	set := sum[:t.sets]
	for s, end := t.within(leaf); s < end; s++ {
		if t.slots.user[s] < 0 {
			continue
		}
		may := t.slots.kind[s].May
		for i := range set {
			if may == nil {
				set[i] = math.MaxUint64
			}
		}
		for i, w := range may {
			set[i&(t.sets-1)] |= w
		}
	}
	for i, w := range set {
		old := &t.classes[i*2*t.leaves+leaf]
		changed = changed || *old != w
		*old = w
	}
	return changed
}

// merge sums up an inner node and reports whether anything has changed.
func (t *userTree) merge(node int) bool {
	first, end := t.below(node)
	changed := t.enclose(node, &t.low, &t.high, first, end)
	changed = t.lead(node, t.first(node)) || changed
	for i := range t.sets {
		words, sum := t.classes[i*2*t.leaves:], uint64(0)
		for n := first; n < end; n++ {
			sum |= words[n]
		}
		changed = changed || words[node] != sum
		words[node] = sum
	}
	return changed
}
