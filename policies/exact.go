package policies

import (
	"errors"
	"fmt"
	"math/big"

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

// statement is a rule of the egalitarian family in rational numbers: its
// normaliser, and where it allocates.
type statement func(env *cluster.Environment) (norm []*big.Rat, in *exact.Environment, err error)

var errNotStated = errors.New("the rule is not stated in rational numbers for this environment")

// Verify implements [Verifier].
func (p *progressive) Verify(env *cluster.Environment, x [][]*big.Rat) error {
	if p.rational == nil {
		return errNotStated
	}
	norm, in, err := p.rational(env)
	if err != nil {
		return err
	}
	return in.CheckMaxMin(norm, x)
}

// perUser collects a number of each user.
func perUser(e *exact.Environment, of func(j int) (*big.Rat, error)) ([]*big.Rat, error) {
	all := make([]*big.Rat, e.Users())
	for j := range all {
		v, err := of(j)
		if err != nil {
			return nil, err
		}
		all[j] = v
	}
	return all, nil
}

// exactEta states N = η, or η'.
func exactEta(eligible bool) statement {
	return func(env *cluster.Environment) ([]*big.Rat, *exact.Environment, error) {
		e := exact.New(env)
		norm, err := perUser(e, func(j int) (*big.Rat, error) { return e.Alone(j, eligible) })
		return norm, e, err
	}
}

// exactDominant states N = 1/max d/c, in χ, or with the links split. The pooled
// region of drf is χ where there is one server.
func exactDominant(links bool, split string) statement {
	return func(env *cluster.Environment) ([]*big.Rat, *exact.Environment, error) {
		e := exact.New(env)
		norm, err := e.Dominant(links)
		if err != nil || split == "" {
			return norm, e, err
		}
		alpha, err := exactShares(env, split)
		if err != nil {
			return nil, nil, err
		}
		return norm, e.Split(alpha), nil
	}
}

// exactPool is exactDominant for a rule that pools several servers, which has
// no allocation on the servers themselves.
func exactPool(env *cluster.Environment) ([]*big.Rat, *exact.Environment, error) {
	if len(env.Servers) > 1 {
		return nil, nil, errNotStated
	}
	return exactDominant(true, "")(env)
}

// exactOne states N = 1.
func exactOne(env *cluster.Environment) ([]*big.Rat, *exact.Environment, error) {
	e := exact.New(env)
	norm, err := perUser(e, func(int) (*big.Rat, error) { return big.NewRat(1, 1), nil })
	return norm, e, err
}

// exactSplitTasks states N = what a user runs alone with the links split.
func exactSplitTasks(split string) statement {
	return func(env *cluster.Environment) ([]*big.Rat, *exact.Environment, error) {
		alpha, err := exactShares(env, split)
		if err != nil {
			return nil, nil, err
		}
		in := exact.New(env).Split(alpha)
		norm, err := perUser(in, func(j int) (*big.Rat, error) { return in.Alone(j, false) })
		return norm, in, err
	}
}

// exactSingle states N = Σ_s c[s,r]/d[j,r] of one resource, which all users
// need on all servers.
func exactSingle(kind string) statement {
	return func(env *cluster.Environment) ([]*big.Rat, *exact.Environment, error) {
		r, err := resource(env, kind)
		if err != nil {
			return nil, nil, err
		}
		e := exact.New(env)
		norm, err := perUser(e, func(j int) (*big.Rat, error) {
			sum := new(big.Rat)
			for s := range e.Capacity {
				if e.Demand[j][s][r].Sign() == 0 {
					return nil, errNotStated
				}
				sum.Add(sum, new(big.Rat).Quo(e.Capacity[s][r], e.Demand[j][s][r]))
			}
			return sum, nil
		})
		return norm, e, err
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
		norm, err := one.Dominant(true)
		if err != nil {
			return err
		}
		for j := range on {
			on[j] = x[j][s : s+1]
			if !e.May[j][s] {
				norm[j] = new(big.Rat)
			}
		}
		if err := one.CheckMaxMin(norm, on); err != nil {
			return fmt.Errorf("server %s: %w", env.Servers[s].Name, err)
		}
	}
	return nil
}
