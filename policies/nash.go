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
// ([solve.Nash]); in a session, another one, which depends on the order of events. Its
// share is x/η. The claims hold for unbounded tasks.
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

// Open implements [Opener]: Newton steps from the last event's optimum.
func (nash) Open(env *cluster.Environment) (Session, error) {
	s := &nashSession{env: env, etas: env.Etas(nil)}
	s.Load(env)
	return s, nil
}

type nashSession struct {
	solve.Nash
	env  *cluster.Environment
	etas []float64
}

// Weigh implements [Session].
func (s *nashSession) Weigh(j int, weight float64) { s.env.Users[j].Weight = weight }

// Allocate implements [Session].
func (s *nashSession) Allocate() (*cluster.Allocation, error) {
	a, err := s.Nash.Allocate()
	if err == nil {
		taskShares(a, s.etas)
	}
	return a, err
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
