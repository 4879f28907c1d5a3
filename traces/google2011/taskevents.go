package google2011

import (
	"cmp"
	"slices"
)

// taskSet is what is known of the tasks of one job. While the job lives it
// follows each task; when the job is over it keeps the sums alone.
type taskSet struct {
	count int64 // distinct indices with a usable SUBMIT row
	// priority is the highest of their first usable SUBMIT rows; priorities says that
	// they have several.
	priority   int64
	priorities bool
	open       map[int64]*life
	requests   []request
	submitted  bool // a SUBMIT row is in the parts at hand
	flaws      flaw // of its SUBMIT rows that were left out

	closed    bool
	sumUS     int64 // over finished tasks, once closed
	finished  int64 // finished tasks, once closed
	backwards bool  // a task ends before it starts
}

// request counts the tasks that request the same.
type request struct {
	cpu, mem float64
	tasks    int64
}

// flaw says why a SUBMIT row of task_events is left out; the flaws of several
// rows are added up.
type flaw uint8

const (
	missingInfo flaw = 1 << iota
	noCPU
	noMem
	zeroCPU
	zeroMem
	zeroBoth // with KeepZero alone; else it counts as zeroCPU
)

// flawText names the flaws, in the order in which one is chosen as the reason
// for leaving out a job.
var flawText = []struct {
	flaw
	rows, job string
}{
	{zeroCPU, "task_events: zero cpu request", "zero cpu request"},
	{zeroMem, "task_events: zero memory request", "zero memory request"},
	{zeroBoth, "task_events: zero cpu and memory request", "zero cpu and memory request"},
	{noCPU, "task_events: no cpu request", "no cpu request"},
	{noMem, "task_events: no memory request", "no memory request"},
	{missingInfo, "task_events: missing info", "task rows with missing info only"},
}

// followTasks is the pass over task_events.
func (im *importer) followTasks(parts tableParts) error {
	for _, p := range parts.parts {
		last := int64(0)
		n, err := parts.each(p, &im.sum, func(r row) {
			if t := im.taskRow(r); t <= TraceEndUS {
				last = max(last, t)
			}
		})
		im.report.AddRead(parts.name, n)
		if err != nil {
			return err
		}
		im.closeEnded(last)
	}
	return nil
}

// taskRow takes in one row and returns its time.
func (im *importer) taskRow(r row) int64 {
	t, id, index := r.Integer(0), r.Integer(2), r.Integer(3)
	e := r.event(5, int64(updateRunning))
	priority := r.Integer(8)
	cpu, hasCPU := r.Amount(9)
	mem, hasMem := r.Amount(10)
	j := im.byID[id]
	if j == nil || r.Err() != nil {
		return t
	}
	if j.tasks == nil {
		j.tasks = &taskSet{}
	}
	j.tasks.submitted = j.tasks.submitted || e == submit
	switch {
	case r.missing():
		im.leaveOutRow(j, missingInfo)
	case t > TraceEndUS:
		im.report.LeaveOut("rows", "task_events: after the end of the trace", 1)
	case j.tasks.closed:
		im.report.LeaveOut("rows", "task_events: after the end of the row's job", 1)
	case e != submit:
		im.taskEvent(j, index, e, t)
	case !hasCPU:
		im.leaveOutRow(j, noCPU)
	case !hasMem:
		im.leaveOutRow(j, noMem)
	default:
		if f := im.options.ZeroRequests.flaw(cpu, mem); f != 0 {
			im.leaveOutRow(j, f)
		} else {
			j.tasks.submit(index, priority, request{cpu: cpu, mem: mem}, t)
		}
	}
	return t
}

// flaw returns why a SUBMIT row with these requests is left out; 0 if it is
// not.
func (z ZeroRequests) flaw(cpu, mem float64) flaw {
	switch {
	case z == KeepZero && cpu == 0 && mem == 0:
		return zeroBoth
	case z == KeepZero:
		return 0
	case cpu == 0:
		return zeroCPU
	case mem == 0:
		return zeroMem
	}
	return 0
}

// leaveOutRow counts a row of a wanted job that is left out.
func (im *importer) leaveOutRow(j *job, f flaw) {
	j.tasks.flaws |= f
	for _, text := range flawText {
		if text.flaw == f {
			im.report.LeaveOut("rows", text.rows, 1)
		}
	}
}

// taskEvent takes in an event other than SUBMIT.
func (im *importer) taskEvent(j *job, index int64, e event, t int64) {
	if l := j.tasks.open[index]; l != nil {
		l.observe(e, t)
		return
	}
	im.report.LeaveOut("rows", "task_events: event of a task without a usable SUBMIT row", 1)
}

// submit takes in a usable SUBMIT row.
func (ts *taskSet) submit(index, priority int64, q request, t int64) {
	l := ts.open[index]
	if l == nil {
		if ts.open == nil {
			ts.open = map[int64]*life{}
		}
		l = &life{}
		ts.open[index] = l
		ts.priorities = ts.priorities || ts.count > 0 && priority != ts.priority
		ts.priority = max(ts.priority, priority)
		ts.count++
		ts.addRequest(q.cpu, q.mem)
	}
	l.observe(submit, t)
}

// addRequest counts the request of one task. The tasks of a job request the
// same as a rule, so the list is short.
func (ts *taskSet) addRequest(cpu, mem float64) {
	for i := range ts.requests {
		if q := &ts.requests[i]; q.cpu == cpu && q.mem == mem {
			q.tasks++
			return
		}
	}
	ts.requests = append(ts.requests, request{cpu, mem, 1})
}

// closeEnded drops the tasks of the jobs that were over before the time at
// which the part just read ends: later parts do not speak of them.
func (im *importer) closeEnded(lastUS int64) {
	alive := im.alive[:0]
	for _, j := range im.alive {
		if j.life.ended && j.life.endUS < lastUS {
			if j.tasks != nil {
				j.tasks.close()
			}
			continue
		}
		alive = append(alive, j)
	}
	clear(im.alive[len(alive):])
	im.alive = alive
}

// close sums up the tasks and forgets them.
func (ts *taskSet) close() {
	if ts.closed {
		return
	}
	// The order does not matter: the sums are of integers.
	for _, l := range ts.open {
		if l.finished() {
			ts.finished++
			ts.sumUS += l.durationUS()
			ts.backwards = ts.backwards || l.durationUS() < 0
		}
	}
	ts.open, ts.closed = nil, true
}

// allFinished reports whether all tasks finished inside the parts at hand.
func (ts *taskSet) allFinished() bool {
	ts.close()
	return ts.count > 0 && ts.finished == ts.count
}

// meanUS is the mean duration of the finished tasks, rounded to the nearest
// µs, halves up.
func (ts *taskSet) meanUS() int64 { return (2*ts.sumUS + ts.finished) / (2 * ts.finished) }

// unusable returns why the tasks make no job, or nothing.
func (ts *taskSet) unusable() string {
	switch {
	case ts.count > 0:
		return ""
	case !ts.submitted:
		return "no SUBMIT row of a task in the parts at hand"
	}
	for _, text := range flawText {
		if ts.flaws&text.flaw != 0 {
			return text.job
		}
	}
	return "its tasks were submitted after its end, or after that of the trace"
}

// medians returns the medians of the tasks' requests. They are not both zero:
// then more than half of the tasks would request no cpu and more than half no
// memory, and a task that requests neither is left out.
func (ts *taskSet) medians() (cpu, mem float64) {
	return median(ts.requests, func(q request) float64 { return q.cpu }),
		median(ts.requests, func(q request) float64 { return q.mem })
}

// median returns the median of a value over the tasks: the middle one, or the
// mean of the middle two.
func median(requests []request, value func(request) float64) float64 {
	slices.SortFunc(requests, func(a, b request) int { return cmp.Compare(value(a), value(b)) })
	total := int64(0)
	for _, q := range requests {
		total += q.tasks
	}
	at := func(k int64) float64 {
		for _, q := range requests {
			if k -= q.tasks; k < 0 {
				return value(q)
			}
		}
		panic("google2011: rank outside the tasks")
	}
	low, high := at((total-1)/2), at(total/2)
	if low == high {
		return low
	}
	return low + (high-low)/2
}
