package alibaba

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/traces"
)

// The tables of the PAI trace with their official columns.
var (
	paiJobs      = table{"pai_job_table", []string{"job_name", "inst_id", "user", "status", "start_time", "end_time"}}
	paiTasks     = table{"pai_task_table", []string{"job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem", "plan_gpu", "gpu_type"}}
	paiInstances = table{"pai_instance_table", []string{"job_name", "task_name", "inst_name", "worker_name", "inst_id", "status", "start_time", "end_time", "machine"}}
	paiTags      = table{"pai_group_tag_table", []string{"inst_id", "user", "gpu_type_spec", "group", "workload"}}
	paiMachines  = table{"pai_machine_spec", []string{"machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"}}
)

// The statuses of the trace.
const (
	running    = "Running"
	terminated = "Terminated"
	failed     = "Failed"
	waiting    = "Waiting"
)

// key stands for one or two names of the trace: the first half of their
// SHA-256. Names have up to 60 characters, and there are millions.
type key [16]byte

func keyOf(names ...string) key {
	var buf [160]byte
	text := buf[:0]
	for _, n := range names {
		text = append(append(text, n...), 0)
	}
	sum := sha256.Sum256(text)
	return key(sum[:16])
}

// submission is a wanted row of pai_job_table.
type submission struct {
	submitUS   int64
	user       string
	constraint string // of its tasks with a GPU
	used       bool   // a task row became a job
}

// task is a task row that may become a job.
type task struct {
	traces.Job     // without DurationUS
	of             *submission
	status         string
	startUS, endUS int64 // 0: missing
	rows, finished int64 // of its instances
	sumUS          int64 // over the finished instances
}

// paiImport holds the state of one import.
type paiImport struct {
	window Window
	report traces.Report
	sum    traces.SourceSum
	// submissions has the rows of pai_job_table; nil are those that are not
	// wanted.
	submissions map[key]*submission
	byInstID    map[key]*submission
	tasks       []*task
	byName      map[key]*task
	machines    machineTable
	constraints map[string]string // by the type of GPU: each text once
	lastUS      int64             // the latest time in the tables
}

// ImportPAI reads the tables of the PAI trace in the folder dir. The rules are
// in the package's documentation.
//
// pai_job_table and pai_task_table must be there; without pai_instance_table
// durations are those of the task rows, without pai_group_tag_table there are
// no constraints, without pai_machine_spec no machines, and the report says
// so. With all jobs left out the error wraps [traces.ErrEmpty], and the
// result's report says why. An unreadable row is an error that names file, row
// and column.
func ImportPAI(dir string, w Window) (*traces.Imported, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	im := &paiImport{window: w, submissions: map[key]*submission{}, byInstID: map[key]*submission{},
		byName: map[key]*task{}, constraints: map[string]string{},
		machines: machineTable{name: paiMachines.name, cpu: 2, mem: 3, gpu: 4, kind: 1, attribute: "gpu_type", perCPU: 1, perMem: 1, seen: map[string]bool{}}}
	if err := im.read(dir); err != nil {
		return nil, err
	}
	im.report.AddKept("machines", "machines", int64(len(im.machines.list)))
	res := &traces.Imported{Jobs: im.jobs(), Machines: im.machines.list, NoMachines: noTable, Report: &im.report, Meta: traces.Meta{
		Source: "Alibaba PAI 2020 (cluster-trace-gpu-v2020)", Checksum: im.sum.Sum(),
		Options: traces.OptionsText(w), Label: "real", Units: "cpu: cores; mem: GB; gpu: GPUs"}}
	return res.Of(dir)
}

// read makes one pass over each table, those first that the others refer to.
func (im *paiImport) read(dir string) error {
	for _, pass := range []struct {
		table
		take    func(row)
		without string // what is missing without the table; "": it is needed
	}{
		{paiJobs, im.jobRow, ""},
		{paiTags, im.tagRow, "no constraints"},
		{paiTasks, im.taskRow, ""},
		{paiInstances, im.instanceRow, "durations are those of the task rows"},
		{paiMachines, func(r row) { im.machines.row(r, &im.report) }, "no machines"},
	} {
		n, err := pass.each(dir, &im.sum, pass.take)
		im.report.AddRead(pass.name, n)
		if errors.Is(err, ErrNoTable) && pass.without != "" {
			im.report.Note("tables", fmt.Sprintf("%s is not at hand: %s", pass.name, pass.without), 1)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// jobRow takes in a row of pai_job_table.
func (im *paiImport) jobRow(r row) {
	start, _ := r.timeUS(4)
	end, _ := r.timeUS(5)
	im.lastUS = max(im.lastUS, start, end)
	r.name(0, "a submission")
	if r.Err() != nil {
		return
	}
	name := keyOf(r.Text(0))
	switch _, known := im.submissions[name]; {
	case known:
		im.report.LeaveOut("rows", "pai_job_table: a submission a second time: the first row counts", 1)
	case start == 0:
		im.submissions[name] = nil
		im.report.LeaveOut("submissions", "no submission time", 1)
	case !im.window.Holds(start):
		im.submissions[name] = nil
		im.report.LeaveOut("submissions", outside, 1)
	default:
		s := &submission{submitUS: start, user: r.Shared(2)}
		im.submissions[name] = s
		im.byInstID[keyOf(r.Text(1))] = s
	}
}

// tagRow takes in a row of pai_group_tag_table.
func (im *paiImport) tagRow(r row) {
	s := im.byInstID[keyOf(r.Text(0))]
	spec := r.Text(2)
	if s == nil || s.constraint != "" || spec == "" {
		return
	}
	text, known := im.constraints[spec]
	if !known {
		text = gpuTypes("gpu_type", spec)
		im.constraints[r.Own(2)] = text
	}
	s.constraint = text
}

// taskRow takes in a row of pai_task_table.
func (im *paiImport) taskRow(r row) {
	t := &task{status: statusOf(r.Text(3))}
	t.Tasks = r.whole(2)
	t.startUS, _ = r.timeUS(4)
	t.endUS, _ = r.timeUS(5)
	cpu, hasCPU := r.Amount(6)
	mem, hasMem := r.Amount(7)
	gpu, hasGPU := r.Amount(8)
	im.lastUS = max(im.lastUS, t.startUS, t.endUS)
	r.name(0, "a submission")
	if r.Err() != nil {
		return
	}
	t.CPU, t.Mem, t.GPU = cpu/100, mem, gpu/100
	of, known := im.submissions[keyOf(r.Text(0))]
	if known && of == nil {
		im.report.LeaveOut("jobs", "its submission is left out", 1)
		return
	}
	name := keyOf(r.Text(0), r.Text(1))
	reason := ""
	switch {
	case !known:
		reason = "its submission is not in pai_job_table"
	case im.byName[name] != nil:
		reason = "a task a second time: the first row counts"
	default:
		reason = t.unusable(hasCPU, hasMem)
	}
	if reason != "" {
		im.report.LeaveOut("jobs", reason, 1)
		return
	}
	if !hasGPU {
		im.report.Note("jobs", "no plan_gpu: without a GPU", 1)
	}
	t.of, t.ID = of, r.Text(0)+"/"+r.Text(1)
	im.tasks = append(im.tasks, t)
	im.byName[name] = t
}

// statusOf returns the constant of a status, or "" for one that is not known.
func statusOf(text string) string {
	for _, s := range [...]string{running, terminated, failed, waiting} {
		if text == s {
			return s
		}
	}
	return ""
}

// unusable returns the reason for which a task row can not become a job,
// whatever its instances are; "" if it can.
func (t *task) unusable(hasCPU, hasMem bool) string {
	switch {
	case t.status == "":
		return "a status that is not known"
	case t.status == waiting:
		return "never started (Waiting)"
	case t.Tasks == 0:
		return "no instances"
	case !hasCPU:
		return "no cpu request"
	case !hasMem:
		return "no memory request"
	case t.CPU == 0:
		return "zero cpu request"
	case t.Mem == 0:
		return "zero memory request"
	}
	return ""
}

// instanceRow takes in a row of pai_instance_table.
func (im *paiImport) instanceRow(r row) {
	start, _ := r.timeUS(6)
	end, _ := r.timeUS(7)
	im.lastUS = max(im.lastUS, start, end)
	if r.Err() != nil {
		return
	}
	t := im.byName[keyOf(r.Text(0), r.Text(1))]
	if t == nil {
		im.instanceOfNone(r)
		return
	}
	t.rows++
	switch {
	case r.Text(5) != terminated:
	case start == 0 || end == 0:
		im.report.LeaveOut("rows", "pai_instance_table: Terminated without a start or an end", 1)
	case end < start:
		im.report.LeaveOut("rows", "pai_instance_table: ends before it starts", 1)
	default:
		t.finished++
		t.sumUS += end - start
	}
}

// instanceOfNone counts an instance whose task does not become a job.
func (im *paiImport) instanceOfNone(r row) {
	if _, known := im.submissions[keyOf(r.Text(0))]; known {
		im.report.LeaveOut("rows", "pai_instance_table: its task is left out or not in pai_task_table", 1)
		return
	}
	im.report.LeaveOut("rows", "pai_instance_table: its submission is not in pai_job_table", 1)
}

// jobs converts the tasks and counts those that are left out.
func (im *paiImport) jobs() []traces.Job {
	im.byInstID, im.byName = nil, nil // room for the jobs
	slices.SortStableFunc(im.tasks, func(a, b *task) int { return cmp.Compare(a.of.submitUS, b.of.submitUS) })
	jobs := make([]traces.Job, 0, len(im.tasks))
	for i, t := range im.tasks {
		im.tasks[i] = nil // its memory is the job's now
		if reason := im.finish(t); reason != "" {
			im.report.LeaveOut("jobs", reason, 1)
			continue
		}
		t.of.used = true
		t.SubmitUS, t.User = t.of.submitUS, t.of.user
		switch {
		case t.of.constraint == "":
		case t.GPU > 0:
			t.Constraints = t.of.constraint
			im.report.Note("jobs", "asks for a type of GPU", 1)
		default:
			im.report.Note("jobs", "its submission asks for a type of GPU, and it for no GPU: may run anywhere", 1)
		}
		im.report.Note("jobs", "status "+t.status, 1)
		im.report.AddKept("tasks", "tasks", t.Tasks)
		jobs = append(jobs, t.Job)
	}
	im.countSubmissions()
	im.report.AddKept("jobs", "jobs (task rows)", int64(len(jobs)))
	return jobs
}

// countSubmissions counts those that gave a job and those that did not.
func (im *paiImport) countSubmissions() {
	unused, used := int64(0), int64(0)
	for _, s := range im.submissions {
		switch {
		case s == nil:
		case s.used:
			used++
		default:
			unused++
		}
	}
	im.report.LeaveOut("submissions", "no task row that could be used", unused)
	im.report.AddKept("submissions", "submissions", used)
}

// finish applies the rules for the duration; a reason other than "" means that
// there is none.
func (im *paiImport) finish(t *task) (reason string) {
	switch {
	case t.finished >= t.Tasks && t.finished == t.rows:
		im.report.Note("jobs", "duration: mean over the task's instances", 1)
		if t.rows > t.Tasks {
			im.report.Note("jobs", "more instance rows than inst_num: mean over all", 1)
		}
		t.DurationUS = t.sumUS / t.finished
	case t.startUS == 0:
		return "no start"
	case t.endUS != 0:
		im.report.Note("jobs", "duration: end − start of the task row", 1)
		t.DurationUS = t.endUS - t.startUS
	case t.status == running:
		im.report.Note("jobs", "duration: the start to the latest time in the tables (censored)", 1)
		t.DurationUS, t.Censored = im.lastUS-t.startUS, true
	default:
		return "no end, and not Running"
	}
	return checkDuration(t.DurationUS)
}

// checkDuration refuses durations that are none.
func checkDuration(us int64) (reason string) {
	switch {
	case us < 0:
		return "ends before it starts"
	case us == 0:
		return "zero duration"
	}
	return ""
}
