package waiting

import "github.com/leontief-sim/leontief/sim/whole/order"

// newcomers are the users of this instant that are in no tree yet: a binary heap
// in the order of service.
type newcomers struct{ heap []newcomer }

type newcomer struct {
	turn order.Turn
	user int32
	kind *Kind
}

func (a *newcomers) push(x newcomer) {
	a.heap = append(a.heap, x)
	i := len(a.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !x.turn.Before(&a.heap[parent].turn) {
			break
		}
		a.heap[i] = a.heap[parent]
		i = parent
	}
	a.heap[i] = x
}

// pop takes the first one away.
func (a *newcomers) pop() {
	last := len(a.heap) - 1
	a.heap[0] = a.heap[last]
	if a.heap = a.heap[:last]; last > 1 {
		a.sift()
	}
}

// sift moves the first one down to its place.
func (a *newcomers) sift() {
	heap, i := a.heap, 0
	x := heap[0]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1].turn.Before(&heap[child].turn) {
			child++
		}
		if !heap[child].turn.Before(&x.turn) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = x
}
