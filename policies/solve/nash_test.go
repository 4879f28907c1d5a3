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

// A solver that has failed must solve the next program as a new one does:
// what its last directions hold must not come in.
func TestNashForgetsTheLastProgram(t *testing.T) {
	env := twin.Benchmark(20, 3, 1)
	var fresh, used Nash
	want, err := fresh.Solve(env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := used.Solve(env); err != nil {
		t.Fatal(err)
	}
	for _, v := range [][]float64{used.dy, used.dz, used.dt, used.dpi, used.corr, used.corrRow} {
		for i := range v {
			v[i] = math.Inf(1)
		}
	}
	got, err := used.Solve(env)
	if err != nil {
		t.Fatal(err)
	}
	for j, x := range want.Tasks {
		if got.Tasks[j] != x {
			t.Fatalf("user %d has %v tasks, with a new solver %v", j, got.Tasks[j], x)
		}
	}
}
