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
}

// live follows events, which it sorts: of one time in the order of the files. It runs
// from the first SCHEDULE to the first end after it that is no EVICT with a SUBMIT or
// SCHEDULE after it.
func live(events []event) (l life) {
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.timeUS, b.timeUS) })
	for _, e := range events {
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
		}
	}
	return l
}

// finished reports whether an instance ran to its end: it is over, and not by an
// eviction, after which it would be submitted again.
func (l life) finished() bool { return l.ended && l.dead && l.how != evict }
