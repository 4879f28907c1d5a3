package philly

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

// Options choose what of a job of the log becomes a job. Where a field is empty the first
// choice holds.
type Options struct {
	Task   string `json:"task"`   // one of Grains
	Tenant string `json:"tenant"` // one of Tenants
	// Zone is the time zone of the log, as in the database of time zones; empty for
	// UTC, in which a night with another length is one of 24 hours.
	Zone string `json:"zone"`
}

// The choices of the [Options], the default first.
var (
	Grains  = []string{"gpu", "server", "job"}
	Tenants = []string{"user", "vc"}
)

// LogName and MachinesName are the official names of the files.
const (
	LogName      = "cluster_job_log"
	MachinesName = "cluster_machine_list"
)

// Import reads the log at a path, or the one of that name in a folder, and the machines
// beside it. The rules are in the package's documentation. With all jobs left out the
// error wraps [traces.ErrEmpty], and the result's report says why.
func Import(path string, o Options) (*traces.Imported, error) {
	o.Task, o.Tenant, o.Zone = cmp.Or(o.Task, Grains[0]), cmp.Or(o.Tenant, Tenants[0]), cmp.Or(o.Zone, "UTC")
	zone, err := time.LoadLocation(o.Zone)
	if o.Zone == "Local" || err != nil {
		err = fmt.Errorf("time zone %s: not one of the database of time zones here, such as America/Los_Angeles", input.Quote(o.Zone))
	}
	if err := errors.Join(err, spelling.Check("task", o.Task, Grains), spelling.Check("tenant", o.Tenant, Tenants)); err != nil {
		return nil, err
	}
	path = inFolder(path)
	im := &importer{options: o, path: path, zone: zone, seen: map[string]bool{}}
	file := rows.File{Path: path, Sum: &im.sum, Name: LogName, Broken: im.broken}
	if err := file.Read(im.log); err != nil {
		return nil, err
	}
	im.finish()
	machines, err := im.machines()
	if err != nil {
		return nil, err
	}
	res := &traces.Imported{Jobs: im.jobs, Machines: machines, NoMachines: "no " + MachinesName + " beside the log", Report: &im.report, Meta: im.meta()}
	return res.Of(path)
}

// inFolder returns the log in a folder, packed where only that is there; a file as it is.
func inFolder(path string) string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path
	}
	path = filepath.Join(path, LogName)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if _, err := os.Stat(path + ".gz"); err == nil {
		return path + ".gz"
	}
	return path
}

// importer is an import under way.
type importer struct {
	options Options
	path    string
	zone    *time.Location
	sum     traces.SourceSum
	report  traces.Report
	seen    map[string]bool
	jobs    []traces.Job
	open    []int64 // of jobs: the start of an attempt that runs on, µs since 1970; -1 for none
	number  int64   // of the job in the log, from 1
	lastUS  int64   // the latest time in the log, µs since 1970
	origin  int64   // the first submission, µs since 1970
}

func (im *importer) broken(err error) error {
	return fmt.Errorf("%s: job %d: %w", input.Path(im.path), im.number+1, err)
}

// entry is a job of the log.
type entry struct {
	Status    text      `json:"status"`
	VC        text      `json:"vc"`
	ID        text      `json:"jobid"`
	User      text      `json:"user"`
	Submitted text      `json:"submitted_time"`
	Attempts  []attempt `json:"attempts"`
}

// attempt is one of a job's.
type attempt struct {
	Start  text `json:"start_time"`
	End    text `json:"end_time"`
	Detail []struct {
		IP   text              `json:"ip"`
		GPUs []json.RawMessage `json:"gpus"`
	} `json:"detail"`
}

// text is a text, empty where it is null or None.
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("a text that is not UTF-8")
	}
	var s *string
	if err := json.Unmarshal(data, &s); err != nil {
		return errors.New("not a text where one belongs")
	}
	if *t = ""; s != nil && *s != "None" {
		*t = text(*s)
	}
	return nil
}

// log reads the list of jobs.
func (im *importer) log(in io.Reader) error {
	in, err := input.Text(in)
	if err != nil {
		return im.broken(err)
	}
	limited := &rows.Limited{R: in}
	limited.Next()
	d := json.NewDecoder(limited)
	if first, err := d.Token(); err != nil || first != json.Delim('[') {
		return fmt.Errorf("%s: not a JSON list of jobs", input.Path(im.path))
	}
	for d.More() {
		limited.Next()
		var e entry
		if err := d.Decode(&e); err != nil {
			return im.broken(plain(err))
		}
		im.number++
		if err := im.entry(&e); err != nil {
			return fmt.Errorf("%s: job %d: %w", input.Path(im.path), im.number, err)
		}
	}
	if _, err := d.Token(); err != nil { // the end of the list
		return im.broken(plain(err))
	}
	return nil
}

// plain describes an error of reading JSON.
func plain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends in the middle: %w", io.ErrUnexpectedEOF)
	}
	if errors.Is(err, rows.ErrLong) || errors.Is(err, rows.ErrBomb) {
		return err
	}
	return errors.New(input.Line(err.Error()))
}

// entry takes in a job of the log.
func (im *importer) entry(e *entry) error {
	job, open, reason, err := im.job(e)
	switch {
	case err != nil:
		return err
	case reason != "":
		im.report.LeaveOut("rows", reason, 1)
		return nil
	}
	switch e.Status {
	case "Pass":
	case "Killed", "Failed":
		im.report.Note("jobs", "status "+string(e.Status), 1)
	default:
		im.report.Note("jobs", "status is another one", 1)
	}
	if job.User == "" {
		im.report.Note("jobs", "no "+im.options.Tenant+" stated: a tenant of its own", 1)
	}
	im.jobs, im.open = append(im.jobs, job), append(im.open, open)
	return nil
}

// job makes a job of an entry. The reason for which it is left out is "" if it is not;
// open is the start of an attempt that runs on, -1 for none.
func (im *importer) job(e *entry) (job traces.Job, open int64, reason string, err error) {
	job = traces.Job{ID: string(e.ID), User: string(e.User)}
	if im.options.Tenant == "vc" {
		job.User = string(e.VC)
	}
	submitted, known, err := im.time(e.Submitted)
	if err != nil {
		return job, -1, "", err
	}
	job.SubmitUS = submitted
	us, open, err := im.attempts(e.Attempts)
	if err != nil {
		return job, -1, "", err
	}
	job.DurationUS = us
	gpus, servers := held(e.Attempts)
	switch {
	case job.ID == "":
		reason = "no jobid"
	case im.seen[job.ID]:
		reason = "a jobid a second time: the first one counts"
	case !known:
		reason = "no submitted_time"
	case len(e.Attempts) == 0:
		reason = "never scheduled: no attempts"
	case gpus == 0:
		reason = "no GPU in any attempt"
	case us == 0 && open < 0:
		reason = "no attempt with a start and a later end"
	}
	im.seen[job.ID] = true
	job.Tasks = map[string]int64{"gpu": gpus, "server": servers, "job": 1}[im.options.Task]
	job.GPU = float64(gpus) / float64(max(1, job.Tasks))
	if reason == "" && gpus%job.Tasks != 0 {
		im.report.Note("jobs", "GPUs are not a multiple of the servers: each task has an equal part", 1)
	}
	return job, open, reason, nil
}

// attempts adds up the times of attempts; open is the start of a last one that runs on,
// -1 for none.
func (im *importer) attempts(all []attempt) (us, open int64, err error) {
	open = -1
	for i, a := range all {
		start, started, err := im.time(a.Start)
		if err != nil {
			return 0, -1, fmt.Errorf("attempt %d: %w", i+1, err)
		}
		end, ended, err := im.time(a.End)
		if err != nil {
			return 0, -1, fmt.Errorf("attempt %d: %w", i+1, err)
		}
		switch {
		case started && ended && end < start:
			im.report.LeaveOut("attempts", "ends before it starts", 1)
		case started && ended:
			us += end - start
		case started && i == len(all)-1:
			open = start
		default:
			im.report.LeaveOut("attempts", "no start, or no end and not the last", 1)
		}
	}
	return us, open, nil
}

// held returns the GPUs and the servers of the last attempt that had any.
func held(all []attempt) (gpus, servers int64) {
	for _, a := range slices.Backward(all) {
		for _, d := range a.Detail {
			if gpus += int64(len(d.GPUs)); len(d.GPUs) > 0 {
				servers++
			}
		}
		if gpus > 0 {
			break
		}
	}
	return gpus, servers
}

// time reads a time, in µs since 1970, and whether it is known.
func (im *importer) time(t text) (us int64, known bool, err error) {
	if t == "" {
		return 0, false, nil
	}
	at, err := time.ParseInLocation(time.DateTime, string(t), im.zone)
	if err != nil {
		return 0, false, fmt.Errorf("%s: not a time of the form 2017-10-07 01:12:09", input.Quote(string(t)))
	}
	if y := at.Year(); y < 1970 || y > 2200 {
		return 0, false, fmt.Errorf("%s: beyond the clock", input.Quote(string(t)))
	}
	us = at.UnixMicro()
	im.lastUS = max(im.lastUS, us)
	return us, true, nil
}

// finish ends the attempts that ran on, orders the jobs and sets the clock's zero.
func (im *importer) finish() {
	kept := im.jobs[:0]
	for i, job := range im.jobs {
		if open := im.open[i]; open >= 0 {
			job.DurationUS += im.lastUS - open
			job.Censored = true
		}
		if job.DurationUS <= 0 {
			im.report.LeaveOut("rows", "no attempt with a start and a later end", 1)
			continue
		}
		if job.Censored {
			im.report.Note("jobs", "ran on when the log was made (censored)", 1)
		}
		kept = append(kept, job)
	}
	im.jobs = kept
	slices.SortStableFunc(im.jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	tasks := int64(0)
	for i := range im.jobs {
		if i == 0 {
			im.origin = im.jobs[0].SubmitUS
		}
		im.jobs[i].SubmitUS -= im.origin
		tasks += im.jobs[i].Tasks
	}
	im.report.AddRead(LogName, im.number)
	im.report.AddKept("jobs", "jobs", int64(len(im.jobs)))
	im.report.AddKept("tasks", "tasks", tasks)
}

// machines reads the list of machines beside the log, if it is there.
func (im *importer) machines() (list []traces.Machine, err error) {
	path := filepath.Join(filepath.Dir(im.path), MachinesName)
	if _, err := os.Stat(path); err != nil {
		im.report.Note("tables", MachinesName+" is not at hand: no machines", 1)
		return nil, nil
	}
	r := rows.New(path, []string{"machineId", "number of GPUs", "single GPU mem"})
	seen, n := map[string]bool{}, int64(0)
	err = r.Read(MachinesName, &im.sum, func(in io.Reader) error {
		_, err := r.CSV(in, false, func() {
			id := strings.TrimSpace(r.Own(0))
			if r.Number() == 1 && strings.EqualFold(id, "machineId") {
				return // the names of the columns
			}
			n++
			gpus, _ := r.Amount(1)
			switch {
			case id == "" || seen[id]:
				im.report.LeaveOut("rows", MachinesName+": a machine without an id, or a second time", 1)
			case gpus == 0:
				im.report.LeaveOut("rows", MachinesName+": no GPUs", 1)
			default:
				list = append(list, traces.Machine{ID: id, GPU: gpus, Class: fmt.Sprintf("%v GPUs of %s", gpus, strings.TrimSpace(r.Text(2)))})
			}
			seen[id] = true
		})
		im.report.AddRead(MachinesName, n)
		return err
	})
	im.report.AddKept("machines", "machines", int64(len(list)))
	return list, err
}

// meta describes the log.
func (im *importer) meta() traces.Meta {
	return traces.Meta{Source: "Microsoft Philly traces (2017), cluster_job_log", Checksum: im.sum.Sum(), Label: "real", Units: "gpu: GPUs",
		Options: traces.OptionsText(struct {
			Options
			Origin string `json:"origin"` // zero of the clock
		}{im.options, time.UnixMicro(im.origin).In(im.zone).Format(time.RFC3339)})}
}
