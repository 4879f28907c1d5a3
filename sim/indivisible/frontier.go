package indivisible

// frontier holds what an allocation has still to look at: single users, and
// boxes of waiting users that have not been opened. It is a binary heap in the
// order of service, a box standing where its first user does.
type frontier struct{ heap []entry }

// entry is a user or a box in a [frontier].
type entry struct {
	share, inverse float64
	index          int
	what           entryKind
	at             int32 // the user, or the node of the box
	tested         int64 // placements when the box was last found possible
	known          int64 // position at which no server had room for it
}

// entryKind says what an [entry] stands for.
type entryKind uint8

const (
	boxOfUsers  entryKind = iota
	newcomer              // a user outside the boxes
	waitingUser           // a user in the boxes
	servedUser            // the same, served in this allocation
)

func (a *entry) before(b *entry) bool {
	if a.share != b.share {
		return a.share < b.share
	}
	if a.inverse != b.inverse {
		return a.inverse < b.inverse
	}
	return a.index < b.index
}

func (f *frontier) push(x entry) {
	f.heap = append(f.heap, x)
	i := len(f.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(&f.heap[parent]) {
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
		if child+1 < len(heap) && heap[child+1].before(&heap[child]) {
			child++
		}
		if !heap[child].before(&x) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = x
}

// enterTree puts the root of the waiting users into the frontier.
func (o *inOrder) enterTree() {
	if o.waiting.len() > 0 {
		o.pushBox(1, untried)
	}
}

// pushBox puts a box into the frontier if somebody in it may fit. No server had
// room for anybody in it at the known position.
func (o *inOrder) pushBox(node int, known int64) {
	if possible, known := o.enterable(node, known); possible {
		x := o.entry(boxOfUsers, o.waiting.best[node])
		x.at, x.tested, x.known = int32(node), o.result.Placements, known
		o.front.push(x)
	}
}

// enterable reports whether somebody in a box may fit; see possible.
func (o *inOrder) enterable(node int, known int64) (possible bool, since int64) {
	w := o.waiting
	if w.best[node] < 0 {
		return false, known
	}
	possible, roomy, known := o.possible(w.low(node), w.high(node), max(known, w.known[node]))
	if !roomy {
		w.known[node] = o.freed.end
	}
	return possible, known
}

// open replaces the box that is first by what is in it and may fit. The half
// that holds the first user of a box comes first again, so it is opened at once.
func (o *inOrder) open(first entry) {
	o.front.pop()
	w, node, known := o.waiting, int(first.at), first.known
	possible := true
	if first.tested != o.result.Placements {
		possible, known = o.enterable(node, known)
	}
	for ; possible && node < w.leaves; possible, known = o.enterable(node, known) {
		head, other := 2*node, 2*node+1
		if w.best[head] != w.best[node] {
			head, other = other, head
		}
		o.pushBox(other, known)
		node = head
	}
	if !possible {
		return
	}
	for _, at := range w.slots(node) {
		if at >= 0 {
			o.pushUser(at, known)
		}
	}
}

// pushUser puts a user of a box into the frontier if it may fit.
func (o *inOrder) pushUser(at int32, known int64) {
	w := o.waiting
	point := w.point(at)
	possible, roomy, known := o.possible(point, point, max(known, w.knownOf[at]))
	if !roomy {
		w.knownOf[at] = o.freed.end
	}
	if possible {
		x := o.entry(waitingUser, at)
		x.known = known
		o.front.push(x)
	}
}

// possible reports whether a user whose demands lie in a box may fit, and
// whether a server has room for one, links aside, if that was looked at. No
// server had room for any of them at the known position, which it returns,
// later where the links say so.
func (o *inOrder) possible(low, high []int64, known int64) (possible, roomy bool, since int64) {
	width := o.pool.width
	if !o.pool.passes(low[width:]) {
		return false, true, known
	}
	if known < o.settled && o.passed(high[width:]) {
		known = o.settled
	}
	if !o.freed.keeps(known) {
		roomy = o.pool.roomFor(low[:width])
		return roomy, roomy, known
	}
	for q := known; q < o.freed.end; q++ {
		if covers(o.pool.Free(int(o.freed.at(q))), low[:width]) {
			return true, true, known
		}
	}
	return false, false, known
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
