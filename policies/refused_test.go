package policies_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// changed returns the environment of TSF-ER's figure 2 after a change.
func changed(change func(env *cluster.Environment)) *cluster.Environment {
	env := tsferFigure2()
	change(env)
	return env
}

func TestWhatRulesRefuse(t *testing.T) {
	capped := changed(func(env *cluster.Environment) { env.Users[1].Tasks = 3 })
	constrained := changed(func(env *cluster.Environment) { env.Users[1].Eligible = cluster.NewSet(2, 0) })
	differing := changed(func(env *cluster.Environment) { env.Users[0].DemandOn = map[int][]float64{1: {1, 1}} })
	partial := changed(func(env *cluster.Environment) { env.Links[0].Servers = cluster.NewSet(2, 1) })
	nameless := changed(func(env *cluster.Environment) { env.Resources = []string{"gpu", "disk"} })
	type refusal struct {
		name, reason string
		env          *cluster.Environment
	}
	cases := []refusal{
		{"cru", "unbounded tasks, and users[1] (u2) has a task cap", capped},
		{"per-machine-drf", "users[1] (u2) has a task cap over all of them", capped},
		{"ps-dsf", "users[1] (u2) has a task cap over all of them", capped},
		{"ps-dsf", "users[0] (u1) needs link link, which belongs to none", constrained},
		{"drf", "users[1] (u2) tells them apart", constrained},
		{"drf", "users[0] (u1) tells them apart", differing},
		{"drf", "link link reaches only some of them", partial},
	}
	for _, kind := range []string{"cpu", "mem"} {
		for _, family := range []string{"drf-", "tsf-", "cmmf-"} {
			cases = append(cases, refusal{family + kind, "no resource called " + kind + " (it has gpu, disk)", nameless})
		}
	}
	for _, c := range cases {
		if meta, err := policies.Lookup(c.name); err != nil || meta.Refuses == "" {
			t.Errorf("%s does not say that it refuses anything: %v", c.name, err)
		}
		a, err := rule(t, c.name).Allocate(c.env)
		var refused *policies.UnsupportedError
		if a != nil || !errors.As(err, &refused) || !strings.Contains(refused.Reason, c.reason) {
			t.Errorf("%s: %v, %v; want a refusal with %q", c.name, a, err, c.reason)
		}
	}
}

// A rule that can refuse a session refuses it when it is opened or asked.
func TestSessionsAreRefusedForTheSameReason(t *testing.T) {
	nameless := changed(func(env *cluster.Environment) { env.Resources = []string{"gpu", "disk"} })
	_, err := policies.Open(rule(t, "drf-cpu"), nameless)
	var refused *policies.UnsupportedError
	if !errors.As(err, &refused) {
		t.Errorf("drf-cpu without cpu: %v", err)
	}
	capped := changed(func(env *cluster.Environment) { env.Users[1].Tasks = 3 })
	session, err := policies.Open(rule(t, "cru"), capped)
	if err != nil {
		t.Fatal(err)
	}
	session.Add(0)
	if _, err := session.Allocate(); err != nil {
		t.Errorf("cru among users without caps: %v", err)
	}
	session.Add(1)
	if _, err := session.Allocate(); !errors.As(err, &refused) {
		t.Errorf("cru with a cap: %v", err)
	}
}

// What is allowed nearby: a rule must not refuse more than it says.
func TestWhatRulesDoNotRefuse(t *testing.T) {
	one := tsferAppendix(2, 9)
	one.Users[0].Tasks = 0.5
	allNear(t, "per-machine-drf with a cap on one server", allocate(t, "per-machine-drf", one).Tasks, 0.5, 17./18)
	one = tsferAppendix(2, 9)
	one.Users[0].Eligible = cluster.NewSet(1)
	allNear(t, "drf with constraints on one server", allocate(t, "drf", one).Tasks, 0, 10./9)
	cores := changed(func(env *cluster.Environment) { env.Resources = []string{"Cores", "RAM"} })
	allNear(t, "drf-cpu with cores", allocate(t, "drf-cpu", cores).Tasks, 160./39, 200./39)
	allNear(t, "drf-mem with ram", allocate(t, "drf-mem", cores).Tasks, 40./13, 50./13)
}

func TestNoRuleTakesParameters(t *testing.T) {
	for _, name := range policies.Names() {
		if _, err := policies.New(name + "[k=1]"); err == nil || !strings.Contains(err.Error(), name+"[k=1]") {
			t.Errorf("%s[k=1]: %v", name, err)
		}
	}
}

// The pool of drf is the region of its allocations, in sessions too.
func TestSessionsOfDRFAreInThePool(t *testing.T) {
	env := tsferFigure2()
	session, err := policies.Open(rule(t, "drf"), env)
	if err != nil {
		t.Fatal(err)
	}
	session.Add(1)
	a, err := session.Allocate()
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Region.Servers) != 1 || len(a.Region.Users) != 2 || a.Region.Servers[0].Capacity[0] != 15 {
		t.Errorf("region %+v", a.Region)
	}
	allNear(t, "u2 alone in the pool", a.Tasks[1:], 7.5)
	if a.Tasks[0] != 0 {
		t.Errorf("u1 is absent and holds %g", a.Tasks[0])
	}
}

// A rule with no session of its own gets one that starts afresh, in which the
// region of a pooling rule is kept.
func TestSessionsOfPlainPoliciesKeepTheRegion(t *testing.T) {
	env := tsferFigure2()
	session, err := policies.Open(plain{rule(t, "drf")}, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, add := range []int{1, 0} {
		session.Add(add)
		a, err := session.Allocate()
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Region.Servers) != 1 || len(a.Region.Users) != 2 || len(a.X) != 2 {
			t.Errorf("region of %d servers and %d users, %d entries", len(a.Region.Servers), len(a.Region.Users), len(a.X))
		}
		if err := a.Feasible(1e-9); err != nil {
			t.Error(err)
		}
	}
	policytest.Run(t, plain{rule(t, "drf")}, policytest.Options{Totals: true})
}

// plain hides all but Allocate.
type plain struct{ policies.Policy }

// TSF's theorem 1: with w = k/h, where k is what a user can run in a pool of
// its own, nobody runs less than k. The pools divide the servers at random.
func TestTSFGuaranteesDedicatedPools(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		env := twin.Random(rng, twin.Options{Users: 5, Servers: 4, Resources: 2, Eligibility: true, ZeroDemands: seed%2 == 1})
		k := make([]float64, len(env.Users))
		part := make([][]float64, len(env.Servers))
		for s := range part {
			total := 0.0
			for range env.Users {
				part[s] = append(part[s], rng.Float64())
				total += part[s][len(part[s])-1]
			}
			for j := range part[s] {
				part[s][j] /= total
				if env.MayRun(j, s) {
					k[j] += part[s][j] * env.Gamma(j, s)
				}
			}
		}
		var users []cluster.User
		var pools []float64
		for j, h := range env.Etas(nil) {
			if k[j] > 0 {
				u := env.Users[j]
				u.Weight = k[j] / h
				users, pools = append(users, u), append(pools, k[j])
			}
		}
		for j, x := range allocate(t, "tsf", env.With(users)).Tasks {
			if x < pools[j]*(1-1e-9) {
				t.Errorf("seed %d: user %d runs %g tasks, %g in its own pool", seed, j, x, pools[j])
			}
		}
	}
}

// What papers say a rule lacks it does lack: the suite finds a witness. (The
// properties that the suite has no check for are left to the audit.)
func TestWhatRulesLack(t *testing.T) {
	for _, meta := range policies.All() {
		for _, claim := range meta.Claims {
			checked := slices.Contains([]policies.Property{policies.EF, policies.PO, policies.SP, policies.SI}, claim.Property)
			if checked && !claim.Holds && !lacks(t, meta.Name, claim.Property) {
				t.Errorf("%s: no environment found without %s", meta.Name, claim.Property)
			}
		}
	}
}

func lacks(t *testing.T, name string, property policies.Property) bool {
	for seed := range uint64(10) {
		opt := policytest.Options{Claims: []policies.Claim{{Property: property, Holds: true}}, Seed: 100 + seed}
		for _, f := range policytest.Check(rule(t, name), opt) {
			var v *policytest.ViolationError
			if errors.As(f, &v) && v.Property == property {
				return true
			}
		}
	}
	return false
}
