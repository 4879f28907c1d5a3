package google2019

import (
	"cmp"
	"slices"
)

// event is an event of a collection or an instance.
type event struct {
	timeUS int64
	kind   int8
}

// life is what the events of a collection or an instance come to.
type life struct {
	startUS, endUS   int64
	scheduled, ended bool // startUS, endUS hold
	dead             bool // the last event was an end
	how              int8 // the kind of the end
	last             int8 // the kind of the last event that means something; -1 for none
}

// live follows events, which it sorts. It runs from the first SCHEDULE to the first end
// after it that is no EVICT with a SUBMIT or SCHEDULE after it.
//
// Rows of exports are in no order. Events of one time come in that which can be: what runs
// ends before it is submitted again; what does not is submitted and scheduled before it
// ends. A row that is there twice is one event.
func live(events []event) (l life) {
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.timeUS, b.timeUS), cmp.Compare(a.kind, b.kind))
	})
	events = slices.Compact(events)
	running, pending := false, false
	l.last = -1
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].timeUS == events[0].timeUS {
			n++
		}
		ends := 0 // where those begin: their numbers are the larger ones
		for ends < n && events[ends].kind < evict {
			ends++
		}
		begin, end := events[:ends], events[ends:n]
		if running || pending && ends > 0 && begin[0].kind == submit {
			begin, end = end, begin
		}
		for _, e := range slices.Concat(begin, end) {
			l.follow(e)
		}
		running, pending = l.scheduled && l.last == schedule, l.last == submit
		events = events[n:]
	}
	return l
}

// follow takes in the next event.
func (l *life) follow(e event) {
	switch e.kind {
	case submit, schedule:
		l.dead = false
		if l.ended && l.how == evict {
			l.ended = false
		}
		if e.kind == schedule && !l.scheduled {
			l.scheduled, l.startUS = true, e.timeUS
		}
	case evict, fail, finish, kill, lost:
		l.dead = true
		if l.scheduled && (!l.ended || l.how == evict) {
			l.ended, l.endUS, l.how = true, e.timeUS, e.kind
		}
	default:
		return
	}
	l.last = e.kind
}

// finished reports whether an instance ran to its end: it is over, and not by an
// eviction, after which it would be submitted again.
func (l life) finished() bool { return l.ended && l.dead && l.how != evict }
