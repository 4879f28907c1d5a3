package indivisible

// frontier holds what an allocation has still to look at: single users, and
// boxes of waiting users that have not been opened. It is a binary heap in the
// order of service, a box standing where its first user does.
type frontier struct{ heap []entry }

// entry is a user or a box in a [frontier].
type entry struct {
	turn
	in     *crowd // where it waits; nil: a newcomer
	node   int32  // the box; 0: a single user
	at     int32  // the newcomer, or the slot of another user
	served bool   // the user was served in this allocation
	tested int64  // placements when the box was last found possible
	known  int64  // position at which no server had room for it
}

func (f *frontier) push(x entry) {
	f.heap = append(f.heap, x)
	i := len(f.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(&f.heap[parent].turn) {
			break
		}
		f.heap[i] = f.heap[parent]
		i = parent
	}
	f.heap[i] = x
}

// pop takes the first entry away.
func (f *frontier) pop() {
	last := len(f.heap) - 1
	f.heap[0] = f.heap[last]
	if f.heap = f.heap[:last]; last > 1 {
		f.sift(0)
	}
}

// sift moves entry i down to its place.
func (f *frontier) sift(i int) {
	heap := f.heap
	x := heap[i]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1].before(&heap[child].turn) {
			child++
		}
		if !heap[child].before(&x.turn) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = x
}

// enterTrees puts the roots of the waiting users into the frontier.
func (o *inOrder) enterTrees() {
	for _, w := range [...]*crowd{o.waiting, o.linked} {
		if w.len() > 0 {
			o.pushBox(w, 1, untried)
		}
	}
}

// pushBox puts a box into the frontier if somebody in it may fit. No server had
// room for anybody in it at the known position.
func (o *inOrder) pushBox(w *crowd, node int, known int64) {
	if possible, known := o.enterable(w, node, known); possible {
		o.front.push(entry{turn: w.nodes[node].head, in: w, node: int32(node), tested: o.result.Placements, known: known})
	}
}

// enterable reports whether somebody in a box may fit. No server had room for
// any of them at the known position, which it returns, later where the links
// say so. Of users that wait for links alone only these are looked at.
func (o *inOrder) enterable(w *crowd, node int, known int64) (possible bool, since int64) {
	low := w.low(node)
	n := &w.nodes[node]
	if n.head.index < 0 || !o.pool.passes(low[w.width:]) {
		return false, known
	}
	if w.width == 0 {
		return true, untried
	}
	known = o.since(w.high(node)[w.width:], max(known, n.known))
	where := w.allowed(node)
	if s := n.witness; o.pool.left[s] > known && o.pool.roomOn(s, low[:w.width], &where) {
		return true, known
	}
	s := o.pool.roomSince(low[:w.width], known, &where)
	if s < 0 {
		n.known = o.pool.log.end
		return false, known
	}
	n.witness = s
	return true, known
}

// open replaces the box that is first by what is in it and may fit. The half
// that holds the first user of a box comes first again, so it is opened at once.
func (o *inOrder) open(first entry) {
	o.front.pop()
	w, node, known := first.in, int(first.node), first.known
	possible := true
	if first.tested != o.result.Placements {
		possible, known = o.enterable(w, node, known)
	}
	for ; possible && node < w.leaves; possible, known = o.enterable(w, node, known) {
		head, other := 2*node, 2*node+1
		if w.nodes[head].head.index != w.nodes[node].head.index {
			head, other = other, head
		}
		o.pushBox(w, other, known)
		node = head
	}
	if !possible {
		return
	}
	for s, end := w.within(node); s < end; s++ {
		if w.slots.user[s] >= 0 {
			o.pushUser(w, s, known)
		}
	}
}

// pushUser puts a user of a box into the frontier if it may fit.
func (o *inOrder) pushUser(w *crowd, slot int32, known int64) {
	point := w.point(slot)
	passes := o.pool.passes(point[w.width:])
	if !passes && (w.width == 0 || !o.apart) {
		return
	}
	if w.width > 0 {
		known = o.since(point[w.width:], max(known, w.slots.known[slot]))
		if o.pool.roomSince(point[:w.width], known, &allowed{may: w.slots.may[slot]}) < 0 {
			w.slots.known[slot] = o.pool.log.end
			return
		}
	}
	if !passes {
		o.crossing = append(o.crossing, w.slots.user[slot])
		return
	}
	o.front.push(entry{turn: w.slots.turn[slot], in: w, at: slot, known: known})
}

// since returns the last position at which no server had room for users with
// link demands that are at most so high, given one. The links say so where they
// had room for all of them at the end of the last allocation.
func (o *inOrder) since(high []int64, known int64) int64 {
	if known < o.pool.log.epoch {
		known = untried
	}
	if known < o.settled && o.settled >= o.pool.log.epoch && o.passed(high) {
		return o.settled
	}
	return known
}

// passed reports whether the links had room for such a demand after the last
// allocation.
func (o *inOrder) passed(link []int64) bool {
	for e, d := range link {
		if d > o.linkFree[e] {
			return false
		}
	}
	return true
}
