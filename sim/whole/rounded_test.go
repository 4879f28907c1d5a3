package whole

import (
	"errors"
	"github.com/leontief-sim/leontief/sim"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

func TestRoundedRulesPassVerification(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	placements, suspensions, stalls := 0, 0, 0
	for k := range 300 {
		env := randomEnv(rng, k%2 == 0)
		jobs := randomJobs(rng, env, 1+rng.IntN(12), k%2 == 0)
		for j := range jobs { // tasks that start together end together in some jobs, and not in others
			for range jobs[j].Tasks * int64(k%8/6) {
				jobs[j].Each = append(jobs[j].Each, max(1, jobs[j].Duration-event.Time(rng.IntN(2))))
			}
		}
		options := Rounding{Fill: Fill(k % 3), Vertex: k%5 == 0, Caps: Bound(k / 4 % 3), Literal: k%7 == 0}
		name := []string{"mnw", "cru"}[k/2%2]
		var logs [2][]string
		slot := []event.Time{0, 2e6, 5e6}[rng.IntN(3)]
		for i := range logs {
			options.Random = rand.NewPCG(uint64(k), 7)
			r := &Replay{Env: env, Jobs: jobs, Rule: Rounded(mustPolicy(t, name), options), Slot: slot, Verify: true, OnEvent: logger(jobs, &logs[i])}
			result, err := r.Run(t.Context())
			if err != nil {
				t.Fatalf("workload %d, %s: %v", k, name, err)
			}
			placements += int(result.Placements)
			suspensions += int(result.Suspensions)
			stalls += result.Stalls
		}
		if diff := logDiff(logs[0], logs[1]); diff != "" {
			t.Fatalf("the same replay again:\n%s", diff)
		}
	}
	if placements < 5000 || suspensions < 500 || stalls == 0 {
		t.Errorf("only %d placements, %d suspensions, %d stalls", placements, suspensions, stalls)
	}
}

// The first pair is uniform among those that fit: of two servers and a user
// that fits on both and one that fits on the second only, three pairs.
func TestFillsAreUniformOverPairs(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{
		{Name: "s", Capacity: []float64{1}, Count: 1}, {Name: "t", Capacity: []float64{2}, Count: 1}}}
	jobs := []sim.Job{
		{User: cluster.NewUser("a", []float64{1}), Tasks: 1, Duration: 5, Arrival: 1},
		{User: cluster.NewUser("b", []float64{2}), Tasks: 1, Duration: 5, Arrival: 1},
	}
	const n = 30000
	var first [3]float64
	source := rand.NewPCG(63, 64)
	for range n {
		seen := false
		r := &Replay{Env: env, Jobs: jobs, Rule: Rounded(mustPolicy(t, "mnw"), Rounding{Random: source}), OnEvent: func(ev *Event) {
			if !seen && ev.Kind == TaskStart {
				first[ev.Server+ev.Job]++
			}
			seen = true
		}}
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, count := range first {
		// Five standard deviations of a count of probability 1/3.
		if math.Abs(count-n/3) > 5*math.Sqrt(n*2/9.) {
			t.Errorf("pair %d is first in %v of %d replays", i, count, n)
		}
	}
}

// Four equal servers and two users with 2 tasks' worth of each: evenly spread,
// no server gets a whole task of either; at a vertex, some do.
func TestTheSplitDecidesWhatRoundingLeaves(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 4}}}
	var jobs []sim.Job
	for _, name := range []string{"a", "b"} {
		jobs = append(jobs, sim.Job{User: cluster.NewUser(name, []float64{1}), Tasks: 2, Duration: 5e6})
	}
	for _, vertex := range []bool{false, true} {
		starts := 0
		r := &Replay{Env: env, Jobs: jobs, Slot: 1e6, OnEvent: func(ev *Event) {
			if ev.At == 0 {
				starts++
			}
		}}
		r.Rule = Rounded(mustPolicy(t, "mnw"), Rounding{Vertex: vertex, Random: rand.NewPCG(1, 1)})
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 0, true: 4}[vertex]; starts != want {
			t.Errorf("vertex %v: %d tasks start at 0, want %d", vertex, starts, want)
		}
	}
}

// With four identical servers and one of another class, cru's own solver ends
// at a vertex over classes, where one user has a class to itself. Its totals
// split in the interior give everybody some of both.
func TestTheInteriorSplitOfASimplexRuleIsNoVertex(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{
		{Name: "s", Capacity: []float64{1}, Count: 4}, {Name: "t", Capacity: []float64{4}, Count: 1},
	}}
	env = env.With([]cluster.User{cluster.NewUser("a", []float64{1}), cluster.NewUser("b", []float64{1})})
	policy := mustPolicy(t, "cru")
	at, err := policy.Allocate(env)
	if err != nil {
		t.Fatal(err)
	}
	if least := slices.Min(at.X); least > 1e-9 {
		t.Fatalf("the rule's own split %v is no vertex: the test shows nothing", at.X)
	}
	split, err := (&rounding{}).interior(env, at)
	if err != nil {
		t.Fatal(err)
	}
	for j, x := range split.Tasks {
		if math.Abs(x-at.Tasks[j]) > 1e-6 {
			t.Errorf("user %d has %g tasks, the rule gives %g", j, x, at.Tasks[j])
		}
		for s, x := range split.On(j) {
			if math.Abs(x-2) > 0.05 {
				t.Errorf("user %d has %g tasks on class %d, the centre is 2", j, x, s)
			}
		}
	}
}

// Totals on the edge of the region exceed it by what their solver may be off,
// and still split at a vertex; totals beyond that do not.
func TestTotalsAtTheEdgeSplitAtAVertex(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 3}}}
	users := env.With([]cluster.User{cluster.NewUser("a", []float64{0.7}), cluster.NewUser("b", []float64{0.3})})
	e, err := (&Replay{Env: env, Jobs: nil, Rule: Rounded(mustPolicy(t, "mnw"), Rounding{Vertex: true, Random: rand.NewPCG(1, 1)})}).start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rule := e.rule.(*rounding)
	for over, fits := range map[float64]bool{-1e-3: true, 0: true, 1e-12: true, 1e-9: true, 9e-9: true, 1e-7: false} {
		totals := []float64{1.5 / 0.7 * (1 + over), 1.5 / 0.3 * (1 + over)}
		split, err := rule.vertex(users, &cluster.Allocation{Tasks: totals})
		if (err == nil) != fits {
			t.Errorf("%g over the edge: %v", over, err)
			continue
		}
		for j := range totals {
			if fits && split.Tasks[j] < totals[j]*(1-1.1e-8) {
				t.Errorf("%g over the edge: user %d is left %g of %g tasks", over, j, split.Tasks[j], totals[j])
			}
		}
	}
}

// counting counts how often a policy is asked.
type counting struct {
	policies.Policy
	asked *int
}

func (c counting) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	*c.asked++
	return c.Policy.Allocate(env)
}

// Two users with many short tasks: every slot is a reallocation, and the rule is
// asked only when a user has come or left. What starts is what a rule would start
// that is asked every time.
func TestTheRuleIsAskedOncePerSetOfUsers(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: 2}}}
	jobs := []sim.Job{
		{User: cluster.NewUser("a", []float64{1}), Tasks: 40, Duration: 7e5},
		{User: cluster.NewUser("b", []float64{2}), Tasks: 12, Duration: 7e5},
		{User: cluster.NewUser("c", []float64{1}), Tasks: 1, Duration: 3e6, Arrival: 5e6},
	}
	for _, vertex := range []bool{false, true} {
		asked := 0
		var logs [2][]string
		var results [2]*sim.Result
		for i := range logs {
			r := &Replay{Env: env, Jobs: jobs, Slot: 1e6, OnEvent: logger(jobs, &logs[i]),
				Rule: Rounded(counting{mustPolicy(t, "mnw"), &asked}, Rounding{Vertex: vertex, Random: rand.NewPCG(1, 1)})}
			e, err := r.start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for more := true; more; {
				if i == 1 {
					e.rule.(*rounding).shared = nil
				}
				if more, err = step(e); err != nil {
					t.Fatal(err)
				}
			}
			results[i] = &e.result
			if i == 0 && (asked != 4 || e.result.Allocations < 10) {
				t.Errorf("vertex %v: asked %d times at %d reallocations", vertex, asked, e.result.Allocations)
			}
		}
		if diff := logDiff(logs[1], logs[0]); diff != "" || asked < results[1].Allocations {
			t.Errorf("vertex %v, asked %d times in all:\n%s", vertex, asked, diff)
		}
	}
}

// Two users share a server of 4, until one leaves: the other then has all of it,
// or, where users keep their part, still the half.
func TestUsersThatHaveLeftKeepTheirPart(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: 1}}}
	jobs := []sim.Job{
		{User: cluster.NewUser("short", []float64{1}), Tasks: 2, Duration: 1e6},
		{User: cluster.NewUser("long", []float64{1}), Tasks: 8, Duration: 60e6},
	}
	for _, keep := range []bool{false, true} {
		running := 0 // tasks of the long one, after 10 s
		r := &Replay{Env: env, Jobs: jobs, Slot: 1e6, OnEvent: func(ev *Event) {
			if jobs[ev.Job].User.Name == "long" && ev.At <= 10e6 {
				running += map[EventKind]int{TaskStart: 1, TaskSuspend: -1, TaskEnd: -1}[ev.Kind]
			}
		}}
		r.Rule = Rounded(mustPolicy(t, "mnw"), Rounding{Keep: keep, Random: rand.NewPCG(1, 1)})
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 4, true: 2}[keep]; running != want {
			t.Errorf("keep %v: %d tasks run after 10 s, want %d", keep, running, want)
		}
	}
}

// A rule whose totals no split attains is refused, not replaced by a vertex.
func TestTotalsThatCannotBeSplitAreRefused(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}}}
	env = env.With([]cluster.User{cluster.NewUser("a", []float64{1})})
	var unsupported *policies.UnsupportedError
	if _, err := (&rounding{}).interior(env, &cluster.Allocation{Tasks: []float64{2}}); !errors.As(err, &unsupported) {
		t.Errorf("2 tasks on a server for 1: %v", err)
	}
}

func TestUnusableInputIsAnError(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}}}
	good := sim.Job{User: cluster.NewUser("a", []float64{1}), Tasks: 1, Duration: 1, Arrival: 5}
	none, instantaneous, strange, free := good, good, good, good
	none.Tasks, instantaneous.Duration = 0, 0
	strange.User.Demand, free.User.Demand = []float64{math.NaN()}, []float64{0}
	for name, jobs := range map[string][]sim.Job{"tasks": {none}, "duration": {instantaneous}, "demand": {strange}, "no demand": {free}} {
		if _, err := (&Replay{Env: env, Jobs: jobs, Rule: FIFO()}).Run(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := ShareOrdered(mustPolicy(t, "mnw")); err == nil {
		t.Error("mnw is served in order of shares")
	}
	pooled := &Replay{Env: env, Jobs: []sim.Job{good}, Slot: 5, Rule: Rounded(mustPolicy(t, "drf"), Rounding{Random: rand.NewPCG(1, 1)})}
	pooled.Env = env.With(nil)
	pooled.Env.Servers = append(pooled.Env.Servers, cluster.Server{Name: "t", Capacity: []float64{1}, Count: 1})
	var unsupported *policies.UnsupportedError
	if _, err := pooled.Run(t.Context()); !errors.As(err, &unsupported) {
		t.Errorf("drf, rounded: %v", err)
	}
}

// The "hour" is 4 s. One task of a takes half of the server from 0 to 3; two of
// b, which arrives at 1, take all of it one after the other, up to 7; c takes a
// quarter from 13 to 17. Instants without a user do not count: in (4, 8) b is
// there for 3 s, in (8, 12) nobody, in (12, 16) c for 3 s.
func TestSamplesAverageThePastPeriod(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: 1}},
		Links: []cluster.Link{{Name: "l", Capacity: 8}}}
	jobs := []sim.Job{
		{User: cluster.NewUser("a", []float64{2}, 4), Tasks: 1, Duration: 3e6},
		{User: cluster.NewUser("b", []float64{4}, 0), Tasks: 2, Duration: 2e6, Arrival: 1e6},
		{User: cluster.NewUser("c", []float64{1}, 0), Tasks: 1, Duration: 4e6, Arrival: 13e6},
	}
	var got []Sample
	r := &Replay{Env: env, Jobs: jobs, Rule: FIFO(), SampleEvery: 4e6, Verify: true, OnSample: func(s *Sample) error {
		c := *s
		c.Used = append([]float64(nil), s.Used...)
		got = append(got, c)
		return nil
	}}
	result, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// a runs in (0, 3), b's tasks in (3, 5) and (5, 7): 2·3 + 4·1 of 16 in the
	// first period; two tasks of b wait in (1, 3), one in (3, 5).
	want := []Sample{
		{At: 0, Running: 1, Present: 1, Arrived: 1},
		{At: 4e6, Used: []float64{10. / 16, 12. / 32}, Waiting: 1, Running: 1, Present: 1, MeanWaiting: 5. / 4, Arrived: 2},
		{At: 8e6, Used: []float64{1, 0}, MeanWaiting: 1. / 4},
		{At: 12e6},
		{At: 16e6, Used: []float64{1. / 4, 0}, Running: 1, Present: 1, Arrived: 1},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	// Over 11 s with a user: 2·3 + 4·4 + 4 of 4·11, and 4·3 of 8·11.
	mean := result.Utilization
	if diff := cmp.Diff([]float64{26. / 44, 12. / 88}, mean.Rows); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{26. / 44}, mean.Resources); diff != "" {
		t.Error(diff)
	}
}

// given is a rule that gives one user so many tasks, on the one class there is.
type given float64

func (g given) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	x := []float64{float64(g)}
	return &cluster.Allocation{Region: env, X: x, Tasks: x, Share: []float64{0}}, nil
}

// InteriorSplit implements [policies.InteriorSplitter].
func (given) InteriorSplit() {}

// An x that is short of a whole number by what its solver may be off starts that
// number of tasks; one that is short by more does not.
func TestWholeNumbersBelowTheAccuracyOfTheSolverCount(t *testing.T) {
	for x, want := range map[float64]int{
		3: 3, 3 - 5e-7: 3, 1 - 5e-7: 1, 3 - 2e-6: 2, 1 - 2e-6: 0, 2.999: 2, 3.9: 3,
		5000 * (1 - 5e-10): 5000, 5000 * (1 - 5e-9): 4999, 5000 - 1e-3: 4999, 0: 0,
	} {
		starts := 0
		r := &Replay{Env: cores(6000), Slot: 10e6, Rule: Rounded(given(x), Rounding{Random: rand.NewPCG(1, 1)}),
			Jobs: []sim.Job{{User: cluster.NewUser("a", []float64{1}), Tasks: 5500, Duration: 1e6}},
			OnEvent: func(ev *Event) {
				if ev.At == 0 && ev.Kind == TaskStart {
					starts++
				}
			}}
		e, err := r.start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := step(e); err != nil {
			t.Fatal(err)
		}
		if starts != want {
			t.Errorf("x = %v: %d tasks start, want %d", x, starts, want)
		}
	}
}

// A division that is kept while caps fall that do not bind is the one that the rule would
// give now: its totals under mnw, where they are unique, and its welfare under the others.
func TestSlackCapsLeaveTheDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	kept, slots := 0, 0
	for k := range 200 {
		env := randomEnv(rng, k%2 == 0)
		jobs := randomJobs(rng, env, 2+rng.IntN(6), k%2 == 0)
		for j := range jobs {
			jobs[j].Tasks *= 6
		}
		rule := Rounded(mustPolicy(t, []string{"mnw", "cru", "utilitarian", "ru"}[k%4]), Rounding{
			Caps: BoundLeft, Fill: Fill(k % 3), Vertex: k%5 == 0, Literal: k%7 == 0, Random: rand.NewPCG(1, 1)}).(rounded)
		r := &Replay{Env: env, Jobs: jobs, Slot: 2e6, Rule: keptDivisions{rule, t, &kept, &slots}}
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatalf("workload %d: %v", k, err)
		}
	}
	if kept < 1000 || slots-kept < 1000 {
		t.Errorf("%d of %d divisions were kept", kept, slots)
	}
}

type keptDivisions struct {
	rounded
	t           *testing.T
	kept, slots *int
}

func (k keptDivisions) open(e *run) scheduler {
	return &checkedDivisions{k.rounded.open(e).(*rounding), k}
}

type checkedDivisions struct {
	*rounding
	keptDivisions
}

func (c *checkedDivisions) events() error                             { return c.rounding.events() }
func (c *checkedDivisions) restart() bool                             { return c.rounding.restart() }
func (c *checkedDivisions) Norm(u *cluster.User) (*order.Norm, error) { return c.rounding.Norm(u) }

func (c *checkedDivisions) slot() error {
	before := slices.Clone(c.shared)
	if err := c.rounding.slot(); err != nil {
		return err
	}
	*c.slots++
	if !slices.Equal(before, c.shared) || slices.EqualFunc(c.present, c.shared, func(at int32, u capped) bool { return c.capped(at) == u }) {
		return nil
	}
	*c.kept++
	policy := c.rounding.policy
	afresh, err := policies.AllocateBounded(policy, c.Env.With(c.cast()))
	if err != nil {
		return err
	}
	_, unique := policy.(policies.InteriorSplitter)
	etas := afresh.Region.Etas(nil)
	have, want := 0.0, 0.0
	for j, x := range afresh.Tasks {
		weight := afresh.Region.Users[j].Weight
		if c.keptDivisions.policy != mustPolicy(c.t, "utilitarian") {
			weight /= etas[j]
		}
		have, want = have+weight*c.totals[j], want+weight*x
		if unique && math.Abs(c.totals[j]-x) > 1e-7*x {
			c.t.Errorf("user %d has %.12g, asked afresh %.12g", j, c.totals[j], x)
		}
	}
	if !unique && math.Abs(have-want) > 1e-7*want {
		c.t.Errorf("a welfare of %.12g, asked afresh %.12g", have, want)
	}
	return nil
}
