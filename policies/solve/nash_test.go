package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func TestNashAgreesWithTwin(t *testing.T) {
	for k, opt := range kinds {
		for seed := range longOr(25, 10) {
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
			sameTotals(t, what, got.Tasks, want.Tasks, 1e-6)
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

// Totals on the boundary of the region, as caps: every user gets its cap, and
// capacities bind with the caps. With the fastest steps the last one left the
// capacity rows 1e-8 off.
func TestNashWithCapsOnTheBoundary(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers: []cluster.Server{{Name: "s1", Capacity: []float64{1, 1}, Count: 1},
			{Name: "s2", Capacity: []float64{1.7, 0.30000000000000004}, Count: 1}, {Name: "s3", Capacity: []float64{0.30000000000000004, 1.7}, Count: 1}},
		Links: []cluster.Link{{Name: "bw", Capacity: 2}},
	}
	for _, u := range []struct{ cpu, mem, link, tasks float64 }{
		{0.012, 0.0052, 0.012231747019569052, 113.94273199876798}, {0.033, 0.072, 0.024268149643785694, 18.917267335442517}} {
		user := cluster.NewUser("", []float64{u.cpu, u.mem})
		user.LinkDemand, user.Tasks = []float64{u.link}, u.tasks
		env.Users = append(env.Users, user)
	}
	for _, part := range []float64{1, 1 - 1e-6, .5} {
		capped := env.With(slices.Clone(env.Users))
		for j := range capped.Users {
			capped.Users[j].Tasks *= part
		}
		var s Nash
		a, err := s.Solve(capped)
		if err != nil {
			t.Errorf("%g of the caps: %v", part, err)
			continue
		}
		for j, u := range capped.Users {
			if math.Abs(a.Tasks[j]-u.Tasks) > 1e-7*u.Tasks {
				t.Errorf("%g of the caps: user %d has %v tasks, want its cap of %v", part, j, a.Tasks[j], u.Tasks)
			}
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
	for _, v := range [][]double{used.fine.work, used.fine.cost, used.fine.price, used.fine.used, used.fine.total} {
		for i := range v {
			v[i] = double{math.NaN(), math.NaN()}
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
