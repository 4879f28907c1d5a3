package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
)

// The factor of a fraction of a max-min allocation, which leaves room, agrees
// with the twin's; that of the allocation itself is 1 where nothing is wasted.
func TestDominationAgreesWithTwin(t *testing.T) {
	for k, opt := range kinds {
		for seed := range uint64(25) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+500))
			env := twin.Random(rng, opt)
			a, err := solveMaxMin(env, norms(env))
			if err != nil {
				t.Fatal(err)
			}
			full, _, err := Domination(env, a.Tasks)
			if err != nil {
				t.Fatalf("kind %d seed %d: %v", k, seed, err)
			}
			if math.Abs(full-1) > 1e-8 && opt.Decades == 0 {
				t.Errorf("kind %d seed %d: lexicographic max-min has domination factor %.12g", k, seed, full)
			}
			tasks := append([]float64(nil), a.Tasks...)
			for j := range tasks {
				tasks[j] *= 0.2 + 0.7*rng.Float64()
			}
			want, err := twin.Domination(env, tasks)
			if err != nil {
				t.Fatal(err)
			}
			got, better, err := Domination(env, tasks)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			if math.Abs(got-want) > 1e-8*want {
				t.Errorf("%s: factor %.12g, twin %.12g", what, got, want)
			}
			for j, x := range better {
				if x < tasks[j]*(1-1e-9) {
					t.Errorf("%s: user %d falls from %g to %g", what, j, tasks[j], x)
				}
			}
		}
	}
}

func TestDominationOfNothing(t *testing.T) {
	env := twin.Benchmark(3, 3, 1)
	if f, _, err := Domination(env, make([]float64, 3)); err != nil || !math.IsInf(f, 1) {
		t.Errorf("nobody holds anything and could: factor %g, %v", f, err)
	}
	if _, _, err := Domination(env, []float64{1e6, 1e6, 1e6}); err == nil {
		t.Error("infeasible totals are accepted")
	}
}
