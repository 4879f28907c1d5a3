package slurm

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

// Options choose what of a row becomes a job. Where a field is empty the first
// choice holds.
type Options struct {
	Resources string `json:"resources"` // one of Resources
	Memory    string `json:"memory"`    // one of Memories
	Task      string `json:"task"`      // one of Grains
	Tenant    string `json:"tenant"`    // one of Tenants
	// Zone is the time zone of times that state none, as in the database of time zones
	// (Europe/Berlin); empty for UTC. Of an hour that occurs twice it is not known
	// which is meant.
	Zone string `json:"zone"`
}

// The choices of the [Options], the default first.
var (
	Resources = []string{"requested", "allocated"}
	Memories  = []string{"counted", "none"}
	Grains    = []string{"node", "cpu", "job"}
	Tenants   = []string{"user", "account", "group", "qos", "partition"}
)

// columnOf are the columns of the Tenants.
var columnOf = map[string]string{"user": "User", "account": "Account", "group": "Group", "qos": "QOS", "partition": "Partition"}

// fill puts the default where nothing is chosen, and refuses what is no choice.
func (o *Options) fill() (*time.Location, error) {
	for _, c := range []struct {
		name  string
		value *string
		known []string
	}{{"resources", &o.Resources, Resources}, {"memory", &o.Memory, Memories}, {"task", &o.Task, Grains}, {"tenant", &o.Tenant, Tenants}} {
		*c.value = cmp.Or(*c.value, c.known[0])
		if err := spelling.Check(c.name, *c.value, c.known); err != nil {
			return nil, err
		}
	}
	o.Zone = cmp.Or(o.Zone, "UTC")
	zone, err := time.LoadLocation(o.Zone)
	if o.Zone == "Local" || err != nil {
		return nil, fmt.Errorf("time zone %s: not one of the database of time zones here, such as Europe/Berlin", input.Quote(o.Zone))
	}
	return zone, nil
}

// Import reads the output of sacct. The rules are in the package's documentation.
// With all rows left out the error wraps [traces.ErrEmpty], and the result's report
// says why.
func Import(path string, o Options) (*traces.Imported, error) {
	zone, err := o.fill()
	if err != nil {
		return nil, err
	}
	im := &importer{options: o, path: path, zone: zone, seen: map[string]bool{}}
	var sum traces.SourceSum
	first := rows.New(path, nil)
	err = first.Read(filepath.Base(path), &sum, func(text io.Reader) error {
		return first.Lines(text, func(line string) error { first.Skip(); return im.line(line) })
	})
	if err == nil && im.row.Row == nil {
		err = fmt.Errorf("%s: empty, without the names of the columns", input.Path(path))
	}
	if err != nil {
		return nil, err
	}
	im.finish()
	res := &traces.Imported{Jobs: im.jobs, NoMachines: "accounting has no machines: scontrol show nodes --json has them", Report: &im.report, Meta: im.meta(sum.Sum())}
	if res, err = res.Of(path); err != nil && im.without > 0 {
		err = fmt.Errorf("%w; %d rows lack only memory: --memory none imports jobs of processors and GPUs alone", err, im.without)
	}
	return res, err
}

// importer is an import under way.
type importer struct {
	options Options
	path    string
	zone    *time.Location
	row     row // of the file, once its header was read
	report  traces.Report
	seen    map[string]bool
	jobs    []traces.Job
	rows    int64
	gpus    bool  // whether any row mentions them
	without int64 // rows that lack memory, and nothing else
	origin  int64 // the first submission, µs since 1970
}

// line takes in a line.
func (im *importer) line(line string) (err error) {
	line = strings.TrimSuffix(line, "\r")
	if im.row.Row == nil {
		if im.row, err = header(im.path, line); err == nil {
			err = im.columns()
		}
		return err
	}
	if line == "" {
		im.row.Skip()
		return nil
	}
	if err := im.row.Next(strings.Split(line, "|")); err != nil {
		return fmt.Errorf("%w (a | in a job's name? leave JobName and Comment out of --format)", err)
	}
	im.rows++
	job, reason := im.job()
	if im.row.Err() != nil {
		return im.row.Err()
	}
	if reason != "" {
		im.report.LeaveOut("rows", reason, 1)
		return nil
	}
	im.jobs = append(im.jobs, job)
	return nil
}

// columns requires those without which there are no jobs.
func (im *importer) columns() error {
	from := sources[im.options.Resources]
	for _, need := range []struct {
		of   []string
		what string
	}{
		{[]string{"Submit"}, "Submit"},
		{[]string{"ElapsedRaw", "Elapsed", "End"}, "ElapsedRaw"},
		{append([]string{from.tres}, from.cpus...), from.tres + " (what was " + im.options.Resources + ": --resources)"},
	} {
		if !im.row.has(need.of...) {
			return fmt.Errorf("%s: no column %s", input.Path(im.path), need.what)
		}
	}
	if tenant := columnOf[im.options.Tenant]; im.options.Tenant != Tenants[0] && !im.row.has(tenant) {
		return fmt.Errorf("%s: no column %s (--tenant)", input.Path(im.path), tenant)
	}
	return nil
}

// states are those that a job can have, by the first word.
var states = []string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "CONFIGURING", "COMPLETING", "DEADLINE", "FAILED", "NODE_FAIL",
	"OUT_OF_MEMORY", "PENDING", "PREEMPTED", "RUNNING", "REQUEUED", "RESIZING", "REVOKED", "STOPPED", "SUSPENDED", "TIMEOUT"}

// state returns the state of a row's job, without the reason (CANCELLED by 1000).
func (im *importer) state() string {
	text, _ := im.row.get("State")
	word, _, _ := strings.Cut(text, " ")
	word = strings.TrimSuffix(word, "+")
	switch {
	case text == "":
		return "not stated"
	case slices.Contains(states, word):
		return word
	}
	return "another one"
}

// job reads a row. The reason for which it is left out is "" if it is not.
func (im *importer) job() (job traces.Job, reason string) {
	r := im.row
	id, _ := r.get("JobID")
	if strings.Contains(id, ".") {
		return job, "a step (as 123.batch): its job has a row of its own"
	}
	job.ID = strings.Clone(id)
	submitted, known, local := r.time("Submit", im.zone)
	if r.Err() != nil {
		return job, ""
	}
	switch {
	case id == "":
		return job, "no JobID"
	case im.seen[id]:
		return job, "a JobID a second time (requeued): the first row counts"
	case !known:
		return job, "no submission time"
	}
	im.seen[job.ID] = true
	job.SubmitUS = submitted
	if reason := im.duration(&job); reason != "" || r.Err() != nil {
		return job, reason
	}
	if reason := im.requests(&job); reason != "" || r.Err() != nil {
		return job, reason
	}
	im.standing(&job)
	im.notes(&job, local)
	return job, ""
}

// duration sets how long a job ran.
func (im *importer) duration(job *traces.Job) string {
	r, state := im.row, im.state()
	start, started, _ := r.time("Start", im.zone)
	end, ended, _ := r.time("End", im.zone)
	us, known := r.elapsed()
	held, _ := r.get("AllocTRES")
	switch {
	case r.Err() != nil:
		return ""
	case known && us == 0 && r.has("AllocTRES") && held == "": // Start and End are both the time of scancel
		return "never started: state " + state
	case state == "PENDING" || r.has("Start") && !started || known && us == 0 && !r.has("Start"):
		return "never started: state " + state
	case !known && !started:
		return "no Elapsed, and no Start"
	case !known && !ended:
		return "runs on, and the file has no Elapsed"
	case !known:
		us = end - start
	}
	switch {
	case us < 0:
		return "end before start"
	case us == 0:
		return "ran less than a second"
	}
	job.DurationUS = us
	job.Censored = r.has("End") && !ended || slices.Contains([]string{"RUNNING", "SUSPENDED", "STOPPED", "COMPLETING", "RESIZING"}, state)
	return ""
}

// requests sets the tasks of a job and what each requests.
func (im *importer) requests(job *traces.Job) string {
	q := im.row.request(sources[im.options.Resources])
	im.gpus = im.gpus || q.hasGPUs
	if im.options.Memory == "none" {
		q.mem, q.hasMem = 0, true
	}
	tasks := map[string]float64{"node": q.nodes, "cpu": q.cpus, "job": 1}[im.options.Task]
	switch {
	case q.reason != "":
		return q.reason
	case q.cpus == 0:
		return "0 processors"
	case im.options.Task == "node" && tasks == 0:
		return "no number of nodes"
	case tasks != math.Trunc(tasks):
		return "a number of nodes or processors that is not whole"
	case !q.hasMem || q.mem == 0 && im.options.Memory != "none":
		im.without++
		return map[bool]string{true: "0 of memory", false: "no memory"}[q.hasMem]
	}
	if q.cpus != math.Trunc(q.cpus/tasks)*tasks {
		im.report.Note("jobs", "processors are not a multiple of the nodes: each task has an equal part", 1)
	}
	if q.memRequested && im.options.Memory != "none" {
		im.report.Note("jobs", "memory that was requested: none is accounted as allocated", 1)
	}
	job.Tasks, job.CPU, job.Mem, job.GPU = int64(tasks), q.cpus/tasks, q.mem/tasks, q.gpus/tasks
	return ""
}

// standing sets the user and the priority of a job.
func (im *importer) standing(job *traces.Job) {
	r, column := im.row, columnOf[im.options.Tenant]
	if text, _ := r.get(column); text != "" {
		job.User = r.Shared(r.place[column])
	} else {
		im.report.Note("jobs", "no "+im.options.Tenant+" stated: a tenant of its own", 1)
	}
	if p, ok := r.number("Priority"); ok {
		job.Priority = int64(p)
	}
}

// notes says what there is to know of a job that is kept.
func (im *importer) notes(job *traces.Job, local bool) {
	note := func(is bool, what string) {
		if is {
			im.report.Note("jobs", what, 1)
		}
	}
	state := im.state()
	note(state != "COMPLETED", "state "+state)
	note(job.Censored, "runs on: its duration is that so far (censored)")
	note(local, "times without a zone: read in "+im.options.Zone)
	note(strings.Contains(job.ID, "+"), "components of heterogeneous jobs: they started together")
	features, _ := im.row.get("Constraints")
	note(features != "", "asked for features of nodes (Constraints): not looked at")
}

// finish orders the jobs and sets the clock's zero.
func (im *importer) finish() {
	slices.SortStableFunc(im.jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	tasks := int64(0)
	for i := range im.jobs {
		if i == 0 {
			im.origin = im.jobs[0].SubmitUS
		}
		im.jobs[i].SubmitUS -= im.origin
		tasks += im.jobs[i].Tasks
	}
	im.report.AddRead(filepath.Base(im.path), im.rows)
	im.report.AddKept("jobs", "jobs", int64(len(im.jobs)))
	im.report.AddKept("tasks", "tasks", tasks)
}

// meta describes the file.
func (im *importer) meta(checksum string) traces.Meta {
	m := traces.Meta{Source: "Slurm accounting (sacct)", Checksum: checksum, Label: "real", Units: "cpu: cores"}
	if im.options.Memory != "none" {
		m.Units += "; mem: GiB"
	}
	if im.gpus {
		m.Units += "; gpu: GPUs"
	}
	m.Options = traces.OptionsText(struct {
		Options
		Origin string `json:"origin"` // zero of the clock
	}{im.options, time.UnixMicro(im.origin).UTC().Format(time.RFC3339)})
	return m
}
