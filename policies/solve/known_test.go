package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// cautious is the program of cru.
func cautious(env *cluster.Environment) LinearProblem {
	value := env.Etas(nil)
	for j, eta := range value {
		if value[j] = 0; eta > 0 {
			value[j] = env.Users[j].Weight / eta
		}
	}
	return LinearProblem{Value: value, Lower: env.EqualShares(nil), EnvyFree: true}
}

// Rows against envy that are known beforehand, of any pairs, change neither the optimum
// nor who envies whom; those that bind save rounds.
func TestKnownRowsChangeNoOptimum(t *testing.T) {
	rounds, saved := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1700))
		env := twin.Random(rng, twin.Options{Users: 2 + rng.IntN(9), Servers: 1 + rng.IntN(4), Resources: 1 + rng.IntN(3), Links: rng.IntN(3),
			Weights: seed%2 == 0, Eligibility: seed%3 == 0, DemandOn: seed%5 == 0})
		if seed%10 == 9 {
			env = twin.Benchmark(20, 3, seed)
		}
		q := cautious(env)
		welfare := func(a *cluster.Allocation) (sum float64) {
			for j, x := range a.Tasks {
				sum += q.Value[j] * x
			}
			return sum
		}
		var s Linear
		a, err := s.Solve(env, q)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, before := welfare(a), a.Certificate.Rounds
		q.Known = s.Binding(nil)
		for try := range 2 {
			a, err := s.Solve(env, q)
			if err != nil {
				t.Fatalf("seed %d, try %d: %v", seed, try, err)
			}
			if got := welfare(a); math.Abs(got-want) > 1e-8*want {
				t.Errorf("seed %d, try %d: the welfare is %.15g, without known rows %.15g", seed, try, got, want)
			}
			if try == 0 {
				rounds, saved = rounds+before, saved+before-a.Certificate.Rounds
			}
			q.Known = nil
			for range 10 {
				if j, i := rng.IntN(len(env.Users)), rng.IntN(len(env.Users)); i != j {
					q.Known = append(q.Known, [2]int{j, i})
				}
			}
		}
	}
	if t.Logf("%d of %d rounds saved", saved, rounds); saved < rounds/4 {
		t.Errorf("%d of %d rounds saved", saved, rounds)
	}
}
