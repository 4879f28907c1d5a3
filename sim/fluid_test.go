package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

const second event.Time = 1e6

// split is a rule for one server with one resource: give says how the
// resource is divided among n users, in shares.
type split struct{ give func(n int) []float64 }

func (p split) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	a := &cluster.Allocation{Region: env, Share: make([]float64, len(env.Users))}
	for j, share := range p.give(len(env.Users)) {
		a.Tasks = append(a.Tasks, share*env.Gamma(j, 0))
	}
	a.X = a.Tasks
	return a, nil
}

// equally is max-min fairness on one resource.
var equally = split{func(n int) []float64 {
	shares := make([]float64, n)
	for j := range shares {
		shares[j] = 1 / float64(n)
	}
	return shares
}}

// firstOnly serves the user of the smallest index: FIFO where users are
// numbered by arrival.
var firstOnly = split{func(n int) []float64 {
	shares := make([]float64, n)
	shares[0] = 1
	return shares
}}

// nobody gives nothing to anyone.
var nobody = split{func(n int) []float64 { return make([]float64, n) }}

// oneServer is a cluster of 10 cpu with users of the given demands.
func oneServer(demands ...float64) *cluster.Environment {
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{10}, Count: 1}},
	}
	for j, d := range demands {
		env.Users = append(env.Users, cluster.NewUser(string(rune('a'+j)), []float64{d}))
	}
	return env
}

// users makes the users of the environment those of the jobs.
func users(f Fluid) *Fluid {
	f.Jobs = slices.Clone(f.Jobs)
	for j := range f.Jobs {
		f.Jobs[j].User = f.Env.Users[j]
	}
	return &f
}

func run(t *testing.T, f Fluid) *Result {
	t.Helper()
	r, err := users(f).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// twoJobs: a has 20 task-seconds and runs 10 tasks at most, b 10 and 5. Alone
// each takes 2 s.
func twoJobs(p policies.Policy) Fluid {
	return Fluid{
		Env: oneServer(1, 2), Policy: p,
		Jobs: []Job{{Tasks: 10, Duration: 2 * second}, {Arrival: 1 * second, Tasks: 5, Duration: 2 * second}},
	}
}

func TestTwoJobsByHand(t *testing.T) {
	// 0–1 s: a at rate 10, 10 left. 1–3 s: a at 5, done; b at 2.5, 5 left.
	// 3–4 s: b at 5, done.
	got := run(t, twoJobs(equally))
	want := &Result{Allocations: 3, Jobs: []JobResult{
		{Completion: 3 * second, Standalone: 2e6},
		{Arrival: 1 * second, FirstStart: 1 * second, Completion: 4 * second, Standalone: 2e6},
	}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Result{})); d != "" {
		t.Error(d)
	}
	if mean, ok := got.MeanFactor(); !ok || math.Abs(mean-2.0/3) > 1e-15 {
		t.Errorf("mean factor %v, want 2/3", mean)
	}
}

func TestAnotherPolicyChangesTheCompletionTimes(t *testing.T) {
	got := run(t, twoJobs(firstOnly))
	want := []JobResult{
		{Completion: 2 * second, Standalone: 2e6},
		{Arrival: 1 * second, FirstStart: 2 * second, Completion: 4 * second, Standalone: 2e6},
	}
	if d := cmp.Diff(want, got.Jobs); d != "" {
		t.Error(d)
	}
}

func TestCompletionIsRoundedUpToTheMicrosecond(t *testing.T) {
	// 3 users, 1 task of 1 µs each on 10 cpu with demand 1: rate 10/3, done
	// after 0.3 µs.
	f := Fluid{Env: oneServer(1, 1, 1), Policy: equally, Jobs: []Job{{Tasks: 1, Duration: 1}, {Tasks: 1, Duration: 1}, {Tasks: 11, Duration: 1}}}
	got := run(t, f)
	// The third holds its allocation until 1 µs: 11 − 10/3 = 7.67 are left, at
	// rate 10.
	for j, want := range []event.Time{1, 1, 2} {
		if got.Jobs[j].Completion != want {
			t.Errorf("job %d completes at %d µs, want %d", j, got.Jobs[j].Completion, want)
		}
	}
}

func TestSimultaneousEventsMakeOneAllocation(t *testing.T) {
	// a completes at 2 s, when b and c arrive.
	f := Fluid{Env: oneServer(1, 1, 1), Policy: equally,
		Jobs: []Job{{Tasks: 10, Duration: 2 * second}, {Arrival: 2 * second, Tasks: 10, Duration: second}, {Arrival: 2 * second, Tasks: 10, Duration: second}}}
	var seen []Interval
	f.Observers = []Observer{observe(func(iv *Interval) {
		seen = append(seen, Interval{From: iv.From, To: iv.To, Present: append([]int(nil), iv.Present...)})
	})}
	got := run(t, f)
	want := []Interval{
		{From: 0, To: 2 * second, Present: []int{0}},
		{From: 2 * second, To: 4 * second, Present: []int{1, 2}},
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
	if got.Allocations != 2 {
		t.Errorf("%d allocations, want 2", got.Allocations)
	}
}

type observe func(*Interval)

func (o observe) Observe(iv *Interval) error { o(iv); return nil }

// random makes a workload on one server that keeps it busy.
func random(rng *rand.Rand, n int) Fluid {
	var demands []float64
	var jobs []Job
	for range n {
		demands = append(demands, math.Exp(3*rng.NormFloat64()))
		jobs = append(jobs, Job{Arrival: event.Time(rng.Int64N(1e9)), Tasks: 1 + rng.Int64N(100), Duration: 1 + event.Time(rng.ExpFloat64()*1e8)})
	}
	return Fluid{Env: oneServer(demands...), Jobs: jobs, Policy: equally}
}

func TestWorkIsConserved(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		f := random(rng, 30)
		done, last := make([]float64, 30), make([]float64, 30)
		f.Observers = []Observer{observe(func(iv *Interval) {
			for _, j := range iv.Present {
				last[j] = iv.Allocation.Tasks[j]
				done[j] += last[j] * float64(iv.Span())
			}
		})}
		run(t, f)
		for j, job := range f.Jobs {
			// Rounding up serves less than 1 µs too much.
			if extra := done[j] - job.work(); extra < -1e-9*job.work() || extra > last[j]+1e-9*job.work() {
				t.Errorf("job %d of work %g was given %g more, at rate %g", j, job.work(), extra, last[j])
			}
		}
	}
}

func TestAShiftOfAllArrivalsShiftsAllCompletions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, shift := range []event.Time{-5, 1, 1e15} {
		f := random(rng, 25)
		before := run(t, f)
		for j := range f.Jobs {
			f.Jobs[j].Arrival += shift
		}
		after := run(t, f)
		for j := range after.Jobs {
			after.Jobs[j].Arrival -= shift
			after.Jobs[j].Completion -= shift
			after.Jobs[j].FirstStart -= shift
		}
		if d := cmp.Diff(before.Jobs, after.Jobs); d != "" {
			t.Errorf("shift %d: %s", shift, d)
		}
	}
}

func TestTaskCapsDoNotBoundTheRate(t *testing.T) {
	f := twoJobs(equally)
	capped := Fluid{Env: oneServer(1, 2), Jobs: f.Jobs, Policy: uncapped{t, equally}}
	capped.Env.Users[0].Tasks = 1
	if d := cmp.Diff(run(t, f).Jobs, run(t, capped).Jobs); d != "" {
		t.Error(d)
	}
	if capped.Env.Users[0].Tasks != 1 {
		t.Error("the caller's environment was changed")
	}
}

// uncapped fails the test when it sees a task cap.
type uncapped struct {
	t *testing.T
	policies.Policy
}

func (u uncapped) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	for _, user := range env.Users {
		if !math.IsInf(user.Tasks, 1) {
			u.t.Errorf("user %s is capped at %g tasks", user.Name, user.Tasks)
		}
	}
	return u.Policy.Allocate(env)
}

func TestJobsThatNothingCanHostAreRefusedAndCounted(t *testing.T) {
	f := Fluid{
		Env:    oneServer(1, 1, 1),
		Policy: equally,
		Jobs:   []Job{{Tasks: 10, Duration: second}, {Tasks: 10, Duration: second}, {Tasks: 10, Duration: second}},
	}
	f.Env.Resources = []string{"cpu", "gpu"}
	f.Env.Servers[0].Capacity = []float64{10, 0}
	for j, gpu := range []float64{0, 1, 0} {
		f.Env.Users[j].Demand = []float64{1, gpu}
	}
	f.Env.Users[2].Eligible = cluster.NewSet(1)
	got := run(t, f)
	if got.Refused != 2 || !got.Jobs[1].Refused || !got.Jobs[2].Refused {
		t.Errorf("refused: %+v", got)
	}
	if got.Jobs[0].Completion != second {
		t.Errorf("the other job completes at %d µs: it did not have the server to itself", got.Jobs[0].Completion)
	}
}

func TestAUserThatIsNeverServedIsNamed(t *testing.T) {
	f := Fluid{Env: oneServer(1, 1), Jobs: []Job{{Tasks: 1, Duration: second}, {Arrival: 5, Tasks: 1, Duration: second}}, Policy: nobody}
	_, err := users(f).Run(t.Context())
	var starved *StarvedError
	if !errors.As(err, &starved) || cmp.Diff(starved.Users, []string{"a", "b"}) != "" {
		t.Errorf("error %v", err)
	}
}

func TestAJobBeyondTheClockIsRefused(t *testing.T) {
	f := Fluid{Env: oneServer(1, 1e-12), Jobs: []Job{{Tasks: 1, Duration: second}, {Tasks: 1000, Duration: second}}, Policy: equally}
	f.Env.Users[0].Demand[0], f.Env.Users[1].Demand[0] = 1, 1e12
	got := run(t, f)
	if got.Refused != 1 || !got.Jobs[1].Refused || got.Jobs[0].Refused {
		t.Errorf("refused: %+v", got.Jobs)
	}
}

// Users that are served too slowly are refused at the end, those that are not
// served at all an error.
func TestUsersThatAreServedTooSlowlyAreRefused(t *testing.T) {
	slow := split{func(n int) []float64 { return []float64{1e-300, 1e-300}[:n] }}
	f := Fluid{Env: oneServer(1, 1), Jobs: []Job{{Tasks: 1, Duration: second}, {Arrival: 5, Tasks: 1, Duration: second}}, Policy: slow}
	got := run(t, f)
	want := &Result{Refused: 2, BeyondClock: 2, Allocations: 2, Jobs: []JobResult{
		{Refused: true, BeyondClock: true}, {Arrival: 5, Refused: true, BeyondClock: true},
	}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Result{})); d != "" {
		t.Error(d)
	}
	f.Policy = split{func(n int) []float64 { return []float64{1e-300, 0}[:n] }}
	var starved *StarvedError
	if _, err := users(f).Run(t.Context()); !errors.As(err, &starved) || cmp.Diff(starved.Users, []string{"b"}) != "" {
		t.Errorf("error %v", err)
	}
}

// A job that alone would be done at the last instant of the clock is served, one
// that would be done a little later is refused. Half a clock each is served where
// they come one after the other, not where they share.
func TestTheEndOfTheClock(t *testing.T) {
	last := event.Horizon(0)
	for _, c := range []struct {
		name    string
		jobs    []Job
		refused []bool
	}{
		{"to the last instant", []Job{{Arrival: last - 10*second, Tasks: 10, Duration: 10 * second}}, []bool{false}},
		{"beyond it", []Job{{Arrival: last - 10*second, Tasks: 10, Duration: 11 * second}}, []bool{true}},
		{"beyond it by 2^63", []Job{{Tasks: 1 << 62, Duration: 100 * second}}, []bool{true}},
		{"negative arrivals bring it forward", []Job{{Arrival: event.Earliest, Tasks: 10, Duration: 10 * second}, {Arrival: last - 20*second, Tasks: 10, Duration: 10 * second}}, []bool{false, true}},
		{"half of it", []Job{{Tasks: 10, Duration: last/2 - 1024}, {Arrival: last / 2, Tasks: 10, Duration: last/2 - 1024}}, []bool{false, false}},
		{"half of it, two at once", []Job{{Tasks: 10, Duration: last/2 + 1024}, {Tasks: 10, Duration: last/2 + 1024}}, []bool{true, true}},
		{"beside a short one", []Job{{Tasks: 10, Duration: last - second}, {Tasks: 10, Duration: 2 * second}}, []bool{true, false}},
	} {
		f := Fluid{Env: oneServer([]float64{1, 1}[:len(c.jobs)]...), Policy: equally, Jobs: c.jobs}
		got := run(t, f)
		refused := 0
		for j, want := range c.refused {
			if r := got.Jobs[j]; r.Refused != want || r.BeyondClock != want || !want && !(r.Completion > r.Arrival) {
				t.Errorf("%s: job %d: %+v", c.name, j, r)
			}
			if want {
				refused++
			}
		}
		if got.Refused != refused || got.BeyondClock != refused {
			t.Errorf("%s: %d refused, %d beyond the clock; want %d", c.name, got.Refused, got.BeyondClock, refused)
		}
	}
	// One that could not be done alone does not get in the way of the others.
	f := Fluid{Env: oneServer(1, 1), Policy: equally, Jobs: []Job{{Tasks: 11, Duration: last}, {Tasks: 10, Duration: second}}}
	if got := run(t, f); got.Jobs[1].Completion != second || !got.Jobs[0].BeyondClock {
		t.Errorf("%+v", got.Jobs)
	}
	early := Fluid{Env: oneServer(1), Policy: equally, Jobs: []Job{{Arrival: event.Earliest - 1, Tasks: 1, Duration: second}}}
	if _, err := users(early).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "before the clock") {
		t.Errorf("error %v", err)
	}
}

// A user that may run on half of the servers only and is alone takes its
// standalone JCT: constraints are not the doing of the others.
func TestAConstrainedUserAloneHasFactorOne(t *testing.T) {
	f := Fluid{Env: oneServer(1), Policy: equally, Jobs: []Job{{Tasks: 10, Duration: 2 * second}}}
	f.Env.Servers = append(f.Env.Servers, cluster.Server{Name: "t", Capacity: []float64{10}, Count: 1})
	f.Env.Users[0].Eligible = cluster.NewSet(2, 0)
	p, err := policies.New("tsf-er")
	if err != nil {
		t.Fatal(err)
	}
	f.Policy = p
	if got := run(t, f).Jobs[0]; got.Standalone != 2e6 || got.Factor() != 1 {
		t.Errorf("standalone JCT %g µs, factor %g; want 2e6 and 1", got.Standalone, got.Factor())
	}
}

func TestAnInfeasibleAllocationIsNoticed(t *testing.T) {
	double := split{func(n int) []float64 { return []float64{2, 2}[:n] }}
	f := twoJobs(double)
	if _, err := users(f).Run(t.Context()); err == nil || !strings.Contains(err.Error(), `cpu of server "s": 20 against 10`) {
		t.Errorf("error %v", err)
	}
}

func TestBadJobsAreErrors(t *testing.T) {
	for _, c := range []struct {
		job  Job
		want string
	}{{Job{Tasks: 0, Duration: 1}, "job a: 0 tasks"}, {Job{Tasks: 1, Duration: 0}, "job a: tasks of 0 µs"}} {
		_, err := users(Fluid{Env: oneServer(1), Jobs: []Job{c.job}, Policy: equally}).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c.job, err)
		}
	}
	free := Fluid{Env: oneServer(0), Jobs: []Job{{Tasks: 1, Duration: 1}}, Policy: equally}
	if _, err := users(free).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "user a: demands nothing") {
		t.Errorf("error %v", err)
	}
}

func TestErrorsOfPolicyAndObserverEndTheReplay(t *testing.T) {
	broken := errors.New("broken")
	f := twoJobs(failing{broken})
	if _, err := users(f).Run(t.Context()); !errors.Is(err, broken) || !strings.Contains(err.Error(), "at 0 µs with 1 users") {
		t.Errorf("policy: error %v", err)
	}
	f = twoJobs(equally)
	f.Observers = []Observer{failing{broken}}
	if _, err := users(f).Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("observer: error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Allocate(*cluster.Environment) (*cluster.Allocation, error) { return nil, f.err }
func (f failing) Observe(*Interval) error                                    { return f.err }

func TestForesee(t *testing.T) {
	for _, c := range []struct {
		left, rate float64
		want       event.Time
	}{
		{6, 2, 13}, {6.1, 2, 14}, {1e-9, 2, 11}, {0, 2, 11}, {-1e-9, 2, 11}, {0, 0, 11},
		{6, 0, event.Never}, {1e18, 1e-9, event.Never}, {9.3e18, 1, event.Never}, {math.Inf(1), 1, event.Never},
		{1 << 62, 1, 1<<62 + 10}, {9e18, 1, 9e18 + 10}, {1 << 63, 1, event.Never},
	} {
		if got := foresee(10, event.Horizon(0), c.left, c.rate); got != c.want {
			t.Errorf("%g left at rate %g: %d, want %d", c.left, c.rate, got, c.want)
		}
	}
}
