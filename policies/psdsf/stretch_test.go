package psdsf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// crowdedEnvironments are those in which there can be stretches: everybody needs all resources.
func crowdedEnvironments(seed uint64) *cluster.Environment {
	rng := rand.New(rand.NewPCG(seed, 2700))
	if seed%3 == 0 {
		return twin.Random(rng, twin.Options{Users: 10 + rng.IntN(60), Servers: 2 + rng.IntN(4), Resources: 1 + rng.IntN(4), Weights: true,
			Eligibility: seed%2 == 0, DemandOn: seed%4 == 0})
	}
	return benchmark(10+rng.IntN(90), 2+rng.IntN(6), seed)
}

// The sweeps of a stretch are plain sweeps: it visits those whose pattern changes.
func TestStretchIsSweeps(t *testing.T) {
	made, changed, few := 0, 0, 0
	for seed := range uint64(400) {
		env := crowdedEnvironments(seed)
		rng := rand.New(rand.NewPCG(seed, 2701))
		st, plain := newState(env, usual), newState(env, usual)
		for range 3 + rng.IntN(12) {
			st.sweep(1)
			plain.sweep(1)
		}
		if !st.even() {
			t.Fatalf("environment %d is not even", seed)
		}
		h := &stretch{}
		for range 6 {
			length := shortestStretch << rng.IntN(5)
			if !h.begin(st, length) {
				st.sweep(1)
				plain.sweep(1)
				continue
			}
			h.run()
			made += h.made
			if h.steadily < h.made {
				changed++
			}
			for _, visited := range h.visited {
				if !visited {
					few++
				}
			}
			for range h.made {
				plain.sweep(1)
			}
			for k := range st.groups {
				g := &st.groups[k]
				for i, j := range g.Users {
					if x := plain.groups[k].x[i]; math.Abs(g.x[i]-x) > 1e-10*plain.tasks[j] {
						t.Fatalf("environment %d, user %d, server %d: %.15g after a stretch of %d, %.15g after sweeps", seed, j, k, g.x[i], h.made, x)
					}
				}
			}
		}
	}
	t.Logf("%d sweeps, %d stretches in which a pattern changed, %d users not visited", made, changed, few)
	if made < 2000 || changed < 100 || few < 1000 {
		t.Errorf("%d sweeps, %d stretches in which a pattern changed, %d users not visited: too few", made, changed, few)
	}
}

// Where many take part, Solve goes ahead by stretches, to where plain rounds lead.
func TestSolveLeadsWherePlainRoundsLeadInStretches(t *testing.T) {
	stretched := 0
	for seed := range uint64(30) {
		env := benchmark(60+5*int(seed), 3+int(seed)%3, seed)
		if seed%3 == 0 {
			rng := rand.New(rand.NewPCG(seed, 2702))
			env = twin.Random(rng, twin.Options{Users: 100, Servers: 4, Resources: 3, Weights: true, Eligibility: true, DemandOn: seed%2 == 0})
		}
		want, made, ok := rounds(env, 20_000)
		w := newWalk(newState(env, usual), 1)
		if !ok || !w.settle(leapSweeps) {
			t.Errorf("environment %d: %d rounds (%t)", seed, made, ok)
			continue
		}
		if w.stretches.total > 0 {
			stretched++
		}
		for j, x := range want {
			if math.Abs(x-w.tasks[j]) > 1e-10*x {
				t.Errorf("environment %d: user %d has %.12g, %.12g after %d plain rounds", seed, j, w.tasks[j], x, made)
			}
		}
	}
	if stretched < 15 {
		t.Errorf("only %d of 30 environments had stretches", stretched)
	}
}

// Powers of the map are the map, made so many times.
func TestPowersAreSweeps(t *testing.T) {
	compared := 0
	for seed := range uint64(100) {
		env := benchmark(150+int(seed)%40, 3+int(seed)%2, seed)
		st := newState(env, usual)
		steady := true
		for k := range 30 {
			if _, same := st.sweep(1); k > 26 {
				steady = steady && same
			}
		}
		if !steady {
			continue
		}
		m := newModel(st)
		if !m.dense() {
			t.Fatalf("environment %d: no powers", seed)
		}
		m.run(237)
		got := m.moment.copy()
		m.reset()
		for range 237 {
			m.one()
		}
		compared++
		for q, origin := range m.origin {
			for _, pair := range [][2]float64{{got.change[q], m.change[q]}, {got.dev[q], m.dev[q]}, {got.before[q], m.before[q]}, {got.sum[q], m.sum[q]}} {
				// Changes that count as none are left out, by powers a little later.
				if math.Abs(pair[0]-pair[1]) > 1e-13*float64(got.made)*origin {
					t.Fatalf("environment %d, level %d: %v by powers, %v by sweeps", seed, q, pair[0], pair[1])
				}
			}
		}
		if got.made != 237 {
			t.Errorf("%d sweeps", got.made)
		}
	}
	if compared < 30 {
		t.Errorf("only %d compared", compared)
	}
}
