package extended

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func nothing([]bool) float64 { return 0 }

func everyone(env *cluster.Environment) []bool {
	all := make([]bool, len(env.Users))
	for j := range all {
		all[j] = true
	}
	return all
}

// totals solves for all users.
func totals(t *testing.T, what string, env *cluster.Environment, norm []float64, least float64) []float64 {
	t.Helper()
	r, err := MaxMin(env, norm, everyone(env), func([]bool) float64 { return least })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if !(r.Gap <= 1e-30 && r.Excess <= 1e-60) {
		t.Errorf("%s: gap %g, excess %g", what, r.Gap, r.Excess)
	}
	sums := make([]float64, len(env.Users))
	for i, x := range r.X {
		if x < 0 {
			t.Errorf("%s: x[%d] is %g", what, i, x)
		}
		sums[i/len(env.Servers)] += x
	}
	return sums
}

func want(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	for j, x := range want {
		if math.Abs(got[j]-x) > 4e-16*x {
			t.Errorf("%s: user %d has %.17g tasks, want %.17g", what, j, got[j], x)
		}
	}
}

// TSF-ER's figure 2: 30/7 and 75/14.
func TestFigure2(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "a", Capacity: []float64{5, 10}, Count: 1}, {Name: "b", Capacity: []float64{10, 5}, Count: 1}},
		Links:     []cluster.Link{{Name: "bw", Capacity: 15}},
		Users:     []cluster.User{cluster.NewUser("u1", []float64{2, 1}, 2.5), cluster.NewUser("u2", []float64{1, 2}, 0.5)},
	}
	want(t, "figure 2", totals(t, "figure 2", env, []float64{6, 7.5}, 0), 30./7, 75./14)
	env.Users[0].Tasks = 3 // u2 then gets all that is left
	want(t, "with a cap", totals(t, "with a cap", env, []float64{6, 7.5}, 0), 3, 6)
}

// What user a leaves of the link is the difference of nearly equal numbers, and
// what b gets is that over a tiny demand.
func TestWhatIsLeftIsExact(t *testing.T) {
	const cpu, tiny = 1 - 3e-13, 1e-13
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{cpu}, Count: 1}},
		Links:     []cluster.Link{{Name: "l", Capacity: 1}},
		Users:     []cluster.User{cluster.NewUser("a", []float64{1}, 1), cluster.NewUser("b", []float64{0}, tiny)},
	}
	left, _ := new(big.Rat).Quo(new(big.Rat).Sub(big.NewRat(1, 1), rational(cpu)), rational(tiny)).Float64()
	want(t, "left over", totals(t, "left over", env, []float64{1, 1}, 0), cpu, left)
}

// A user of infinite norm is filled first; here it takes a whole server.
func TestTiers(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{6}, Count: 1}, {Name: "t", Capacity: []float64{1}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("a", []float64{2}), cluster.NewUser("b", []float64{1}), cluster.NewUser("c", []float64{3})},
	}
	env.Users[0].Eligible, env.Users[1].Eligible = cluster.NewSet(2, 0), cluster.NewSet(2, 0)
	env.Users[2].Eligible = cluster.NewSet(2)
	norm := []float64{math.Inf(1), 6, 2}
	want(t, "tiers", totals(t, "tiers", env, norm, 1e-4), 3, 0, 0)
	env.Users[1].Eligible = nil
	want(t, "tiers", totals(t, "tiers", env, norm, 1e-4), 3, 1, 0)
}

func TestUnboundedDemands(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{6}, Count: 1}},
		Users: []cluster.User{cluster.NewUser("a", []float64{0})},
	}
	if _, err := MaxMin(env, []float64{1}, everyone(env), nothing); err == nil {
		t.Error("a user that needs nothing has an allocation")
	}
}

func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// binary returns the environment in rational numbers, every double exactly.
func binary(env *cluster.Environment) *exact.Environment {
	e := exact.New(env)
	for s := range e.Capacity {
		for r := range e.Capacity[s] {
			e.Capacity[s][r] = rational(env.Capacity(s, r))
		}
	}
	for l := range e.Links {
		e.Links[l] = rational(env.Links[l].Capacity)
	}
	for j := range env.Users {
		e.Weight[j] = big.NewRat(1, 1) // the norms have it
		for s := range e.Demand[j] {
			for r, d := range env.Demand(j, s) {
				e.Demand[j][s][r] = rational(d)
			}
		}
		for l := range e.Link[j] {
			e.Link[j][l] = rational(env.LinkDemand(j, l))
		}
		if n := env.Users[j].Tasks; !math.IsInf(n, 1) {
			e.Tasks[j] = rational(n)
		}
	}
	return e
}

// norms returns w[j] times what the best server alone can hold.
func norms(env *cluster.Environment) []float64 {
	norm := make([]float64, len(env.Users))
	for j, u := range env.Users {
		for s := range env.Servers {
			if env.MayRun(j, s) {
				norm[j] = max(norm[j], u.Weight*env.Gamma(j, s))
			}
		}
		if math.IsInf(norm[j], 1) { // links alone bound it
			norm[j] = u.Weight
		}
	}
	return norm
}

func TestAgreesWithRationals(t *testing.T) {
	rounds := 0
	for k, opt := range []twin.Options{
		{Users: 4, Servers: 2, Resources: 2, Links: 2, Weights: true, Decades: 12, ZeroDemands: true, Eligibility: true},
		{Users: 3, Servers: 2, Resources: 2, Links: 1, Weights: true, Decades: 12, ZeroDemands: true, ZeroCapacities: true, DemandOn: true, Caps: true},
		{Users: 4, Servers: 3, Resources: 1, Links: 2, Weights: true, Decades: 7, ZeroDemands: true, Eligibility: true, Caps: true},
	} {
		for seed := range uint64(60) {
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			env := twin.Random(rand.New(rand.NewPCG(seed, uint64(k)+900)), opt)
			norm, exactly := norms(env), make([]*big.Rat, opt.Users)
			for j, v := range norm {
				exactly[j] = rational(v)
			}
			x, err := binary(env).MaxMin(exactly)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for j, got := range totals(t, what, env, norm, 0) {
				if f, _ := x[j].Float64(); math.Abs(got-f) > 1e-15*f {
					t.Errorf("%s: user %d has %.17g tasks, want %.17g", what, j, got, f)
				}
				if x[j].Sign() > 0 {
					rounds++
				}
			}
		}
	}
	if rounds < 300 {
		t.Errorf("only %d users have anything", rounds)
	}
}

// The same answer whatever the order of the users, whose keys and pivots differ.
func TestOrderDoesNotMatter(t *testing.T) {
	opt := twin.Options{Users: 30, Servers: 6, Resources: 3, Links: 3, Weights: true, Decades: 12, ZeroDemands: true, Eligibility: true}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 77))
		env := twin.Random(rng, opt)
		norm, order := norms(env), rng.Perm(opt.Users)
		image := make([]float64, len(order))
		for i, j := range order {
			image[i] = norm[j]
		}
		first := totals(t, "in order", env, norm, 0)
		for i, x := range totals(t, "permuted", env.Subset(order), image, 0) {
			if y := first[order[i]]; math.Abs(x-y) > 1e-15*y {
				t.Errorf("seed %d: user %d has %.17g and %.17g tasks", seed, order[i], y, x)
			}
		}
	}
}

// Coefficients that are negligible beside others are refused, not taken for 0.
func TestNumbersTooFarApartAreRefused(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1, 1}, Count: 1}},
		Users: []cluster.User{cluster.NewUser("a", []float64{1, 1e-40}), cluster.NewUser("b", []float64{0, 1})},
	}
	want(t, "40 decades", totals(t, "40 decades", env, []float64{1, 1}, 0), 1, 1)
	env.Users[0].Demand[1] = 1e-60
	if _, err := MaxMin(env, []float64{1, 1}, everyone(env), nothing); err != ErrPrecision {
		t.Errorf("60 decades: %v", err)
	}
	q := LinearProblem{Value: []float64{1, 1}, Present: everyone(env)}
	if _, err := Linear(env, q); err != ErrPrecision {
		t.Errorf("60 decades, linear: %v", err)
	}
}
