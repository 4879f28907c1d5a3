package psdsf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// flood finds as roots what rise finds by letting users join one by one.
func TestFloodIsRise(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 2400))
		env := twin.Random(rng, twin.Options{Users: 1 + rng.IntN(12), Servers: 1, Resources: 1 + rng.IntN(4), Weights: true, ZeroDemands: seed%2 == 0, ZeroCapacities: seed%3 == 0})
		v := NewServer(env, 0)
		n := len(v.Users)
		elsewhere, want, got := make([]float64, n), make([]float64, n), make([]float64, n)
		for range 3 { // the second and third begin from the levels of the first
			for i, j := range v.Users {
				elsewhere[i] = 0
				if rng.IntN(3) > 0 {
					elsewhere[i] = 2 * rng.Float64() * env.Gamma(j, 0) / float64(n)
				}
			}
			v.Fill(elsewhere, want)
			closed, frozen := slices.Clone(v.closed), slices.Clone(v.Frozen)
			v.flood(got)
			for i := range got {
				if v.whole >= 0 {
					v.stopped(i, got)
				}
			}
			for i, j := range v.Users {
				if math.Abs(got[i]-want[i]) > 1e-12*env.Gamma(j, 0) || v.Frozen[i] != frozen[i] {
					t.Fatalf("environment %d: user %d has %.15g, stopped by %d; %.15g, stopped by %d", seed, j, got[i], v.Frozen[i], want[i], frozen[i])
				}
			}
			for r := range closed {
				if closed[r] != v.closed[r] && math.Abs(closed[r]-v.closed[r]) > 1e-12*closed[r] {
					t.Fatalf("environment %d: resource %d is used up at %.15g, %.15g", seed, r, v.closed[r], closed[r])
				}
			}
		}
	}
}

// Who is left out of a sweep would have got nothing in it.
func TestSweepAmongFewIsSweepAmongAll(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2500))
		env := benchmark(10+rng.IntN(60), 2+rng.IntN(8), seed)
		if seed%3 == 0 {
			env = twin.Random(rng, twin.Options{Users: 40, Servers: 6, Resources: 3, Weights: true, Eligibility: true, ZeroDemands: true})
		}
		few, all := newState(env, usual), newState(env, math.Inf(1))
		step, left := 1-0.5*float64(seed%2), 0
		for round := range 60 {
			few.sweep(step)
			all.sweep(step)
			for k := range few.groups {
				left += len(few.groups[k].Users) - len(few.groups[k].order)
				if got, want := few.groups[k].x, all.groups[k].x; !slices.Equal(got, want) {
					t.Fatalf("environment %d, round %d, server %d: %v, want %v", seed, round, k, got, want)
				}
			}
		}
		if left == 0 && step == 1 {
			t.Errorf("environment %d: nobody is left out", seed)
		}
	}
}

// The model foretells where plain sweeps of one pattern lead.
func TestModelIsSweeps(t *testing.T) {
	foretold := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2600))
		env := benchmark(5+rng.IntN(40), 2+rng.IntN(6), seed)
		if seed%2 == 0 {
			env = twin.Random(rng, twin.Options{Users: 8, Servers: 4, Resources: 3, Weights: true, ZeroDemands: true, DemandOn: true})
		}
		st := newState(env, usual)
		for range 10 + rng.IntN(40) {
			st.sweep(1)
		}
		change, steady := 0.0, true
		for k := 0; k < quiet && steady; k++ {
			change, steady = st.sweep(1)
		}
		if !steady || change <= fine {
			continue
		}
		m := newModel(st)
		far := m.far()
		if far < shortest {
			continue
		}
		tasks := make([][]float64, len(st.groups))
		for k := range tasks {
			tasks[k] = make([]float64, len(st.groups[k].Users))
		}
		for k := range m.held {
			tasks[m.held[k].group][m.held[k].user] = m.tasks(&m.held[k])
		}
		for k := 0; k < m.made && steady; k++ {
			_, steady = st.sweep(1)
		}
		if !steady { // another resource is used up first: leap finds out
			continue
		}
		foretold++
		for k := range st.groups {
			g := &st.groups[k]
			for i, j := range g.Users {
				if math.Abs(g.x[i]-tasks[k][i]) > 1e-9*st.tasks[j] {
					t.Fatalf("environment %d, user %d, server %d: %.15g after %d sweeps, foretold %.15g", seed, j, k, g.x[i], m.made, tasks[k][i])
				}
			}
		}
	}
	if foretold < 40 {
		t.Errorf("only %d of 200", foretold)
	}
}

// before is how Solve went before it had its faster ways: all users of a server
// take part and join one by one, and nothing is leapt over.
func before(env *cluster.Environment) (*walk, bool) {
	st := newState(env, math.Inf(1))
	for k := range st.groups {
		st.groups[k].joins, st.groups[k].work = true, math.MinInt // no need to list all again
	}
	w := newWalk(st, 1)
	w.leaps = false
	ok := w.settle(plainSweeps)
	return w, ok
}

func TestBeforeIsSolve(t *testing.T) {
	for seed := range uint64(20) {
		env := benchmark(40, 6, seed)
		w, ok := before(env)
		r, err := Solve(env)
		if err != nil || !ok {
			t.Fatalf("environment %d: %v, %t", seed, err, ok)
		}
		for j, x := range r.Allocation.Tasks {
			if math.Abs(x-w.tasks[j]) > 1e-9*x {
				t.Errorf("environment %d: user %d has %.15g, before %.15g", seed, j, x, w.tasks[j])
			}
		}
	}
}

// Algorithm I goes on from what the users hold when one of them leaves; so it may
// end elsewhere than from DRF on each server, where Solve begins. That is why
// there is no session that goes on from the last event: an allocation would
// depend on what was before.
func TestGoingOnLeadsElsewhere(t *testing.T) {
	elsewhere, fewer := 0, 0
	for seed := range uint64(60) {
		env := benchmark(20+int(seed), 4+int(seed)%7, seed)
		all := newWalk(newState(env, usual), 1)
		rest := make([]int, len(env.Users)-1)
		for j := range rest {
			rest[j] = j + 1
		}
		afresh, on := newWalk(newState(env.Subset(rest), usual), 1), newWalk(newState(env.Subset(rest), usual), 1)
		if !all.settle(plainSweeps) || !afresh.settle(plainSweeps) {
			t.Fatalf("environment %d does not come to rest", seed)
		}
		for k := range on.groups {
			g := &on.groups[k]
			copy(g.x, all.groups[k].x[1:]) // everybody can run everywhere
			g.reachEverybody()
			g.list(on.tasks, 0)
		}
		if !on.settle(plainSweeps) {
			t.Fatalf("environment %d does not come to rest again", seed)
		}
		fewer += afresh.sweeps - on.sweeps
		for j, x := range afresh.tasks {
			if math.Abs(on.tasks[j]-x) > 1e-6*x {
				elsewhere++
				break
			}
		}
	}
	t.Logf("%d of 60 end elsewhere, after %d sweeps less in the mean", elsewhere, fewer/60)
	if elsewhere == 0 {
		t.Error("going on leads where starting afresh leads: a session would be right")
	}
}

// With several resources the fixed points are a continuum, and the path decides which one is
// reached: where the servers act in another order, all totals are others, and certified.
// So a method that does not follow the rounds, in the levels alone say, would have other answers.
func TestTheOrderOfServersDecides(t *testing.T) {
	for seed := range uint64(3) {
		env := benchmark(1000, 20, seed+1)
		forth, err := Solve(env)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(env.Servers)
		back, err := Solve(env)
		if err != nil {
			t.Fatal(err)
		}
		most, others := 0.0, 0
		for j, x := range forth.Allocation.Tasks {
			by := math.Abs(back.Allocation.Tasks[j]/x - 1)
			if most = max(most, by); by > 1e-6 {
				others++
			}
		}
		t.Logf("environment %d: %d of 1000 users have others, by %.2g at most", seed, others, most)
		if others < 500 {
			t.Errorf("environment %d: only %d of 1000 users have other totals", seed, others)
		}
	}
}
