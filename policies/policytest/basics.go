package policytest

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// basics are what every rule owes on every environment.
var basics = []check{
	{"feasible", always, anyone, feasible},
	{"unservable users are named", always, anyone, namesUnservable},
	{"environment untouched", always, anyone, untouched},
	{"same bytes again", always, anyone, repeatable},
}

// feasible checks the shape of the answer, its constraints and its
// certificate.
func feasible(p policies.Policy, _ *Options, s *subject) error {
	a, err := p.Allocate(s.env)
	if err != nil {
		return err
	}
	return wellFormed(a, s.env)
}

func wellFormed(a *cluster.Allocation, env *cluster.Environment) error {
	switch n := len(env.Users); {
	case a.Region == nil:
		return fmt.Errorf("the allocation has no region")
	case len(a.Region.Users) != n || len(a.Tasks) != n || len(a.Share) != n:
		return fmt.Errorf("%d users of the region, %d totals and %d shares for %d users", len(a.Region.Users), len(a.Tasks), len(a.Share), n)
	case len(a.X) != n*len(a.Region.Servers):
		return fmt.Errorf("%d entries for %d users and %d servers", len(a.X), n, len(a.Region.Servers))
	case a.Prices != nil && len(a.Prices) != a.Region.Rows():
		return fmt.Errorf("%d prices for %d capacity rows", len(a.Prices), a.Region.Rows())
	}
	for v, x := range a.X {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("x[%d,%d] = %g", v/len(a.Region.Servers), v%len(a.Region.Servers), x)
		}
	}
	for j, share := range a.Share {
		if !(share >= 0) || math.IsInf(share, 1) {
			return fmt.Errorf("the share of user %d is %g", j, share)
		}
	}
	for row, price := range a.Prices {
		if math.IsNaN(price) || math.IsInf(price, 0) {
			return fmt.Errorf("the price of %s is %g", a.Region.RowName(row), price)
		}
	}
	if c := a.Certificate; !(c.Primal <= solve.Feasibility && c.Gap <= solve.Accuracy) {
		return fmt.Errorf("certified to %g and %g only", c.Primal, c.Gap)
	}
	return a.Feasible(solve.Feasibility)
}

// namesUnservable checks that the users that no eligible server can host, and
// only users that hold nothing, are named, in ascending order.
func namesUnservable(p policies.Policy, opt *Options, s *subject) error {
	a, err := p.Allocate(s.env)
	if err != nil {
		return err
	}
	if !slices.IsSorted(a.Unservable) {
		return fmt.Errorf("named out of order: %v", a.Unservable)
	}
	wastes := !opt.claims(policies.PO)
	for j := range s.env.Users {
		hosted, named := a.Region.EtaEligible(j) > 0, slices.Contains(a.Unservable, j)
		switch {
		case !hosted && !named:
			return fmt.Errorf("nothing can host user %d, and it is not named", j)
		case named && a.Tasks[j] != 0:
			return fmt.Errorf("user %d is named unservable and holds %g tasks", j, a.Tasks[j])
		case named && hosted && !wastes:
			return fmt.Errorf("user %d is named unservable and could run %g tasks", j, a.Region.EtaEligible(j))
		}
	}
	return nil
}

// untouched checks that the rule changes nothing in the environment.
func untouched(p policies.Policy, _ *Options, s *subject) error {
	env := s.env.Clone()
	_, err := p.Allocate(env)
	if !reflect.DeepEqual(env, s.env) {
		return fmt.Errorf("the rule changed the environment")
	}
	return err
}

// repeatable checks that a second call, with another one in between, gives the
// same to the last bit and leaves the first answer alone.
func repeatable(p policies.Policy, _ *Options, s *subject) error {
	first, err := p.Allocate(s.env)
	if err != nil {
		return err
	}
	before := first.Clone()
	if _, err := p.Allocate(s.env.Subset([]int{0})); err != nil {
		return err
	}
	second, err := p.Allocate(s.env)
	if err != nil {
		return err
	}
	if !sameBits(before, second) {
		return fmt.Errorf("a second call gives %v, the first gave %v", second.Tasks, before.Tasks)
	}
	if !sameBits(before, first) {
		return fmt.Errorf("later calls have changed the first answer")
	}
	return nil
}

func sameBits(a, b *cluster.Allocation) bool {
	return slices.Equal(a.Tasks, b.Tasks) && slices.Equal(a.X, b.X) && slices.Equal(a.Share, b.Share) &&
		slices.Equal(a.Prices, b.Prices) && slices.Equal(a.EnvyPrices, b.EnvyPrices) && slices.Equal(a.Unservable, b.Unservable) && a.Certificate == b.Certificate
}
