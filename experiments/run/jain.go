package run

import (
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

// jobShare finds for one job after another what [oneTask] finds for all, and η'.
type jobShare struct {
	users *userMaker
	env   *cluster.Environment // of one user
}

func (c *Case) jobShare() (*jobShare, error) {
	users, err := c.userMaker()
	return &jobShare{users, c.Cluster.With(make([]cluster.User, 1))}, err
}

func (s *jobShare) eta(of submission) float64 {
	s.env.Users[0] = s.users.user(of)
	return s.env.EtaEligible(0)
}

func (s *jobShare) of(job submission) float64 {
	if eta := s.eta(job); eta > 0 {
		return 1 / (s.env.Users[0].Weight * eta)
	}
	return 0
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
	jobs    *follower[jainJob]
	one     *jobShare
	shared  bool                   // users are tenants, see [Case.shared]
	tenants map[string]*jainTenant // that have a job, by name
	present int                    // users: jobs, or tenants that have one
	now     int64
	sum     twoSum // Σ r
	squares twoSum // Σ r²
	mean    metrics.Weighted
}

// jainJob is a job in the system.
type jainJob struct {
	one     float64 // its share that one task makes
	running int64
	tenant  *jainTenant // nil: it is a user
}

// jainTenant is a tenant with a job.
type jainTenant struct {
	name string // "": of one job
	jobs int
	held twoSum
}

func newWholeJain(c *Case, jobs *follower[jainJob]) (w *wholeJain, err error) {
	w = &wholeJain{jobs: jobs, tenants: map[string]*jainTenant{}}
	if w.shared, err = c.shared(); err == nil {
		w.one, err = c.jobShare()
	}
	return w, err
}

func (w *wholeJain) event(ev *whole.Event) {
	for a, ok := w.jobs.until(ev.At); ok; a, ok = w.jobs.until(ev.At) {
		w.elapse(a.SubmitUS)
		w.come(a)
	}
	if w.jobs.err != nil {
		return
	}
	w.elapse(int64(ev.At))
	j := w.jobs.here[ev.Job]
	switch ev.Kind {
	case whole.TaskStart:
		w.run(j, 1)
	case whole.TaskSuspend, whole.TaskEnd:
		w.run(j, -1)
	default:
		w.leave(ev.Job)
	}
}

// come counts a job that comes.
func (w *wholeJain) come(a arrival) {
	j := &jainJob{one: w.one.of(a.submission)}
	w.jobs.here[a.number] = j
	if !w.shared {
		w.present++
		return
	}
	if j.tenant = w.tenants[a.User]; j.tenant == nil {
		j.tenant = &jainTenant{name: a.User}
		w.present++
		if a.User != "" {
			w.tenants[a.User] = j.tenant
		}
	}
	j.tenant.jobs++
}

// leave counts a job that leaves.
func (w *wholeJain) leave(number int) {
	t := w.jobs.here[number].tenant
	delete(w.jobs.here, number)
	if t != nil {
		if t.jobs--; t.jobs > 0 {
			return
		}
		delete(w.tenants, t.name)
	}
	if w.present--; w.present == 0 {
		w.sum, w.squares = twoSum{}, twoSum{}
	}
}

// run changes how many tasks of a job run.
func (w *wholeJain) run(j *jainJob, by int64) {
	before := float64(j.running) * j.one
	j.running += by
	after := float64(j.running) * j.one
	if j.tenant != nil {
		held := &j.tenant.held
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

// less is s − t: as exact where both are long sums as what was added to s after t.
func (s twoSum) less(t twoSum) float64 { return (s.high - t.high) + (s.low - t.low) }
