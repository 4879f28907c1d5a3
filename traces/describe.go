package traces

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces/input"
)

// Distribution holds the order statistics of one quantity. Q are the
// quantiles at [Levels], each the smallest value x with at least p·n values
// not above x.
type Distribution struct {
	Mean   float64              `json:"mean"`
	Q      [len(Levels)]float64 `json:"quantiles"`
	Sketch Sketch               `json:"histogram"`
}

// Levels are the probabilities at which a [Distribution] has its quantiles;
// the first is the minimum.
var Levels = [...]float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1}

// Description is what a person wants to know of a workload at first sight.
type Description struct {
	Jobs          int          `json:"jobs"`
	TotalTasks    int64        `json:"total_tasks"`
	FirstSubmitS  float64      `json:"first_submit_s"`
	LastSubmitS   float64      `json:"last_submit_s"`
	SingleTask    float64      `json:"single_task_share"` // share of jobs with one task
	Censored      int          `json:"censored_jobs"`
	Constrained   int          `json:"constrained_jobs"`
	RequestPairs  int          `json:"distinct_requests"` // distinct (cpu, mem, gpu)
	Users         Users        `json:"users"`
	Tasks         Distribution `json:"tasks"`
	DurationS     Distribution `json:"duration_s"`
	InterarrivalS Distribution `json:"interarrival_s"`
	CPU           Distribution `json:"cpu"`
	Mem           Distribution `json:"mem"`
	GPU           Distribution `json:"gpu"`
	// SubmitS are the submissions over time.
	SubmitS Sketch `json:"submissions"`
}

// Users says how the jobs of a workload are spread over the users whom it states.
type Users struct {
	Count      int      `json:"count"`        // distinct users
	Largest    string   `json:"largest"`      // who has the most jobs, of equals the first by name; "" for none
	Jobs       int      `json:"largest_jobs"` // of the largest
	Unstated   int      `json:"unstated_jobs"`
	Weights    Range    `json:"weights"`    // of all jobs
	Priorities [2]int64 `json:"priorities"` // the least and the largest
}

// Range is the least and the largest of some numbers.
type Range [2]float64

// usersOf counts the users of jobs, of which there is at least one.
func usersOf(jobs []Job) Users {
	of := map[string]int{}
	u := Users{Weights: Range{jobs[0].Weighs(), jobs[0].Weighs()}, Priorities: [2]int64{jobs[0].Priority, jobs[0].Priority}}
	for i := range jobs {
		j := &jobs[i]
		w, p := j.Weighs(), j.Priority
		u.Weights = Range{min(u.Weights[0], w), max(u.Weights[1], w)}
		u.Priorities = [2]int64{min(u.Priorities[0], p), max(u.Priorities[1], p)}
		if name, stated := j.Tenant(); stated {
			of[name]++
		} else {
			u.Unstated++
		}
	}
	u.Count = len(of)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if of[name] > u.Jobs {
			u.Largest, u.Jobs = name, of[name]
		}
	}
	return u
}

// String returns a line for a terminal; "" where no job states a user, a weight or a
// priority. The name of a user is quoted where a terminal might obey it.
func (u Users) String() string {
	var parts []string
	if u.Count > 0 {
		parts = append(parts, fmt.Sprintf("%d users, the largest of whom (%s) has %d of the jobs", u.Count, input.Path(u.Largest), u.Jobs))
		if u.Unstated > 0 {
			parts = append(parts, fmt.Sprintf("%d jobs without a user", u.Unstated))
		}
	}
	if u.Weights != (Range{1, 1}) {
		parts = append(parts, fmt.Sprintf("weights from %g to %g", u.Weights[0], u.Weights[1]))
	}
	if u.Priorities != [2]int64{} {
		parts = append(parts, fmt.Sprintf("priorities from %d to %d", u.Priorities[0], u.Priorities[1]))
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, "; ") + "\n"
}

// Describe computes the statistics of a workload. Of no jobs it returns the
// zero Description.
func Describe(jobs []Job) Description {
	d := Description{Jobs: len(jobs)}
	if len(jobs) == 0 {
		return d
	}
	requests := map[[3]float64]bool{}
	single := 0
	submits := make([]float64, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		requests[[3]float64{j.CPU, j.Mem, j.GPU}] = true
		d.TotalTasks += j.Tasks
		submits[i] = float64(j.SubmitUS) / 1e6
		single += count(j.Tasks == 1)
		d.Censored += count(j.Censored)
		d.Constrained += count(j.Constraints != "")
	}
	slices.Sort(submits)
	d.FirstSubmitS, d.LastSubmitS = submits[0], submits[len(submits)-1]
	d.SubmitS = NewLinearSketch(submits)
	d.SingleTask = float64(single) / float64(len(jobs))
	d.RequestPairs = len(requests)
	d.Users = usersOf(jobs)
	d.InterarrivalS = distribution(gaps(submits))
	d.Tasks = over(jobs, func(j *Job) float64 { return float64(j.Tasks) })
	d.DurationS = over(jobs, func(j *Job) float64 { return float64(j.DurationUS) / 1e6 })
	d.CPU = over(jobs, func(j *Job) float64 { return j.CPU })
	d.Mem = over(jobs, func(j *Job) float64 { return j.Mem })
	d.GPU = over(jobs, func(j *Job) float64 { return j.GPU })
	return d
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// gaps returns the differences of neighbours.
func gaps(sorted []float64) []float64 {
	out := make([]float64, 0, len(sorted))
	for i := 1; i < len(sorted); i++ {
		out = append(out, sorted[i]-sorted[i-1])
	}
	return out
}

// over returns the distribution of a quantity over the jobs.
func over(jobs []Job, value func(*Job) float64) Distribution {
	values := make([]float64, len(jobs))
	for i := range jobs {
		values[i] = value(&jobs[i])
	}
	return distribution(values)
}

// distribution sorts values and returns their order statistics.
func distribution(values []float64) Distribution {
	var d Distribution
	if len(values) == 0 {
		return d
	}
	slices.Sort(values)
	d.Sketch = NewSketch(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	d.Mean = sum / float64(len(values))
	for i, p := range Levels {
		d.Q[i] = Quantile(values, p)
	}
	return d
}

// Quantile returns the smallest of the values, which must be sorted and not
// empty, that at least p·n of them do not exceed; 0 <= p <= 1. It is one of the values
// (type 1 of Hyndman and Fan), as the distribution of what a trace holds asks for: there
// is no job of 2.5 tasks. metrics.Quantile, of samples of a number, lies between them.
func Quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	// 1e-9 keeps p·n from being rounded up when it is a whole number.
	k := int(math.Ceil(p*float64(n) - 1e-9))
	return sorted[min(max(k, 1), n)-1]
}

// String returns the description as a table for a terminal.
func (d Description) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d jobs, %d tasks, submitted from %.1f s to %.1f s\n", d.Jobs, d.TotalTasks, d.FirstSubmitS, d.LastSubmitS)
	if d.Jobs == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "%.1f%% of the jobs have one task; %d run on at the end of the trace; %d have placement constraints; %d distinct requests\n",
		100*d.SingleTask, d.Censored, d.Constrained, d.RequestPairs)
	b.WriteString(d.Users.String())
	fmt.Fprintf(&b, "%-15s %10s", "", "mean")
	for _, name := range [len(Levels)]string{"min", "p10", "p25", "p50", "p75", "p90", "p99", "max"} {
		fmt.Fprintf(&b, " %10s", name)
	}
	rows := []struct {
		name string
		d    *Distribution
	}{
		{"tasks", &d.Tasks}, {"duration (s)", &d.DurationS}, {"interarrival (s)", &d.InterarrivalS},
		{"cpu", &d.CPU}, {"mem", &d.Mem}, {"gpu", &d.GPU},
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "\n%-16s%10.4g", row.name, row.d.Mean)
		for _, q := range row.d.Q {
			fmt.Fprintf(&b, " %10.4g", q)
		}
	}
	fmt.Fprintf(&b, "\n\nhow often, from the smallest to the largest value, on a logarithmic axis (zeros apart)\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "%-16s %s\n", row.name, row.d.Sketch)
	}
	fmt.Fprintf(&b, "over time (s)    %s\n", d.SubmitS)
	return b.String()
}
