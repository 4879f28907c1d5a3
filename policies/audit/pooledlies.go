package audit

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// Strategy-proofness where weights come from dedicated pools. Every server is in the
// pool of one user, and user j has the weight w[j] = k[j]/h[j]: k[j] are the tasks that
// it can run in its pool, h[j] those on all servers, both by what it reports. So a lie
// about demands or servers is one about the weight too. [policies.SPD] takes any pools,
// [policies.SPU] those of which every server can run its owner, by the truth.
//
// The rules compared fix totals, not on which servers tasks run. A lie that claims servers
// which the user cannot use counts by the fewest true tasks over all allocations of the
// same totals.
//
// Reference: TSF, Theorems 1 and 3, and the proof of Theorem 3 in appendix A.

// noPools are the features of which Theorem 3 does not speak: there the weights are those
// of the pools, and tasks are unbounded.
const noPools = cluster.Links | cluster.Weights | cluster.LinkOnly | cluster.Caps

// ownings is how many divisions of the servers into pools are tried per environment.
const ownings = 3

// poolSizes are those of environments with pools: a pool with a server that its owner
// cannot use has one that it can, too, and somebody else has a third.
var poolSizes = []Size{{2, 2}, {2, 3}, {2, 3}, {2, 3}, {3, 3}, {3, 4}, {2, 4}, {3, 5}, {4, 5}, {5, 6}}

// pooledLies draws pools, and lies of some users for each: those of any search, and that a
// user can use all of its pool. Every other division leaves no server to a user that
// cannot use it, if it can.
func pooledLies(rng *rand.Rand, rule Rule, env *cluster.Environment) []Change {
	var all []Change
	for k := range ownings {
		owner := divide(rng, env, k%2 == 1)
		changes := lies(rng, rule, env)
		for j := range env.Users {
			if report, more := claimPool(env, owner, j); more {
				changes = append(changes, Change{User: j, Report: &report})
			}
		}
		for _, c := range changes {
			c.Owner = owner
			all = append(all, c)
		}
	}
	return all
}

// divide gives every user a server that it can use, as far as there are any, and the rest
// to anybody, or to somebody who can use it.
func divide(rng *rand.Rand, env *cluster.Environment, useful bool) []int {
	owner := slices.Repeat([]int{-1}, len(env.Servers))
	users, servers := rng.Perm(len(env.Users)), rng.Perm(len(env.Servers))
	for _, j := range users {
		if k := slices.IndexFunc(servers, func(s int) bool { return owner[s] < 0 && env.MayRun(j, s) }); k >= 0 {
			owner[servers[k]] = j
		}
	}
	for s := range owner {
		if owner[s] >= 0 {
			continue
		}
		owner[s] = users[rng.IntN(len(users))]
		if k := slices.IndexFunc(users, func(j int) bool { return env.MayRun(j, s) }); useful && k >= 0 {
			owner[s] = users[k]
		}
	}
	return owner
}

// claimPool returns the report that the servers of its pool can run user j, too, and
// whether that is not the truth.
func claimPool(env *cluster.Environment, owner []int, j int) (report cluster.User, more bool) {
	report = env.Users[j].Clone()
	for s := range owner {
		if owner[s] == j && !report.Eligible.Has(s) {
			report.Eligible.Add(s)
			more = true
		}
	}
	if report.Eligible != nil && report.Eligible.Len() == len(env.Servers) {
		report.Eligible = nil
	}
	return report, more
}

// lyingWithPool judges lies where weights come from pools.
func lyingWithPool(p policies.Property) func(Rule, *cluster.Environment) (judge, error) {
	return func(rule Rule, env *cluster.Environment) (judge, error) {
		valid := validOf(env)
		var owner []int // of honest
		var honest *cluster.Allocation
		return func(c Change) (Outcome, error) {
			l, err := rule.withPools(p, Case{env, c}, valid)
			if err != nil {
				return none, err
			}
			if !slices.Equal(owner, c.Owner) {
				a, err := rule.allocate(l.Before)
				if err != nil {
					return none, err
				}
				owner, honest = c.Owner, a
			}
			lied, err := rule.allocate(l.After)
			if err != nil {
				return none, err
			}
			truth := l.Before.Users[l.liar]
			lie := fair.Lie{Truth: truth, Report: l.After.Users[l.liar], Honest: fair.Worth(honest, l.liar, truth), Lying: fair.Worth(lied, l.liar, truth)}
			if lie.Lying > lie.Honest*(1+Suspect) {
				lie.Lying = min(lie.Lying, worthAnywhere(lied, l.Before, l.liar))
			}
			o := gain(lie, noise*l.Before.EtaEligible(l.liar))
			if o.Sentence != nil {
				o.Sentence = sentence{fmt.Sprintf("with weights from dedicated pools, its own %.6g instead of %.6g, ", l.said, l.truly), lie}
			}
			return o, nil
		}, nil
	}
}

// PooledLie is a lie where weights come from dedicated pools: the environments with the
// weights of the truth and of the lie.
type PooledLie struct {
	Before, After *cluster.Environment
	liar          int     // its index in both
	truly, said   float64 // its weight k/h
}

// WithPools returns the environments of a case of [policies.SPD]. The error is ErrOutside
// where there are none.
func WithPools(rule Rule, c Case) (*PooledLie, error) {
	l, err := rule.withPools(policies.SPD, c, anew)
	if err == nil {
		wholeWeights(l.Before.Users)
		wholeWeights(l.After.Users)
	}
	return l, err
}

// withPools returns ErrOutside where somebody's pool is not as the property has it, or the
// liar's is worth nothing, by the truth or by what it says.
func (r Rule) withPools(p policies.Property, c Case, valid validity) (*PooledLie, error) {
	for s, j := range c.Owner {
		if j < 0 || p == policies.SPU && !c.Env.MayRun(j, s) {
			return nil, ErrOutside
		}
	}
	told, err := r.tells(p, c, valid)
	if err != nil {
		return nil, err
	}
	before, k, h := entitled(r, c)
	after, said, of := entitled(r, Case{told, c.Change})
	if before == nil || after == nil || len(before.Users) != len(after.Users) {
		return nil, ErrOutside
	}
	name := c.Env.Users[c.User].Name
	at := slices.IndexFunc(before.Users, func(u cluster.User) bool { return u.Name == name })
	if at < 0 || after.Users[at].Name != name {
		return nil, ErrOutside
	}
	return &PooledLie{before, after, at, k[at] / h[at], said[at] / of[at]}, nil
}

// worthAnywhere returns the fewest true tasks of user j with what it holds in any
// allocation of the totals of a; env has its true needs.
func worthAnywhere(a *cluster.Allocation, env *cluster.Environment, j int) float64 {
	totals := make([]*big.Rat, len(a.Tasks))
	for i, x := range a.Tasks {
		totals[i] = exact.Rational(max(0, x*(1-noise)))
	}
	least, err := exact.New(a.Region).LeastHeld(j, totals, exact.New(env).Only(j))
	if err != nil {
		return 0 // totals that no allocation has show nothing
	}
	v, _ := least.Float64()
	return v
}

// proveLieWithPool proves a lie in rational numbers: the weights are those of the pools,
// the totals those of the rule, and the lie pays whatever servers its tasks are on.
func proveLieWithPool(p policies.Property) func(Rule, Case) (Proof, error) {
	return func(rule Rule, c Case) (Proof, error) {
		l, err := rule.withPools(p, c, anew)
		if err != nil {
			return Proof{}, err
		}
		wholeWeights(l.Before.Users)
		wholeWeights(l.After.Users)
		honest, x, err := rule.exactly(l.Before)
		if err != nil {
			return Proof{}, err
		}
		told, y, err := rule.exactly(l.After)
		if err != nil {
			return Proof{}, err
		}
		for _, e := range []*exact.Environment{honest, told} {
			if err := proveWeights(rule, e, c); err != nil {
				return Proof{}, err
			}
		}
		has := exact.Totals(x)[l.liar]
		most, err := told.LeastHeld(l.liar, exact.Totals(y), honest.Only(l.liar))
		if err != nil {
			return Proof{}, err
		}
		if most.Cmp(has) <= 0 {
			return Proof{}, errNotProved
		}
		return Proof{honest.Names[l.liar], "true tasks when honest and when lying about its demands, its servers and so its weight", has, most}, nil
	}
}

// proveWeights returns an error unless the weights are in the proportions of k[j]/h[j].
func proveWeights(r Rule, e *exact.Environment, c Case) error {
	_, eligible := r.Policy.(policies.Entitler)
	var unit *big.Rat
	for j := range e.Names {
		k, err := inPool(e, j, c)
		if err != nil {
			return err
		}
		h, err := e.Alone(j, eligible)
		if err != nil {
			return err
		}
		ratio := k.Quo(k, h)
		if ratio.Quo(e.Weight[j], ratio); unit == nil {
			unit = ratio
		}
		if unit.Cmp(ratio) != 0 {
			return fmt.Errorf("audit: the weight of user %q is not the one of its pool in rational numbers", e.Names[j])
		}
	}
	return nil
}
