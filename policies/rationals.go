package policies

import (
	"math"
	"math/big"
	"sync"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Rationals is the normaliser of a rule on one cluster in rational numbers, for
// whoever has to tell equal shares from almost equal ones.
type Rationals struct {
	// N returns N of a user; nil for +Inf. Every number of the environment
	// counts as the shortest decimal that denotes its double, which is what
	// stands in the file that it came from: 0.3 is 3/10. Where N itself is nil, so
	// does what [Normalizer] returns; see [Rationals.Of].
	N func(u *cluster.User) (*big.Rat, error)
	// Error bounds the relative distance from N of what [Normalizer] returns,
	// where numbers other than 0 are between 1e-150 and 1e150 and N is between
	// 2^-900 and 2^900; +Inf where no bound is proved.
	Error float64
}

// ExactNormalizer is implemented by rules that can state N in rational numbers.
type ExactNormalizer interface {
	Normalizer
	// Rationals states N for users of env, whose own users are ignored; ok is
	// false where the rule cannot.
	Rationals(env *cluster.Environment) (r Rationals, ok bool)
}

// RationalsOf returns N of a rule in rational numbers. Of a rule that does not
// state them, such as one of [Egalitarian], N is the number that it returns,
// read as a decimal like every other number.
func RationalsOf(p Normalizer, env *cluster.Environment) Rationals {
	if e, is := p.(ExactNormalizer); is {
		if r, ok := e.Rationals(env); ok {
			return r
		}
	}
	return Rationals{Error: roundoff}
}

// Of returns N of a user, for whom [Normalizer] returns near; nil for +Inf.
func (r Rationals) Of(u *cluster.User, near float64) (*big.Rat, error) {
	switch {
	case r.N != nil:
		return r.N(u)
	case math.IsInf(near, 1):
		return nil, nil
	}
	return exact.Rational(near), nil
}

// roundoff is the largest relative error of reading a decimal as a double, and
// of one operation on doubles.
const roundoff = 0x1p-53

// stated is N of one user of a rule in rational numbers; nil for +Inf.
type stated func(c *exact.Cluster, u *cluster.User) (*big.Rat, error)

// Rationals implements [ExactNormalizer].
//
// The bound: N is made of numbers of the environment that are not negative by
// products with whole numbers, quotients, sums and minima. A minimum adds no
// error, and each of the others multiplies what its arguments have by at most
// 1+u and itself adds a factor of 1+u or 1/(1−u), u being roundoff. On the way
// from a capacity to N lie its reading and its product with the number of
// servers, the reading of a demand and the quotient, and at most one sum a
// class of servers and one a link: k = S + E + 4 factors, so the error is below
// 2·k·u. Nothing is subtracted unless links overlap without nesting, which
// takes a simplex method; for η no bound is claimed there.
func (p *progressive) Rationals(env *cluster.Environment) (Rationals, bool) {
	if p.exactly == nil || p.split != "" && len(env.Links) > 0 {
		return Rationals{}, false
	}
	open := sync.OnceValue(func() *exact.Cluster { return exact.NewCluster(env) })
	r := Rationals{
		N:     func(u *cluster.User) (*big.Rat, error) { return p.exactly(open(), u) },
		Error: 2 * roundoff * float64(len(env.Servers)+len(env.Links)+4),
	}
	if !env.LinksNest() {
		r.Error = math.Inf(1)
	}
	return r, true
}

func statedEta(c *exact.Cluster, u *cluster.User) (*big.Rat, error) { return c.Eta(u, false) }

func statedEtaEligible(c *exact.Cluster, u *cluster.User) (*big.Rat, error) { return c.Eta(u, true) }

func statedOne(*exact.Cluster, *cluster.User) (*big.Rat, error) { return big.NewRat(1, 1), nil }

func statedDominant(links bool) stated {
	return func(c *exact.Cluster, u *cluster.User) (*big.Rat, error) { return c.Dominant(u, links), nil }
}

func statedSingle(kind string) stated {
	return func(c *exact.Cluster, u *cluster.User) (*big.Rat, error) {
		r, err := resource(c.Env(), kind)
		if err != nil {
			return nil, err
		}
		return c.Single(u, r), nil
	}
}
