package event

import "slices"

// Queue is a priority queue of events ordered by (time, phase, sequence),
// where the sequence is the order of the calls of Push. The zero Queue is
// empty and ready for use.
//
// It is a four-ary heap of values. container/heap would put every event into
// an interface, one allocation a push, and call its comparison through a
// table; four children a node make the heap half as deep as a binary one and
// let siblings share a cache line.
type Queue[T any] struct {
	heap []entry[T]
	next uint64
}

type entry[T any] struct {
	seq   uint64
	event Event[T]
}

const arity = 4

// Len returns the number of events in the queue.
func (q *Queue[T]) Len() int { return len(q.heap) }

// Push puts an event into the queue, behind those of the same time and phase.
// O(log n).
func (q *Queue[T]) Push(at Time, phase Phase, payload T) {
	q.heap = append(q.heap, entry[T]{seq: q.next, event: Event[T]{At: at, Phase: phase, Payload: payload}})
	q.next++
	q.up(len(q.heap) - 1)
}

// Peek returns the first event without taking it; false if there is none.
func (q *Queue[T]) Peek() (Event[T], bool) {
	if len(q.heap) == 0 {
		return Event[T]{}, false
	}
	return q.heap[0].event, true
}

// Pop takes the first event; false if there is none. O(log n).
func (q *Queue[T]) Pop() (Event[T], bool) {
	if len(q.heap) == 0 {
		return Event[T]{}, false
	}
	first := q.heap[0].event
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap[last] = entry[T]{} // lets go of what the payload refers to
	q.heap = q.heap[:last]
	if last > 0 {
		q.heap[0] = moved
		q.down()
	}
	return first, true
}

// drain takes all events and appends them to dst in their order. O(n log n), with fewer
// moves than as many calls of Pop.
func (q *Queue[T]) drain(dst []Event[T]) []Event[T] {
	if len(q.heap) <= fewEvents {
		q.insertionSort()
	} else {
		slices.SortFunc(q.heap, func(a, b entry[T]) int {
			if a.before(&b) {
				return -1
			}
			return 1
		})
	}
	for i := range q.heap {
		dst = append(dst, q.heap[i].event)
	}
	clear(q.heap) // lets go of what the payloads refer to
	q.heap = q.heap[:0]
	return dst
}

// fewEvents is the number of events up to which the heap, half in order as it is, is sorted
// by insertion, without a call for each comparison.
const fewEvents = 64

// insertionSort sorts the heap, whose first entry is the least: none passes it.
func (q *Queue[T]) insertionSort() {
	heap := q.heap
	for i := 2; i < len(heap); i++ {
		moving, k := heap[i], i
		for moving.before(&heap[k-1]) {
			heap[k] = heap[k-1]
			k--
		}
		heap[k] = moving
	}
}

// up moves entry i towards the root until its parent comes before it.
func (q *Queue[T]) up(i int) {
	moving := q.heap[i]
	for i > 0 {
		parent := (i - 1) / arity
		if !moving.before(&q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = moving
}

// down moves the root away from it until it comes before all its children.
func (q *Queue[T]) down() {
	heap, i := q.heap, 0
	moving := heap[0]
	for {
		child := arity*i + 1
		if child >= len(heap) {
			break
		}
		least := child
		for c := child + 1; c < min(child+arity, len(heap)); c++ {
			if heap[c].before(&heap[least]) {
				least = c
			}
		}
		if !heap[least].before(&moving) {
			break
		}
		heap[i] = heap[least]
		i = least
	}
	heap[i] = moving
}

func (a *entry[T]) before(b *entry[T]) bool {
	if a.event.At != b.event.At {
		return a.event.At < b.event.At
	}
	if a.event.Phase != b.event.Phase {
		return a.event.Phase < b.event.Phase
	}
	return a.seq < b.seq
}
