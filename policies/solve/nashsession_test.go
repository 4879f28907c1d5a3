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

// events lets users come and go and change their weights and caps, and calls check after
// each event with the users that are present.
func events(rng *rand.Rand, env *cluster.Environment, s *Nash, many int, check func(what string, present []int)) {
	here := make([]bool, len(env.Users))
	for event := range many {
		j, what := rng.IntN(len(env.Users)), "comes"
		switch user := &env.Users[j]; {
		case here[j] && rng.IntN(4) == 0:
			user.Weight, what = user.Weight*(0.5+rng.Float64()), "changes its weight"
		case here[j] && rng.IntN(4) == 0 && !math.IsInf(user.Tasks, 1):
			user.Tasks, what = user.Tasks*(0.5+rng.Float64()), "changes its cap"
		case here[j]:
			s.Remove(j)
			here[j], what = false, "goes"
		default:
			s.Add(j)
			here[j] = true
		}
		var present []int
		for i := range here {
			if here[i] {
				present = append(present, i)
			}
		}
		check(fmt.Sprintf("event %d, user %d %s", event, j, what), present)
	}
}

// After any events the session has what a fresh start has among the users present, each
// within its certificate, and absent users nothing.
func TestNashSessionAgreesWithAFreshStart(t *testing.T) {
	restarts, solves := 0, 0
	for kind, opt := range smallKinds {
		for seed := range uint64(12) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)+700))
			env := twin.Random(rng, opt)
			var s, fresh Nash
			s.Load(env)
			events(rng, env, &s, 25, func(what string, present []int) {
				what = fmt.Sprintf("kind %d seed %d, %s", kind, seed, what)
				a, err := s.Allocate()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				want, err := fresh.Solve(env.Subset(present))
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if worst := a.Worst(); worst.Excess > 1e-14 {
					t.Errorf("%s: %v", what, &worst)
				}
				solves++
				if len(present) > 0 && a.Certificate.Pivots == s.steps && s.warm {
					restarts++
				}
				for j, x := range a.Tasks {
					if !slices.Contains(present, j) && x != 0 {
						t.Errorf("%s: user %d is absent and holds %g tasks", what, j, x)
					}
				}
				for i, j := range present {
					within := (a.Certificate.Totals + want.Certificate.Totals) * want.Tasks[i]
					if off := math.Abs(a.Tasks[j] - want.Tasks[i]); !(off <= within) {
						t.Errorf("%s: user %d has %v tasks, after a fresh start %v", what, j, a.Tasks[j], want.Tasks[i])
					}
				}
			})
		}
	}
	t.Logf("%d of %d solves were restarts", restarts, solves)
	if restarts < solves/3 {
		t.Errorf("%d of %d solves were restarts", restarts, solves)
	}
}

// On the instances of the benchmarks nine events in ten need no fresh start, and a few
// steps each.
func TestNashRestartsOnBenchmarks(t *testing.T) {
	for _, size := range [][2]int{{20, 3}, {100, 20}} {
		env := twin.Benchmark(size[0], size[1], 1)
		var s Nash
		s.Load(env)
		for j := range env.Users {
			s.Add(j)
		}
		if _, err := s.Allocate(); err != nil {
			t.Fatal(err)
		}
		steps, cold := 0, 0
		for j := range env.Users {
			for _, change := range []func(int){s.Remove, s.Add} {
				change(j)
				if s.warm && s.restart() {
					steps += s.steps
				} else {
					cold++
					if _, err := s.solve(); err != nil {
						t.Fatalf("%v: user %d: %v", size, j, err)
					}
				}
				if !(s.off <= 1e-8) {
					t.Errorf("%v: user %d: totals are certified to %.3g only", size, j, s.off)
				}
			}
		}
		events := 2 * len(env.Users)
		if mean := float64(steps) / float64(events-cold); mean > 8 || cold > events/10 {
			t.Errorf("%v: %.1f steps an event, %d of %d fresh starts", size, mean, cold, events)
		}
	}
}

// A restart after no event is at the optimum but for the last digits: one step with the matrix
// of its own point finds them, and no step is taken with what an earlier program has left.
func TestNashRestartStepsWithAMatrixOfItsOwn(t *testing.T) {
	steps := 0
	for seed := range uint64(10) {
		env := twin.Benchmark(20, 3, seed)
		var s Nash
		s.Load(env)
		for j := range env.Users {
			s.Add(j)
		}
		want, err := s.Allocate()
		if err != nil {
			t.Fatal(err)
		}
		want = want.Clone()
		for c := range s.e {
			s.e[c] = math.NaN()
		}
		a, err := s.Allocate()
		if err != nil {
			t.Fatal(err)
		}
		if !s.warm || s.steps > 2 {
			t.Errorf("seed %d: %d steps", seed, s.steps)
		}
		steps += s.steps
		for j, x := range a.Tasks {
			if off := math.Abs(x/want.Tasks[j] - 1); !(off <= a.Certificate.Totals+want.Certificate.Totals) {
				t.Errorf("seed %d: user %d has %v tasks, before %v", seed, j, x, want.Tasks[j])
			}
		}
	}
	if steps == 0 {
		t.Error("no restart took a step")
	}
}
