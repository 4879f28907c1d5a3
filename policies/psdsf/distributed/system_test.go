package distributed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
)

const second event.Time = 1_000_000

func everybody(env *cluster.Environment) []bool {
	return slices.Repeat([]bool{true}, len(env.Users))
}

func start(t *testing.T, env *cluster.Environment, seed uint64) *System {
	t.Helper()
	sys, err := New(env, everybody(env), second, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func central(t *testing.T, env *cluster.Environment) []float64 {
	t.Helper()
	p, err := policies.New("ps-dsf")
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Allocate(env)
	if err != nil {
		t.Fatal(err)
	}
	return a.Tasks
}

// table4 is the cluster of the paper's figure 5: 120 servers of four classes.
func table4() *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	for s, c := range [][]float64{{1, 1}, {.5, .5}, {.5, .25}, {.5, .75}} {
		env.Servers = append(env.Servers, cluster.Server{Name: "ABCD"[s : s+1], Capacity: c, Count: []int{8, 68, 33, 11}[s]})
	}
	for j, d := range [][]float64{{.1, .1}, {.1, .2}, {.2, .1}, {.2, .3}} {
		u := cluster.NewUser("u"+string(rune('1'+j)), d)
		if j < 2 {
			u.Weight = 2
		} else {
			u.Eligible = cluster.NewSet(4, 2, 3)
		}
		env.Users = append(env.Users, u)
	}
	return env
}

func near(got, want []float64, tolerance float64) bool {
	for j := range want {
		if math.Abs(got[j]-want[j]) > tolerance*want[j]+1e-9 {
			return false
		}
	}
	return true
}

// After user 4 leaves and after it comes back the servers find table IV, or what
// the rule gives the other three.
func TestServersFindTheCentralAllocationAfterEachChange(t *testing.T) {
	env := table4()
	sys := start(t, env, 1)
	sys.UserAt(100*second, 3, false)
	sys.UserAt(250*second, 3, true)
	without := append(central(t, env.Subset([]int{0, 1, 2})), 0)
	for _, c := range []struct {
		at   event.Time
		want []float64
	}{{99, []float64{210, 105, 82.5, 27.5}}, {249, without}, {299, []float64{210, 105, 82.5, 27.5}}} {
		sys.Advance(c.at * second)
		if a := sys.Allocation(); !near(a.Tasks, c.want, 1e-6) {
			t.Errorf("at %d s: %v, want %v", c.at, a.Tasks, c.want)
		}
	}
	if tr := sys.Traffic(); tr.Actions < 299*120 || tr.Actions > 300*120 || tr.Reports == 0 || tr.Reports > tr.Reads {
		t.Errorf("traffic %+v", tr)
	}
}

// A departure frees what the user held at once, and the others take it within
// the period.
func TestNobodyActsOutOfTurn(t *testing.T) {
	env := table4()
	sys := start(t, env, 2)
	sys.Advance(50 * second)
	before := sys.Allocation()
	sys.UserAt(50*second+1, 3, false)
	sys.Advance(50*second + 1)
	a := sys.Allocation()
	if a.Tasks[3] != 0 || a.Tasks[2] != before.Tasks[2] && sys.Traffic().Actions == 50*120 {
		t.Errorf("just after the departure: %v", a.Tasks)
	}
	sys.Advance(51*second + 1)
	if a = sys.Allocation(); a.Tasks[0]+a.Tasks[1] <= before.Tasks[0]+before.Tasks[1]+1 {
		t.Errorf("a period later nobody has what user 4 had: %v, before %v", a.Tasks, before.Tasks)
	}
	if err := a.Feasible(1e-9); err != nil {
		t.Error(err)
	}
}

// What rests is PS-DSF; with one resource, where PS-DSF is unique, it is the
// central allocation.
func TestWhatRestsIsPSDSF(t *testing.T) {
	rested, equal := 0, 0
	const environments = 500
	for seed := range uint64(environments) {
		rng := rand.New(rand.NewPCG(seed, 2))
		opt := twin.Options{Users: 2 + rng.IntN(7), Servers: 2 + rng.IntN(4), Resources: 1 + rng.IntN(3), Weights: true, Eligibility: seed%2 == 0, ZeroDemands: seed%3 == 0}
		env := twin.Random(rng, opt)
		sys := start(t, env, seed)
		if _, ok := sys.Settle(3000); !ok {
			continue
		}
		rested++
		a := sys.Allocation()
		if b := fair.Bottlenecks(&cluster.Allocation{Region: sys.spread, Tasks: sys.total, X: userMajor(sys)}); b.Shortfall > 1e-5 {
			t.Errorf("environment %d: %s", seed, b)
		}
		same := near(a.Tasks, central(t, env), 1e-5)
		if same {
			equal++
		} else if opt.Resources == 1 {
			t.Errorf("environment %d, one resource: %v, want %v", seed, a.Tasks, central(t, env))
		}
	}
	if rested < environments*95/100 || equal < environments*3/4 {
		t.Errorf("of %d environments %d came to rest, %d at the central allocation", environments, rested, equal)
	}
}

func userMajor(sys *System) []float64 {
	var x []float64
	for j := range sys.total {
		for s := range sys.x {
			x = append(x, sys.x[s][j])
		}
	}
	return x
}

func TestSameSeedSameBytes(t *testing.T) {
	run := func(seed uint64) []float64 {
		sys := start(t, table4(), seed)
		sys.Advance(3*second + 1)
		return sys.Allocation().X
	}
	if !slices.Equal(run(7), run(7)) {
		t.Error("the same seed gives other bytes")
	}
}

func TestWhatNoServerKnowsIsRefused(t *testing.T) {
	for _, change := range []func(env *cluster.Environment){
		func(env *cluster.Environment) { env.Users[0].Tasks = 3 },
		func(env *cluster.Environment) {
			env.Links = []cluster.Link{{Name: "bw", Capacity: 1}}
			env.Users[1].LinkDemand = []float64{1}
		},
	} {
		env := table4()
		change(env)
		if _, err := New(env, everybody(env), second, rand.New(rand.NewPCG(1, 1))); err == nil {
			t.Error("accepted")
		}
	}
}
