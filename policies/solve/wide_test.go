package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/extended"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// wideKinds are environments that doubles do not certify, or certify wrongly:
// demands over many decades, together with what makes several rounds.
var wideKinds = []twin.Options{
	{Users: 5, Servers: 3, Resources: 2, Links: 2, Decades: 12, Weights: true, ZeroDemands: true, Eligibility: true},
	{Users: 10, Servers: 4, Resources: 3, Links: 3, Decades: 12, Weights: true, ZeroDemands: true, Eligibility: true},
	{Users: 8, Servers: 4, Resources: 2, Links: 3, Decades: 12, Weights: true, ZeroDemands: true, Eligibility: true, ZeroCapacities: true, DemandOn: true, Caps: true},
	{Users: 20, Servers: 5, Resources: 3, Links: 3, Decades: 12, Weights: true, ZeroDemands: true, Eligibility: true},
}

// inExtended returns the totals that package extended finds.
func inExtended(t *testing.T, env *cluster.Environment, norm []float64) []float64 {
	t.Helper()
	all := make([]bool, len(norm))
	for j := range all {
		all[j] = true
	}
	r, err := extended.MaxMin(env, norm, all, func([]bool) float64 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	tasks := make([]float64, len(norm))
	for i, x := range r.X {
		tasks[i/len(env.Servers)] += x
	}
	return tasks
}

// No such environment may be refused.
func TestWideEnvironmentsAreCertified(t *testing.T) {
	fellBack := 0
	for k, opt := range wideKinds {
		for seed := range longOr(500, 200) {
			env := twin.Random(rand.New(rand.NewPCG(seed, uint64(k)+7000)), opt)
			var s MaxMin
			s.Load(env, norms(env))
			for j := range env.Users {
				s.Add(j)
			}
			a, err := s.Solve()
			wantCertified(t, fmt.Sprintf("kind %d seed %d", k, seed), a, err)
			if s.state == cold {
				fellBack++
			}
		}
	}
	t.Logf("%d of %d were solved in extended precision", fellBack, int(longOr(500, 200))*len(wideKinds))
}

// What doubles do certify is right in every later round too. The decades are
// those at which package solve decides between doubles and package extended.
func TestLaterRoundsAgreeWithExtended(t *testing.T) {
	own, several := 0, 0
	for k, opt := range wideKinds[1:3] {
		for decades := 2.0; decades <= 9; decades++ {
			opt.Decades = decades
			for seed := range longOr(70, 35) {
				env := twin.Random(rand.New(rand.NewPCG(seed, uint64(k)+7100)), opt)
				norm := norms(env)
				got, err := solveMaxMin(env, norm)
				what := fmt.Sprintf("kind %d, %g decades, seed %d", k, decades, seed)
				if !wantCertified(t, what, got, err) {
					continue
				}
				own++
				if got.Certificate.Rounds > 1 {
					several++
				}
				for j, x := range inExtended(t, env, norm) {
					if math.Abs(got.Tasks[j]-x) > 1e-8*x {
						t.Errorf("%s: user %d has %.12g tasks, want %.12g", what, j, got.Tasks[j], x)
					}
				}
			}
		}
	}
	if several < own/2 {
		t.Errorf("only %d of %d have several rounds", several, own)
	}
}

// Environments in which rounding of 1e-11 in the first round was a user's whole
// allocation in the second.
func TestRoundingIsNobodysAllocation(t *testing.T) {
	opt := wideKinds[1]
	for _, c := range []struct {
		decades float64
		seed    uint64
	}{{6, 183}, {7, 183}, {7, 235}, {9, 270}} {
		opt.Decades = c.decades
		env := twin.Random(rand.New(rand.NewPCG(c.seed, 7000)), opt)
		norm := norms(env)
		got, err := solveMaxMin(env, norm)
		if wantCertified(t, "seed", got, err) {
			sameTotals(t, fmt.Sprintf("%g decades, seed %d", c.decades, c.seed), got.Tasks, inExtended(t, env, norm), 1e-8)
		}
	}
}

// A session in such an environment ends where a fresh start does.
func TestWideSessions(t *testing.T) {
	for k, opt := range wideKinds {
		rng := rand.New(rand.NewPCG(5, uint64(k)))
		env := twin.Random(rng, opt)
		norm := norms(env)
		var s MaxMin
		s.Load(env, norm)
		here := make([]bool, opt.Users)
		for event := range 30 {
			j := rng.IntN(opt.Users)
			if here[j] = !here[j]; here[j] {
				s.Add(j)
			} else {
				s.Remove(j)
			}
			got, err := s.Solve()
			what := fmt.Sprintf("kind %d event %d", k, event)
			if !wantCertified(t, what, got, err) {
				continue
			}
			var fresh MaxMin
			fresh.Load(env, norm)
			for i, present := range here {
				if present {
					fresh.Add(i)
				}
			}
			want, err := fresh.Solve()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			sameTotals(t, what, got.Tasks, want.Tasks, 1e-8)
		}
	}
}
