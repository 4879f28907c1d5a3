package google2019

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/traces"
)

// Options choose the jobs by their submission, and the instant of the machines.
type Options struct {
	FromUS       int64 `json:"from_us"`        // first submission time wanted
	ToUS         int64 `json:"to_us"`          // first one no longer wanted; 0: no limit
	MachinesAtUS int64 `json:"machines_at_us"` // when a machine must be present
	// KeepZero keeps tasks that request no cpu or no memory; those that request neither
	// are always left out.
	KeepZero bool `json:"keep_zero"`
}

// TraceStartUS is the start of the trace; what was submitted before it has time 0.
const TraceStartUS = 600_000_000

// DefaultOptions takes all submissions from the trace's start on.
func DefaultOptions() Options { return Options{FromUS: TraceStartUS} }

// Import reads the files in a folder. The rules are in the package's documentation.
// With all jobs left out the error wraps [traces.ErrEmpty], and the result's report
// says why.
func Import(dir string, o Options) (*traces.Imported, error) {
	if o.FromUS < 0 || o.ToUS < 0 || o.ToUS != 0 && o.ToUS <= o.FromUS || o.MachinesAtUS < 0 {
		return nil, fmt.Errorf("google 2019: no submission is in [%d, %d) µs, or no machine at %d µs", o.FromUS, o.ToUS, o.MachinesAtUS)
	}
	im := &importer{options: o, byID: map[int64]*collection{}, placed: map[string]*placement{}}
	n, err := collectionEvents.each(dir, &im.sum, im.collectionRow)
	im.report.AddRead(collectionEvents.name, n)
	if err != nil {
		return nil, err
	}
	im.choose()
	n, err = instanceEvents.each(dir, &im.sum, im.instanceRow)
	im.report.AddRead(instanceEvents.name, n)
	if err != nil {
		return nil, err
	}
	jobs := im.jobs()
	machines, err := im.machines(dir)
	if err != nil {
		return nil, err
	}
	res := &traces.Imported{Jobs: jobs, Machines: machines, NoMachines: dir + " has no machine_events of machines that were present", Report: &im.report, Meta: traces.Meta{
		Source: "Google cluster-usage traces 2019 (version 3)", Checksum: im.sum.Sum(), Options: traces.OptionsText(o),
		Label: "real", Units: "cpu: normalised compute units (NCU); mem: fraction of the largest machine",
	}}
	return res.Of(dir)
}

// collection is one of collection_events.
type collection struct {
	id, submitUS, priority, alloc int64
	user                          string
	submitted, waits              bool
	set                           bool // an alloc set
	events                        []event
	tasks                         map[int64]*instance
	flaws                         map[string]bool // of its SUBMIT rows of instances
	limited                       bool            // in its tasks per machine or switch
}

// instance is one of instance_events.
type instance struct {
	requested bool // it has a usable SUBMIT row, at submitUS
	submitUS  int64
	cpu, mem  float64
	placed    *placement
	events    []event
}

// importer is an import under way.
type importer struct {
	options Options
	report  traces.Report
	sum     traces.SourceSum
	byID    map[int64]*collection // nil: it is left out
	lastUS  int64                 // of the events at hand
	placed  map[string]*placement // by the text of the column constraint
}

// missing reports whether a row's event is not one of the trace, and counts it.
func (im *importer) missing(r row, column int, t int64, table string) bool {
	switch {
	case r.enum(column, missingNames) != 0:
		im.report.LeaveOut("rows", table+": an event that Google synthesised (missing_type)", 1)
		return true
	case t == afterEnd:
		im.report.LeaveOut("rows", table+": after the end of the trace", 1)
		return true
	}
	im.lastUS = max(im.lastUS, t)
	return false
}

// collectionRow takes in a row of collection_events.
func (im *importer) collectionRow(r row) {
	t, kind, id := r.time(0), r.enum(1, eventNames), r.integer(2)
	set, priority, alloc := r.enum(3, kindNames), r.integer(5), r.integer(7)
	user, perMachine, perSwitch := r.Shared(6), r.integer(9), r.integer(10)
	r.enum(4, missingNames)
	if r.Err() != nil || im.missing(r, 4, t, collectionEvents.name) {
		return
	}
	c := im.byID[id]
	if c == nil {
		c = &collection{id: id}
		im.byID[id] = c
	}
	c.set = c.set || set == 1
	c.waits = c.waits || r.Text(8) != ""
	c.limited = c.limited || perMachine > 0 || perSwitch > 0
	if kind == submit && (!c.submitted || t < c.submitUS) {
		c.submitted, c.submitUS, c.priority, c.alloc, c.user = true, t, priority, alloc, user
	}
	c.events = append(c.events, event{t, int8(kind)})
}

// choose keeps the jobs that were submitted in the window.
func (im *importer) choose() {
	for id, c := range im.byID {
		reason := ""
		switch {
		case c.set:
			reason = "alloc sets: reservations in which jobs run"
		case !c.submitted:
			reason = "no submission in the files at hand"
		case c.submitUS < im.options.FromUS || im.options.ToUS != 0 && c.submitUS >= im.options.ToUS:
			reason = "submitted outside the time asked for"
		}
		if reason != "" {
			im.report.LeaveOut("jobs", reason, 1)
			im.byID[id] = nil // its instances are known, and left out
		}
	}
}

// instanceRow takes in a row of instance_events.
func (im *importer) instanceRow(r row) {
	t, kind, id, index := r.time(0), r.enum(1, eventNames), r.integer(2), r.integer(3)
	cpu, hasCPU := r.amount(4)
	mem, hasMem := r.amount(5)
	r.enum(6, missingNames)
	placed := im.placement(r, 7)
	c, known := im.byID[id]
	switch {
	case r.Err() != nil:
		return
	case !known:
		im.report.LeaveOut("rows", "instance_events: its collection is not in collection_events", 1)
		return
	case c == nil:
		im.report.LeaveOut("rows", "instance_events: its collection is left out", 1)
		return
	case im.missing(r, 6, t, instanceEvents.name):
		return
	}
	if c.tasks == nil {
		c.tasks, c.flaws = map[int64]*instance{}, map[string]bool{}
	}
	task := c.tasks[index]
	if task == nil {
		task = &instance{}
		c.tasks[index] = task
	}
	task.events = append(task.events, event{t, int8(kind)})
	if kind != submit {
		return
	}
	if flaw := im.flaw(cpu, mem, hasCPU, hasMem); flaw != "" {
		c.flaws[flaw] = true
		im.report.LeaveOut("rows", instanceEvents.name+": "+flaw, 1)
		return
	}
	if !task.requested || t < task.submitUS {
		task.requested, task.submitUS, task.cpu, task.mem, task.placed = true, t, cpu, mem, placed
	}
}

// flaw says what is wrong with a request, "" for nothing.
func (im *importer) flaw(cpu, mem float64, hasCPU, hasMem bool) string {
	switch {
	case !hasCPU && !hasMem:
		return "no request"
	case !hasCPU:
		return "no cpu request"
	case !hasMem:
		return "no memory request"
	case cpu == 0 && mem == 0:
		return "zero cpu and memory request"
	case cpu == 0 && !im.options.KeepZero:
		return "zero cpu request"
	case mem == 0 && !im.options.KeepZero:
		return "zero memory request"
	}
	return ""
}

// jobs converts the collections, in order of submission, ties by their ids.
func (im *importer) jobs() []traces.Job {
	all := slices.DeleteFunc(slices.Collect(maps.Values(im.byID)), func(c *collection) bool { return c == nil })
	slices.SortFunc(all, func(a, b *collection) int {
		return cmp.Or(cmp.Compare(a.submitUS, b.submitUS), cmp.Compare(a.id, b.id))
	})
	var jobs []traces.Job
	tasks := int64(0)
	for _, c := range all {
		job, reason := im.convert(c)
		if reason != "" {
			im.report.LeaveOut("jobs", reason, 1)
			continue
		}
		im.note(c, &job)
		tasks += job.Tasks
		jobs = append(jobs, job)
	}
	im.report.AddKept("tasks", "tasks", tasks)
	im.report.AddKept("jobs", "jobs", int64(len(jobs)))
	return jobs
}

// note says what there is to know of a job that is kept.
func (im *importer) note(c *collection, job *traces.Job) {
	for _, n := range []struct {
		is   bool
		what string
	}{
		{job.SubmitUS == 0, "submitted before the trace began (time 0)"},
		{c.alloc != 0, "runs inside an alloc set"},
		{c.waits, "had to start after other jobs: submitted when the trace says"},
		{job.Constraints != "", "has placement constraints"},
		{c.unread(), "has placement constraints in another form than JSON: not applied"},
		{c.limited, "limits its tasks on one machine or switch: not applied"},
		{job.CPU == 0, "kept with a zero cpu request"},
		{job.Mem == 0, "kept with a zero memory request"},
		{job.User == "", "no user stated: a tenant of its own"},
	} {
		if n.is {
			im.report.Note("jobs", n.what, 1)
		}
	}
}

// convert makes a job of a collection; an empty reason means that it can be.
func (im *importer) convert(c *collection) (job traces.Job, reason string) {
	var cpus, mems []float64
	finished, sumUS := true, int64(0)
	for _, index := range slices.Sorted(maps.Keys(c.tasks)) {
		task := c.tasks[index]
		if !task.requested {
			continue
		}
		cpus, mems = append(cpus, task.cpu), append(mems, task.mem)
		l := live(task.events)
		finished = finished && l.finished()
		sumUS += l.endUS - l.startUS
	}
	switch {
	case len(c.tasks) == 0:
		return job, "no instances in the files at hand"
	case len(cpus) == 0 && len(c.flaws) > 0:
		return job, slices.Sorted(maps.Keys(c.flaws))[0]
	case len(cpus) == 0:
		return job, "no submission of its instances in the files at hand"
	}
	text, same := c.placement()
	if !same {
		return job, "its tasks differ in their constraints"
	}
	job = traces.Job{ID: strconv.FormatInt(c.id, 10), SubmitUS: c.submitUS, Tasks: int64(len(cpus)), CPU: median(cpus), Mem: median(mems), User: c.user, Priority: c.priority, Constraints: text}
	us := sumUS / int64(len(cpus))
	if !finished {
		if us, job.Censored, reason = im.own(c); reason != "" {
			return job, reason
		}
	} else {
		im.report.Note("jobs", "duration: mean over the job's tasks", 1)
	}
	if job.DurationUS = us; us == 0 {
		return job, "zero duration"
	}
	if us < 0 {
		return job, "ends before it starts"
	}
	return job, ""
}

// own returns the duration of a collection by its own events.
func (im *importer) own(c *collection) (us int64, censored bool, reason string) {
	l := live(c.events)
	switch {
	case !l.scheduled && l.dead:
		return 0, false, "ended before it was scheduled"
	case !l.scheduled:
		return 0, false, "never scheduled in the files at hand"
	case l.ended:
		im.report.Note("jobs", "duration: the job's schedule to its end (not all tasks finished in the files at hand)", 1)
		return l.endUS - l.startUS, false, ""
	}
	im.report.Note("jobs", "duration: the job's schedule to the last event at hand (censored)", 1)
	return im.lastUS - l.startUS, true, ""
}

// median returns the middle value, or the mean of the middle two.
func median(values []float64) float64 {
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	return low + (high-low)/2
}
