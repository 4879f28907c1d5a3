package compare

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/stream"
)

// Rule is what became of the jobs under one rule.
type Rule struct {
	Policy string
	Fates  []sim.JobResult // in the order of the jobs
	*Watch
}

// Undefined is a rule that is not compared, with the reason.
type Undefined struct{ Policy, Why string }

// Node is what became of the jobs under the baseline with one more node of a class.
type Node struct {
	Class    string
	Machines int // of the class in the cluster
	Fates    []sim.JobResult
}

// Study is what is compared.
type Study struct {
	Case      run.Case // its jobs and cluster; the same for all rules
	Workload  *Workload
	Rules     []Rule
	Baseline  int // of Rules
	Undefined []Undefined
	Nodes     []Node
	MoreNodes int        // classes of servers that were not tried
	Block     event.Time // length of a block
	Whole     bool
	Seed      uint64
	Folder    string // of the results, where leontief explain finds the moments; "" if it can not

	first  int64 // number of the first block
	blocks *metrics.Blocks
	n      int
}

// Day and Week are the usual blocks.
const (
	Day  = event.Time(24 * 3600e6)
	Week = 7 * Day
)

// BlockOf is the usual length of a block of jobs: a day, or a week of those that are
// submitted over more than ten.
func BlockOf(c *run.Case) event.Time {
	first, last := span(c)
	if event.Time(last-first) > 10*Week {
		return Week
	}
	return Day
}

// span is the time from the first submission to the last.
func span(c *run.Case) (first, last int64) {
	first, last = c.Jobs[0].SubmitUS, c.Jobs[0].SubmitUS
	for i := range c.Jobs {
		first, last = min(first, c.Jobs[i].SubmitUS), max(last, c.Jobs[i].SubmitUS)
	}
	return first, last
}

// open numbers the blocks and draws their resamples.
func (s *Study) open() {
	first, last := span(&s.Case)
	s.first = first / int64(s.Block)
	s.n = int(last/int64(s.Block)-s.first) + 1
	s.blocks = metrics.NewBlocks(s.n, stream.New("compare", s.Seed, "blocks"))
}

// block is the number of the block of an instant.
func (s *Study) block(us int64) int { return int(us/int64(s.Block) - s.first) }

// jobValue is what is compared of jobs: the mean over those that were served.
type jobValue struct {
	metric string
	short  string // of a column
	of     func(f *sim.JobResult) float64
}

// leastRun is the τ of the bounded slowdown, in µs.
const leastRun = 10e6

var jobValues = []jobValue{
	{"mean_waiting_time", "waiting", func(f *sim.JobResult) float64 { return float64(f.FirstStart-f.Arrival) / 1e6 }},
	{results.MetricMeanCompletion, "completion", func(f *sim.JobResult) float64 { return float64(f.JCT()) / 1e6 }},
	{"mean_bounded_slowdown", "bounded slowdown", func(f *sim.JobResult) float64 {
		return max(1, float64(f.JCT())/max(f.Standalone, leastRun))
	}},
	{results.MetricJCTFactor, "JCT factor", (*sim.JobResult).Factor},
}

// sums adds up a value of the jobs that were served, by block, and counts them. Jobs are
// those of the group, nil for all.
func (s *Study) sums(fates []sim.JobResult, of func(*sim.JobResult) float64, jobs []int) (sum, count []float64) {
	sum, count = make([]float64, s.n), make([]float64, s.n)
	add := func(i int) {
		if f := &fates[i]; !f.Refused {
			b := s.block(s.Case.Jobs[i].SubmitUS)
			sum[b], count[b] = sum[b]+of(f), count[b]+1
		}
	}
	if jobs == nil {
		for i := range fates {
			add(i)
		}
	}
	for _, i := range jobs {
		add(i)
	}
	return sum, count
}

// minus returns a - b, block by block.
func minus(a, b []float64) []float64 {
	d := slices.Clone(a)
	for i := range d {
		d[i] -= b[i]
	}
	return d
}

// difference is the paired difference of the means of a value under two outcomes, over the
// jobs that both served.
func (s *Study) difference(fates, base []sim.JobResult, of func(*sim.JobResult) float64) metrics.Interval {
	jobs := served(fates, base, nil)
	a, n := s.sums(fates, of, jobs)
	b, _ := s.sums(base, of, jobs)
	return s.blocks.Ratio(minus(a, b), n)
}

// change is the relative change of the sum of a value, over the jobs that both served.
func (s *Study) change(fates, base []sim.JobResult, of func(*sim.JobResult) float64, jobs []int) (iv metrics.Interval, n int) {
	jobs = served(fates, base, jobs)
	a, _ := s.sums(fates, of, jobs)
	b, _ := s.sums(base, of, jobs)
	return s.blocks.Change(a, b), len(jobs)
}

// served lists the jobs, of those given (nil: all), that two outcomes served. It is not nil.
func served(a, b []sim.JobResult, jobs []int) []int {
	both := []int{}
	if jobs == nil {
		for i := range a {
			if !a[i].Refused && !b[i].Refused {
				both = append(both, i)
			}
		}
		return both
	}
	for _, i := range jobs {
		if !a[i].Refused && !b[i].Refused {
			both = append(both, i)
		}
	}
	return both
}

// momentValue is what is compared of moments: the mean over those at which both rules have a
// user.
type momentValue struct {
	metric, short string
	of            func(m *Moment) float64
}

// The metrics of moments.
const (
	MetricUsed       = "moments_utilization"
	MetricEFSat      = "moments_min_ef_sat"
	MetricSISat      = "moments_min_si_sat"
	MetricJain       = "moments_jain_index"
	MetricDomination = "moments_domination_factor"
	MetricTasks      = "moments_tasks"
	MetricBestTasks  = "moments_most_tasks"
	MetricShares     = "moments_shares"
	MetricBestShares = "moments_most_shares"
)

// momentValues are those of a cluster.
func (s *Study) momentValues() (all []momentValue) {
	for r, name := range s.Case.Cluster.Resources {
		all = append(all, momentValue{MetricUsed + ":" + name, name + " used", func(m *Moment) float64 { return m.Resources[r] }})
	}
	for e, l := range s.Case.Cluster.Links {
		all = append(all, momentValue{MetricUsed + ":" + l.Name, l.Name + " used", func(m *Moment) float64 { return m.Links[e] }})
	}
	return append(all,
		momentValue{MetricEFSat, "EF-SAT", func(m *Moment) float64 { return m.EFSat }},
		momentValue{MetricSISat, "SI-SAT", func(m *Moment) float64 { return m.SISat }},
		momentValue{MetricJain, "Jain", func(m *Moment) float64 { return m.Jain }})
}

// momentSums adds up a value of moments by block, of those that both have.
func (s *Study) momentSums(of func(*Moment) float64, moments, both []Moment) (sum, count []float64) {
	sum, count = make([]float64, s.n), make([]float64, s.n)
	there := map[event.Time]bool{}
	for i := range both {
		there[both[i].At] = true
	}
	for i := range moments {
		if m := &moments[i]; there[m.At] {
			b := s.block(int64(m.At))
			sum[b], count[b] = sum[b]+of(m), count[b]+1
		}
	}
	return sum, count
}

// same returns, for each rule, the first one under which every job fared exactly as under it.
func (s *Study) same() []int {
	of := make([]int, len(s.Rules))
	for i := range s.Rules {
		of[i] = i
		for k := range i {
			if of[k] == k && slices.EqualFunc(s.Rules[i].Fates, s.Rules[k].Fates, alike) {
				of[i] = k
				break
			}
		}
	}
	return of
}

// alike reports whether a job fares alike, up to the accuracy of solvers.
func alike(a, b sim.JobResult) bool {
	near := func(a, b, scale event.Time) bool {
		return math.Abs(float64(a-b)) <= max(2, rounding*float64(scale))
	}
	return a.Refused == b.Refused && near(a.FirstStart, b.FirstStart, a.JCT()) && near(a.Completion, b.Completion, a.JCT())
}

// throughput is the work of the jobs that were served, in task-seconds, over the time from
// the first submission to the last completion.
func (s *Study) throughput(fates []sim.JobResult) (work, makespan float64) {
	first, last := int64(math.MaxInt64), int64(0)
	for i := range fates {
		if f := &fates[i]; !f.Refused {
			j := &s.Case.Jobs[i]
			work += float64(j.Tasks) * float64(j.DurationUS) / 1e6
			first, last = min(first, j.SubmitUS), max(last, int64(f.Completion))
		}
	}
	return work, float64(last-first) / 1e6
}
