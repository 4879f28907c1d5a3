package google2011

import (
	"cmp"
	"slices"

	"github.com/leontief-sim/leontief/traces"
)

// job is what is known of one wanted job.
type job struct {
	id       int64
	submitUS int64
	user     string
	life     life
	missing  bool     // a row of its in job_events has missing info
	tasks    *taskSet // nil: no row of its tasks is in the parts at hand
	// constraints are those of its tasks that have any, by task index.
	constraints map[int64]taskState
}

// submission is a SUBMIT row of job_events.
type submission struct {
	id, timeUS int64
	user       string
}

// wantedJobs is the first pass over job_events: it returns the jobs whose
// submission the options want, in order of submission.
func (im *importer) wantedJobs(parts tableParts) ([]*job, error) {
	var subs []submission
	if err := im.scan(parts, func(r row) { subs = im.addSubmission(subs, r) }); err != nil {
		return nil, err
	}
	subs = im.first(im.once(subs))
	jobs := make([]*job, len(subs))
	for i, s := range subs {
		jobs[i] = &job{id: s.id, submitUS: s.timeUS, user: s.user}
	}
	return jobs, nil
}

// addSubmission appends the row if it is a SUBMIT in the window. It checks
// every field that the second pass will read, so that no row is counted
// before it is known to be sound.
func (im *importer) addSubmission(subs []submission, r row) []submission {
	t, id, e := r.Integer(0), r.Integer(2), r.event(3, int64(updateRunning))
	switch {
	case r.Err() != nil:
	case r.missing():
		im.report.LeaveOut("rows", "job_events: missing info", 1)
		if e == submit {
			im.report.LeaveOut("jobs", "its submission has missing info", 1)
		}
	case e != submit:
	case t > TraceEndUS:
		im.report.LeaveOut("jobs", "submitted after the end of the trace", 1)
	case !im.options.wants(t):
		im.report.LeaveOut("jobs", "submitted outside the time asked for", 1)
	default:
		subs = append(subs, submission{id, t, r.Shared(4)})
	}
	return subs
}

// once keeps the first submission of each job, in order of time, ties in the
// order of the file.
func (im *importer) once(subs []submission) []submission {
	slices.SortStableFunc(subs, func(a, b submission) int { return cmp.Compare(a.timeUS, b.timeUS) })
	seen := make(map[int64]bool, len(subs))
	kept := subs[:0]
	for _, s := range subs {
		if seen[s.id] {
			im.report.Note("jobs", "submitted again: the first submission counts", 1)
			continue
		}
		seen[s.id] = true
		kept = append(kept, s)
	}
	return kept
}

// first cuts the submissions to as many as the options want.
func (im *importer) first(subs []submission) []submission {
	if n := im.options.First; n > 0 && len(subs) > n {
		im.report.LeaveOut("jobs", "submitted after the first ones asked for", int64(len(subs)-n))
		return subs[:n]
	}
	return subs
}

// followJobs is the second pass over job_events: what became of the wanted
// jobs.
func (im *importer) followJobs(parts tableParts) error {
	for _, p := range parts.parts {
		_, err := parts.each(p, nil, func(r row) {
			j := im.byID[r.Integer(2)]
			t, e := r.Integer(0), r.event(3, int64(updateRunning))
			switch {
			case j == nil || r.Err() != nil:
			case r.missing():
				j.missing = true
			case t > TraceEndUS:
				im.report.LeaveOut("rows", "job_events: after the end of the trace", 1)
			default:
				j.life.observe(e, t)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// durationOf applies the rules for the duration; an empty reason means that
// there is one.
func (im *importer) durationOf(j *job) (us int64, censored bool, reason string) {
	if j.tasks.allFinished() {
		im.report.Note("jobs", "duration: mean over the job's tasks", 1)
		us = j.tasks.meanUS()
		return us, false, checkDuration(us, j.tasks.backwards)
	}
	switch {
	case !j.life.scheduled && j.life.dead:
		return 0, false, "ended before it was scheduled"
	case !j.life.scheduled:
		return 0, false, "never scheduled in the job_events parts at hand"
	case j.life.ended:
		im.report.Note("jobs", "duration: the job's schedule to its end (not all tasks finished in the parts at hand)", 1)
		us = j.life.durationUS()
		return us, false, checkDuration(us, us < 0)
	case !im.completeJobs:
		return 0, false, "no end in the job_events parts at hand"
	}
	im.report.Note("jobs", "duration: the job's schedule to the end of the trace (censored)", 1)
	us = TraceEndUS - j.life.scheduledUS
	return us, true, checkDuration(us, false)
}

// checkDuration refuses durations that are none.
func checkDuration(us int64, backwards bool) (reason string) {
	switch {
	case backwards:
		return "ends before it starts"
	case us == 0:
		return "zero duration"
	}
	return ""
}

// convert turns a followed job into a canonical one; an empty reason means
// that it can be.
func (im *importer) convert(j *job) (out traces.Job, reason string) {
	if j.missing {
		return out, "one of its job events has missing info"
	}
	if j.tasks == nil {
		return out, "no task rows in the parts at hand"
	}
	if reason := j.tasks.unusable(); reason != "" {
		return out, reason
	}
	us, censored, reason := im.durationOf(j)
	if reason != "" {
		return out, reason
	}
	text, reason := im.constraintsOf(j)
	if reason != "" {
		return out, reason
	}
	cpu, mem := j.tasks.medians()
	return traces.Job{
		ID: idText(j.id), SubmitUS: j.submitUS, Tasks: j.tasks.count, DurationUS: us,
		CPU: cpu, Mem: mem, Censored: censored, Constraints: text, User: j.user, Priority: j.tasks.priority,
	}, ""
}
