package swf

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/mapped"
	"github.com/leontief-sim/leontief/traces/rows"
)

// Options choose what of a record becomes a job. The zero value is that of the
// first choice of each.
type Options struct {
	Memory     string `json:"memory"`     // one of Memories
	Processors string `json:"processors"` // one of Counts
	Task       string `json:"task"`       // one of Grains
	// Tenant is the column that becomes the job's user: one of Tenants.
	Tenant string `json:"tenant"`
	// Label marks what is made of the log; "" for "real" where the header names an
	// installation or whom to acknowledge, else "unlabelled": programs write the
	// format, too.
	Label string `json:"label"`
}

// The choices of the [Options], the default first.
var (
	Memories = []string{"requested", "used", "none"}
	Counts   = []string{"requested", "allocated"}
	Grains   = []string{"processor", "job"}
	Tenants  = []string{"user", "group", "executable", "queue", "partition"}
)

// fill puts the default where nothing is chosen, and refuses what is no choice.
func (o *Options) fill() error {
	for _, c := range []struct {
		name  string
		value *string
		known []string
	}{{"memory", &o.Memory, Memories}, {"processors", &o.Processors, Counts}, {"task", &o.Task, Grains}, {"tenant", &o.Tenant, Tenants}} {
		*c.value = cmp.Or(*c.value, c.known[0])
		if err := spelling.Check(c.name, *c.value, c.known); err != nil {
			return err
		}
	}
	return nil
}

// Import reads a log, packed or not. The rules are in the package's documentation.
// With all records left out the error wraps [traces.ErrEmpty], and the result's
// report says why.
func Import(path string, o Options) (*traces.Imported, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	im := &importer{options: o, header: header{}, seen: map[int64]bool{}}
	var sum traces.SourceSum
	r := record{rows.New(path, columns)}
	err := r.Read(filepath.Base(path), &sum, func(text io.Reader) error {
		return r.Lines(text, func(line string) error { return im.line(r, line) })
	})
	if err != nil {
		return nil, err
	}
	im.finish(filepath.Base(path))
	res := &traces.Imported{Jobs: im.jobs, Report: &im.report, Meta: im.meta(sum.Sum())}
	res.Machines, res.NoMachines = im.machines()
	im.report.AddKept("machines", "machines of the header", int64(len(res.Machines)))
	if res, err = res.Of(path); err != nil && im.without > 0 {
		err = fmt.Errorf("%w; %d records lack only the %s memory: --memory none imports jobs of processors alone", err, im.without, o.Memory)
	}
	return res, err
}

// importer is an import under way.
type importer struct {
	options Options
	report  traces.Report
	header  header
	seen    map[int64]bool // numbers of jobs
	jobs    []traces.Job
	records int64
	last    int64 // submission of the last job in the log, µs
	without int64 // records that lack memory, and nothing else
}

// line takes in a line.
func (im *importer) line(r record, line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0][0] == ';' {
		r.Skip()
		if len(fields) > 0 {
			im.header.add(strings.TrimLeft(strings.TrimSpace(line), "; \t"))
		}
		return nil
	}
	if len(fields) > len(columns) {
		im.report.Note("rows", "more than 18 columns: the others are not read", 1)
		fields = fields[:len(columns)]
	}
	if err := r.Next(fields); err != nil {
		return err
	}
	im.records++
	job, reason := im.job(r)
	if r.Err() != nil {
		return r.Err()
	}
	if reason != "" {
		im.report.LeaveOut("rows", reason, 1)
		return nil
	}
	im.keep(r, job)
	return nil
}

// job reads a record. The reason for which it is left out is "" if it is not.
func (im *importer) job(r record) (job traces.Job, reason string) {
	id := r.Integer(number)
	for column := range columns {
		r.value(column)
	}
	if r.Err() != nil {
		return job, ""
	}
	job = traces.Job{ID: r.Own(number), SubmitUS: r.us(submit), DurationUS: r.us(runTime)}
	state := r.value(status)
	processors := im.processors(r)
	switch {
	case state == 2 || state == 3 || state == 4:
		return job, "a burst of a suspended job (status 2, 3 or 4): the job's own record counts"
	case im.seen[id]:
		return job, "a job a second time: the first record counts"
	}
	im.seen[id] = true
	if of := user + slices.Index(Tenants, im.options.Tenant); r.value(of) >= 0 {
		job.User = r.Shared(of)
	}
	switch {
	case job.SubmitUS < 0:
		return job, "no submission time"
	case job.DurationUS < 0:
		return job, "no run time"
	case job.DurationUS == 0:
		return job, "a run time of 0 s"
	case processors < 0:
		return job, "no number of processors"
	case processors == 0:
		return job, "0 processors"
	case processors != float64(int64(processors)):
		return job, "a number of processors that is not whole"
	}
	return job, im.requests(r, &job, int64(processors))
}

// processors returns how many a record's job has; 0 or less where none is known.
func (im *importer) processors(r record) float64 {
	if n := r.value(requested); im.options.Processors == "requested" && n > 0 {
		return n
	}
	return r.value(allocated)
}

// requests sets the tasks of a job and what each requests.
func (im *importer) requests(r record, job *traces.Job, processors int64) string {
	column := map[string]int{"requested": requestedMemory, "used": usedMemory, "none": -1}[im.options.Memory]
	job.Tasks, job.CPU = processors, 1
	if column >= 0 {
		job.Mem = r.value(column) / (1 << 20) // KB to GiB
		if job.Mem <= 0 {
			im.without++
		}
		if job.Mem < 0 {
			return fmt.Sprintf("no %s memory (column %d)", im.options.Memory, column+1)
		}
		if job.Mem == 0 {
			return fmt.Sprintf("0 KB of %s memory (column %d)", im.options.Memory, column+1)
		}
	}
	if im.options.Task == "job" {
		job.Tasks, job.CPU, job.Mem = 1, float64(processors), job.Mem*float64(processors)
	}
	return ""
}

// states are the statuses of records that become jobs.
var states = map[float64]string{-1: "not known", 0: "failed", 1: "completed", 5: "cancelled"}

// keep takes in a job, and notes what there is to say of its record.
func (im *importer) keep(r record, job traces.Job) {
	note := func(is bool, what string) {
		if is {
			im.report.Note("jobs", what, 1)
		}
	}
	state := r.value(status)
	text, known := states[state]
	note(known && state != 1, "status "+text)
	note(!known, "a status that the format does not have")
	want, have := r.value(requested), r.value(allocated)
	note(im.options.Processors == "requested" && want <= 0, "processors allocated count: those requested are not known")
	note(want > 0 && have > 0 && want != have, "requested another number of processors than were allocated")
	most := im.header.number("MaxProcs")
	note(most > 0 && job.CPU*float64(job.Tasks) > float64(most), "more processors than the header's MaxProcs")
	note(r.value(preceding) > 0, "waited for a preceding job: submitted when the log says")
	note(job.User == "", "no "+im.options.Tenant+" stated: a tenant of its own")
	note(job.SubmitUS < im.last, "not in order of submission in the log")
	im.last = job.SubmitUS
	im.jobs = append(im.jobs, job)
}

// finish orders the jobs and completes the report.
func (im *importer) finish(name string) {
	slices.SortStableFunc(im.jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	im.report.AddRead(name, im.records)
	im.report.AddKept("jobs", "jobs", int64(len(im.jobs)))
	tasks := int64(0)
	for _, j := range im.jobs {
		tasks += j.Tasks
	}
	im.report.AddKept("tasks", "tasks", tasks)
	im.report.Note("rows", "that the header promises (MaxRecords) and the file has not", max(0, im.header.number("MaxRecords")-im.records))
	for _, text := range im.header["Note"] {
		im.report.Note("lines", "header: "+text, 1)
	}
}

// meta describes the log in its own words.
func (im *importer) meta(checksum string) traces.Meta {
	m := traces.Meta{Source: "Standard Workload Format", Checksum: checksum, Label: im.options.Label, Units: "cpu: cores"}
	if m.Label == "" {
		m.Label = mapped.Unlabelled
		if im.header.first("Installation")+im.header.first("Acknowledge") != "" {
			m.Label = "real"
		}
	}
	for _, key := range []string{"Computer", "Installation"} {
		if text := im.header.first(key); text != "" {
			m.Source += "; " + text
		}
	}
	if im.options.Memory != "none" {
		m.Units += "; mem: GiB"
	}
	of := map[string]string{}
	for _, key := range []string{"Version", "UnixStartTime", "TimeZoneString", "MaxNodes", "MaxProcs", "MaxRecords", "Preemption"} {
		if text := im.header.first(key); text != "" {
			of[key] = text
		}
	}
	m.Options = traces.OptionsText(struct {
		Options
		Header map[string]string `json:"header,omitempty"`
	}{im.options, of})
	return m
}

// machines returns those that the header tells of, or why there are none.
func (im *importer) machines() ([]traces.Machine, string) {
	nodes, processors := im.header.number("MaxNodes"), im.header.number("MaxProcs")
	switch {
	case im.options.Memory != "none":
		return nil, "a header does not say how much memory a node has: describe the cluster in a file of your own, or import jobs of processors alone (--memory none)"
	case nodes == 0 || processors == 0:
		return nil, "the header has no MaxNodes and MaxProcs"
	case processors%nodes != 0:
		return nil, fmt.Sprintf("MaxProcs (%d) is not a multiple of MaxNodes (%d): how many processors a node has is not known", processors, nodes)
	case nodes > mostNodes:
		return nil, fmt.Sprintf("MaxNodes (%d) is beyond any machine", nodes)
	}
	machines := make([]traces.Machine, nodes)
	for i := range machines {
		machines[i] = traces.Machine{ID: fmt.Sprintf("node-%d", i+1), CPU: float64(processors / nodes), Class: "node"}
	}
	return machines, ""
}

// mostNodes bounds the machines that a header can ask for.
const mostNodes = 1 << 20
