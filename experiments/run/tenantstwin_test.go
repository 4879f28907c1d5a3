package run

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// slowTenants is the twin of [tenantShares] and [tenantEvents]: at every event it looks at
// all tenants, and after every event it sums anew what one of them holds.
type slowTenants struct {
	*tenantShares
	jobs    []sim.Job
	arrive  *sim.Arrivals
	next    int32
	nextAt  event.Time
	now     event.Time
	running []int64
	left    []int64
	jobsOf  [][]int
}

func newSlowTenants(tb testing.TB, c *Case) *slowTenants {
	tb.Helper()
	env, err := c.Environment()
	if err != nil {
		tb.Fatal(err)
	}
	t, err := c.tenantShares()
	if err != nil {
		tb.Fatal(err)
	}
	t.fluid(c, env)
	jobs := c.simJobs(env)
	arrivals, err := sim.NewArrivals(jobs)
	if err != nil {
		tb.Fatal(err)
	}
	e := &slowTenants{tenantShares: t, jobs: jobs, arrive: arrivals, now: arrivals.First, running: make([]int64, len(jobs)), left: make([]int64, len(jobs)), jobsOf: make([][]int, len(t.held))}
	e.advance()
	return e
}

func (t *slowTenants) advance() {
	at, job, ok := t.arrive.Next()
	if !ok {
		at, job = event.Never, -1
	}
	t.nextAt, t.next = at, job
}

func (t *slowTenants) record(from, to event.Time) {
	span := int64(to - from)
	if span <= 0 {
		return
	}
	total := 0.0
	for i, k := range t.tenants.Active {
		if k > 0 {
			total += t.tenants.Weight[i]
		}
	}
	for i, k := range t.tenants.Active {
		if k == 0 {
			continue
		}
		r, deserved := &t.records[i], t.tenants.Weight[i]/total
		if t.needs != nil {
			deserved = min(deserved, t.needs[i])
		}
		ratio := 1.0
		if t.held[i] > 0 || deserved > 0 {
			ratio = t.held[i] / deserved
		}
		r.ratio.Add(ratio, span)
		r.below.Add(ratio, span)
		for _, s := range []*metrics.Series{&r.received, &r.deserved} {
			if s.Period == 0 {
				s.Period, s.Origin = int64(t.series), beginOf(from, t.series)
			}
		}
		r.received.Add(t.held[i], int64(from), int64(to))
		r.deserved.Add(deserved, int64(from), int64(to))
	}
}

func (t *slowTenants) until(at event.Time) {
	for t.nextAt <= at {
		t.record(t.now, t.nextAt)
		t.now = t.nextAt
		j := int(t.next)
		t.left[j] = t.jobs[j].Tasks
		t.jobsOf[t.tenants.Of[j]] = append(t.jobsOf[t.tenants.Of[j]], j)
		t.tenants.Active[t.tenants.Of[j]]++
		t.need(j)
		t.advance()
	}
	t.record(t.now, at)
	t.now = at
}

func (t *slowTenants) event(ev *whole.Event) {
	t.until(ev.At)
	j := ev.Job
	switch ev.Kind {
	case whole.TaskStart:
		t.running[j]++
	case whole.TaskSuspend:
		t.running[j]--
	case whole.TaskEnd:
		t.running[j]--
		t.left[j]--
	default:
		of := &t.jobsOf[t.tenants.Of[j]]
		*of = slices.DeleteFunc(*of, func(k int) bool { return k == j })
		t.tenants.Active[t.tenants.Of[j]]--
	}
	t.need(j)
}

func (t *slowTenants) need(j int) {
	i := t.tenants.Of[j]
	t.held[i], t.needs[i] = 0, 0
	for _, k := range t.jobsOf[i] {
		t.held[i] += float64(t.running[k]) / t.eta[k]
		t.needs[i] += float64(t.left[k]) / t.eta[k]
	}
}

// Observe is of the fluid model.
func (t *slowTenants) Observe(iv *sim.Interval) error {
	clear(t.tenants.Active)
	clear(t.held)
	for _, j := range iv.Present {
		t.tenants.Active[t.tenants.Of[j]]++
		t.held[t.tenants.Of[j]] += iv.Allocation.Tasks[j] / t.eta[j]
	}
	t.record(iv.From, iv.To)
	return nil
}

// What is recorded of the tenants that have a job is, bit for bit, what a loop over all of
// them at every event records: measures and series, in both models, with several jobs of a
// tenant at a time, events of one instant, suspensions, and tenants that come back.
func TestTenantsAreThoseOfALoopOverAll(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 4))
	for k := range 60 {
		policy := []string{"tsf-er", FIFO, "mnw", "tsf"}[k%4]
		c := randomCase(random, policy)
		weights := map[string]float64{"": 1}
		for i := range c.Jobs {
			c.Jobs[i].User = []string{"", "ann", "bob", "cat", "dan"}[random.IntN(5)]
			if weights[c.Jobs[i].User] == 0 {
				weights[c.Jobs[i].User] = .5 + random.Float64()
			}
			c.Jobs[i].Weight = weights[c.Jobs[i].User]
			if i > 0 && random.IntN(3) == 0 {
				c.Jobs[i].SubmitUS = c.Jobs[i-1].SubmitUS
			}
		}
		c.Tenants, c.Want, c.Course = k%8 < 4, []string{Tenants}, &Course{Period: event.Time(1 + random.Int64N(9e6))}
		slow := newSlowTenants(t, &c)
		slow.series = c.Course.Period
		var got []Measure
		if fluid := k%4 == 3 || k%8 == 2; fluid {
			c.Observers = append(c.Observers, slow)
			out, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = out.Measures
		} else {
			slow.needs = make([]float64, len(slow.held))
			c.OnEvent = slow.event
			out, err := Whole{Case: c, Tasks: WholeTasks{Slot: event.Time(k%3) * 5e6}, Random: rand.NewPCG(1, 2)}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = out.Measures
		}
		got = slices.DeleteFunc(got, func(m Measure) bool {
			return m.Metric != MetricTenantRatio && m.Metric != MetricTenantLeast && m.Metric != MetricTenantBelow
		})
		if want := slow.Measures(); len(got) < 7 || !slices.Equal(got, want) {
			t.Errorf("%d, %s: measures %v, want %v", k, policy, got, want)
		}
		rows, want := c.Course.tenants.rows(results.Row{}), slow.rows(results.Row{})
		if len(rows) < 10 || fmt.Sprint(rows) != fmt.Sprint(want) {
			t.Errorf("%d, %s: %d rows, the loop has %d, or others", k, policy, len(rows), len(want))
		}
	}
}

// BenchmarkTenants is of 10,000 tenants, 50 of which have a job at a time: each in turn one
// job of one task for as long as 50 others take to come. An event is the end of a job and
// the arrival of another.
func BenchmarkTenants(b *testing.B) {
	const tenants, active = 10_000, 50
	c := Case{Cluster: &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{active}, Count: 1}}}}
	for i := range tenants {
		c.Jobs = append(c.Jobs, traces.Job{ID: fmt.Sprint(i), User: fmt.Sprint("tenant ", i), Tasks: 1, DurationUS: active * 1e6, SubmitUS: int64(i) * 1e6, CPU: 1, Weight: 1})
	}
	events := func(do func(*whole.Event)) {
		for i := range c.Jobs {
			at := event.Time(c.Jobs[i].SubmitUS)
			if i >= active {
				do(&whole.Event{At: at, Kind: whole.TaskEnd, Job: i - active})
				do(&whole.Event{At: at, Kind: whole.JobDone, Job: i - active})
			}
			do(&whole.Event{At: at, Kind: whole.TaskStart, Job: i})
		}
	}
	rate := func(b *testing.B) { b.ReportMetric(3*tenants*float64(b.N)/b.Elapsed().Seconds(), "events/s") }
	b.Run("active", func(b *testing.B) {
		for b.Loop() {
			t, err := c.tenantShares()
			if err != nil {
				b.Fatal(err)
			}
			t.series = 3600e6
			jobs, end := follow[tenantJob](&c)
			e, err := watchTenants(t, &c, jobs)
			if err != nil {
				b.Fatal(err)
			}
			events(e.event)
			if err := end(); err != nil {
				b.Fatal(err)
			}
		}
		rate(b)
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			slow := newSlowTenants(b, &c)
			slow.needs, slow.series = make([]float64, tenants), 3600e6
			events(slow.event)
		}
		rate(b)
	})
}
