package event

import "fmt"

// Engine hands out events in the order (time, phase, sequence) and keeps the
// clock. The zero Engine stands at the smallest Time with nothing to do.
//
// What is known before the run and already sorted (the arrivals of a trace) is
// fed from cursors, see [Engine.Feed], and never enters the queue: a trace of a
// million jobs costs the queue nothing. What is scheduled for the instant that
// is being handled has a list of its own, which is nearly always empty: the one
// allocation of an instant does not pass through the heap of the completions to
// come.
//
// Handling an event may schedule others at the same instant, in the same phase
// or a later one; so all completions and arrivals of an instant can ask for
// one allocation that follows them. The past is closed: scheduling an event
// before the one being handled panics.
type Engine[T any] struct {
	feeds   []feed[T]
	queue   Queue[T]   // scheduled before the present instant
	instant []Event[T] // scheduled for the present instant while it lasts, in order
	now     Time
	phase   Phase
	started bool

	withdrawn []Event[T] // lent to the caller of Withdraw
}

// feed is a sorted stream of events with its head already read.
type feed[T any] struct {
	next  func() (Time, T, bool)
	head  Event[T]
	valid bool
}

// Now returns the time of the event handed out last.
func (e *Engine[T]) Now() Time { return e.now }

// Schedule adds an event. It panics if the event would come before the one
// handed out last: at an earlier time, or at the same time in an earlier phase.
func (e *Engine[T]) Schedule(at Time, phase Phase, payload T) {
	if e.started && (at < e.now || at == e.now && phase < e.phase) {
		panic(fmt.Sprintf("event: (time %d, phase %d) scheduled at (%d, %d)", at, phase, e.now, e.phase))
	}
	if !e.started || at != e.now {
		e.queue.Push(at, phase, payload)
		return
	}
	e.instant = append(e.instant, Event[T]{At: at, Phase: phase, Payload: payload})
	for i := len(e.instant) - 1; i > 0 && phase < e.instant[i-1].Phase; i-- {
		e.instant[i-1], e.instant[i] = e.instant[i], e.instant[i-1]
	}
}

// Withdraw takes all events out of the queue without handing them out, and returns them
// in their order, until the next call. The clock stands. Events of feeds and those
// scheduled for the present instant while it lasts stay.
func (e *Engine[T]) Withdraw() []Event[T] {
	e.withdrawn = e.queue.drain(e.withdrawn[:0])
	return e.withdrawn
}

// Scheduled returns the number of events that were scheduled and not yet handed
// out or withdrawn.
func (e *Engine[T]) Scheduled() int { return e.queue.Len() + len(e.instant) }

// Feed adds a stream of events of one phase. next returns them one by one in
// order of time and false at the end; it is called as the events are handed
// out, one ahead. Among events of the same time and phase those of a feed come
// before those of the queue, and those of an earlier feed before those of a
// later one. A stream that goes back in time panics. Feeds are added before
// the first event is handed out.
func (e *Engine[T]) Feed(phase Phase, next func() (Time, T, bool)) {
	if e.started {
		panic("event: Feed after the start")
	}
	f := feed[T]{next: next, head: Event[T]{Phase: phase}}
	f.advance()
	e.feeds = append(e.feeds, f)
}

func (f *feed[T]) advance() {
	before, had := f.head.At, f.valid
	f.head.At, f.head.Payload, f.valid = f.next()
	if had && f.valid && f.head.At < before {
		panic(fmt.Sprintf("event: a feed goes back from time %d to %d", before, f.head.At))
	}
}

// Next hands out the next event and moves the clock to it; false if nothing is
// left.
//
// Invariant: among events of the same time and phase those of the queue were
// scheduled before those of the instant. So feeds come before the queue, and the
// queue before the instant.
func (e *Engine[T]) Next() (next Event[T], ok bool) {
	var first *Event[T]
	if len(e.queue.heap) > 0 {
		first = &e.queue.heap[0].event
	}
	var from *feed[T]
	for i := len(e.feeds) - 1; i >= 0; i-- {
		if f := &e.feeds[i]; f.valid && (first == nil || !first.sooner(&f.head)) {
			first, from = &f.head, f
		}
	}
	switch {
	case len(e.instant) > 0 && (first == nil || e.instant[0].sooner(first)):
		next = e.instant[0]
		e.instant = e.instant[:copy(e.instant, e.instant[1:])]
	case from != nil:
		next = from.head
		from.advance()
	default:
		if next, ok = e.queue.Pop(); !ok {
			return next, false
		}
	}
	e.now, e.phase, e.started = next.At, next.Phase, true
	return next, true
}

// sooner reports whether a comes before b whatever their sequence.
func (a *Event[T]) sooner(b *Event[T]) bool {
	return a.At < b.At || a.At == b.At && a.Phase < b.Phase
}

// Run hands every event to handle until nothing is left or handle returns an
// error, which it returns.
func (e *Engine[T]) Run(handle func(Event[T]) error) error {
	for {
		next, ok := e.Next()
		if !ok {
			return nil
		}
		if err := handle(next); err != nil {
			return err
		}
	}
}
