package google2011

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

// HybridLabel is the label of the hybrid workload.
const HybridLabel = "hybrid"

// HybridOptions describe a workload whose jobs may have no rows in the parts
// of task_events at hand.
type HybridOptions struct {
	// Submissions in [FromUS, ToUS) are wanted.
	FromUS int64 `json:"from_us"`
	ToUS   int64 `json:"to_us"`
	// LongestUS bounds the time from a job's submission to its end, both in
	// job_events: jobs that take as long or longer are left out. 0: no limit; a job
	// without an end runs to the end of the trace, as [Import] has it (censored).
	LongestUS int64 `json:"longest_us"`
	// Nearest is the number of donors that one is drawn from, >= 1.
	Nearest int   `json:"nearest"`
	Seed    int64 `json:"seed"`
}

// SevenHours returns what takes the place of the seven-hour trace of the
// multi-AP paper: the first seven hours, jobs that end in under two, 20 donors.
func SevenHours() HybridOptions {
	const hour = 3600_000_000
	return HybridOptions{FromUS: TraceStartUS, ToUS: TraceStartUS + 7*hour, LongestUS: 2 * hour, Nearest: 20, Seed: 1}
}

// Validate returns what is wrong with the options, or nil.
func (o HybridOptions) Validate() error {
	switch {
	case o.FromUS < 0 || o.ToUS <= o.FromUS:
		return fmt.Errorf("google 2011, hybrid: no submission is in [%d, %d) µs", o.FromUS, o.ToUS)
	case o.LongestUS < 0:
		return fmt.Errorf("google 2011, hybrid: no job ends in under %d µs", o.LongestUS)
	case o.Nearest < 1:
		return fmt.Errorf("google 2011, hybrid: one of the nearest %d donors", o.Nearest)
	}
	return nil
}

// Hybrid makes a workload over a longer time than the parts of task_events at
// hand cover. A job with task rows there is as [Import] has it. Of any other,
// submission and duration (its SCHEDULE to its end) are real, from job_events;
// tasks and requests are those of a donor, a job with task rows that is drawn
// uniformly from the Nearest ones by duration, so that long jobs stay as large
// as long jobs are. One draw a job in the order of submission. A job whose
// donor cannot be used (it requests no cpu, say) is left out as its donor is.
//
// It is an error if no job in the window has task rows; its other errors are
// those of [Import].
func Hybrid(dir string, o HybridOptions) (*traces.Imported, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	im := &importer{options: Options{FromUS: o.FromUS, ToUS: o.ToUS}}
	if err := im.follow(dir); err != nil {
		return nil, err
	}
	h := hybrid{importer: im, options: o, rng: stream.New("traces/google2011/hybrid", o.Seed, "donors")}
	jobs, err := h.jobs()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	res := &traces.Imported{Jobs: jobs, Report: &im.report, Meta: traces.Meta{
		Source: "Google cluster-usage traces 2011 (clusterdata-2011-2): submissions and durations real; tasks and requests of jobs beyond the parts of task_events at hand drawn from those within", Checksum: im.sum.Sum(),
		Options: traces.OptionsText(o), Label: HybridLabel, Units: "cpu, mem: fraction of the largest machine",
	}}
	return res.Of(dir)
}

// donor is a job with task rows: what it gives, or why it can give nothing.
type donor struct {
	durationUS int64 // of the job, in job_events
	job        traces.Job
	reason     string
}

type hybrid struct {
	*importer
	options HybridOptions
	rng     *rand.Rand
	donors  []donor // by duration
}

// jobs converts the wanted jobs, those with task rows first: they are the
// donors.
func (h *hybrid) jobs() ([]traces.Job, error) {
	short := h.short()
	own := make([]donor, len(short))
	for i, j := range short {
		if j.tasks != nil {
			out, reason := h.convert(j)
			us, _ := h.durationUS(j)
			own[i] = donor{us, out, reason}
			h.donors = append(h.donors, own[i])
		}
	}
	if len(h.donors) == 0 {
		return nil, fmt.Errorf("no job in the window has rows in the parts of task_events at hand")
	}
	slices.SortStableFunc(h.donors, func(a, b donor) int { return cmp.Compare(a.durationUS, b.durationUS) })
	var jobs []traces.Job
	for i, j := range short {
		out, reason := own[i].job, own[i].reason
		if j.tasks == nil {
			out, reason = h.impute(j)
		}
		if reason != "" {
			h.report.LeaveOut("jobs", reason, 1)
			continue
		}
		h.report.AddKept("tasks", "tasks", out.Tasks)
		jobs = append(jobs, out)
	}
	h.report.AddKept("jobs", "jobs", int64(len(jobs)))
	return jobs, nil
}

// short returns the wanted jobs that end in time, and counts the others.
func (h *hybrid) short() []*job {
	var short []*job
	for _, j := range h.wanted {
		if reason := h.tooLong(j); reason != "" {
			h.report.LeaveOut("jobs", reason, 1)
		} else {
			short = append(short, j)
		}
	}
	return short
}

// tooLong says why a job is not one that ends in time; "" if it is.
func (h *hybrid) tooLong(j *job) string {
	switch {
	case j.missing:
		return "one of its job events has missing info"
	case !j.life.scheduled:
		return "never scheduled in the job_events parts at hand"
	case h.options.LongestUS > 0 && (!j.life.ended || j.life.endUS-j.submitUS >= h.options.LongestUS):
		return "does not end in the time asked for"
	case !j.life.ended && !h.completeJobs:
		return "no end in the job_events parts at hand"
	}
	if us, _ := h.durationUS(j); us <= 0 {
		return "zero duration"
	}
	return ""
}

// durationUS is the time from a job's SCHEDULE to its end, or to that of the trace.
func (h *hybrid) durationUS(j *job) (us int64, censored bool) {
	if !j.life.ended {
		return TraceEndUS - j.life.scheduledUS, true
	}
	return j.life.durationUS(), false
}

// impute makes a job of one that has no task rows.
func (h *hybrid) impute(j *job) (out traces.Job, reason string) {
	us, censored := h.durationUS(j)
	d := h.draw(us)
	if d.reason != "" {
		return out, "its donor: " + d.reason
	}
	h.report.Note("jobs", "tasks and requests drawn from a job of about its duration", 1)
	return traces.Job{
		ID: idText(j.id), SubmitUS: j.submitUS, DurationUS: us,
		Tasks: d.job.Tasks, CPU: d.job.CPU, Mem: d.job.Mem, Censored: censored, User: j.user, Priority: d.job.Priority,
	}, ""
}

// draw draws one of the donors nearest in duration: as many on either side of
// where the duration would be inserted as there are, to Nearest in all.
func (h *hybrid) draw(durationUS int64) donor {
	n := min(h.options.Nearest, len(h.donors))
	at, _ := slices.BinarySearchFunc(h.donors, durationUS, func(d donor, us int64) int { return cmp.Compare(d.durationUS, us) })
	first := min(max(0, at-n/2), len(h.donors)-n)
	return h.donors[first+h.rng.IntN(n)]
}
