package whole_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
)

// A workload on which tasks that are divisible and whole ones have to come to the
// same.
type workload struct {
	env      *cluster.Environment
	jobs     []sim.Job // by arrival
	rule     string
	together bool // users share
}

// outcome is what both models report of a replay.
type outcome struct {
	Refused, BeyondClock int
	Jobs                 []sim.JobResult
	Makespan             event.Time
	Resources, Rows      []float64 // utilization
	EF, SI, Violation    float64
}

func (w *workload) fluid(t *testing.T) outcome {
	t.Helper()
	policy, err := policies.New(w.rule)
	if err != nil {
		t.Fatal(err)
	}
	f := sim.Fluid{Env: w.env, Jobs: w.jobs, Policy: policy}
	var users []cluster.User
	for _, j := range w.jobs {
		users = append(users, j.User)
	}
	used, ratio, envy := &sim.Utilization{}, sim.NewTaskRatio(w.env.With(users)), &sim.Envy{}
	f.Observers = []sim.Observer{used, ratio, envy}
	result, err := f.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := outcome{Refused: result.Refused, BeyondClock: result.BeyondClock, Jobs: result.Jobs}
	for _, j := range result.Jobs {
		if !j.Refused {
			out.Makespan = max(out.Makespan, j.Completion)
		}
	}
	out.EF, _ = envy.Min.Mean()
	out.SI, _ = ratio.Min.Mean()
	out.Violation, _ = ratio.Violation.Fraction()
	out.Resources, out.Rows = used.Mean().Resources, used.Mean().Rows
	return out
}

func (w *workload) whole(t *testing.T) outcome {
	t.Helper()
	policy, err := policies.New(w.rule)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := whole.ShareOrdered(policy)
	if err != nil {
		t.Fatal(err)
	}
	r := &whole.Replay{Env: w.env, Jobs: w.jobs, Rule: rule, Verify: len(w.env.Servers) < 4, Fairness: []*whole.Fairness{{}}}
	result, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := outcome{Jobs: result.Jobs}
	out.Refused, out.BeyondClock, out.Makespan = result.Refused, result.BeyondClock, result.End
	out.EF, _ = r.Fairness[0].EF.Mean()
	out.SI, _ = r.Fairness[0].SI.Mean()
	out.Violation, _ = r.Fairness[0].Violation.Fraction()
	out.Resources, out.Rows = result.Utilization.Resources, result.Utilization.Rows
	return out
}

// Users that never compete: each may run on one class of servers, alone there, or
// on all of them with nobody else in the system. It holds as many tasks as fit at
// once, and has a multiple of that. Bound by a resource or by a link.
func alone(rng *rand.Rand) *workload {
	const units = 840 // divided by 1 to 8
	w := &workload{env: &cluster.Environment{Resources: []string{"cpu", "mem", "gpu", "none"}}}
	for s := range 1 + rng.IntN(4) {
		capacity := []float64{units, units * float64(1+rng.IntN(3)), units * float64(rng.IntN(2)), 0}
		w.env.Servers = append(w.env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1 + rng.IntN(3)})
		if rng.IntN(3) == 0 {
			w.env.Links = append(w.env.Links, cluster.Link{Name: fmt.Sprint("l", s), Capacity: units, Servers: cluster.NewSet(s+1, s)})
		}
	}
	w.env.Links = append(w.env.Links, cluster.Link{Name: "all", Capacity: 1e6})
	w.rule = []string{"tsf-er", "tsf", "cdrf", "drf-er", "drfh", "egalitarian", "cmmf-cpu"}[rng.IntN(7)]
	for s := range w.env.Servers {
		at := event.Time(rng.Int64N(1e9))
		for range 1 + rng.IntN(4) {
			job, k := aloneOn(rng, w.env, s)
			job.Arrival = at
			if rng.IntN(2) == 0 {
				at += event.Time(rng.Int64N(1e9)) // a gap; else the next one comes when this one leaves
			}
			at += event.Time(job.Tasks/k) * job.Duration
			w.jobs = append(w.jobs, job)
		}
		w.jobs = append(w.jobs, refusedOn(rng, w.env, s, at)...)
	}
	slices.SortStableFunc(w.jobs, func(a, b sim.Job) int { return int(a.Arrival - b.Arrival) })
	return w
}

// aloneOn makes a job for one class of servers, which hold k of its tasks.
func aloneOn(rng *rand.Rand, env *cluster.Environment, s int) (job sim.Job, k int64) {
	server := env.Servers[s]
	m := 1 + rng.Int64N(8) // tasks a server
	demand := make([]float64, len(server.Capacity))
	tight := rng.IntN(2)
	for r, c := range server.Capacity {
		demand[r] = c / float64(m)
		if r != tight {
			demand[r] = math.Floor(demand[r] * rng.Float64())
		}
	}
	k = m * int64(server.Count)
	link := make([]float64, len(env.Links))
	link[len(link)-1] = float64(rng.IntN(3))
	for e := range env.Links {
		if env.Links[e].Servers != nil && env.Reaches(e, s) && rng.IntN(2) == 0 {
			k = 1 + rng.Int64N(min(k, 8))
			link[e] = env.Links[e].Capacity / float64(k)
		}
	}
	u := cluster.NewUser("u", demand, link...)
	u.Weight = float64(1+rng.IntN(4)) / 2
	u.Eligible = cluster.NewSet(len(env.Servers), s)
	rounds := 1 + rng.Int64N(4)
	return sim.Job{User: u, Tasks: k * rounds, Duration: event.Time(1 + rng.Int64N(1e9))}, k
}

// refusedOn makes jobs that both models refuse: of a resource that nobody has, on
// a server without what they need, and beyond the clock.
func refusedOn(rng *rand.Rand, env *cluster.Environment, s int, before event.Time) []sim.Job {
	var jobs []sim.Job
	for kind := range 3 {
		if rng.IntN(3) > 0 {
			continue
		}
		job, k := aloneOn(rng, env, s)
		job.Arrival = event.Time(rng.Int64N(int64(before)))
		switch kind {
		case 0:
			job.User.Demand[3] = 1
		case 1:
			if env.Servers[s].Capacity[2] > 0 {
				continue
			}
			job.User.Demand[2] = 1
		default:
			job.Tasks, job.Duration = 500*k, 1000*365*86400e6
		}
		jobs = append(jobs, job)
	}
	return jobs
}

// Users that share in step: all tasks of a busy period take equally long and users
// come at multiples of that, so that everything is placed anew then, and what a
// user is due is a whole number of tasks. With egalitarian, users that need more
// of a resource hold more of it and are envied.
func inStep(rng *rand.Rand) *workload {
	const units = 2520 // divided by 1 to 10
	w := &workload{together: true, env: &cluster.Environment{Resources: []string{"cpu", "mem"}, Links: []cluster.Link{{Name: "l", Capacity: 8 * units}}}}
	classes := max(1, rng.IntN(4))
	for s := range classes {
		w.env.Servers = append(w.env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Count: 1, Capacity: []float64{units / float64(classes*(classes+1)/2) * float64(s+1), 4 * units}})
	}
	w.rule = []string{"tsf-er", "egalitarian", "drf-er", "egalitarian"}[rng.IntN(4)]
	at := event.Time(rng.Int64N(1e9))
	for range 3 {
		at = w.busyPeriod(rng, at, classes > 1)
		at += event.Time(1 + rng.Int64N(1e9))
	}
	return w
}

// busyPeriod adds the jobs of one; it returns when the last one leaves. With
// several servers all users have the same demands, so that the split over servers
// makes no difference.
func (w *workload) busyPeriod(rng *rand.Rand, at event.Time, alike bool) event.Time {
	duration := event.Time(1e6 + rng.Int64N(1e9))
	var here []int
	sum := map[int]float64{} // tasks so far
	for round := 0; round == 0 || len(here) > 0; round++ {
		if round < 6 && (round == 0 || rng.IntN(4) > 0) {
			u := cluster.NewUser(fmt.Sprint("u", len(w.jobs)), []float64{float64(1 + rng.IntN(2)), float64(rng.IntN(3))}, float64(rng.IntN(3)))
			u.Weight = float64(1 + rng.IntN(2))
			if alike {
				u.Demand, u.LinkDemand = []float64{1, 1}, []float64{1}
			}
			w.jobs = append(w.jobs, sim.Job{User: u, Arrival: at, Duration: duration})
			if here = append(here, len(w.jobs)-1); w.due(here) == nil {
				here, w.jobs = here[:len(here)-1], w.jobs[:len(w.jobs)-1]
			}
		}
		for i, x := range w.due(here) {
			sum[here[i]] += x
		}
		at += duration
		// Who has had as many tasks as the cluster holds may leave: so no figure
		// is bounded by a task cap, which fluid tasks do not have.
		stay := slices.DeleteFunc(slices.Clone(here), func(j int) bool {
			return sum[j] >= 2520/w.jobs[j].User.Demand[0] && (round > 8 || rng.IntN(5) == 0)
		})
		if len(stay) == 0 || w.due(stay) != nil {
			for _, j := range here {
				if !slices.Contains(stay, j) {
					w.jobs[j].Tasks = int64(sum[j])
				}
			}
			here = stay
		}
	}
	return at
}

// due returns the tasks of users that are alone with each other; nil where these
// are not whole numbers.
func (w *workload) due(here []int) []float64 {
	level := 0.0
	weights := make([]float64, len(here)) // w·N, or anything in proportion
	for i, j := range here {
		u := &w.jobs[j].User
		weights[i] = u.Weight
		if w.rule != "egalitarian" {
			weights[i] /= u.Demand[0] // cpu is all that is short
		}
		level += weights[i] * u.Demand[0]
	}
	var tasks []float64
	for i := range here {
		x := weights[i] * 2520 / level
		if x != math.Floor(x) {
			return nil
		}
		tasks = append(tasks, x)
	}
	return tasks
}

// compare holds two outcomes against each other, metric by metric. Completions
// with fluid tasks are rounded up to a whole microsecond at every event.
func compare(t *testing.T, name string, w *workload, fluid, whole outcome) {
	t.Helper()
	for j := range w.jobs {
		f, k := fluid.Jobs[j], whole.Jobs[j]
		// Standalone: n·t/η' against ceil(n/K)·t, equal where K divides n.
		if gap := k.Standalone - f.Standalone; gap < -1 || gap >= float64(w.jobs[j].Duration) {
			t.Errorf("%s: job %d takes %g µs alone, %g with whole tasks of %d µs", name, j, f.Standalone, k.Standalone, w.jobs[j].Duration)
		} else if gap > 1 {
			whole.Jobs[j].Standalone = f.Standalone
		}
	}
	margin := 1e-7 // a completion 1 µs late
	if w.together {
		margin = 2e-6 // and what those who share hold meanwhile
	}
	within := func(µs float64) cmp.Option {
		return cmp.Comparer(func(a, b event.Time) bool { return math.Abs(float64(a-b)) <= µs })
	}
	if d := cmp.Diff(fluid, whole, cmpopts.EquateApprox(1e-9, margin), within(10)); d != "" {
		t.Errorf("%s under %s (-fluid +whole):\n%s", name, w.rule, d)
	}
}

// Every metric that both models report means the same: where they have to agree
// they do.
func TestBothModelsAgreeWhereTheyMust(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	served, refused, late, unfair, envious, partly := 0, 0, 0, 0, 0, 0
	n := 300
	if os.Getenv("LEONTIEF_LONG") == "" {
		n /= 2
	}
	for k := range n {
		name, w := fmt.Sprint("alone ", k), (*workload)(nil)
		if w = alone(rng); k%3 == 0 {
			name, w = fmt.Sprint("in step ", k), inStep(rng)
		}
		fluid, whole := w.fluid(t), w.whole(t)
		compare(t, name, w, fluid, whole)
		if t.Failed() {
			return
		}
		served, refused, late = served+len(w.jobs)-fluid.Refused, refused+fluid.Refused, late+fluid.BeyondClock
		for count, holds := range map[*int]bool{&unfair: fluid.SI < 0.999 && fluid.Violation > 0, &envious: fluid.EF < 0.999, &partly: slices.Max(fluid.Rows) < 0.999} {
			if holds {
				*count++
			}
		}
	}
	if served < 10*n/3 || refused < 2*n/3 || late < n/6 || unfair < n/15 || envious < n/20 || partly < n/6 {
		t.Errorf("only %d jobs served, %d refused, %d of them beyond the clock; %d workloads against the sharing incentive, %d with envy, %d with no capacity always full",
			served, refused, late, unfair, envious, partly)
	}
}
