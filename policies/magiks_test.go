package policies_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// section4C is the example of section IV-C of the MAGIKS paper.
func section4C() *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"a", "b", "c"},
		Servers: []cluster.Server{{Name: "server", Capacity: []float64{1, 1, 1}, Count: 2}}}
	for j, d := range [][]float64{{1, .1, .1}, {.1, 1, .1}, {.5, .1, 1}, {1, .2, .3}} {
		env.Users = append(env.Users, cluster.NewUser(string(rune('1'+j)), d))
	}
	return env
}

func choose(t *testing.T, name string, env *cluster.Environment) *policies.Association {
	t.Helper()
	a, err := rule(t, name).(policies.Chooser).Choose(env)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}

// Whatever the seed, the example ends at {1,2}{3,4} (loads 1.1 and 1.5) or at
// {1,3}{2,4} (1.5 and 1.2).
func TestMAGIKSOnItsExample(t *testing.T) {
	for _, name := range []string{"magiks-rim", "magiks-rim[seed=7]", "magiks-rim[seed=3,to=best]", "magiks-rim[to=pair]", "magiks-bim", "magiks-bim[gain=ratio,seed=2]", "magiks-bim[gain=tasks]"} {
		a := choose(t, name, section4C())
		with, tasks := 1, []float64{1 / 1.1, 1 / 1.1, 1 / 1.5, 1 / 1.5}
		if a.Server[0] == a.Server[2] {
			with, tasks = 2, []float64{1 / 1.5, 1 / 1.2, 1 / 1.5, 1 / 1.2}
		}
		if a.Server[0] != a.Server[with] || a.Server[3-with] != a.Server[3] || a.Server[0] == a.Server[3] {
			t.Errorf("%s: association %v", name, a.Server)
		}
		allNear(t, name, a.Tasks, tasks...)
		got := allocate(t, name, section4C())
		allNear(t, name+", of the class", got.X, tasks...)
	}
}

// Section V-B: envy of 2 is reached with one user more than servers, all alike.
func TestEnvyOfTwoIsReached(t *testing.T) {
	env := section4C()
	env.Users = env.Users[:3]
	for j := range env.Users {
		env.Users[j].Demand = []float64{1, 1, 1}
	}
	for _, name := range []string{"magiks-rim", "magiks-bim"} {
		if e := choose(t, name, env).Choice().Envy(); e.Sat != 0.5 {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// MAGIKS has no weights, and with weights neither 2EF nor MMS holds at its
// equilibria: a user of weight 4 and one of weight 1, alone on a server each, run
// as much, so the first envies the second by 4; on one server the second runs a
// fifth of what the server holds, and its maximin share is half of that. So the
// claims leave weights out, and so does every list of them.
func TestWeightsBreakTwoEFAndMMS(t *testing.T) {
	env := section4C()
	env.Users = env.Users[:2]
	for j := range env.Users {
		env.Users[j].Demand = []float64{1, 1, 1}
	}
	env.Users[0].Weight = 4
	for _, name := range []string{"magiks-rim", "magiks-bim"} {
		if e := choose(t, name, env).Choice().Envy(); e.Sat != 0.25 {
			t.Errorf("%s: %v, want 1/4", name, e)
		}
		one := env.Clone()
		one.Servers[0].Count = 1
		if p := choose(t, name, one).Choice().MaximinShare(); p.User != 1 || math.Abs(p.Ratio-0.4) > 1e-12 {
			t.Errorf("%s: %v, want 2/5", name, p)
		}
		meta, err := policies.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []policies.Property{policies.TwoE, policies.MMS} {
			if !slices.Contains(meta.NotClaimedWith(p), "weights") {
				t.Errorf("%s: %s is claimed with weights, outside %v", name, p, meta.NotClaimedWith(p))
			}
		}
	}
}

// LEF, LSI and LPO hold at equilibria with weights too.
func TestLocalPropertiesHoldWithWeights(t *testing.T) {
	env := section4C()
	rng := rand.New(rand.NewPCG(81, 82))
	for range 200 {
		for j := range env.Users {
			env.Users[j].Weight = float64(1 + rng.IntN(9))
		}
		c := choose(t, "magiks-rim", env).Choice()
		if e, p, s := c.LocalEnvy(), c.LocalSharing(), c.LocalSlack(); e.Sat < 1-1e-9 || p.Ratio < 1-1e-9 || s.Relative > 1e-9 {
			t.Fatalf("%v; %v; %v", e, p, s)
		}
	}
}

// Served in the order of the list, the users of a server do not get what any
// of the rules gives.
func TestFIFOIsNoLocalRule(t *testing.T) {
	env := section4C()
	for _, name := range chooserRules() {
		a := choose(t, name, env)
		for s := range a.Env.Servers {
			var users []int
			for j, at := range a.Server {
				if at == s {
					users = append(users, j)
				}
			}
			one := onlyOn(a.Env, s, users)
			got, err := policytest.FIFO.Allocate(one)
			if err != nil {
				t.Fatal(err)
			}
			for i, j := range users {
				a.Tasks[j] = got.Tasks[i]
			}
		}
		if p := a.Choice().LocalSharing(); p.Ratio > 0.9 {
			t.Errorf("%s: FIFO passes: %v", name, p)
		}
	}
}

// Reporting α·d, the user is where it was, and what it is given is worth the
// same in its true tasks.
func TestMAGIKSIsScaleInvariant(t *testing.T) {
	for kind, env := range chooserKinds() {
		for _, name := range []string{"magiks-rim", "magiks-bim"} {
			before, err := rule(t, name).(policies.Chooser).Choose(env)
			if err != nil {
				continue
			}
			scaled := env.Clone()
			u := &scaled.Users[len(kind)%len(scaled.Users)]
			const alpha = 7.3
			for _, d := range append([][]float64{u.Demand, u.LinkDemand}, slices.Collect(values(u.DemandOn))...) {
				for r := range d {
					d[r] *= alpha
				}
			}
			after := choose(t, name, scaled)
			after.Tasks[len(kind)%len(scaled.Users)] *= alpha
			if !slices.Equal(before.Server, after.Server) {
				t.Errorf("%s, %s: %v becomes %v", name, kind, before.Server, after.Server)
				continue
			}
			for j := range before.Tasks {
				if math.Abs(before.Tasks[j]-after.Tasks[j]) > 1e-9*before.Tasks[j] {
					t.Errorf("%s, %s: user %d has %g, then %g", name, kind, j, before.Tasks[j], after.Tasks[j])
				}
			}
		}
	}
}

func values(m map[int][]float64) func(yield func([]float64) bool) {
	return func(yield func([]float64) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// No allocation of the rules has more normalised utilitarian welfare than
// ubound, on servers that are alike or not.
func TestUBoundBoundsTheWelfare(t *testing.T) {
	compared := 0
	for kind, env := range chooserKinds() {
		bound, err := rule(t, "ubound").Allocate(env)
		if err != nil {
			continue
		}
		for _, name := range chooserRules() {
			a, err := rule(t, name).Allocate(env)
			if err != nil {
				continue
			}
			compared++
			if welfare(env, a) > welfare(env, bound)*(1+1e-9) {
				t.Errorf("%s, %s: %g, bound %g", name, kind, welfare(env, a), welfare(env, bound))
			}
		}
	}
	if compared < 40 {
		t.Errorf("only %d were compared", compared)
	}
}

func welfare(env *cluster.Environment, a *cluster.Allocation) float64 {
	sum := 0.0
	for j, share := range a.Share {
		sum += env.Users[j].Weight * share
	}
	return sum
}

// BEQ puts everybody's normalised welfare at 1 where nobody has a server to
// waste, and its users are spread evenly.
func TestBalancedEqualDivision(t *testing.T) {
	env := section4C()
	a := choose(t, "beq[seed=5]", env)
	here := 0
	for _, s := range a.Server {
		here += s
	}
	if here != 2 {
		t.Errorf("association %v", a.Server)
	}
	if got := welfare(env, allocate(t, "beq[seed=5]", env)); math.Abs(got-1) > 1e-12 {
		t.Errorf("NUSF %g, want 1", got)
	}
}

// The seed decides, and rules of a seed face the same association.
func TestSeedsOfChoosers(t *testing.T) {
	env := section4C()
	different := map[string]bool{}
	for seed := range 8 {
		p := "[seed=" + string(rune('0'+seed)) + "]"
		ks, nbs := choose(t, "bks"+p, env), choose(t, "bnbs"+p, env)
		if !slices.Equal(ks.Server, nbs.Server) {
			t.Errorf("seed %d: %v and %v", seed, ks.Server, nbs.Server)
		}
		different[string(rune('0'+ks.Server[0]*8+ks.Server[1]*4+ks.Server[2]*2+ks.Server[3]))] = true
	}
	if len(different) < 3 {
		t.Errorf("eight seeds give %d associations", len(different))
	}
}

func TestWhatChoosersRefuse(t *testing.T) {
	linked, capped, needy, far := section4C(), section4C(), section4C(), section4C()
	linked.Links = []cluster.Link{{Name: "bw", Capacity: 1}}
	for j := range linked.Users {
		linked.Users[j].LinkDemand = []float64{1}
	}
	capped.Users[2].Tasks = 4
	needy.Users[1].DemandOn = map[int][]float64{0: {0, 0, 0}}
	far.Servers = append(far.Servers, cluster.Server{Name: "dry", Capacity: []float64{1, 0, 1}, Count: 1})
	for _, c := range []struct {
		name, reason string
		env          *cluster.Environment
	}{
		{"magiks-rim", "link bw couples several", linked},
		{"magiks-bim", "users[2] (3) has a task cap", capped},
		{"magiks-bim", "users[1] (2) needs nothing of server server/1", needy},
		{"bks", "users[0] (1) cannot run on dry", far},
		{"beq", "users[2] (3) has a task cap", capped},
		{"ubound", "users[1] (2) tells them apart", needy2(far)},
	} {
		_, err := rule(t, c.name).Allocate(c.env)
		var refused *policies.UnsupportedError
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, c.reason) {
			t.Errorf("%s: %v; want a refusal with %q", c.name, err, c.reason)
		}
	}
	for text, reason := range map[string]string{
		"magiks-rim[seed=x]": "seed: \"x\" is not a whole number", "magiks-rim[to=x]": "to: \"x\" is not one of",
		"magiks-rim[gain=share]": `unknown parameter "gain" (known: to, seed)`, "magiks-bim[gain=x]": "gain: \"x\" is not one of",
		"bks[to=best]": `unknown parameter "to" (known: seed)`, "beq[seed=-1]": "seed: \"-1\"",
	} {
		if _, err := policies.New(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", text, err, reason)
		}
	}
}

func needy2(env *cluster.Environment) *cluster.Environment {
	env = env.Clone()
	env.Users[1].Eligible = cluster.NewSet(2, 0)
	return env
}

// Without an equilibrium MAGIKS says so, and how it noticed.
func TestMAGIKSWithoutAnEquilibrium(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"a", "b", "c"}}
	for s, c := range [][]float64{{40, 4, 7}, {1, 8, 1}, {2, 6, 4}} {
		env.Servers = append(env.Servers, cluster.Server{Name: string(rune('A' + s)), Capacity: c, Count: 1})
	}
	for j, d := range [][]float64{{1, 116, 10}, {1, 55, 1}, {3, 5, 1}, {160, 9, 81}, {1, 13, 21}} {
		env.Users = append(env.Users, cluster.NewUser(string(rune('1'+j)), d))
	}
	for name, said := range map[string]string{"magiks-bim": "reached a second time", "magiks-rim": "no equilibrium after 11500 moves"} {
		a, err := rule(t, name).Allocate(env)
		var none *policies.NoEquilibriumError
		if a != nil || !errors.As(err, &none) || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}
