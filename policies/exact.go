package policies

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Verifier is implemented by rules whose answers can be verified in rational
// arithmetic, without a tolerance.
type Verifier interface {
	// Verify returns nil if x[j][s] is an allocation of the rule in the
	// environment, which must be a small one; otherwise an error that says why
	// it is not, or why that cannot be told.
	Verify(env *cluster.Environment, x [][]*big.Rat) error
}

var errNotStated = errors.New("the rule is not stated in rational numbers for this environment")

// Verify implements [Verifier]: x is the lexicographic max-min of x[j]/(w[j]·N[j]) in the
// region of the rule. N of a rule of [Egalitarian], which states none in rational numbers,
// is the simplest one that differs from the double by no more than its rounding.
func (p *progressive) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	if p.pools && len(env.Servers) > 1 {
		return errNotStated
	}
	if p.exactly == nil && p.split == "" {
		return p.verifyRounded(env, x)
	}
	if p.unless != nil {
		if err := p.unless(env); err != nil {
			return err
		}
	}
	in, c := exact.New(env), exact.NewCluster(env)
	of := func(j int) (*big.Rat, error) { return p.exactly(c, &env.Users[j]) }
	if p.split != "" {
		alpha, err := exactShares(env, p.split)
		if err != nil {
			return err
		}
		in = in.Split(alpha)
		if p.alone {
			of = func(j int) (*big.Rat, error) { return in.Alone(j, false) }
		}
	}
	norm, err := perUser(in, of)
	if err != nil {
		return err
	}
	return in.CheckMaxMin(norm, x)
}

// verifyRounded is Verify of a rule that states N in doubles only.
func (p *progressive) verifyRounded(env *cluster.Environment, x [][]*big.Rat) error {
	near, err := p.normalize(env)
	if err != nil {
		return err
	}
	in := exact.New(env)
	norm, err := perUser(in, func(j int) (*big.Rat, error) {
		if math.IsInf(near[j], 1) {
			return nil, nil
		}
		return exact.Nearest(near[j], 2*roundoff), nil
	})
	if err != nil {
		return err
	}
	return in.CheckMaxMin(norm, x)
}

// perUser collects a number of each user, which must be finite.
func perUser(e *exact.Environment, of func(j int) (*big.Rat, error)) ([]*big.Rat, error) {
	all := make([]*big.Rat, e.Users())
	for j := range all {
		v, err := of(j)
		if err != nil {
			return nil, err
		}
		if v == nil {
			return nil, errNotStated
		}
		all[j] = v
	}
	return all, nil
}

// unlike returns an error where the demands of a user differ between servers.
func unlike(env *cluster.Environment) error {
	for j := range env.Users {
		for s := range env.Servers {
			if !slices.Equal(env.Demand(j, s), env.Demand(j, 0)) {
				return fmt.Errorf("the demands of user %q differ between servers", env.Users[j].Name)
			}
		}
	}
	return nil
}

// needed returns the check that every user needs some of a resource on every server: an
// error where one does not.
func needed(kind string) func(env *cluster.Environment) error {
	return func(env *cluster.Environment) error {
		r, err := resource(env, kind)
		for j := range env.Users {
			for s := range env.Servers {
				if err == nil && env.Demand(j, s)[r] == 0 {
					err = errNotStated
				}
			}
		}
		return err
	}
}

// exactShares is [shares] in rational numbers.
func exactShares(env *cluster.Environment, kind string) ([][]*big.Rat, error) {
	r := -1
	if kind != "eq" {
		var err error
		if r, err = resource(env, kind); err != nil {
			return nil, err
		}
	}
	alpha := make([][]*big.Rat, len(env.Links))
	for l := range alpha {
		total := new(big.Rat)
		for s := range env.Servers {
			part := new(big.Rat)
			switch {
			case !env.Reaches(l, s):
			case r < 0:
				part.SetInt64(int64(env.Servers[s].Count))
			default:
				part.Mul(exact.Rational(env.Servers[s].Capacity[r]), big.NewRat(int64(env.Servers[s].Count), 1))
			}
			alpha[l] = append(alpha[l], part)
			total.Add(total, part)
		}
		if total.Sign() == 0 {
			return nil, errNotStated
		}
		for _, part := range alpha[l] {
			part.Quo(part, total)
		}
	}
	return alpha, nil
}

// Verify implements [Verifier]: there are prices that prove x optimal.
func (nash) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	return exact.New(env).CheckNash(x)
}

// Verify implements [Verifier].
func (p welfare) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	e := exact.New(env)
	value, err := perUser(e, func(j int) (*big.Rat, error) {
		if !p.relative {
			return e.Weight[j], nil
		}
		eta, err := e.Alone(j, false)
		if err != nil || eta.Sign() == 0 {
			return new(big.Rat), err
		}
		return eta.Quo(e.Weight[j], eta), nil
	})
	if err != nil {
		return err
	}
	var lower []*big.Rat
	if p.cautious {
		if lower, err = e.EqualShares(); err != nil {
			return err
		}
	}
	return e.CheckLinear(value, lower, p.cautious, x)
}

// Verify implements [Verifier]: everybody runs its equal share.
func (division) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	e := exact.New(env)
	want, err := e.EqualShares()
	if err != nil {
		return err
	}
	for j, total := range exact.Totals(x) {
		if total.Cmp(want[j]) != 0 {
			return fmt.Errorf("user %q holds %s, its equal share is %s", e.Names[j], total.RatString(), want[j].RatString())
		}
	}
	return e.Feasible(x)
}

// Verify implements [Verifier]: each server holds its own max-min of dominant
// shares.
func (perMachine) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	alpha, err := exactShares(env, "eq")
	if err != nil {
		return err
	}
	e := exact.New(env)
	in := e.Split(alpha)
	for s := range e.Capacity {
		one, on := in.Server(s), make([][]*big.Rat, e.Users())
		norm, err := perUser(one, func(j int) (*big.Rat, error) { return one.Alone(j, true) })
		if err != nil {
			return err
		}
		for j := range on {
			on[j] = x[j][s : s+1]
		}
		if err := one.CheckMaxMin(norm, on); err != nil {
			return fmt.Errorf("server %s: %w", env.Servers[s].Name, err)
		}
	}
	return nil
}
