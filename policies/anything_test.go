package policies_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// anyRule allocates by every rule and returns what became of it: answered,
// refused (the rule is not defined there) or withheld (not certified), by rule.
// Whatever the environment, an answer holds in rational numbers and is written
// with finite numbers, and no rule panics.
func anyRule(t *testing.T, what string, env *cluster.Environment) map[string]string {
	outcome := map[string]string{}
	for _, name := range policies.Names() {
		a, err := policies.Allocate(rule(t, name), env)
		var unsupported *policies.UnsupportedError
		var invalid *policies.InvalidError
		switch {
		case errors.As(err, &unsupported):
			outcome[name] = "refused"
			continue
		case errors.As(err, &invalid):
			outcome[name] = "invalid: " + err.Error()
			continue
		case err != nil:
			outcome[name] = "withheld: " + err.Error()
			continue
		}
		outcome[name] = "answered"
		if len(a.Region.Servers) == len(env.Servers) {
			holds(t, what+", "+name, env, a)
		}
		metrics := []cluster.Metric{}
		factor, _, err := solve.Domination(a.Region, a.Tasks)
		switch {
		case err != nil:
			outcome[name] = "no domination factor: " + err.Error()
		case math.IsInf(factor, 1): // drf-cpu where the cpu is not where the links lead, say
			if slices.Max(a.Tasks) > 0 {
				t.Errorf("%s, %s: the domination factor of %v is infinite", what, name, a.Tasks)
			}
		default:
			metrics = append(metrics, cluster.Metric{Name: "domination_factor", Value: factor})
		}
		if err := cluster.WriteAllocation(&bytes.Buffer{}, name, a, metrics); err != nil {
			t.Errorf("%s, %s: %v", what, name, err)
		}
	}
	return outcome
}

// holds checks an allocation from the doubles as they are, in rational numbers.
func holds(t *testing.T, what string, env *cluster.Environment, a *cluster.Allocation) {
	t.Helper()
	if excess := overCapacity(env, a); excess > 1e-9 {
		t.Errorf("%s: %.3g of a capacity too much", what, excess)
	}
	for j, u := range env.Users {
		total := new(big.Rat)
		for s, x := range a.On(j) {
			if x < 0 || x > 0 && !env.MayRun(j, s) {
				t.Errorf("%s: user %d holds %g on server %d", what, j, x, s)
			}
			total.Add(total, rational(x))
		}
		if !math.IsInf(u.Tasks, 1) {
			if most := new(big.Rat).Mul(rational(u.Tasks), rational(1+1e-9)); total.Cmp(most) > 0 {
				t.Errorf("%s: user %d holds more than its cap %g", what, j, u.Tasks)
			}
		}
		off := new(big.Rat).Sub(total, rational(a.Tasks[j]))
		if off.Abs(off).Cmp(new(big.Rat).Mul(total, rational(1e-12))) > 0 {
			t.Errorf("%s: the total of user %d is %g", what, j, a.Tasks[j])
		}
	}
}

// stretched moves the numbers of some rows and users far away: units and sizes over
// the range of numbers, or over as many decades as are asked for.
func stretched(rng *rand.Rand, env *cluster.Environment, decades int) *cluster.Environment {
	far := func() float64 { return math.Pow(10, float64(rng.IntN(2*decades+1)-decades)) }
	for r := range env.Resources {
		unit := far()
		for s := range env.Servers {
			env.Servers[s].Capacity[r] *= unit
		}
		for j := range env.Users {
			env.Users[j].Demand[r] *= unit
			for _, d := range env.Users[j].DemandOn {
				d[r] *= unit
			}
		}
	}
	for j := range env.Users {
		if rng.IntN(2) == 0 {
			f := far()
			for r := range env.Resources {
				env.Users[j].Demand[r] *= f
			}
		}
		if rng.IntN(3) == 0 {
			env.Users[j].Weight = far()
		}
	}
	return env
}

// LEONTIEF_CAMPAIGN=N tries N environments of each kind instead of a few.
func TestAnyEnvironmentIsAnsweredOrRefused(t *testing.T) {
	n := 12
	if text := os.Getenv("LEONTIEF_CAMPAIGN"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	all := twin.Options{Users: 5, Servers: 3, Resources: 2, Links: 2, Weights: true, Decades: 12, ZeroDemands: true,
		ZeroCapacities: true, Eligibility: true, DemandOn: true, Caps: true}
	free := twin.Options{Users: 6, Servers: 3, Resources: 2, Weights: true, Decades: 12, ZeroDemands: true, Eligibility: true}
	linked := twin.Options{Users: 6, Servers: 4, Resources: 3, Links: 3, Weights: true, Decades: 12, ZeroDemands: true, ZeroCapacities: true}
	count := map[string]map[string]int{}
	for k, kind := range []struct {
		opt     twin.Options
		decades int
	}{{all, 1}, {free, 1}, {linked, 1}, {linked, 6}, {free, 20}, {all, 60}} {
		for seed := range uint64(n) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+5100))
			env := stretched(rng, twin.Random(rng, kind.opt).Clone(), kind.decades)
			env.Resources = []string{"cpu", "mem", "gpu"}[:len(env.Resources)]
			if cluster.Validate(env) != nil {
				continue
			}
			for name, outcome := range anyRule(t, fmt.Sprintf("kind %d seed %d", k, seed), env) {
				if count[name] == nil {
					count[name] = map[string]int{}
				}
				if len(outcome) > 7 && outcome[:7] == "invalid" {
					t.Errorf("kind %d seed %d, %s: %s", k, seed, name, outcome)
				}
				if len(outcome) > 12 {
					t.Logf("kind %d seed %d, %s: %s", k, seed, name, outcome)
					outcome = "withheld"
				}
				count[name][outcome]++
			}
		}
	}
	for _, name := range policies.Names() {
		t.Logf("%s: %v", name, count[name])
		if count[name]["answered"] == 0 && count[name]["refused"] == 0 {
			t.Errorf("%s answers nothing", name)
		}
	}
}

func FuzzAllocate(f *testing.F) {
	for _, name := range []string{"tsf-mem-over-capacity.json", "zero-link.json", "two-users-wide.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"resources":["cpu"],"servers":[{"name":"s","capacity":[1e-310]}],"users":[{"name":"u","demand":[1]}]}`))
	f.Add([]byte(`{"resources":["cpu"],"servers":[{"name":"s","capacity":[1e150],"count":2000000000}],"users":[{"name":"u","demand":[1e-140],"weight":1e150},{"name":"v","demand":[1e150],"weight":1e-150}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		env, err := cluster.ReadEnvironment(bytes.NewReader(data))
		if err != nil || len(env.Users)*len(env.Servers)*(len(env.Resources)+len(env.Links)) > 300 {
			return
		}
		servers := 0
		for _, s := range env.Servers {
			servers += s.Count
		}
		if servers > 100 { // the rules that choose servers number them one by one
			t.Skip("more than 100 servers: the rules that choose servers number them one by one")
		}
		for name, outcome := range anyRule(t, "fuzz", env) {
			if len(outcome) > 7 && outcome[:7] == "invalid" {
				t.Errorf("%s: %s", name, outcome)
			}
		}
	})
}
