package policies

import (
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Bounder is implemented by a rule that [Policy.Allocate] refuses to users with task
// caps, and that has an answer to them that its paper does not state. It is called
// through [AllocateBounded].
type Bounder interface {
	AllocateBounded(env *cluster.Environment) (*cluster.Allocation, error)
}

// AllocateBounded is [Allocate] in an environment with task caps: by the rule's
// [Bounder] where it is one. What is handed out is checked in the same way.
func AllocateBounded(p Policy, env *cluster.Environment) (*cluster.Allocation, error) {
	bounder, ok := p.(Bounder)
	if !ok {
		return Allocate(p, env)
	}
	a, err := bounder.AllocateBounded(env)
	if err != nil {
		return nil, err
	}
	if err := check(env, a); err != nil {
		return nil, err
	}
	return a, nil
}

// AllocateBounded implements [Bounder] for the cautious welfare, and is Allocate for
// the others.
//
// Definition: max Σ w[j]·x[j]/η[j] over the x of eq. (2) of the TSF-ER paper
// (x[j] ≤ n[j]) that are free of envy and give sharing incentive by its
// definitions 3 and 6, in which utility is that of eq. (1), min{…, n[j]}: a user that
// holds all its tasks envies nobody, and ψ[j] is at most n[j]. "Holds all its tasks, or
// has no envy" is a disjunction, and the program is not linear. It is solved from
// below:
//
//  1. A user with ψ[j] = n[j] holds n[j] in every such allocation: it has no rows
//     against envy. Everybody else has them.
//  2. Solve the linear program, with x[j] ≤ n[j].
//  3. Users that hold n[j] now, and had rows, lose them and have n[j] as their lower
//     bound; then again from 2, until there is none.
//
// Guaranteed: the equal division is feasible in 1, and each optimum is in the
// next program, so the allocation exists, meets all three definitions, and has a
// welfare of at least that of every program on the way; at most one program per user.
// It need not be the best of the disjunction; in random environments it nearly always
// is (TestBoundedCRUMeetsItsDefinition). Caps of +Inf for all give Allocate.
//
// Deviation from the paper: it states the program for unbounded tasks only. With the
// rows of that program as they are and caps beside them there may be no solution: of
// two equal users with n = (1, ∞) on a server for 4 the rows ask for x[2] ≤ x[1] ≤ 1,
// sharing incentive for x[2] ≥ 2.
func (p welfare) AllocateBounded(env *cluster.Environment) (*cluster.Allocation, error) {
	etas := env.Etas(nil)
	q := p.program(env, etas)
	if !p.cautious {
		return maximize(env, q, etas, nil)
	}
	q.Lower, q.Sated = env.EqualShares(nil), make([]bool, len(etas))
	for j, lower := range q.Lower {
		q.Sated[j] = lower >= env.Users[j].Tasks
	}
	for {
		a, err := maximize(env, q, etas, nil)
		if err != nil || !sate(&q, a) {
			return a, err
		}
	}
}

// sate sates the users that an allocation newly gives all their tasks, and reports
// whether there are any.
func sate(q *solve.LinearProblem, a *cluster.Allocation) (more bool) {
	for j, x := range a.Tasks {
		if !q.Sated[j] && x >= a.Region.Users[j].Tasks*(1-solve.Feasibility) {
			q.Sated[j], q.Lower[j], more = true, x, true
		}
	}
	return more
}
