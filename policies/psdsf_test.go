package policies_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/policies/psdsf"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// algorithmI is the paper's Algorithm I, plain: rounds over the servers, of
// which each divides itself anew by bisection, until nothing changes.
func algorithmI(env *cluster.Environment) ([]float64, []float64, error) {
	n, servers := len(env.Users), len(env.Servers)
	x := make([][]float64, servers)
	for s := range x {
		x[s] = waterfill(env, s, make([]float64, n))
	}
	for range 100_000 {
		change := 0.0
		for s := range x {
			elsewhere := make([]float64, n)
			for t := range x {
				for j := range elsewhere {
					if t != s {
						elsewhere[j] += x[t][j]
					}
				}
			}
			now := waterfill(env, s, elsewhere)
			for j := range now {
				change = math.Max(change, math.Abs(now[j]-x[s][j])/math.Max(now[j]+elsewhere[j], 1e-300))
			}
			x[s] = now
		}
		if change < 1e-12 {
			total := make([]float64, n)
			for s := range x {
				for j := range total {
					total[j] += x[s][j]
				}
			}
			return total, nil, nil
		}
	}
	return nil, nil, errors.New("algorithm I does not end")
}

// waterfill raises the level of all users of a server together, by bisection,
// until a resource is used up, stops those who need it, and goes on.
func waterfill(env *cluster.Environment, s int, elsewhere []float64) []float64 {
	n, R := len(env.Users), len(env.Resources)
	x, stopped, full := make([]float64, n), make([]bool, n), make([]bool, R)
	for j := range x {
		stopped[j] = !env.MayRun(j, s) || env.Gamma(j, s) == 0
	}
	at := func(j int, level float64) float64 {
		if stopped[j] {
			return x[j]
		}
		return math.Min(math.Max(level*env.Users[j].Weight*env.Gamma(j, s)-elsewhere[j], 0), env.Users[j].Tasks-elsewhere[j])
	}
	over := func(level float64) int {
		for r := range R {
			used := 0.0
			for j := range x {
				used += at(j, level) * env.Demand(j, s)[r]
			}
			if !full[r] && used > env.Capacity(s, r)*(1+1e-15) {
				return r
			}
		}
		return -1
	}
	for {
		low, high := 0.0, 1e-12
		for over(high) < 0 {
			if high *= 2; high > 1e30 {
				for j := range x {
					x[j] = at(j, high) // everybody left is at its cap, or stopped
				}
				return x
			}
		}
		for range 200 {
			if mid := (low + high) / 2; over(mid) >= 0 {
				high = mid
			} else {
				low = mid
			}
		}
		r := over(high)
		full[r] = true
		for j := range x {
			if env.Demand(j, s)[r] > 0 && !stopped[j] {
				x[j], stopped[j] = at(j, low), true
			}
		}
	}
}

// Figure 1 prints what FIFO gives as well, 6 tasks each. Table IV prints where
// the tasks run.
func TestPSDSFByServer(t *testing.T) {
	allNear(t, "figure 1", allocate(t, "ps-dsf", psdsfFigure1()).X, 6, 0, 0, 6)
	allNear(t, "figures 2 and 3", allocate(t, "ps-dsf", psdsfFigure2()).X, 3.6, 0, 3.6, 0, 0, 8, 0, 8)
	a := allocate(t, "ps-dsf", psdsfTable4())
	for j, want := range [][]float64{{40, 170, 0, 0}, {20, 85, 0, 0}, {0, 0, 82.5, 0}, {0, 0, 0, 27.5}} {
		for s, x := range a.On(j) {
			if math.Abs(x-want[s]) > exact*want[s] {
				t.Errorf("user %d on %s: %.9g, want %g", j+1, a.Region.Servers[s].Name, x, want[s])
			}
		}
	}
	a = allocate(t, "ps-dsf", psdsfFigure4())
	allNear(t, "channel 2", []float64{a.On(0)[1], a.On(1)[1]}, .75, .5)
}

// psdsfKinds are the environments on which Theorem 1 is tested, a thousand of
// each.
var psdsfKinds = []twin.Options{
	{Users: 5, Servers: 3, Resources: 2},
	{Users: 6, Servers: 4, Resources: 3, Weights: true, Eligibility: true},
	{Users: 7, Servers: 4, Resources: 3, ZeroDemands: true, ZeroCapacities: true},
	{Users: 6, Servers: 3, Resources: 3, Weights: true, DemandOn: true, Eligibility: true, ZeroDemands: true},
}

func TestPSDSFSatisfiesTheorem1(t *testing.T) {
	p := rule(t, "ps-dsf")
	for k, opt := range psdsfKinds {
		for seed := range uint64(1000) {
			env := twin.Random(rand.New(rand.NewPCG(seed, uint64(k)+1100)), opt)
			a, err := p.Allocate(env)
			if err != nil {
				t.Errorf("kind %d, environment %d: %v", k, seed, err)
				continue
			}
			if b := fair.Bottlenecks(a); b.Shortfall > psdsf.Accuracy {
				t.Errorf("kind %d, environment %d: %s", k, seed, b)
			}
			if err := a.Feasible(solve.Feasibility); err != nil {
				t.Errorf("kind %d, environment %d: %v", k, seed, err)
			}
		}
	}
}

// compare runs two rules on random environments.
func compare(t *testing.T, of, with string, opt twin.Options, tolerance float64) {
	t.Helper()
	p, q := rule(t, of), rule(t, with)
	for seed := range uint64(300) {
		env := twin.Random(rand.New(rand.NewPCG(seed, 1200)), opt)
		a, err := p.Allocate(env)
		if err != nil {
			t.Fatalf("%s, environment %d: %v", of, seed, err)
		}
		b, err := q.Allocate(env)
		if err != nil {
			t.Fatalf("%s, environment %d: %v", with, seed, err)
		}
		if err := differ(a.Tasks, b.Tasks, nil, tolerance); err != nil {
			t.Fatalf("%s and %s, environment %d: %v", of, with, seed, err)
		}
	}
}

func TestPSDSFIsDRFOnOneServer(t *testing.T) {
	compare(t, "ps-dsf", "drf", twin.Options{Users: 8, Servers: 1, Resources: 3, Weights: true, ZeroDemands: true}, 1e-9)
	compare(t, "ps-dsf", "drf", twin.Options{Users: 8, Servers: 1, Resources: 2, Weights: true, Caps: true, Eligibility: true}, 1e-9)
}

func TestPSDSFIsConstrainedMaxMinWithOneResource(t *testing.T) {
	compare(t, "ps-dsf", "cmmf-cpu", twin.Options{Users: 8, Servers: 5, Resources: 1, Weights: true, Eligibility: true}, 1e-7)
}

// Where demands differ between servers it is proportional fairness.
func TestPSDSFIsNashWithOneResource(t *testing.T) {
	compare(t, "ps-dsf", "mnw", twin.Options{Users: 6, Servers: 4, Resources: 1, Weights: true, DemandOn: true}, 1e-5)
}

// Theorem 2 claims Pareto optimality. On these two servers the first user holds
// all of the first and the second all of the second, 5/4 tasks each, and each
// has a bottleneck on both; sharing both servers would give them 31/15 and
// 26/15 tasks.
func TestPSDSFIsNotParetoOptimal(t *testing.T) {
	env := world([]cluster.User{user("u1", 0, 4, 1), user("u2", 0, 1, 4)}, []float64{5, 4}, []float64{5, 5})
	a := allocate(t, "ps-dsf", env)
	allNear(t, "ps-dsf", a.Tasks, 1.25, 1.25)
	if b := fair.Bottlenecks(a); b.Shortfall > 1e-15 {
		t.Error(b)
	}
	better := &cluster.Allocation{Region: env, Tasks: []float64{31. / 15, 26. / 15}, X: []float64{16. / 15, 1, 11. / 15, 1}}
	if err := better.Feasible(1e-12); err != nil {
		t.Error(err)
	}
	for j, x := range a.Tasks {
		if better.Tasks[j] < 1.3*x {
			t.Errorf("user %d has %g instead of %g", j, better.Tasks[j], x)
		}
	}
	var violated *policytest.ViolationError
	if err := policytest.ParetoOptimal(a, 1e-6); !errors.As(err, &violated) {
		t.Errorf("policytest: %v", err)
	}
}

// Theorem 2 claims strategy-proofness. Two users, two servers, and a lie about
// the demands of 1% gains 18%.
func TestPSDSFIsNotStrategyProof(t *testing.T) {
	p, found := rule(t, "ps-dsf"), 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		env := twin.Random(rng, twin.Options{Users: 3, Servers: 2, Resources: 2})
		for range 5 {
			lie, err := policytest.RandomLie(rng, p, env)
			if err != nil {
				t.Fatal(err)
			}
			if lie.Gain() > 1e-3 {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no lie pays")
	}
}

// The rule's claims are those of the paper's table I, and the single resource
// fairness of its Theorem 2.
func TestPSDSFClaims(t *testing.T) {
	meta, err := policies.Lookup("ps-dsf")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range meta.Claims {
		if !c.Holds {
			t.Errorf("table I claims %s", c.Property)
		}
	}
	if len(meta.Claims) != 6 {
		t.Errorf("claims %v", meta.Claims)
	}
}
