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
		o.pushBox(1)
	}
}

// pushBox puts a box into the frontier if somebody in it may fit.
func (o *inOrder) pushBox(node int) {
	w := o.waiting
	if best := w.best[node]; best >= 0 && o.possible(w.low(node), w.high(node)) {
		x := o.entry(boxOfUsers, best)
		x.at, x.tested = int32(node), o.result.Placements
		o.front.push(x)
	}
}

// open replaces the box that is first by what is in it and may fit.
func (o *inOrder) open(node int32, tested int64) {
	o.front.pop()
	w, n := o.waiting, int(node)
	if tested != o.result.Placements && !o.possible(w.low(n), w.high(n)) {
		return
	}
	if n < w.leaves {
		o.pushBox(2 * n)
		o.pushBox(2*n + 1)
		return
	}
	for _, at := range w.slots(n) {
		if at >= 0 && o.possible(w.point(at), w.point(at)) {
			o.front.push(o.entry(waitingUser, at))
		}
	}
}

// possible reports whether a user whose demands lie in a box may fit.
func (o *inOrder) possible(low, high []int64) bool {
	width := o.pool.width
	if !o.pool.passes(low[width:]) {
		return false
	}
	if o.all || !o.passed(high[width:]) {
		return o.pool.roomFor(low[:width])
	}
	for _, s := range o.dirty {
		if covers(o.pool.Free(int(s)), low[:width]) {
			return true
		}
	}
	return false
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
