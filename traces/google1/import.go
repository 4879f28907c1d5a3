package google1

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/traces"
)

// PeriodUS is the length of the period that a row reports on.
const PeriodUS = 300_000_000

// Options choose what is kept.
type Options struct {
	// KeepZero keeps tasks that used no cpu or no memory, and notes the jobs
	// that come out with a zero.
	KeepZero bool `json:"keep_zero"`
	// KeepFirst keeps jobs with a task in the first period, as if they had been
	// submitted then.
	KeepFirst bool `json:"keep_first"`
}

// FileName is the official name of the file, which may be unpacked or end in
// .gz.
const FileName = "google-cluster-data-1.csv"

// Find returns the path of the official file in a folder; a path that is not a
// folder is returned as it is.
func Find(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	for _, name := range []string{FileName + ".gz", FileName} {
		file := filepath.Join(path, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: no %s or %[2]s.gz in it", path, FileName)
}

// Import reads the file at a path, or the official file of a folder. Jobs of one
// time are in the order of their numbers. With all jobs left out the error wraps [traces.ErrEmpty], and the result's report says
// why.
func Import(path string, o Options) (*traces.Imported, error) {
	file, err := Find(path)
	if err != nil {
		return nil, err
	}
	im := &importer{options: o, tasks: map[taskKey]int{}}
	sum, err := im.read(file)
	if err != nil {
		return nil, err
	}
	res := &traces.Imported{Jobs: im.jobs(), Report: &im.report, Meta: traces.Meta{
		Source: "Google cluster data, version 1 (2010, 7 hours)", Checksum: sum, Options: traces.OptionsText(o),
		Label: "real", Units: "cpu, mem: normalised average use, not requests",
	}}
	return res.Of(file)
}

// taskKey names a task. Numbers of tasks are taken to be unique within a job.
type taskKey struct{ job, task int64 }

// task is what is known of one task.
type task struct {
	job               int64
	rows, first, last int64 // first, last: s, the beginnings of its periods
	cores, mem        float64
}

type importer struct {
	options     Options
	report      traces.Report
	tasks       map[taskKey]int // index into all
	all         []task
	first, last int64 // s, of the file
}

// add takes in one row.
func (im *importer) add(r row) {
	t, job, id, kind := r.time(), r.Integer(1), r.Integer(2), r.Integer(3)
	cores, mem := r.amount(4), r.amount(5)
	if kind > 3 {
		r.Fail(3, fmt.Errorf("not a job type from 0 to 3"))
	}
	if r.Err() != nil {
		return
	}
	if len(im.all) == 0 {
		im.first, im.last = t, t
	}
	im.first, im.last = min(im.first, t), max(im.last, t)
	key := taskKey{job, id}
	i, known := im.tasks[key]
	if !known {
		i = len(im.all)
		im.tasks[key] = i
		im.all = append(im.all, task{job: job, first: t, last: t})
	}
	one := &im.all[i]
	one.first, one.last = min(one.first, t), max(one.last, t)
	one.rows++
	one.cores += cores
	one.mem += mem
}

// jobs groups the tasks and counts what is left out.
func (im *importer) jobs() []traces.Job {
	slices.SortStableFunc(im.all, func(a, b task) int { return cmp.Compare(a.job, b.job) })
	var jobs []traces.Job
	for rest := im.all; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].job == rest[0].job {
			n++
		}
		if j, reason := im.convert(rest[:n]); reason != "" {
			im.report.LeaveOut("jobs", reason, 1)
		} else {
			jobs = append(jobs, j)
		}
		rest = rest[n:]
	}
	slices.SortStableFunc(jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	im.report.AddKept("jobs", "jobs", int64(len(jobs)))
	return jobs
}

// convert makes a job of its tasks; an empty reason means that it can be.
func (im *importer) convert(tasks []task) (out traces.Job, reason string) {
	id, first, last := tasks[0].job, tasks[0].first, tasks[0].last
	usable := tasks[:0]
	for _, t := range tasks {
		first, last = min(first, t.first), max(last, t.last)
		if t.cores == 0 && t.mem == 0 || !im.options.KeepZero && (t.cores == 0 || t.mem == 0) {
			im.report.LeaveOut("tasks", "used no cpu or no memory", 1)
			continue
		}
		usable = append(usable, t)
	}
	switch {
	case first == im.first && !im.options.KeepFirst:
		return out, "ran in the first period: began before the trace at an unknown time"
	case len(usable) == 0:
		return out, "none of its tasks is usable"
	}
	out = traces.Job{
		ID: strconv.FormatInt(id, 10), SubmitUS: first * 1e6, Tasks: int64(len(usable)), Censored: last == im.last,
		CPU: median(usable, func(t task) float64 { return t.cores / float64(t.rows) }),
		Mem: median(usable, func(t task) float64 { return t.mem / float64(t.rows) }),
	}
	var total int64
	for _, t := range usable {
		span := t.last - t.first + PeriodUS/1e6
		total += span
		if t.rows*PeriodUS/1e6 < span {
			im.report.Note("tasks", "did not run in every period between its first and last", 1)
		}
	}
	out.DurationUS = int64(float64(total) * 1e6 / float64(len(usable)))
	im.note(&out)
	return out, ""
}

// note remarks on a job that is kept.
func (im *importer) note(j *traces.Job) {
	im.report.AddKept("tasks", "tasks", j.Tasks)
	if j.Censored {
		im.report.Note("jobs", "ran in the last period: ends at an unknown time (censored)", 1)
	}
	if j.CPU == 0 || j.Mem == 0 {
		im.report.Note("jobs", "kept with a zero", 1)
	}
}

// median returns the median of a value over the tasks: the middle one, or the
// mean of the middle two.
func median(tasks []task, value func(task) float64) float64 {
	values := make([]float64, len(tasks))
	for i, t := range tasks {
		values[i] = value(t)
	}
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	return low + (high-low)/2
}
