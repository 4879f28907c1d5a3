package whole

// arrived holds the users of this instant that are in no index yet: a binary
// heap in the order of service.
type arrived struct{ heap []newcomer }

type newcomer struct {
	turn
	user int32
}

func (a *arrived) push(x newcomer) {
	a.heap = append(a.heap, x)
	i := len(a.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(&a.heap[parent].turn) {
			break
		}
		a.heap[i] = a.heap[parent]
		i = parent
	}
	a.heap[i] = x
}

// pop takes the first one away.
func (a *arrived) pop() {
	last := len(a.heap) - 1
	a.heap[0] = a.heap[last]
	if a.heap = a.heap[:last]; last > 1 {
		a.sift()
	}
}

// sift moves the first one down to its place.
func (a *arrived) sift() {
	heap, i := a.heap, 0
	x := heap[0]
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
