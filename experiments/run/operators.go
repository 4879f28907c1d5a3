package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
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

// served lists the jobs that were served by the groups that they belong to.
func (c *Case) served(r *sim.Result) (groups []group, jobs map[group][]int) {
	jobs = map[group][]int{}
	for i := range r.Jobs {
		if r.Jobs[i].Refused {
			continue
		}
		for _, g := range groupsOf(&c.Jobs[i]) {
			jobs[g] = append(jobs[g], i)
		}
	}
	return slices.SortedFunc(maps.Keys(jobs), compareGroups), jobs
}

// spread measures the mean and the quantiles of a value over the jobs that were served.
func (c *Case) spread(of string, r *sim.Result, value func(*sim.JobResult) float64) (all []Measure) {
	groups, jobs := c.served(r)
	for _, g := range groups {
		values, sum := make([]float64, 0, len(jobs[g])), 0.0
		for _, i := range jobs[g] {
			v := value(&r.Jobs[i])
			values, sum = append(values, v), sum+v
		}
		slices.Sort(values)
		for _, s := range spreads {
			v := sum / float64(len(values))
			if s.p > 0 {
				v = metrics.Quantile(values, s.p)
			}
			all = append(all, g.measure(s.name+"_"+of, v))
		}
	}
	return all
}

func waitingMeasures(c *Case, r *sim.Result) []Measure {
	return c.spread(waitingTime, r, func(j *sim.JobResult) float64 { return float64(j.FirstStart-j.Arrival) / 1e6 })
}

func slowdownMeasures(c *Case, r *sim.Result) []Measure {
	all := c.spread(slowdown, r, func(j *sim.JobResult) float64 { return float64(j.JCT()) / j.Standalone })
	return append(all, c.spread(boundedSlowdown, r, func(j *sim.JobResult) float64 {
		return max(1, float64(j.JCT())/max(j.Standalone, leastRun))
	})...)
}

func throughputMeasures(c *Case, r *sim.Result) (all []Measure) {
	groups, jobs := c.served(r)
	if len(groups) == 0 {
		return nil
	}
	first, last, tasks := r.Jobs[jobs[group{}][0]].Arrival, r.Jobs[jobs[group{}][0]].Completion, 0.0
	for _, i := range jobs[group{}] {
		first, last = min(first, r.Jobs[i].Arrival), max(last, r.Jobs[i].Completion)
		tasks += float64(c.Jobs[i].Tasks)
	}
	makespan := float64(last-first) / 1e6
	const hour = 3600
	all = append(all, Measure{Metric: MetricMakespan, Value: makespan},
		Measure{Metric: MetricJobThroughput, Value: float64(len(jobs[group{}])) / makespan * hour},
		Measure{Metric: MetricTaskThroughput, Value: tasks / makespan * hour})
	for _, g := range groups {
		all = append(all, g.measure(MetricJobsServed, float64(len(jobs[g]))))
	}
	return all
}

// taskWaits counts how long whole tasks wait for their first start, in histograms.
type taskWaits struct {
	jobs    []traces.Job
	started []int64 // tasks that have started, by job: fresh ones start in order
	of      map[group]*metrics.Histogram
	groups  [][]*metrics.Histogram // by job, from its first task on
}

func newTaskWaits(c *Case) *taskWaits {
	return &taskWaits{jobs: c.Jobs, started: make([]int64, len(c.Jobs)), of: map[group]*metrics.Histogram{}, groups: make([][]*metrics.Histogram, len(c.Jobs))}
}

func (w *taskWaits) event(ev *whole.Event) {
	if ev.Kind != whole.TaskStart || ev.Task != w.started[ev.Job] {
		return // not the first start of a task
	}
	w.started[ev.Job]++
	j := &w.jobs[ev.Job]
	if w.groups[ev.Job] == nil {
		for _, g := range groupsOf(j) {
			if w.of[g] == nil {
				w.of[g] = &metrics.Histogram{}
			}
			w.groups[ev.Job] = append(w.groups[ev.Job], w.of[g])
		}
	}
	for _, h := range w.groups[ev.Job] {
		h.Add(int64(ev.At) - j.SubmitUS)
	}
	if w.started[ev.Job] == j.Tasks {
		w.groups[ev.Job] = nil
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
