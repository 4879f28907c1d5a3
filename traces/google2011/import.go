package google2011

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/traces"
)

// importer holds the state of one import.
type importer struct {
	options      Options
	report       traces.Report
	sum          traces.SourceSum
	wanted       []*job // in order of submission
	byID         map[int64]*job
	alive        []*job // wanted jobs whose tasks are still followed
	completeJobs bool   // all parts of job_events are at hand
	unions       map[extension]string
}

// Import reads the parts in the folder dir, which holds the folders
// job_events, task_events and (if machines are wanted) machine_events as the
// official trace has them, and task_constraints and machine_attributes where
// they are at hand.
//
// Parts of job_events and task_events must be there, though not all of them:
// an import from a few parts of task_events is limited to the jobs whose tasks
// they hold. With all jobs left out the error wraps [traces.ErrEmpty], and the
// result's report says why. An unreadable row is an error that names file, row
// and column.
func Import(dir string, o Options) (*traces.Imported, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	im := &importer{options: o}
	if err := im.follow(dir); err != nil {
		return nil, err
	}
	jobs := im.jobs()
	machines, err := im.machines(dir)
	if err != nil {
		return nil, err
	}
	res := &traces.Imported{Jobs: jobs, Machines: machines, NoMachines: dir + " has no machine_events", Report: &im.report, Meta: traces.Meta{
		Source: "Google cluster-usage traces 2011 (clusterdata-2011-2)", Checksum: im.sum.Sum(),
		Options: traces.OptionsText(o), Label: "real", Units: "cpu, mem: fraction of the largest machine",
	}}
	return res.Of(dir)
}

// follow makes the passes over the events of jobs and tasks.
func (im *importer) follow(dir string) error {
	jobParts, err := findParts(dir, jobEvents)
	if err != nil {
		return err
	}
	taskParts, err := findParts(dir, taskEvents)
	if err != nil {
		return err
	}
	im.completeJobs = jobParts.complete
	im.noteParts(jobParts)
	im.noteParts(taskParts)
	if im.wanted, err = im.wantedJobs(jobParts); err != nil {
		return err
	}
	im.alive = slices.Clone(im.wanted)
	im.byID = make(map[int64]*job, len(im.wanted))
	for _, j := range im.wanted {
		im.byID[j.id] = j
	}
	if err := im.followJobs(jobParts); err != nil {
		return err
	}
	if err := im.followTasks(taskParts); err != nil {
		return err
	}
	return im.followConstraints(dir)
}

// noteParts says how much of a table is at hand.
func (im *importer) noteParts(t tableParts) {
	im.report.Note("parts", fmt.Sprintf("%s at hand (of %d)", t.name, t.parts[0].total), int64(len(t.parts)))
}

// jobs converts the wanted jobs and counts those that are left out.
func (im *importer) jobs() []traces.Job {
	var jobs []traces.Job
	for _, j := range im.wanted {
		out, reason := im.convert(j)
		if reason != "" {
			im.report.LeaveOut("jobs", reason, 1)
			continue
		}
		if out.SubmitUS == 0 {
			im.report.Note("jobs", "submitted before the trace began (time 0)", 1)
		}
		if j.life.ended {
			im.report.Note("jobs", "ended by "+endText[j.life.how], 1)
		}
		if out.CPU == 0 {
			im.report.Note("jobs", "kept with a zero cpu request", 1)
		}
		if out.Mem == 0 {
			im.report.Note("jobs", "kept with a zero memory request", 1)
		}
		if j.tasks.priorities {
			im.report.Note("jobs", "tasks of several priorities: the highest counts", 1)
		}
		if out.Constraints != "" {
			im.report.Note("jobs", "with placement constraints", 1)
		}
		im.report.AddKept("tasks", "tasks", out.Tasks)
		jobs = append(jobs, out)
	}
	im.report.AddKept("jobs", "jobs", int64(len(jobs)))
	return jobs
}

// idText writes an id of the trace.
func idText(id int64) string { return strconv.FormatInt(id, 10) }
