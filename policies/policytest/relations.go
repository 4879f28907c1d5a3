package policytest

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// relations compare the rule's answers to environments that are equivalent, or
// nearly so.
var relations = []check{
	{"another unit", (*Options).comparable, determined, related(anotherUnit)},
	{"another order of users", (*Options).comparable, severalUsers, related(anotherOrder)},
	{"a class split into servers", (*Options).comparable, determined, related(splitClasses)},
	{"larger capacities", (*Options).comparable, uncapped, related(larger)},
	{"a user as two", func(opt *Options) bool { return opt.Clones }, determined, related(cloned)},
	{"a user alone", func(opt *Options) bool { return opt.Alone || opt.claims(policies.PO) }, determined, loner},
	{"sessions", (*Options).comparable, severalUsers, sessions},
}

func uncapped(s *subject) bool { return !s.rough && cluster.Features(s.env)&cluster.Caps == 0 }

// relation makes another environment, and from the totals in the first those
// that are as good in the other.
type relation func(s *subject) (other *cluster.Environment, image func(tasks []float64) []float64)

// related returns the test that a relation holds.
func related(make relation) tester {
	return func(p policies.Policy, opt *Options, s *subject) error {
		first, err := p.Allocate(s.env)
		if err != nil {
			return err
		}
		other, image := make(s)
		second, err := p.Allocate(other)
		if err != nil {
			return err
		}
		return opt.asGood(other, second.Tasks, image(first.Tasks))
	}
}

// asGood checks that two vectors of totals of one environment agree in what
// the rule determines.
func (opt *Options) asGood(env *cluster.Environment, got, want []float64) error {
	if opt.Totals {
		return sameTotals(env, got, want, opt.accuracy())
	}
	a, b := opt.Welfare(env, got), opt.Welfare(env, want)
	if math.Abs(a-b) > opt.accuracy()*max(math.Abs(a), math.Abs(b)) {
		return fmt.Errorf("welfare %.12g, want %.12g", a, b)
	}
	return nil
}

// noise is the part of what a user could run alone below which tasks are
// rounding: a capacity that others have used up is used up to about that.
const noise = 1e-13

func sameTotals(env *cluster.Environment, got, want []float64, tolerance float64) error {
	for j := range want {
		if math.Abs(got[j]-want[j]) > tolerance*max(got[j], want[j])+noise*env.Eta(j) {
			return fmt.Errorf("user %q holds %.12g tasks, want %.12g (all: %v, want %v)", env.Users[j].Name, got[j], want[j], got, want)
		}
	}
	return nil
}

func same(tasks []float64) []float64 { return tasks }

// anotherUnit measures each resource and link in another unit, which changes
// demands and capacities together and the totals not at all.
func anotherUnit(s *subject) (*cluster.Environment, func([]float64) []float64) {
	rng, env := s.rng("another unit"), s.env.Clone()
	unit := func() float64 { return math.Pow(10, 12*rng.Float64()-6) }
	for r := range env.Resources {
		f := unit()
		for v := range env.Servers {
			env.Servers[v].Capacity[r] *= f
		}
		for j := range env.Users {
			env.Users[j].Demand[r] *= f
			for _, d := range env.Users[j].DemandOn {
				d[r] *= f
			}
		}
	}
	for e := range env.Links {
		f := unit()
		env.Links[e].Capacity *= f
		for j := range env.Users {
			if d := env.Users[j].LinkDemand; d != nil {
				d[e] *= f
			}
		}
	}
	return env, same
}

// anotherOrder permutes the users, and the totals with them.
func anotherOrder(s *subject) (*cluster.Environment, func([]float64) []float64) {
	order := s.rng("another order").Perm(len(s.env.Users))
	return s.env.Subset(order), func(tasks []float64) []float64 {
		permuted := make([]float64, len(order))
		for i, j := range order {
			permuted[i] = tasks[j]
		}
		return permuted
	}
}

// splitClasses lists the servers of each class one by one.
func splitClasses(s *subject) (*cluster.Environment, func([]float64) []float64) {
	env, _ := s.env.Individually()
	return env, same
}

// larger multiplies all capacities, and with them all totals.
func larger(s *subject) (*cluster.Environment, func([]float64) []float64) {
	const f = 3.7
	env := s.env.Clone()
	for v := range env.Servers {
		for r := range env.Servers[v].Capacity {
			env.Servers[v].Capacity[r] *= f
		}
	}
	for e := range env.Links {
		env.Links[e].Capacity *= f
	}
	return env, func(tasks []float64) []float64 {
		scaled := slices.Clone(tasks)
		for j := range scaled {
			scaled[j] *= f
		}
		return scaled
	}
}

// cloned replaces a user by two of half its weight and cap.
func cloned(s *subject) (*cluster.Environment, func([]float64) []float64) {
	j, env := s.rng("clone").IntN(len(s.env.Users)), s.env.Clone()
	env.Users[j].Weight /= 2
	env.Users[j].Tasks /= 2
	clone := env.Users[j]
	clone.Name += "'"
	env.Users = append(env.Users, clone)
	return env, func(tasks []float64) []float64 {
		halved := append(slices.Clone(tasks), tasks[j]/2)
		halved[j] /= 2
		return halved
	}
}

// loner checks that each user, when alone, holds η' in the rule's region, or
// its cap.
func loner(p policies.Policy, opt *Options, s *subject) error {
	for j := range s.env.Users {
		a, err := p.Allocate(s.env.Subset([]int{j}))
		if err != nil {
			return err
		}
		want := min(a.Region.EtaEligible(0), s.env.Users[j].Tasks)
		if err := sameTotals(a.Region, a.Tasks, []float64{want}, opt.accuracy()); err != nil {
			return err
		}
	}
	return nil
}

// events is the number of arrivals and departures of a session.
const events = 12

// sessions checks that after any arrivals and departures a session allocates
// as a fresh start does: to 1e-8, or to the accuracy of the rule if that is
// less.
func sessions(p policies.Policy, opt *Options, s *subject) error {
	if _, err := p.Allocate(s.env); err != nil {
		return err
	}
	session, err := policies.Open(p, s.env)
	if err != nil {
		return err
	}
	rng, here := s.rng("session"), make([]bool, len(s.env.Users))
	for event := range events {
		for range 1 + rng.IntN(2) {
			j := rng.IntN(len(here))
			if here[j] {
				session.Remove(j)
			} else {
				session.Add(j)
			}
			here[j] = !here[j]
		}
		if err := comparesFresh(p, opt, s.env, session, here); err != nil {
			return fmt.Errorf("event %d: %w", event, err)
		}
	}
	return nil
}

func comparesFresh(p policies.Policy, opt *Options, env *cluster.Environment, session policies.Session, here []bool) error {
	a, err := session.Allocate()
	if err != nil {
		return fmt.Errorf("the session, with %v present: %w", here, err)
	}
	var idx, unservable []int
	var tasks []float64
	for j, present := range here {
		if present {
			idx, tasks = append(idx, j), append(tasks, a.Tasks[j])
		} else if a.Tasks[j] != 0 || a.Share[j] != 0 || slices.Contains(a.Unservable, j) {
			return fmt.Errorf("user %d is absent, and holds %g tasks or is named", j, a.Tasks[j])
		}
	}
	if err := wellFormed(a, env); err != nil {
		return fmt.Errorf("the session: %w", err)
	}
	fresh, err := p.Allocate(env.Subset(idx))
	if err != nil {
		return fmt.Errorf("afresh, with %v present: %w", here, err)
	}
	for _, i := range fresh.Unservable {
		unservable = append(unservable, idx[i])
	}
	if !slices.Equal(unservable, a.Unservable) {
		return fmt.Errorf("unservable: %v, afresh %v", a.Unservable, unservable)
	}
	exact := *opt
	if exact.Accuracy == 0 {
		exact.Accuracy = 1e-8
	}
	return exact.asGood(env.Subset(idx), tasks, fresh.Tasks)
}
