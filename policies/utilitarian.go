package policies

import (
	"fmt"
	"math"
	"sync"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	Register(Meta{
		Name:       "utilitarian",
		Label:      "Utilitarian",
		Look:       Look{"grey", "short dashes", "▽"},
		Title:      "Utilitarian welfare: max Σ w·x",
		Paper:      "TSF-ER, section 3.1",
		Claims:     []Claim{{EF, false}, {PO, true}, {SP, false}, {SI, false}},
		Family:     FamilyUtilitarian,
		Definition: "max Σ w[j]·x[j] over all feasible allocations.",
		New:        fixed(welfare{}),
	})
	Register(Meta{
		Name:       "ru",
		Label:      "RU",
		Look:       Look{"orange", "dotted", "▲"},
		Title:      "Relative utilitarian welfare: max Σ w·x/η",
		Paper:      "TSF-ER, section 3.1",
		Claims:     []Claim{{EF, false}, {PO, true}, {SI, false}},
		Family:     FamilyUtilitarian,
		Definition: "max Σ w[j]·x[j]/η[j] over all feasible allocations; η[j]: the tasks of j when it has everything.",
		New:        fixed(welfare{relative: true}),
	})
	Register(Meta{
		Name:   "cru",
		Label:  "CRU",
		Look:   Look{"green", "dash-dot", "△"},
		Title:  "Cautious relative utilitarian welfare: max Σ w·x/η among envy-free allocations with sharing incentive",
		Paper:  "TSF-ER, section 3.1, Theorem 1",
		Claims: []Claim{{EF, true}, {PO, true}, {SP, false}, {SI, true}},
		// The paper has one link to all servers and no constraints. Elsewhere
		// a user may be kept from gaining by another's envy.
		Outside:    map[Property]cluster.Feature{PO: differing | cluster.Eligibility},
		Unbounded:  true,
		Family:     FamilyUtilitarian,
		Definition: "max Σ w[j]·x[j]/η[j] over the feasible allocations without envy in which every user has at least its equal share.",
		Refuses:    "users with task caps",
		New:        fixed(welfare{relative: true, cautious: true}),
	})
}

// welfare maximises a linear welfare over χ. The welfare is unique, the
// allocation need not be. Its share is x/η.
type welfare struct {
	relative bool // count x/η instead of x
	cautious bool // subject to envy-freeness and x ≥ ψ
}

var linearSolvers = sync.Pool{New: func() any { return new(solve.Linear) }}

// Allocate implements [Policy]. With cautious, task caps are refused: with
// caps envy-freeness is a disjunction, and the program is not linear.
func (p welfare) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	etas := env.Etas(nil)
	q := p.program(env, etas)
	if p.cautious {
		for j := range env.Users {
			if u := &env.Users[j]; !math.IsInf(u.Tasks, 1) {
				return nil, &UnsupportedError{fmt.Sprintf("the rule is defined for unbounded tasks, and users[%d] (%s) has a task cap", j, u.Name)}
			}
		}
		q.Lower = env.EqualShares(nil)
	}
	return maximize(env, q, etas)
}

// program is the welfare, without the lower bounds of a cautious one.
func (p welfare) program(env *cluster.Environment, etas []float64) solve.LinearProblem {
	q := solve.LinearProblem{Value: make([]float64, len(etas)), EnvyFree: p.cautious}
	for j := range etas {
		switch weight := env.Users[j].Weight; {
		case !p.relative:
			q.Value[j] = weight
		case etas[j] > 0:
			q.Value[j] = weight / etas[j]
		}
	}
	return q
}

// maximize returns an optimum of a linear welfare, with x/η as the share.
func maximize(env *cluster.Environment, q solve.LinearProblem, etas []float64) (*cluster.Allocation, error) {
	solver := linearSolvers.Get().(*solve.Linear)
	defer linearSolvers.Put(solver)
	a, err := solver.Solve(env, q)
	if err != nil {
		return nil, err
	}
	a = a.Clone()
	taskShares(a, etas)
	return a, nil
}
