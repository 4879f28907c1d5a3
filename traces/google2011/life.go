package google2011

// event is an event type of job_events and task_events.
type event int

const (
	submit event = iota
	schedule
	evict
	fail
	finish
	kill
	lost
	updatePending
	updateRunning
)

// endText names the ends for the report.
var endText = map[event]string{evict: "EVICT", fail: "FAIL", finish: "FINISH", kill: "KILL", lost: "LOST"}

// life follows one job or task through its events.
type life struct {
	scheduledUS, endUS int64
	scheduled          bool  // it has been scheduled: scheduledUS holds
	ended              bool  // it has ended after that: endUS holds
	evicted            bool  // its end is an EVICT, which a new SUBMIT revokes
	dead               bool  // its last event was an end
	how                event // the kind of its end, if ended
}

// observe takes in an event at time t. Events come in the order of the trace.
func (l *life) observe(e event, t int64) {
	switch e {
	case submit, schedule:
		l.dead = false
		if l.evicted {
			l.ended, l.evicted = false, false
		}
		if e == schedule && !l.scheduled {
			l.scheduled, l.scheduledUS = true, t
		}
	case evict, fail, finish, kill, lost:
		l.dead = true
		if l.scheduled && (!l.ended || l.evicted) {
			l.ended, l.endUS = true, t
			l.evicted, l.how = e == evict, e
		}
	case updatePending, updateRunning:
	}
}

// finished reports whether a task ran to its end: it is over, and not by an
// eviction, after which it would be submitted again.
func (l *life) finished() bool { return l.ended && l.dead && !l.evicted }

// durationUS is the time from the first SCHEDULE to the end.
func (l *life) durationUS() int64 { return l.endUS - l.scheduledUS }
