package run

import (
	"cmp"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/whole"
)

// Jain measures Jain's index of the shares of the users present.
const Jain = "jain"

// MetricJain is the index, mean over time.
const MetricJain = "jain_index"

var inf = math.Inf(1)

func init() {
	results.RegisterMetrics(results.Metric{
		Name: MetricJain, Label: "Jain's index of shares", Unit: results.UnitRatio, High: 1, Better: results.Higher,
		Definition: "Jain's fairness index of the shares of the users present: 1 where all are equal or nobody has anything, 1/n where one of n has everything. A share is what a user runs over what it could run with its eligible servers to itself, over its weight; that it has fewer tasks than that is not counted. With --users tenant the users are the tenants that have a job: the share of one is the sum of its jobs', over its weight. Mean over the time with a user.",
		Formula:    "(Σ r[j])² / (n·Σ r[j]²), r[j] = x[j]/(w[j]·η'[j]), 0/0 = 1; of tenants r[T] = Σ_j x[j]/(W[T]·η'[j])",
	})
}

// jain is the index of n shares by their sum and the sum of their squares.
func jain(n int, sum, squares float64) float64 {
	if squares == 0 {
		return 1
	}
	return min(1, sum*sum/(float64(n)*squares))
}

// oneTask is the share of each user that one task makes, 1/(w·η'); 0 of a user whom no
// server can host.
func oneTask(env *cluster.Environment) []float64 {
	shares := env.EtasEligible(nil)
	for j, eta := range shares {
		if shares[j] = 0; eta > 0 {
			shares[j] = 1 / (env.Users[j].Weight * eta)
		}
	}
	return shares
}

// sharers returns who shares the cluster: of each job the number of its tenant, and how
// many tenants there are; nil where each job is a user.
func sharers(jobs []sim.Job) (of []int, n int) {
	tenants, err := sim.NewTenants(jobs)
	if err != nil || tenants == nil { // the replay reports the error
		return nil, 0
	}
	return tenants.Of, len(tenants.Names)
}

// watchJain is Jain's index of fluid tasks.
type watchJain struct {
	one   []float64
	of    []int     // the tenant of each job; nil: each is a user
	held  []float64 // by each tenant that has a job
	here  []bool    // whether it has one
	those []int     // the tenants that have one, ascending
	mean  metrics.Weighted
}

func newWatchJain(env *cluster.Environment, jobs []sim.Job) *watchJain {
	of, n := sharers(jobs)
	return &watchJain{one: oneTask(env), of: of, held: make([]float64, n), here: make([]bool, n)}
}

// Observe implements [sim.Observer].
func (w *watchJain) Observe(iv *sim.Interval) error {
	n, sum, squares := len(iv.Present), 0.0, 0.0
	if w.of == nil {
		for _, j := range iv.Present {
			r := iv.Allocation.Tasks[j] * w.one[j]
			sum, squares = sum+r, squares+r*r
		}
	} else {
		n, sum, squares = w.tenants(iv)
	}
	w.mean.Add(jain(n, sum, squares), iv.Span())
	return nil
}

// tenants counts the tenants that have a job and sums their shares, and the squares.
func (w *watchJain) tenants(iv *sim.Interval) (n int, sum, squares float64) {
	for _, t := range w.those {
		w.here[t], w.held[t] = false, 0
	}
	w.those = w.those[:0]
	for _, j := range iv.Present {
		t := w.of[j]
		if !w.here[t] {
			w.here[t], w.those = true, append(w.those, t)
		}
		w.held[t] += iv.Allocation.Tasks[j] * w.one[j]
	}
	slices.Sort(w.those)
	for _, t := range w.those {
		r := w.held[t]
		sum, squares = sum+r, squares+r*r
	}
	return len(w.those), sum, squares
}

// Measures implements [Watcher].
func (w *watchJain) Measures() []Measure { return MeanOf(MetricJain, &w.mean) }

// wholeJain is Jain's index of whole tasks, from the events of a replay. An event costs
// as much whatever the number of users.
type wholeJain struct {
	one      []float64
	arrivals []int32 // jobs by submission, of those that have not come
	jobs     []sim.Job
	running  []int64
	of       []int    // the tenant of each job; nil: each is a user
	held     []twoSum // by each tenant
	jobsOf   []int    // of each tenant in the system
	present  int      // users: jobs, or tenants that have one
	now      int64
	sum      twoSum // Σ r
	squares  twoSum // Σ r²
	mean     metrics.Weighted
}

func newWholeJain(env *cluster.Environment, jobs []sim.Job) *wholeJain {
	w := &wholeJain{one: oneTask(env), jobs: jobs, running: make([]int64, len(jobs)), arrivals: make([]int32, len(jobs))}
	of, n := sharers(jobs)
	w.of, w.held, w.jobsOf = of, make([]twoSum, n), make([]int, n)
	for i := range jobs {
		w.arrivals[i] = int32(i)
	}
	slices.SortStableFunc(w.arrivals, func(a, b int32) int { return cmp.Compare(jobs[a].Arrival, jobs[b].Arrival) })
	return w
}

func (w *wholeJain) event(ev *whole.Event) {
	for len(w.arrivals) > 0 && w.jobs[w.arrivals[0]].Arrival <= ev.At {
		w.elapse(int64(w.jobs[w.arrivals[0]].Arrival))
		w.count(int(w.arrivals[0]), 1)
		w.arrivals = w.arrivals[1:]
	}
	w.elapse(int64(ev.At))
	switch ev.Kind {
	case whole.TaskStart:
		w.run(ev.Job, 1)
	case whole.TaskSuspend, whole.TaskEnd:
		w.run(ev.Job, -1)
	default: // the job has left
		w.count(ev.Job, -1)
	}
}

// count says that a job comes (+1) or leaves (−1).
func (w *wholeJain) count(j, by int) {
	if w.of == nil {
		w.present += by
	} else if t := w.of[j]; by > 0 {
		if w.jobsOf[t]++; w.jobsOf[t] == 1 {
			w.present++
		}
	} else if w.jobsOf[t]--; w.jobsOf[t] == 0 {
		w.present--
		w.held[t] = twoSum{}
	}
	if w.present == 0 {
		w.sum, w.squares = twoSum{}, twoSum{}
	}
}

// run changes how many tasks of a job run.
func (w *wholeJain) run(j int, by int64) {
	before := float64(w.running[j]) * w.one[j]
	w.running[j] += by
	after := float64(w.running[j]) * w.one[j]
	if w.of != nil {
		held := &w.held[w.of[j]]
		own, less := after, before
		before = held.value()
		held.add(own)
		held.add(-less)
		after = held.value()
	}
	w.sum.add(after)
	w.sum.add(-before)
	w.squares.add(after * after)
	w.squares.add(-before * before)
}

// elapse accounts for the time up to an instant.
func (w *wholeJain) elapse(to int64) {
	if span := to - w.now; w.present > 0 && span > 0 {
		w.mean.Add(jain(w.present, w.sum.value(), w.squares.value()), span)
	}
	w.now = to
}

// twoSum is a sum of doubles with its rounding error beside it: what is added and taken
// away again leaves nothing, but for errors of the second order.
//
// Reference: T. J. Dekker, A floating-point technique for extending the available
// precision, 1971.
type twoSum struct{ high, low float64 }

func (s *twoSum) add(v float64) {
	sum := s.high + v
	part := sum - s.high
	s.low += (s.high - (sum - part)) + (v - part)
	s.high = sum + s.low
	s.low -= s.high - sum
}

func (s *twoSum) value() float64 { return s.high }
