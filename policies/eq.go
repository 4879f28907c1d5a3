package policies

import (
	"math"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	Register(Meta{
		Name:       "eq",
		Label:      "EQ",
		Look:       Look{"green", "dotted", "▽"},
		Title:      "Equal division: every server and link divided among all users in proportion to their weights",
		Paper:      "TSF-ER, Definition 6; MTP, section 5",
		Claims:     []Claim{{EF, true}, {PO, false}, {SI, true}},
		Family:     FamilyPerServer,
		Definition: "User j has the part w[j]/Σw of every server and link, and runs what it can with it.",
		New:        fixed(division{}),
	})
}

// division gives user j the part w[j]/Σw of every server and link, of which
// it runs as many tasks as fit, at most n[j]: ψ[j]. Its share is x/η.
type division struct{}

// Allocate implements [Policy].
func (p division) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	s, err := p.Open(env)
	if err != nil {
		return nil, err
	}
	for j := range env.Users {
		s.Add(j)
	}
	return s.Allocate()
}

// Open implements [Opener]: what a user does with everything is found once.
func (division) Open(env *cluster.Environment) (Session, error) {
	s := &divisionSession{env: env, etas: env.Etas(nil), alone: make([]*cluster.Allocation, len(env.Users))}
	s.present = make([]bool, len(env.Users))
	var solver solve.Linear
	for j := range env.Users {
		user := env.Users[j]
		user.Tasks = cluster.Inf
		a, err := solver.Solve(env.With([]cluster.User{user}), solve.LinearProblem{Value: []float64{1}})
		if err != nil {
			return nil, err
		}
		s.alone[j] = a.Clone()
		s.alone[j].Certificate.Pivots = 0
	}
	return s, nil
}

type divisionSession struct {
	env     *cluster.Environment
	etas    []float64
	alone   []*cluster.Allocation // per user: what it runs when it has everything
	present []bool
}

func (s *divisionSession) Add(j int)    { s.present[j] = true }
func (s *divisionSession) Remove(j int) { s.present[j] = false }

func (s *divisionSession) Weigh(j int, weight float64) { s.env.Users[j].Weight = weight }

func (s *divisionSession) Allocate() (*cluster.Allocation, error) {
	n, width := len(s.env.Users), len(s.env.Servers)
	a := &cluster.Allocation{
		Region: s.env, Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n),
	}
	total := 0.0
	for j, here := range s.present {
		if here {
			total += s.env.Users[j].Weight
		}
	}
	for j, here := range s.present {
		if !here {
			continue
		}
		alone := s.alone[j]
		if len(alone.Unservable) > 0 {
			a.Unservable = append(a.Unservable, j)
			continue
		}
		f := s.env.Users[j].Weight / total
		if most := s.env.Users[j].Tasks; f*alone.Tasks[0] > most {
			f = most / alone.Tasks[0]
		}
		for v, x := range alone.X {
			a.On(j)[v] = f * x
			a.Tasks[j] += f * x
		}
		a.Certificate.Primal = math.Max(a.Certificate.Primal, alone.Certificate.Primal)
		a.Certificate.Gap = math.Max(a.Certificate.Gap, alone.Certificate.Gap)
	}
	taskShares(a, s.etas)
	return a, nil
}
