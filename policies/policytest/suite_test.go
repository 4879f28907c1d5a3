package policytest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// bent is a sound rule that is spoilt in one way.
type bent struct {
	rule   string
	before func(env *cluster.Environment) *cluster.Environment
	after  func(env *cluster.Environment, a *cluster.Allocation)
}

func (b bent) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	p, err := policies.New(b.rule)
	if err != nil {
		return nil, err
	}
	in := env
	if b.before != nil {
		in = b.before(env)
	}
	a, err := p.Allocate(in)
	if err == nil {
		a.Region = env
		if b.after != nil {
			b.after(env, a)
		}
	}
	return a, err
}

func scaled(a *cluster.Allocation, f float64) {
	for v := range a.X {
		a.X[v] *= f
	}
	for j := range a.Tasks {
		a.Tasks[j] *= f
	}
}

// users returns the environment with changed users.
func users(change func(u *cluster.User)) func(env *cluster.Environment) *cluster.Environment {
	return func(env *cluster.Environment) *cluster.Environment {
		all := slices.Clone(env.Users)
		for j := range all {
			change(&all[j])
		}
		return env.With(all)
	}
}

// oneEach forgets that classes have several servers.
func oneEach(env *cluster.Environment) *cluster.Environment {
	in := *env
	in.Servers = slices.Clone(env.Servers)
	for s := range in.Servers {
		in.Servers[s].Count = 1
	}
	return &in
}

// forgetful has a session that never notices a departure.
type forgetful struct{ policies.Policy }

func (f forgetful) Open(env *cluster.Environment) (policies.Session, error) {
	s, err := policies.Open(f.Policy, env)
	return stale{s, map[int]bool{}}, err
}

type stale struct {
	policies.Session
	known map[int]bool
}

func (s stale) Add(j int) {
	if !s.known[j] {
		s.Session.Add(j)
	}
	s.known[j] = true
}

func (stale) Remove(int) {}

type refuser struct{}

func (refuser) Allocate(*cluster.Environment) (*cluster.Allocation, error) {
	return nil, &policies.UnsupportedError{Reason: "no"}
}

func sound(t *testing.T, name string) policies.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func claim(p policies.Property) []policies.Claim {
	return []policies.Claim{{Property: p, Holds: true}}
}

// Each way of being wrong is found, by the check that is meant for it.
func TestEveryCheckCanFail(t *testing.T) {
	calls := 0
	all := policytest.Options{Totals: true, Clones: true}
	cases := []struct {
		check string
		p     policies.Policy
		opt   policytest.Options
	}{
		{"feasible", bent{rule: "tsf", after: func(_ *cluster.Environment, a *cluster.Allocation) { scaled(a, 1+1e-6) }}, all},
		{"feasible", bent{rule: "tsf", before: users(func(u *cluster.User) { u.Eligible = nil })}, all},
		{"feasible", bent{rule: "tsf", before: users(func(u *cluster.User) { u.Tasks = cluster.Inf })}, all},
		{"feasible", bent{rule: "tsf", after: func(_ *cluster.Environment, a *cluster.Allocation) { a.Certificate.Gap = 1e-7 }}, all},
		{"unservable users are named", bent{rule: "tsf", after: func(_ *cluster.Environment, a *cluster.Allocation) { a.Unservable = nil }}, all},
		{"environment untouched", bent{rule: "tsf", after: func(env *cluster.Environment, _ *cluster.Allocation) { env.Resources[0] += "!" }}, all},
		{"same bytes again", bent{rule: "tsf", after: func(_ *cluster.Environment, a *cluster.Allocation) {
			calls++
			scaled(a, 1-1e-15*float64(calls%1000))
		}}, all},
		{"another unit", bent{rule: "tsf", before: users(func(u *cluster.User) {
			if u.Demand[0] > 1 {
				u.Weight *= 2
			}
		})}, all},
		{"another order of users", policytest.FIFO, all},
		{"a class split into servers", bent{rule: "tsf", before: oneEach}, all},
		{"larger capacities", bent{rule: "tsf", before: users(func(u *cluster.User) { u.Tasks = min(u.Tasks, 1) })}, all},
		{"a user as two", bent{rule: "tsf", before: users(func(u *cluster.User) { u.Weight = 1 })}, all},
		{"a user alone", bent{rule: "tsf", after: func(_ *cluster.Environment, a *cluster.Allocation) { scaled(a, 0.999) }}, policytest.Options{Alone: true}},
		{"sessions", forgetful{sound(t, "tsf")}, all},
		{"envy-free", sound(t, "utilitarian"), policytest.Options{Claims: claim(policies.EF)}},
		{"Pareto optimal", sound(t, "eq"), policytest.Options{Claims: claim(policies.PO)}},
		{"sharing incentive", sound(t, "drf-er"), policytest.Options{Claims: claim(policies.SI)}},
		{"strategy-proof", sound(t, "mnw"), policytest.Options{Claims: claim(policies.SP)}},
		{"feasible", refuser{}, policytest.Options{}},
		{"audit of SP", sound(t, "cru"), policytest.Options{Claims: claim(policies.SP)}},
		{"audit of BF", sound(t, "tsf"), policytest.Options{Claims: claim(policies.BF)}},
		{"audit of SRF", sound(t, "per-machine-drf"), policytest.Options{Claims: claim(policies.SRF)}},
	}
	for i, c := range cases {
		if !failed(policytest.Check(c.p, c.opt), c.check) {
			t.Errorf("case %d: %q finds nothing wrong", i, c.check)
		}
	}
}

func failed(failures []policytest.Failure, check string) bool {
	return slices.ContainsFunc(failures, func(f policytest.Failure) bool { return f.Check == check })
}

// What is wrong in one way only fails in no other: the checks do not blame
// each other's faults.
func TestASoundRuleFailsNothing(t *testing.T) {
	opt := policytest.Options{Totals: true, Clones: true, Alone: true, Claims: claim(policies.PO)}
	for _, seed := range []uint64{0, 1} {
		opt.Seed = seed
		for _, f := range policytest.Check(sound(t, "egalitarian"), opt) {
			t.Error(f)
		}
	}
	renamed := bent{rule: "tsf", after: func(_ *cluster.Environment, a *cluster.Allocation) { a.Unservable = nil }}
	for _, f := range policytest.Check(renamed, opt) {
		if f.Check != "unservable users are named" {
			t.Error(f)
		}
	}
}

// The features say where a property is not claimed, so they must be right.
func TestFeatures(t *testing.T) {
	base := func() *cluster.Environment {
		return &cluster.Environment{
			Resources: []string{"cpu", "mem"},
			Servers:   []cluster.Server{{Name: "a", Capacity: []float64{1, 1}, Count: 1}, {Name: "b", Capacity: []float64{1, 1}, Count: 2}},
			Links:     []cluster.Link{{Name: "l", Capacity: 1}},
			Users:     []cluster.User{cluster.NewUser("u", []float64{1, 1}, 1), cluster.NewUser("v", []float64{1, 1}, 1)},
		}
	}
	for name, c := range map[string]struct {
		change func(env *cluster.Environment)
		want   cluster.Feature
	}{
		"plain": {func(env *cluster.Environment) {}, cluster.Links},
		"no links": {func(env *cluster.Environment) {
			env.Links, env.Users[0].LinkDemand, env.Users[1].LinkDemand = nil, nil, nil
		}, 0},
		"a link to part of the servers": {func(env *cluster.Environment) { env.Links[0].Servers = cluster.NewSet(2, 1) }, cluster.Links | cluster.VaryingLinks},
		"access points": {func(env *cluster.Environment) {
			env.Links = []cluster.Link{{Name: "l", Capacity: 1, Servers: cluster.NewSet(2, 0)}, {Name: "m", Capacity: 1, Servers: cluster.NewSet(2, 1)}}
			env.Users[0].LinkDemand, env.Users[1].LinkDemand = []float64{1, 1}, []float64{2, 2}
		}, cluster.Links | cluster.SeveralLinks},
		"weights":         {func(env *cluster.Environment) { env.Users[1].Weight = 2 }, cluster.Links | cluster.Weights},
		"caps":            {func(env *cluster.Environment) { env.Users[1].Tasks = 2 }, cluster.Links | cluster.Caps},
		"eligibility":     {func(env *cluster.Environment) { env.Users[1].Eligible = cluster.NewSet(2, 0) }, cluster.Links | cluster.Eligibility},
		"zero demands":    {func(env *cluster.Environment) { env.Users[1].Demand[0] = 0 }, cluster.Links | cluster.ZeroDemands},
		"link only":       {func(env *cluster.Environment) { env.Users[1].Demand = []float64{0, 0} }, cluster.Links | cluster.ZeroDemands | cluster.LinkOnly},
		"zero capacities": {func(env *cluster.Environment) { env.Links[0].Capacity = 0 }, cluster.Links | cluster.ZeroCapacities},
		"differing":       {func(env *cluster.Environment) { env.Users[1].DemandOn = map[int][]float64{1: {2, 2}} }, cluster.Links | cluster.DemandOn},
	} {
		env := base()
		c.change(env)
		if got := cluster.Features(env); got != c.want {
			t.Errorf("%s: features %b, want %b", name, got, c.want)
		}
	}
}

// A rule of one's own takes three lines.
func ExampleRun() {
	_ = func(t *testing.T) { // in a test file: func TestMine(t *testing.T)
		policytest.Run(t, bent{rule: "tsf"}, policytest.Options{
			Totals: true, Claims: []policies.Claim{{Property: policies.PO, Holds: true}},
		})
	}
}

func ExampleCheck() {
	failures := policytest.Check(policytest.FIFO, policytest.Options{Totals: true})
	fmt.Println(failures[0].Check)
	// Output: another order of users
}
