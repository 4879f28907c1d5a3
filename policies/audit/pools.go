package audit

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// pools gives servers to users as their own.
func pools(rng *rand.Rand, _ Rule, env *cluster.Environment) []Change {
	var all []Change
	for range 3 {
		owner := make([]int, len(env.Servers))
		for s := range owner {
			owner[s] = rng.IntN(len(env.Users))
		}
		all = append(all, Change{Owner: owner})
	}
	return all
}

// dedicated is the largest shortfall from what a user runs in its own pool,
// with the weights that belong to the pools. Users without a pool are left out.
func dedicated(rule Rule, env *cluster.Environment) (judge, error) {
	return func(c Change) (Outcome, error) {
		weighed, k, _ := Entitled(rule, Case{env, c})
		if weighed == nil {
			return none, ErrOutside
		}
		a, err := rule.allocate(weighed)
		if err != nil {
			return none, err
		}
		worst := fair.WorstShortfall(weighed, a.Tasks, k)
		return sized(worst.Size, worst), nil
	}, nil
}

// Entitled returns the environment of the users with a pool of their own, each
// with the weight that it is entitled to, k/h, what they run in the pools, k, and h;
// nil if there are less than two.
func Entitled(rule Rule, c Case) (env *cluster.Environment, k, h []float64) {
	if env, k, h = entitled(rule, c); env != nil {
		wholeWeights(env.Users)
	}
	return env, k, h
}

// entitled is [Entitled] with the weights as they come, rounded as doubles are.
func entitled(rule Rule, c Case) (env *cluster.Environment, k, h []float64) {
	var users []cluster.User
	norm := c.Env.Etas(nil)
	if e, ok := rule.Policy.(policies.Entitler); ok {
		norm = e.Entitle(c.Env)
	}
	for j, tasks := range fair.Dedicated(c.Env, c.Owner) {
		if tasks > 0 {
			u := c.Env.Users[j]
			u.Weight = tasks / norm[j]
			users, k, h = append(users, u), append(k, tasks), append(h, norm[j])
		}
	}
	if len(users) < 2 {
		return nil, nil, nil
	}
	return c.Env.With(users), k, h
}

// maxWeight is the largest whole number that a weight is made.
const maxWeight = 1e6

// wholeWeights multiplies the weights by a number that makes all of them whole,
// if there is one that is not too large: only their ratios count.
func wholeWeights(users []cluster.User) {
	common := big.NewInt(1)
	for j := range users {
		d := exact.Nearest(users[j].Weight, 1e-12).Denom()
		common.Mul(common, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, common, d)))
		if common.BitLen() > 20 {
			return
		}
	}
	for j := range users {
		if w := math.Round(users[j].Weight * float64(common.Int64())); w > maxWeight {
			return
		}
	}
	for j := range users {
		users[j].Weight = math.Round(users[j].Weight * float64(common.Int64()))
	}
}
