package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
)

func TestLinearAgreesWithTwin(t *testing.T) {
	for k, opt := range kinds {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+200))
			env := twin.Random(rng, opt)
			etas := env.EtasEligible(nil)
			value, lower := make([]float64, len(etas)), make([]float64, len(etas))
			for j := range etas {
				if etas[j] > 0 {
					value[j] = env.Users[j].Weight / etas[j]
				}
				if seed%2 == 1 {
					lower[j] = math.Min(etas[j]/float64(len(etas)), env.Users[j].Tasks)
				}
			}
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			want, err := twin.Linear(env, value, lower, false)
			if err != nil {
				t.Fatalf("%s: twin: %v", what, err)
			}
			var s Linear
			got, err := s.Solve(env, LinearProblem{Value: value, Lower: lower})
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			sum := 0.0
			for j, x := range got.Tasks {
				sum += value[j] * x
				if x < lower[j]*(1-1e-9) {
					t.Errorf("%s: user %d has %g, below %g", what, j, x, lower[j])
				}
			}
			if math.Abs(sum-want.Value) > 1e-8*want.Value {
				t.Errorf("%s: welfare %.12g, twin %.12g", what, sum, want.Value)
			}
		}
	}
}

func TestEnvyFreeAgreesWithTwin(t *testing.T) {
	for k, opt := range kinds {
		opt.Caps = false
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+300))
			env := twin.Random(rng, opt)
			psi := env.EqualShares(nil)
			value := make([]float64, len(psi))
			for j, eta := range env.Etas(nil) {
				if eta > 0 {
					value[j] = env.Users[j].Weight / eta
				}
			}
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			want, err := twin.Linear(env, value, psi, true)
			if err != nil {
				t.Fatalf("%s: twin: %v", what, err)
			}
			var s Linear
			got, err := s.Solve(env, LinearProblem{Value: value, Lower: psi, EnvyFree: true})
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			sum := 0.0
			for j, x := range got.Tasks {
				sum += value[j] * x
			}
			if math.Abs(sum-want.Value) > 1e-8*want.Value {
				t.Errorf("%s: welfare %.12g, twin %.12g", what, sum, want.Value)
			}
		}
	}
}
