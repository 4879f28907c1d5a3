package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// The measurements that operators of clusters ask for.
const (
	Waiting    = "waiting"    // of jobs; of whole tasks too
	Slowdown   = "slowdown"   // of jobs, also bounded
	Throughput = "throughput" // makespan, jobs and tasks an hour
)

// What is said of each value of a job: its mean and these quantiles.
var spreads = []struct {
	name, label string
	p           float64 // of the mean 0
}{{"mean", "Mean", 0}, {"p50", "Median", 0.5}, {"p95", "95th percentile of", 0.95}, {"p99", "99th percentile of", 0.99}}

// The values that spreads are of.
const (
	waitingTime     = "waiting_time"
	taskWaiting     = "task_waiting_time"
	slowdown        = "slowdown"
	boundedSlowdown = "bounded_slowdown"
)

// Metrics of a whole run.
const (
	MetricMakespan       = "makespan"
	MetricJobThroughput  = "job_throughput"
	MetricTaskThroughput = "task_throughput"
	MetricJobsServed     = "jobs_served"
)

// What stands behind the name of a metric that is of the jobs of one size, or of one
// tenant; the user of the row says which.
const (
	bySize   = ":size"
	byTenant = ":tenant"
)

// leastRun is the τ of the bounded slowdown, in µs.
const leastRun = 10e6

// sizes are the classes of jobs by their work n·t, by their upper ends in task-seconds.
var sizes = []struct {
	name  string
	below float64
}{{"<1e2", 1e2}, {"1e2-1e3", 1e3}, {"1e3-1e4", 1e4}, {"1e4-1e5", 1e5}, {"1e5-1e6", 1e6}, {">=1e6", 0}}

func init() {
	const sized = " With :size, of the jobs of one class of size, which the column user names: by their work, tasks times duration, in decades of task-seconds; with :tenant, of the jobs of one user of the trace."
	registerSpreads(waitingTime, results.UnitSeconds, 0, "the waiting time of jobs: from the submission of a job to the start of its first task (fluid: to the first instant at which it is served at a positive rate)."+sized, "first start − submission")
	registerSpreads(taskWaiting, results.UnitSeconds, 0, "the waiting time of whole tasks: from the submission of the job to the first start of the task, of all tasks that started. Quantiles are within 1/512 of the exact ones."+sized, "first start of the task − submission of its job")
	registerSpreads(slowdown, results.UnitRatio, 0, "the slowdown of jobs: the completion time of a job over that with all its eligible servers to itself, the inverse of its JCT factor."+sized, "(completion − submission) / standalone JCT")
	registerSpreads(boundedSlowdown, results.UnitRatio, 1, "the bounded slowdown of jobs, in which a run time of less than 10 s counts as 10 s (Feitelson and Rudolph 1998), the run time being that alone in the cluster."+sized, "max(1, (completion − submission) / max(standalone JCT, 10 s))")
	results.RegisterMetrics(
		results.Metric{Name: MetricMakespan, Unit: results.UnitSeconds, Better: results.Lower,
			Definition: "Time from the first submission to the last completion of a job that was served."},
		results.Metric{Name: MetricJobThroughput, Unit: "jobs/h", Better: results.Higher, Formula: "jobs served / makespan",
			Definition: "Jobs that were served an hour of the makespan."},
		results.Metric{Name: MetricTaskThroughput, Unit: "tasks/h", Better: results.Higher, Formula: "Σ n[j] of the jobs served / makespan",
			Definition: "Tasks of jobs that were served an hour of the makespan."},
		results.Metric{Name: MetricJobsServed, Unit: results.UnitJobs, Better: results.Higher,
			Definition: "Jobs that were served to their end." + sized},
	)
}

// registerSpreads registers the mean and the quantiles of a value.
func registerSpreads(of, unit string, low float64, definition, formula string) {
	for _, s := range spreads {
		results.RegisterMetrics(results.Metric{Name: s.name + "_" + of, Label: s.label + " " + strings.ReplaceAll(of, "_", " "), Unit: unit, Low: low, High: inf, Better: results.Lower,
			Definition: s.label + " of " + definition, Formula: formula})
	}
}

// spreadsOf are the metrics of a value.
func spreadsOf(values ...string) (all []string) {
	for _, of := range values {
		for _, s := range spreads {
			all = append(all, s.name+"_"+of)
		}
	}
	return all
}

// group is some of the jobs: all, those of one size or those of one tenant.
type group struct {
	of   string // behind the names of metrics
	user string // of the rows
}

// groupsOf returns the groups that a job belongs to.
func groupsOf(j *traces.Job) []group {
	all := []group{{}, {bySize, SizeOf(j)}}
	if tenant, stated := j.Tenant(); stated {
		all = append(all, group{byTenant, tenant})
	}
	return all
}

// SizeOf is the class of size of a job.
func SizeOf(j *traces.Job) string {
	work := float64(j.Tasks) * float64(j.DurationUS) / 1e6
	for _, s := range sizes[:len(sizes)-1] {
		if work < s.below {
			return s.name
		}
	}
	return sizes[len(sizes)-1].name
}

// Sizes are the classes of size, ascending.
func Sizes() (all []string) {
	for _, s := range sizes {
		all = append(all, s.name)
	}
	return all
}

// compareGroups orders groups: all jobs, sizes from the smallest, tenants by name.
func compareGroups(a, b group) int {
	rank := func(g group) int {
		for k, s := range sizes {
			if g.of == bySize && g.user == s.name {
				return k
			}
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.user, b.user))
}

// measure is a measure of a group.
func (g group) measure(metric string, value float64) Measure {
	return Measure{Metric: metric + g.of, User: g.user, Value: value}
}

// jobValue is a value of a job that was served.
type jobValue struct {
	name string
	of   func(*sim.JobResult) float64
}

// spread measures the mean and the quantiles of values over the jobs that were served.
// Quantiles are exact: what does not fit in a small buffer is sorted on disk.
func (c *Case) spread(o *Outcome, values ...jobValue) (all []Measure, err error) {
	sums, ordered := make([]map[group]float64, len(values)), make([]ranked, len(values))
	for k := range values {
		sums[k] = map[group]float64{}
		defer ordered[k].discard()
	}
	for f, err := range c.fates(o) {
		if err != nil {
			return nil, err
		}
		if f.Refused {
			continue
		}
		for _, g := range groupsOf(f.Job) {
			for k := range values {
				v := values[k].of(f.JobResult)
				sums[k][g] += v
				if err := ordered[k].add(g, v); err != nil {
					return nil, err
				}
			}
		}
	}
	for k := range values {
		quantiles, err := ordered[k].quantiles()
		if err != nil {
			return nil, err
		}
		for _, g := range slices.SortedFunc(maps.Keys(sums[k]), compareGroups) {
			for i, s := range spreads {
				v := sums[k][g] / float64(ordered[k].count(g))
				if s.p > 0 {
					v = quantiles[g][i]
				}
				all = append(all, g.measure(s.name+"_"+values[k].name, v))
			}
		}
	}
	return all, nil
}

func waitingMeasures(c *Case, o *Outcome) ([]Measure, error) {
	return c.spread(o, jobValue{waitingTime, func(j *sim.JobResult) float64 { return float64(j.FirstStart-j.Arrival) / 1e6 }})
}

func slowdownMeasures(c *Case, o *Outcome) ([]Measure, error) {
	return c.spread(o,
		jobValue{slowdown, func(j *sim.JobResult) float64 { return float64(j.JCT()) / j.Standalone }},
		jobValue{boundedSlowdown, func(j *sim.JobResult) float64 { return max(1, float64(j.JCT())/max(j.Standalone, leastRun)) }})
}

func throughputMeasures(c *Case, o *Outcome) (all []Measure, err error) {
	jobs, tasks := map[group]int{}, 0.0
	first, last := event.Never, event.Earliest
	for f, err := range c.fates(o) {
		if err != nil {
			return nil, err
		}
		if f.Refused {
			continue
		}
		for _, g := range groupsOf(f.Job) {
			jobs[g]++
		}
		first, last = min(first, f.Arrival), max(last, f.Completion)
		tasks += float64(f.Tasks)
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	makespan := float64(last-first) / 1e6
	const hour = 3600
	all = append(all, Measure{Metric: MetricMakespan, Value: makespan},
		Measure{Metric: MetricJobThroughput, Value: float64(jobs[group{}]) / makespan * hour},
		Measure{Metric: MetricTaskThroughput, Value: tasks / makespan * hour})
	for _, g := range slices.SortedFunc(maps.Keys(jobs), compareGroups) {
		all = append(all, g.measure(MetricJobsServed, float64(jobs[g])))
	}
	return all, nil
}

// taskWaits counts how long whole tasks wait for their first start, in histograms.
type taskWaits struct {
	jobs *follower[waitingTasks]
	of   map[group]*metrics.Histogram
}

// waitingTasks is a job in the system.
type waitingTasks struct {
	*traces.Job
	started int64                // fresh tasks start in order
	groups  []*metrics.Histogram // from its first task on
}

func newTaskWaits(jobs *follower[waitingTasks]) *taskWaits {
	return &taskWaits{jobs: jobs, of: map[group]*metrics.Histogram{}}
}

func (w *taskWaits) event(ev *whole.Event) {
	for a, ok := w.jobs.until(ev.At); ok; a, ok = w.jobs.until(ev.At) {
		w.jobs.here[a.number] = &waitingTasks{Job: a.Job}
	}
	if w.jobs.err != nil {
		return
	}
	switch ev.Kind {
	case whole.TaskStart:
		w.start(ev)
	case whole.JobDone, whole.JobRefused:
		delete(w.jobs.here, ev.Job)
	}
}

func (w *taskWaits) start(ev *whole.Event) {
	j := w.jobs.here[ev.Job]
	if ev.Task != j.started {
		return // not the first start of a task
	}
	j.started++
	if j.groups == nil {
		for _, g := range groupsOf(j.Job) {
			if w.of[g] == nil {
				w.of[g] = &metrics.Histogram{}
			}
			j.groups = append(j.groups, w.of[g])
		}
	}
	for _, h := range j.groups {
		h.Add(int64(ev.At) - j.SubmitUS)
	}
}

func (w *taskWaits) measures() (all []Measure) {
	for _, g := range slices.SortedFunc(maps.Keys(w.of), compareGroups) {
		h := w.of[g]
		for _, s := range spreads {
			v, ok := h.Mean()
			if s.p > 0 {
				v, ok = h.Quantile(s.p)
			}
			if !ok {
				panic(fmt.Sprintf("run: nobody of %v waited", g))
			}
			all = append(all, g.measure(s.name+"_"+taskWaiting, v/1e6))
		}
	}
	return all
}
