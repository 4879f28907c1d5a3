package order

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// norm is N of some kinds. Where users wait because there is too little of one
// resource, many kinds have the same N: these share one, see [norms].
type Norm struct {
	near        float64 // to doubles; NaN: they do not hold it
	zero, never bool    // N is 0; +Inf
	find        func() *big.Rat
	exact       *fraction // nil: not needed so far
	kinds       int       // that have it, if it is among the norms
	number      uint32    // among these, of all there were; 0: it is not
	scale       *Scale    // of users with the weight of the first one
}

// Unseen is N of users that the rule does not see: nothing but the index orders
// them.
var Unseen = &Norm{near: math.Inf(1), never: true}

// fraction returns N, which is positive and finite.
func (n *Norm) fraction() *fraction {
	if n.exact == nil {
		n.exact = newFraction(n.find())
	}
	return n.exact
}

// compare compares N of two kinds.
func (n *Norm) compare(o *Norm) int {
	switch {
	case n == o:
		return 0
	case n.zero || o.zero || n.never || o.never:
		return cmp.Compare(n.extreme(), o.extreme())
	case n.near < o.near*Apart:
		return -1
	case o.near < n.near*Apart:
		return 1
	}
	return n.fraction().compare(o.fraction())
}

// extreme is -1 for N = 0, 1 for +Inf and 0 for what is between.
func (n *Norm) extreme() int {
	switch {
	case n.zero:
		return -1
	case n.never:
		return 1
	}
	return 0
}

// NewNorm takes N in doubles, of which the relative error is known. Where it is
// too large, or doubles do not hold N, or it is not a positive number, the
// rational number decides what it is.
func NewNorm(near, relative float64, find func() *big.Rat) *Norm {
	if relative <= MaxError/2 && held(near) {
		return &Norm{near: near, find: find}
	}
	n := find()
	switch {
	case n == nil:
		return Unseen
	case n.Sign() == 0:
		return &Norm{zero: true}
	}
	near, _ = n.Float64()
	if !held(near) {
		near = math.NaN()
	}
	return &Norm{near: near, exact: newFraction(n)}
}

// norms are N of the kinds present, by their doubles, so that kinds with the same
// N have the same norm and a tie between them is seen without looking at
// fractions. Another N with the same double stays out.
type Norms struct {
	near map[float64]*Norm
	last uint32 // number given
}

// NewNorms returns norms of no kinds.
func NewNorms() Norms { return Norms{near: map[float64]*Norm{}} }

// Enter returns the norm for a kind whose N is n.
func (all *Norms) Enter(n *Norm) *Norm {
	if n.zero || n.never || math.IsNaN(n.near) {
		return n
	}
	known := all.near[n.near]
	switch {
	case known == nil:
		if all.last < math.MaxUint32 {
			all.last++
			n.number = all.last
		}
		all.near[n.near] = n
		known = n
	case known.fraction().compare(n.fraction()) != 0:
		return n
	}
	known.kinds++
	return known
}

// Leave takes a kind off.
func (all *Norms) Leave(n *Norm) {
	if n == nil || n.kinds == 0 {
		return
	}
	if n.kinds--; n.kinds == 0 {
		delete(all.near, n.near)
	}
}

// normalizer finds N of users, in doubles and where needed in rational numbers.
type Normalizer struct {
	rule  policies.Normalizer // nil: users are served in order of arrival
	env   *cluster.Environment
	exact policies.Rationals
}

func NewNormalizer(rule policies.Normalizer, env *cluster.Environment) *Normalizer {
	n := &Normalizer{rule: rule, env: env}
	if rule != nil {
		n.exact = policies.RationalsOf(rule, env)
	}
	return n
}

// norm returns N of a user. Where users are served in order of arrival they have
// no share, so that the index decides.
func (n *Normalizer) Norm(u *cluster.User) (*Norm, error) {
	if n.rule == nil {
		return Unseen, nil
	}
	if s, ok := n.rule.(policies.LinkSplitter); ok && s.SplitsLinks() && len(n.env.Links) > 0 {
		return nil, &policies.UnsupportedError{Reason: "the rule divides the links among the servers beforehand, which is not done for whole tasks"}
	}
	near, err := n.rule.Normalize(n.env.With([]cluster.User{*u}))
	if err != nil {
		return nil, err
	}
	return NewNorm(near[0], n.exact.Error, func() *big.Rat {
		exactly, err := n.exact.Of(u, near[0])
		if err != nil {
			panic(fmt.Sprintf("whole: N is %g and has no rational form: %v", near[0], err))
		}
		return exactly
	}), nil
}
