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
		Definition: "Jain's fairness index of the shares of the users present: 1 where all are equal or nobody has anything, 1/n where one of n has everything. A share is what a user runs over what it could run with its eligible servers to itself, over its weight; that it has fewer tasks than that is not counted. Mean over the time with a user.",
		Formula:    "(Σ r[j])² / (n·Σ r[j]²), r[j] = x[j]/(w[j]·η'[j]), 0/0 = 1",
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

// watchJain is Jain's index of fluid tasks.
type watchJain struct {
	one  []float64
	mean metrics.Weighted
}

// Observe implements [sim.Observer].
func (w *watchJain) Observe(iv *sim.Interval) error {
	sum, squares := 0.0, 0.0
	for _, j := range iv.Present {
		r := iv.Allocation.Tasks[j] * w.one[j]
		sum, squares = sum+r, squares+r*r
	}
	w.mean.Add(jain(len(iv.Present), sum, squares), iv.Span())
	return nil
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
	present  int
	now      int64
	sum      twoSum // Σ r
	squares  twoSum // Σ r²
	mean     metrics.Weighted
}

func newWholeJain(env *cluster.Environment, jobs []sim.Job) *wholeJain {
	w := &wholeJain{one: oneTask(env), jobs: jobs, running: make([]int64, len(jobs)), arrivals: make([]int32, len(jobs))}
	for i := range jobs {
		w.arrivals[i] = int32(i)
	}
	slices.SortStableFunc(w.arrivals, func(a, b int32) int { return cmp.Compare(jobs[a].Arrival, jobs[b].Arrival) })
	return w
}

func (w *wholeJain) event(ev *whole.Event) {
	for len(w.arrivals) > 0 && w.jobs[w.arrivals[0]].Arrival <= ev.At {
		w.elapse(int64(w.jobs[w.arrivals[0]].Arrival))
		w.arrivals = w.arrivals[1:]
		w.present++
	}
	w.elapse(int64(ev.At))
	switch ev.Kind {
	case whole.TaskStart:
		w.run(ev.Job, 1)
	case whole.TaskSuspend, whole.TaskEnd:
		w.run(ev.Job, -1)
	default: // the job has left
		if w.present--; w.present == 0 {
			w.sum, w.squares = twoSum{}, twoSum{}
		}
	}
}

// run changes how many tasks of a job run.
func (w *wholeJain) run(j int, by int64) {
	before := float64(w.running[j]) * w.one[j]
	w.running[j] += by
	after := float64(w.running[j]) * w.one[j]
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
