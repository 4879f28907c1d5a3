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
	return p.allocate(env, nil)
}

// allocate is Allocate with what is known of the rows against envy, which it brings up to
// date.
func (p welfare) allocate(env *cluster.Environment, known *binding) (*cluster.Allocation, error) {
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
	return maximize(env, q, etas, known)
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

// maximize returns an optimum of a linear welfare, with x/η as the share. It begins with
// the rows against envy that are known, if any, and replaces them by those that bind.
func maximize(env *cluster.Environment, q solve.LinearProblem, etas []float64, known *binding) (*cluster.Allocation, error) {
	solver := linearSolvers.Get().(*solve.Linear)
	defer linearSolvers.Put(solver)
	if known != nil {
		q.Known = known.rows
	}
	a, err := solver.Solve(env, q)
	if err != nil {
		return nil, err
	}
	if known != nil {
		known.rows = solver.Binding(known.rows[:0])
	}
	a = a.Clone()
	taskShares(a, etas)
	return a, nil
}

// binding are the rows against envy that bound an optimum: pairs of users, the one that
// envies first.
type binding struct{ rows [][2]int }

// Open implements [Opener]: for cru, each event begins with the rows against envy that
// bound the last optimum.
func (p welfare) Open(env *cluster.Environment) (Session, error) {
	s := newRestarts(p, env)
	if !p.cautious {
		return &s, nil
	}
	return &cautiousSession{restarts: s, rule: p}, nil
}

type cautiousSession struct {
	restarts
	rule  welfare
	known binding // by the index in the environment
	at    []int   // per user: its place among those present, or -1
}

// Allocate implements [Session].
func (s *cautiousSession) Allocate() (*cluster.Allocation, error) {
	idx := s.here()
	var known binding
	for _, pair := range s.known.rows {
		if j, i := s.at[pair[0]], s.at[pair[1]]; j >= 0 && i >= 0 {
			known.rows = append(known.rows, [2]int{j, i})
		}
	}
	sub := s.env.Subset(idx)
	a, err := s.rule.allocate(sub, &known)
	if err == nil {
		err = check(sub, a)
	}
	if err != nil {
		return nil, err
	}
	s.known.rows = s.known.rows[:0]
	for _, pair := range known.rows {
		s.known.rows = append(s.known.rows, [2]int{idx[pair[0]], idx[pair[1]]})
	}
	return scatter(a, idx, s.env), nil
}

// here lists the users that are present.
func (s *cautiousSession) here() (idx []int) {
	s.at = s.at[:0]
	for j, here := range s.present {
		s.at = append(s.at, -1)
		if here {
			s.at[j] = len(idx)
			idx = append(idx, j)
		}
	}
	return idx
}
