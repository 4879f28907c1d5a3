package policies

import (
	"sync"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	claims := []Claim{{EF, true}, {PO, true}, {SP, false}, {SI, true}}
	Register(Meta{
		Name:       "mnw",
		Label:      "MNW",
		Look:       Look{"blue", "dashed", "□"},
		Title:      "Maximum Nash welfare: max Σ w·log x (proportional fairness, CEEI)",
		Paper:      "TSF-ER, section 3.2",
		Claims:     claims,
		Family:     FamilyNash,
		Definition: "max Σ w[j]·log x[j] over all feasible allocations; also called proportional fairness and competitive equilibrium from equal incomes.",
		New:        fixed(nash{}),
	})
	Register(Meta{
		Name:       "mtp",
		Label:      "MTP",
		Look:       Look{"blue", "dashed", "■"},
		Title:      "Maximum Task Product: max Π x^w, the program of mnw",
		Paper:      "MTP, section 4",
		Claims:     claims,
		Family:     FamilyNash,
		Definition: "max Π x[j]^w[j] over all feasible allocations: the program of mnw, under the name of its paper.",
		New:        fixed(nash{}),
	})
}

// nash maximises Σ_j w[j]·log x[j] over χ. The totals are unique; among the
// splits over servers that attain them it returns one inside the optimal face
// ([solve.Nash]). Its share is x/η. The claims hold for unbounded tasks.
type nash struct{}

var nashSolvers = sync.Pool{New: func() any { return new(solve.Nash) }}

// Allocate implements [Policy].
func (nash) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	solver := nashSolvers.Get().(*solve.Nash)
	defer nashSolvers.Put(solver)
	a, err := solver.Solve(env)
	if err != nil {
		return nil, err
	}
	a = a.Clone()
	taskShares(a, env.Etas(nil))
	return a, nil
}

// taskShares fills in x/η for a rule that equalises no share of its own.
func taskShares(a *cluster.Allocation, eta []float64) {
	for j, x := range a.Tasks {
		a.Share[j] = 0
		if eta[j] > 0 {
			a.Share[j] = x / eta[j]
		}
	}
}
