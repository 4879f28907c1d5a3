package waiting

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/whole/boxes"
)

// rebuild spreads all users, and one more, evenly over new leaves.
func (t *userTree) rebuild(more stage) {
	t.unload()
	t.load(append(t.staged, more))
}

// unload takes all users out, and leaves them staged.
func (t *userTree) unload() {
	t.staged = t.staged[:0]
	if t.leaves > 0 {
		t.forget(1)
		t.collect(0, int32(t.leaves*leafUsers))
	}
}

// load puts users into the tree, which is empty. They are spread evenly over new leaves that
// are at most half full.
func (t *userTree) load(users []stage) {
	for i := range users {
		t.admit(users[i].user, users[i].kind)
	}
	t.stage(users)
	leaves := 1
	for leaves*leafUsers/2 < len(users) {
		leaves *= 2
	}
	t.changes = 0
	t.renew(leaves)
	t.scale = t.scale[:0]
	for i := range t.fields {
		t.scale = append(t.scale, 1/max(t.extent(t.order, i), 1))
	}
	t.spread(1, t.order)
	t.sum(1)
}

// stage makes users the staged ones.
func (t *userTree) stage(users []stage) {
	t.staged, t.order = users, t.order[:0]
	for i := range users {
		t.order = append(t.order, int32(i))
	}
}

// respread makes room at a full leaf for one more user:
//
//  1. Go up from the leaf to the first node that is at most three quarters full.
//  2. Hand the positions tried below it down to the users.
//  3. Spread its users and the new one evenly over its leaves.
//  4. Sum up the boxes below it, then those above it.
func (t *userTree) respread(leaf int, more stage) {
	node, size := leaf, int32(1)
	for node > 1 && t.count[node] >= size*leafUsers*3/4+leafUsers/4 {
		node, size = node/2, 2*size
	}
	first := int32(leaf-t.leaves) / size * size * leafUsers
	tops, ends := t.tops(node)
	for n := tops; n < ends; n++ {
		t.forget(n)
	}
	t.staged = t.staged[:0]
	t.collect(first, first+size*leafUsers)
	t.stage(append(t.staged, more))
	t.spread(node, t.order)
	for n := tops; n < ends; n++ {
		t.sum(n)
	}
	for n := node / 2; n > 0; n /= 2 {
		t.count[n]++
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

// collect takes the users of a run of slots out of them, and stages them.
func (t *userTree) collect(first, end int32) {
	for s := first; s < end; s++ {
		if t.users[s] < 0 {
			continue
		}
		f, i := t.lane(t.nodeOf(s))
		t.at[t.users[s]] = -1
		t.staged = append(t.staged, stage{t.users[s], t.kinds[s], t.turns[s], f.tried[i], t.low(t.nodeOf(s))})
		t.clear(s)
	}
}

// sum sums up a part of the tree.
func (t *userTree) sum(node int) {
	at, lanes := t.below(node)
	below := &t.forks[at]
	below.done = 0
	tried := int64(math.MaxInt64)
	for i := range fan {
		if lanes>>i&1 == 0 {
			continue
		}
		if node < t.leaves {
			t.sum(at<<forkLevels + i)
		}
		if below.head[i] >= 0 {
			tried = min(tried, below.tried[i])
		}
	}
	f, i := t.lane(int32(node))
	f.tried[i], f.done = tried, f.done&^(1<<i)
	t.merge(node)
}

// forget hands the positions tried of the nodes of a part of the tree down to their
// users.
func (t *userTree) forget(node int) {
	t.pushTried(node)
	if node < t.leaves {
		at, lanes := t.below(node)
		for i := range fan {
			if lanes>>i&1 == 1 {
				t.forget(at<<forkLevels + i)
			}
		}
	}
}

// spread puts users below a node: half of them on each side of the median in
// one dimension.
func (t *userTree) spread(node int, from []int32) {
	t.count[node] = int32(len(from))
	if node >= t.leaves {
		first, _ := t.within(node)
		for i, s := range from {
			t.fill(first+int32(i), &t.staged[s])
		}
		return
	}
	dim := t.selective(from)
	if dim < 0 {
		dim = t.widest(from)
	}
	half := (len(from) + 1) / 2
	boxes.Partition(from, half, func(s int32) int64 { return t.field(s, dim) })
	t.splits[node] = split{int32(dim), -1}
	if half > 0 {
		t.splits[node].at = int32(t.field(from[half-1], dim))
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
	if len(users) < selectiveUsers || t.asked.n == 0 {
		return -1
	}
	low := impossible
	for _, s := range users {
		low = least(low, t.staged[s].down)
	}
	dim, most := -1, 0
	for i := range t.fields {
		median, kept := t.median(users, i), 0
		if median == low.field(i) {
			continue
		}
		for _, room := range t.asked.latest() {
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
		few[i] = t.staged[users[i*len(users)/len(few)]].down.field(dim)
	}
	slices.Sort(few[:])
	return few[len(few)/2]
}

// field returns the demand, in brief, of a user that is staged.
func (t *userTree) field(of int32, dim int) int64 { return int64(t.staged[of].down.field(dim)) }

// extent is the difference of the largest and the smallest demand.
func (t *userTree) extent(of []int32, dim int) float64 {
	if len(of) == 0 {
		return 0
	}
	low := t.field(of[0], dim)
	high := low
	for _, s := range of {
		v := t.field(s, dim)
		low, high = min(low, v), max(high, v)
	}
	return float64(amount(uint64(high)) - amount(uint64(low)))
}

// merge sums up a node and reports whether anything has changed.
func (t *userTree) merge(node int) bool {
	at, lanes := t.below(node)
	changed := t.enclose(int32(node), at, lanes)
	changed = t.lead(node) || changed
	switch {
	case t.sets == 0:
	case node >= t.leaves:
		changed = t.gatherClasses(node) || changed
	default:
		for i := range t.sets {
			words, sum := t.classes[i*2*t.leaves:], uint64(0)
			for n := range fan {
				if lanes>>n&1 == 1 {
					sum |= words[at<<forkLevels+n]
				}
			}
			changed = changed || words[node] != sum
			words[node] = sum
		}
	}
	return changed
}

// enclose makes the box of a node hold lanes of a fork and reports whether it has changed.
func (t *userTree) enclose(node int32, at int, lanes uint) bool {
	low, high := impossible, sketch{}
	for i := range int32(fan) {
		if n := int32(at)<<forkLevels + i; lanes>>i&1 == 1 {
			low, high = least(low, t.low(n)), most(high, t.high(n))
		}
	}
	f, i := t.lane(node)
	changed := low.a != f.low[i] || high.a != f.high[i]
	f.low[i], f.high[i] = low.a, high.a
	if t.wide {
		s := &t.seconds[node>>forkLevels]
		changed = changed || low.b != s.low[i] || high.b != s.high[i]
		s.low[i], s.high[i] = low.b, high.b
	}
	return changed
}

// gatherClasses finds where the users of a leaf may run and reports whether that has
// changed.
func (t *userTree) gatherClasses(leaf int) (changed bool) {
	var sum [classWords]uint64
	set := sum[:t.sets]
	for s, end := t.within(leaf); s < end; s++ {
		if t.users[s] < 0 {
			continue
		}
		may := t.kinds[s].May
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
