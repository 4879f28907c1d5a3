package run

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// Tenants names the measurement of what tenants receive against what they deserve. It is
// of the users that the trace states, whether the rule divides among them or not.
const Tenants = "tenants"

// Metrics of tenants. In a row of one the user is the tenant.
const (
	MetricTenantRatio    = "tenant_ratio"
	MetricTenantLeast    = "tenant_min_ratio"
	MetricTenantBelow    = "tenant_time_below"
	MetricTenantReceived = "tenant_received"
	MetricTenantDeserved = "tenant_deserved"
)

const (
	receivedFormula = "R[T] = Σ_j x[j]/η'[j]"
	deservedFormula = "D[T] = min(W[T]/ΣW, Σ_j n[j]/η'[j])"
)

func init() {
	results.RegisterMetrics(
		results.Metric{Name: MetricTenantRatio, Label: "Received over deserved", Unit: results.UnitRatio, High: math.Inf(1), Better: results.Higher, Formula: "R[T] / D[T]",
			Definition: "What a tenant received over what it deserved (tenant_received, tenant_deserved), mean over the time in which it has a job. The user is the tenant; of all: the mean over the tenants."},
		results.Metric{Name: MetricTenantLeast, Label: "Received over deserved, least", Unit: results.UnitRatio, High: math.Inf(1), Better: results.Higher, Formula: "min over time of R[T] / D[T]",
			Definition: "The least that a tenant received over what it deserved, at any time at which it has a job. The user is the tenant; of all: the least of the tenants."},
		results.Metric{Name: MetricTenantBelow, Label: "Time below the deserved", Unit: results.UnitRatio, High: 1, Better: results.Lower, Formula: "share of time with R[T] < (1 − 1e-6)·D[T]",
			Definition: "Share of the time with a job in which a tenant received less than it deserved. The user is the tenant; of all: the mean over the tenants."},
		results.Metric{Name: MetricTenantReceived, Label: "Received", Unit: results.UnitRatio, High: math.Inf(1), Better: results.Higher, Formula: receivedFormula,
			Definition: "What the jobs of a tenant hold, each in parts of what it could run alone; mean over the part of the period in which the tenant has a job."},
		results.Metric{Name: MetricTenantDeserved, Label: "Deserved", Unit: results.UnitRatio, High: 1, Formula: deservedFormula,
			Definition: "The part of the cluster that is a tenant's by its weight, among the tenants that have a job; with whole tasks at most what the tasks that its jobs have left can use. Mean over the same time as tenant_received."},
	)
}

// tenantShares follows what tenants receive and deserve. A job without a user is a tenant
// of its own, by its own name.
type tenantShares struct {
	tenants *sim.Tenants
	eta     []float64 // η' of each job
	active  []int     // the tenants that have a job, ascending
	held    []float64 // R of each of those
	needs   []float64 // Σ n/η' of each of those; nil: not bounded
	total   float64   // ΣW of the tenants that have a job
	records []tenantRecord
	series  event.Time // length of a period; 0: no series
}

// tenantRecord is what is known of a tenant over time.
type tenantRecord struct {
	ratio              metrics.Weighted
	below              metrics.Below
	received, deserved metrics.Series
}

// newTenantShares prepares for the jobs of a case, on its environment.
func newTenantShares(jobs []sim.Job, names []string, env *cluster.Environment) (*tenantShares, error) {
	named := make([]sim.Job, len(jobs))
	for j := range jobs {
		named[j].Tenant, named[j].User.Name, named[j].User.Weight = names[j], jobs[j].User.Name, jobs[j].User.Weight
	}
	tenants, err := sim.NewTenants(named)
	if err != nil {
		return nil, err
	}
	if tenants == nil { // each job is one
		tenants = &sim.Tenants{Active: make([]int, len(jobs))}
		for j := range jobs {
			tenants.Of, tenants.Names = append(tenants.Of, j), append(tenants.Names, names[j])
			tenants.Weight = append(tenants.Weight, jobs[j].User.Weight)
		}
	}
	for j, t := range tenants.Of {
		if tenants.Names[t] == "" {
			tenants.Names[t] = jobs[j].User.Name
		}
	}
	n := len(tenants.Names)
	t := &tenantShares{tenants: tenants, eta: env.EtasEligible(nil), held: make([]float64, n), records: make([]tenantRecord, n)}
	for i := range t.records {
		t.records[i].below.Threshold = 1 - sim.SITolerance
	}
	return t, nil
}

// tenantShares follows the tenants of a case.
func (c *Case) tenantShares(env *cluster.Environment) (*tenantShares, error) {
	names := make([]string, len(c.Jobs))
	for j := range c.Jobs {
		names[j] = c.Jobs[j].User
	}
	t, err := newTenantShares(c.simJobs(env), names, env)
	if err != nil {
		return nil, spec.OfInput(err)
	}
	return t, nil
}

// followTenants returns the follower of the tenants of a case, for its measures, its course
// or both; nil where nobody asks. A course has them if any job states its user.
func (c *Case) followTenants(env *cluster.Environment) (*tenantShares, error) {
	over := c.Course != nil && slices.ContainsFunc(c.Jobs, func(j traces.Job) bool { return j.User != "" })
	if !over && !c.wants(Tenants) {
		return nil, nil
	}
	t, err := c.tenantShares(env)
	if err == nil && over {
		c.Course.tenants, t.series = t, c.Course.Period
	}
	return t, err
}

// record notes what has held for a time.
func (t *tenantShares) record(from, to event.Time) {
	span := int64(to - from)
	if span <= 0 {
		return
	}
	for _, i := range t.active {
		r, deserved := &t.records[i], t.tenants.Weight[i]/t.total
		if t.needs != nil {
			deserved = min(deserved, t.needs[i])
		}
		ratio := 1.0
		if t.held[i] > 0 || deserved > 0 {
			ratio = t.held[i] / deserved
		}
		r.ratio.Add(ratio, span)
		r.below.Add(ratio, span)
		if t.series > 0 {
			for _, s := range []*metrics.Series{&r.received, &r.deserved} {
				if s.Period == 0 {
					s.Period, s.Origin = int64(t.series), beginOf(from, t.series)
				}
			}
			r.received.Add(t.held[i], int64(from), int64(to))
			r.deserved.Add(deserved, int64(from), int64(to))
		}
	}
}

// count says that a job comes (+1) or leaves (−1).
func (t *tenantShares) count(j, n int) {
	i := t.tenants.Of[j]
	if t.tenants.Active[i] += n; t.tenants.Active[i] != max(n, 0) {
		return
	}
	if at, _ := slices.BinarySearch(t.active, i); n > 0 {
		t.active = slices.Insert(t.active, at, i)
	} else {
		t.active = slices.Delete(t.active, at, at+1)
	}
	t.weigh()
}

// weigh sums the weights of the tenants that have a job, anew and in the order of the
// tenants, so that no rounding is carried on.
func (t *tenantShares) weigh() {
	t.total = 0
	for _, i := range t.active {
		t.total += t.tenants.Weight[i]
	}
}

// Observe implements [sim.Observer], for the fluid model.
func (t *tenantShares) Observe(iv *sim.Interval) error {
	for _, i := range t.active {
		t.tenants.Active[i], t.held[i] = 0, 0
	}
	t.active = t.active[:0]
	for _, j := range iv.Present {
		i := t.tenants.Of[j]
		if t.tenants.Active[i] == 0 {
			t.active = append(t.active, i)
		}
		t.tenants.Active[i]++
		t.held[i] += iv.Allocation.Tasks[j] / t.eta[j]
	}
	slices.Sort(t.active)
	t.weigh()
	t.record(iv.From, iv.To)
	return nil
}

// Measures implements [Watcher]: of all tenants, then of each.
func (t *tenantShares) Measures() []Measure {
	var each []Measure
	mean, below, least, n := 0.0, 0.0, math.Inf(1), 0.0
	for i := range t.records {
		r := &t.records[i]
		ratio, ok := r.ratio.Mean()
		if !ok {
			continue
		}
		lowest, _, _ := r.ratio.Range()
		share, _ := r.below.Fraction()
		mean, below, least, n = mean+ratio, below+share, min(least, lowest), n+1
		name := t.tenants.Names[i]
		each = append(each, Measure{MetricTenantRatio, name, ratio}, Measure{MetricTenantLeast, name, lowest}, Measure{MetricTenantBelow, name, share})
	}
	if n == 0 {
		return nil
	}
	return append([]Measure{{MetricTenantRatio, "", mean / n}, {MetricTenantLeast, "", least}, {MetricTenantBelow, "", below / n}}, each...)
}

// rows are the series of the tenants.
func (t *tenantShares) rows(like results.Row) []results.Row {
	var rows []results.Row
	for i := range t.records {
		for _, of := range []struct {
			metric string
			series *metrics.Series
		}{{MetricTenantReceived, &t.records[i].received}, {MetricTenantDeserved, &t.records[i].deserved}} {
			rows = append(rows, seriesRows(like, of.series, of.metric, t.tenants.Names[i])...)
		}
	}
	return rows
}

// tenantEvents follows tenants through the events of a replay with whole tasks.
type tenantEvents struct {
	*tenantShares
	*eventClock
	now     event.Time
	running []int64
	left    []int64
	jobsOf  [][]int // those of each tenant that are in the system
	stale   []int   // tenants of which held and needs are not what they are now
}

// watchTenants returns the follower of a replay.
func watchTenants(t *tenantShares, jobs []sim.Job) (*tenantEvents, error) {
	clock, err := newEventClock(jobs)
	if err != nil {
		return nil, err
	}
	t.needs = make([]float64, len(t.held))
	return &tenantEvents{tenantShares: t, eventClock: clock, now: clock.first, running: make([]int64, len(jobs)), left: make([]int64, len(jobs)), jobsOf: make([][]int, len(t.held))}, nil
}

// came counts a job in.
func (e *tenantEvents) came(j int, at event.Time) {
	e.elapse(at)
	i := e.tenants.Of[j]
	e.left[j] = e.jobs[j].Tasks
	e.jobsOf[i] = append(e.jobsOf[i], j)
	e.count(j, 1)
	e.stale = append(e.stale, i)
}

// elapse records what has held up to a time: of the tenants of whom something changed at
// the last instant after all that happened there.
func (e *tenantEvents) elapse(to event.Time) {
	if to <= e.now {
		return
	}
	slices.Sort(e.stale)
	for _, i := range slices.Compact(e.stale) {
		e.need(i)
	}
	e.stale = e.stale[:0]
	e.record(e.now, to)
	e.now = to
}

// both calls one function of events, if it is not nil, and then another.
func both(first, second func(*whole.Event)) func(*whole.Event) {
	if first == nil {
		return second
	}
	return func(ev *whole.Event) {
		first(ev)
		second(ev)
	}
}

// event is [whole.Replay.OnEvent].
func (e *tenantEvents) event(ev *whole.Event) {
	e.until(ev.At, e.came)
	e.elapse(ev.At)
	j := ev.Job
	switch ev.Kind {
	case whole.TaskStart:
		e.running[j]++
	case whole.TaskSuspend:
		e.running[j]--
	case whole.TaskEnd:
		e.running[j]--
		e.left[j]--
	default:
		of := &e.jobsOf[e.tenants.Of[j]]
		*of = slices.DeleteFunc(*of, func(k int) bool { return k == j })
		e.count(j, -1)
	}
	e.stale = append(e.stale, e.tenants.Of[j])
}

// need sums what the tasks that the jobs of tenant i have left can use, and what it holds,
// anew: no rounding is carried on.
func (e *tenantEvents) need(i int) {
	e.held[i], e.needs[i] = 0, 0
	for _, k := range e.jobsOf[i] {
		e.held[i] += float64(e.running[k]) / e.eta[k]
		e.needs[i] += float64(e.left[k]) / e.eta[k]
	}
}
