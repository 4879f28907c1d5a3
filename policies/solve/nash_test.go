package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
)

func TestNashAgreesWithTwin(t *testing.T) {
	for k, opt := range kinds {
		for seed := range uint64(25) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+400))
			env := twin.Random(rng, opt)
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			want, err := twin.Nash(env)
			if err != nil {
				t.Fatalf("%s: twin: %v", what, err)
			}
			var s Nash
			got, err := s.Solve(env)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			sum, weights := 0.0, 0.0
			for j, x := range got.Tasks {
				if want.Tasks[j] > 0 {
					sum += env.Users[j].Weight * math.Log(x/want.Tasks[j])
					weights += env.Users[j].Weight
				}
			}
			if math.Abs(sum) > 1e-8*weights {
				t.Errorf("%s: %.3g below the twin's welfare (gap %.3g)", what, -sum/weights, got.Certificate.Gap)
			}
			sameTotals(t, what, got.Tasks, want.Tasks, 1e-5)
		}
	}
}

func TestNashLarge(t *testing.T) {
	for _, size := range [][2]int{{20, 3}, {100, 20}, {100, 100}, {1000, 20}, {1000, 100}} {
		for seed := range uint64(3) {
			env := twin.Benchmark(size[0], size[1], seed)
			var s Nash
			a, err := s.Solve(env)
			if err != nil {
				t.Errorf("%v: %v", size, err)
				continue
			}
			t.Logf("%v: %+v", size, a.Certificate)
		}
	}
}
