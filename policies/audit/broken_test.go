package audit

import (
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// broken is a copy of a rule with a fault.
type broken struct {
	policies.Policy
	before func(env *cluster.Environment) *cluster.Environment
	after  func(a *cluster.Allocation)
}

func (b broken) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	in := env
	if b.before != nil {
		in = b.before(env)
	}
	a, err := b.Policy.Allocate(in)
	if err != nil {
		return nil, err
	}
	if len(a.Region.Servers) == len(env.Servers) {
		a.Region = env
	} else {
		a.Region = a.Region.With(env.Users)
	}
	if b.after != nil {
		b.after(a)
	}
	return a, nil
}

// Choose lets a rule of server choice stay one.
func (b chooser) Choose(env *cluster.Environment) (*policies.Association, error) {
	a, err := b.Policy.(policies.Chooser).Choose(b.before(env))
	if err != nil {
		return nil, err
	}
	honest := a.Env.With(slices.Clone(a.Env.Users))
	for j := range honest.Users {
		honest.Users[j].Weight = env.Users[j].Weight
	}
	a.Env = honest
	return a, nil
}

type chooser struct{ broken }

// weighted changes the weights that the rule sees.
func weighted(f func(env *cluster.Environment, j int) float64) func(env *cluster.Environment) *cluster.Environment {
	return func(env *cluster.Environment) *cluster.Environment {
		users := slices.Clone(env.Users)
		for j := range users {
			users[j].Weight *= f(env, j)
		}
		return env.With(users)
	}
}

// faults are ways in which a rule may be wrong.
var faults = map[string]func(p policies.Policy) broken{
	// The normaliser counts the first resource of the demand once too often.
	"a wrong normaliser": func(p policies.Policy) broken {
		return broken{Policy: p, before: weighted(func(env *cluster.Environment, j int) float64 { return 1 / (1 + env.Users[j].Demand[0]) })}
	},
	// The last user's share is that of before the others came: it counts half.
	"a stale share": func(p policies.Policy) broken {
		return broken{Policy: p, before: weighted(func(env *cluster.Environment, j int) float64 {
			if j == len(env.Users)-1 {
				return 2
			}
			return 1
		})}
	},
	// Equal shares are told apart by a hundredth in favour of the first.
	"a tie broken the wrong way": func(p policies.Policy) broken {
		return broken{Policy: p, before: weighted(func(_ *cluster.Environment, j int) float64 {
			if j == 0 {
				return 1.01
			}
			return 1
		})}
	},
	// A fiftieth of what everybody is to have is not given out.
	"work left undone": func(p policies.Policy) broken {
		return broken{Policy: p, after: func(a *cluster.Allocation) {
			for v := range a.X {
				a.X[v] *= 0.98
			}
			for j := range a.Tasks {
				a.Tasks[j] *= 0.98
			}
		}}
	},
}

// immune lists the faults that a rule cannot have, or that take away nothing that
// is claimed for it.
var immune = map[string][]string{
	// Weights are part of what these compare with.
	"utilitarian": {"a wrong normaliser", "a stale share", "a tie broken the wrong way"},
	"ru":          {"a wrong normaliser", "a stale share", "a tie broken the wrong way"},
	"egalitarian": {"a wrong normaliser", "a stale share", "a tie broken the wrong way"}, // only PO is claimed
	// Waste takes neither EF nor SP away.
	"drf-cpu": {"work left undone"}, "drf-mem": {"work left undone"}, "drf-eq": {"work left undone"},
	"tsf-cpu": {"work left undone"}, "tsf-mem": {"work left undone"}, "tsf-eq": {"work left undone"},
	"magiks-rim": {"work left undone"}, "magiks-bim": {"work left undone"}, "bks": {"work left undone"}, "bnbs": {"work left undone"}, "beq": {"work left undone"},
}

// A deliberately broken copy of every rule is caught by some claim that the
// sound rule passes.
func TestBrokenCopiesAreCaught(t *testing.T) {
	for _, meta := range policies.All() {
		sound := named(t, meta.Name)
		for name, fault := range faults {
			if len(meta.Claims) == 0 || slices.Contains(immune[meta.Name], name) {
				continue
			}
			r := sound
			r.Policy = fault(sound.Policy)
			if _, chooses := sound.Policy.(policies.Chooser); chooses {
				r.Policy = chooser{fault(sound.Policy)}
			}
			if !caught(t, r) {
				t.Errorf("%s with %s is not caught", meta.Name, name)
			}
		}
	}
}

func caught(t *testing.T, r Rule) bool {
	t.Helper()
	for _, c := range r.Meta.Claims {
		if !c.Holds || refuted[r.Meta.Name][c.Property] || !Applies(r, c.Property) {
			continue
		}
		for b := range len(sizes) {
			f, _, err := Search{Rule: r, Property: c.Property, Seed: 1}.Block(b)
			if err != nil {
				t.Fatal(err)
			}
			if f != nil {
				return true
			}
		}
	}
	return false
}

// undone is a copy of a rule that does not give out a part of what everybody is
// to have.
func undone(p policies.Policy, part float64) broken {
	return broken{Policy: p, after: func(a *cluster.Allocation) {
		for v := range a.X {
			a.X[v] *= 1 - part
		}
		for j := range a.Tasks {
			a.Tasks[j] *= 1 - part
		}
	}}
}

// favoured is a copy of a rule under which the first user weighs a little more.
func favoured(p policies.Policy, part float64) broken {
	return broken{Policy: p, before: weighted(func(_ *cluster.Environment, j int) float64 {
		if j == 0 {
			return 1 + part
		}
		return 1
	})}
}

// A fault of a hundred-thousandth is caught, and one of the size of rounding is
// not. (In between there is no rule: what is left of a resource, small beside the
// demands of one user, can be much for another whose demands are smaller by
// decades.)
func TestSmallFaultsAreCaught(t *testing.T) {
	for _, c := range []struct {
		rule     string
		property policies.Property
		fault    func(p policies.Policy, part float64) broken
	}{{"mnw", policies.PO, undone}, {"tsf-er", policies.PO, undone}, {"mnw", policies.EF, favoured}, {"mnw", policies.SI, favoured}, {"tsf-er", policies.EF, favoured}} {
		r := named(t, c.rule)
		sound := r.Policy
		r.Policy = c.fault(sound, 1e-5)
		if f, _ := look(t, r, c.property, len(sizes)); f == nil || f.Outcome.Size < Margin || f.Outcome.Size > Clear {
			t.Errorf("%s, %s: a fault of 1e-5 is not caught, or is something else: %+v", c.rule, c.property, f)
		}
		r.Policy = c.fault(sound, 1e-11)
		if f, tally := look(t, r, c.property, len(sizes)); f != nil || tally.Unconfirmed+tally.Failed > 0 {
			t.Errorf("%s, %s: a fault of 1e-11: %+v, %+v", c.rule, c.property, f, tally)
		}
	}
}

// Totals that are not known to what is looked for are no evidence.
func TestVagueTotalsAreNoEvidence(t *testing.T) {
	r := named(t, "mnw")
	fault := undone(r.Policy, .1)
	after := fault.after
	fault.after = func(a *cluster.Allocation) {
		after(a)
		a.Certificate.Totals = 2 * known
	}
	r.Policy = fault
	f, tally, err := Search{Rule: r, Property: policies.PO, Seed: 1}.Block(0)
	if err != nil || f != nil || tally.Failed != BlockSize || tally.Environments != 0 {
		t.Errorf("%+v, %+v, %v", f, tally, err)
	}
}
