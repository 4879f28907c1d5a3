package event

// Clear empties the queue and keeps its memory.
func (q *Queue[T]) Clear() {
	clear(q.heap) // lets go of what the payloads refer to
	q.heap = q.heap[:0]
}
