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
	number  map[string]int // of a tenant, by the user that the trace states
	own     map[int]int    // of a tenant, by the number of its only job, which states none
	eta     []float64      // η' of each job, with fluid tasks
	active  []int          // the tenants that have a job, ascending
	held    []float64      // R of each of those
	needs   []float64      // Σ n/η' of each of those; nil: not bounded
	total   float64        // ΣW of the tenants that have a job
	records []tenantRecord
	series  event.Time // length of a period; 0: no series
}

// tenantRecord is what is known of a tenant over time.
type tenantRecord struct {
	ratio              metrics.Weighted
	below              metrics.Below
	received, deserved metrics.Series
}

// tenantShares prepares for the jobs of a case.
func (c *Case) tenantShares() (*tenantShares, error) {
	t, number := &tenantShares{tenants: &sim.Tenants{}, number: map[string]int{}, own: map[int]int{}}, 0
	for s, err := range c.submissions() {
		if err != nil {
			return nil, err
		}
		i, err := t.tenants.Tenant(&sim.Job{Tenant: s.User, User: cluster.User{Name: s.ID, Weight: s.Weighs()}})
		if err != nil {
			return nil, spec.OfInput(err)
		}
		if s.User == "" {
			t.tenants.Names[i], t.own[number] = s.ID, i
		} else {
			t.number[s.User] = i
		}
		number++
	}
	n := len(t.tenants.Names)
	t.held, t.records = make([]float64, n), make([]tenantRecord, n)
	for i := range t.records {
		t.records[i].below.Threshold = 1 - sim.SITolerance
	}
	return t, nil
}

// of returns the tenant of a job.
func (t *tenantShares) of(number int, j *traces.Job) int {
	if j.User == "" {
		return t.own[number]
	}
	return t.number[j.User]
}

// fluid prepares for fluid tasks of the jobs of a case, which are the users of env.
func (t *tenantShares) fluid(c *Case, env *cluster.Environment) {
	t.eta = env.EtasEligible(nil)
	for j := range c.Jobs {
		t.tenants.Of = append(t.tenants.Of, t.of(j, &c.Jobs[j]))
	}
}

// followTenants returns the follower of the tenants of a case, for its measures, its course
// or both; nil where nobody asks. A course has them if any job states its user.
func (c *Case) followTenants() (*tenantShares, error) {
	over, err := false, error(nil)
	if c.Course != nil {
		over, err = c.states()
	}
	if err != nil || !over && !c.wants(Tenants) {
		return nil, err
	}
	t, err := c.tenantShares()
	if err == nil && over {
		c.Course.tenants, t.series = t, c.Course.Period
	}
	return t, err
}

// states reports whether any job states its user.
func (c *Case) states() (bool, error) {
	for s, err := range c.submissions() {
		if err != nil || s.User != "" {
			return err == nil, err
		}
	}
	return false, nil
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

// count says that a job of tenant i comes (+1) or leaves (−1).
func (t *tenantShares) count(i, n int) {
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
	jobs   *follower[tenantJob]
	share  *jobShare
	now    event.Time
	jobsOf [][]*tenantJob // those of each tenant that are in the system, as they came
	stale  []int          // tenants of which held and needs are not what they are now
}

// tenantJob is a job in the system.
type tenantJob struct {
	tenant        int
	eta           float64 // η'
	running, left int64
}

// watchTenants returns the follower of a replay of a case.
func watchTenants(t *tenantShares, c *Case, jobs *follower[tenantJob]) (*tenantEvents, error) {
	share, err := c.jobShare()
	t.needs = make([]float64, len(t.held))
	return &tenantEvents{tenantShares: t, jobs: jobs, share: share, now: event.Earliest, jobsOf: make([][]*tenantJob, len(t.held))}, err
}

// until brings the record up to a time, with the jobs that have come by then.
func (e *tenantEvents) until(at event.Time) {
	for a, ok := e.jobs.until(at); ok; a, ok = e.jobs.until(at) {
		e.elapse(event.Time(a.SubmitUS))
		j := &tenantJob{tenant: e.of(a.number, a.Job), eta: e.share.eta(a.submission), left: a.Tasks}
		e.jobs.here[a.number] = j
		e.jobsOf[j.tenant] = append(e.jobsOf[j.tenant], j)
		e.count(j.tenant, 1)
		e.stale = append(e.stale, j.tenant)
	}
	e.elapse(at)
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

// event is [whole.Replay.OnEvent].
func (e *tenantEvents) event(ev *whole.Event) {
	if e.until(ev.At); e.jobs.err != nil {
		return
	}
	j := e.jobs.here[ev.Job]
	switch ev.Kind {
	case whole.TaskStart:
		j.running++
	case whole.TaskSuspend:
		j.running--
	case whole.TaskEnd:
		j.running--
		j.left--
	default:
		of := &e.jobsOf[j.tenant]
		*of = slices.DeleteFunc(*of, func(k *tenantJob) bool { return k == j })
		delete(e.jobs.here, ev.Job)
		e.count(j.tenant, -1)
	}
	e.stale = append(e.stale, j.tenant)
}

// need sums what the tasks that the jobs of tenant i have left can use, and what it holds,
// anew: no rounding is carried on.
func (e *tenantEvents) need(i int) {
	e.held[i], e.needs[i] = 0, 0
	for _, j := range e.jobsOf[i] {
		e.held[i] += float64(j.running) / j.eta
		e.needs[i] += float64(j.left) / j.eta
	}
}
