package twin

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Optimum is the answer of a linear or Nash program.
type Optimum struct {
	Tasks []float64 // x[j]
	X     []float64 // x[j,s], user-major
	Value float64   // the objective
	// Gap is the distance of Value to its dual bound; of [Linear] it is
	// within the check of [LP.Solve] and is not computed again.
	Gap float64
}

// Linear maximises Σ_j values[j]·x[j] over χ subject to x[j] >= lower[j] (nil:
// none) and, if envyFree, to all n·(n-1) rows u[j](i's bundle) <= x[j], where
//
//	u[j](i) = (w[j]/w[i]) · Σ_s p[j,s]·x[i,s]·min_r d[i,r]/d[j,r],
//
// r over the resources of s and the links that reach s with d[j,r] > 0.
// ErrInfeasible is returned where the bounds cannot be met.
func Linear(env *cluster.Environment, values, lower []float64, envyFree bool) (*Optimum, error) {
	return LinearSated(env, values, lower, envyFree, make([]bool, len(env.Users)))
}

// LinearSated is [Linear] without the rows of the users j with sated[j].
func LinearSated(env *cluster.Environment, values, lower []float64, envyFree bool, sated []bool) (*Optimum, error) {
	g := newRegion(env)
	c := make([]float64, len(g.cols))
	for k, col := range g.cols {
		c[k] = values[col.j] * col.gamma
	}
	p := g.program(c, 0)
	for j, v := range lower {
		if v > 0 {
			p.Add(g.tasksRow(j), GE, v)
		}
	}
	if envyFree {
		g.addEnvyRows(p, sated)
	}
	sol, err := p.Solve()
	if err != nil {
		return nil, err
	}
	return &Optimum{Tasks: g.totals(sol.X), X: g.matrix(sol.X), Value: sol.Value}, nil
}

// addEnvyRows adds u[j](i) - x[j] <= 0 for every ordered pair of users of which j is not
// sated.
func (g *region) addEnvyRows(p *LP, sated []bool) {
	for j := range g.env.Users {
		for i := range g.env.Users {
			if i == j || sated[j] {
				continue
			}
			a := make([]float64, len(g.cols))
			for k, col := range g.cols {
				switch col.j {
				case j:
					a[k] = -col.gamma
				case i:
					a[k] = col.gamma * Worth(g.env, j, i, col.s)
				}
			}
			p.Add(a, LE, 0)
		}
	}
}

// Worth returns what one task of user i on server class s is worth to user j,
// in tasks of j: p[j,s]·(w[j]/w[i])·min_r d[i,r]/d[j,r], r over the resources
// of s and the links that reach s with d[j,r] > 0. It is +Inf if j needs
// nothing there.
func Worth(env *cluster.Environment, j, i, s int) float64 {
	if !env.MayRun(j, s) {
		return 0
	}
	worth := math.Inf(1)
	for r, d := range env.Demand(j, s) {
		if d > 0 {
			worth = math.Min(worth, env.Demand(i, s)[r]/d)
		}
	}
	for e := range env.Links {
		if d := env.LinkDemand(j, e); d > 0 && env.Reaches(e, s) {
			worth = math.Min(worth, env.LinkDemand(i, e)/d)
		}
	}
	return worth * env.Users[j].Weight / env.Users[i].Weight
}

// Domination returns the domination factor of tasks in env: max Σ x' over
// feasible x' >= tasks, divided by Σ tasks; 1 if nobody holds anything and
// nobody can. tasks must be feasible to within feasTol of the least capacity.
func Domination(env *cluster.Environment, tasks []float64) (float64, error) {
	values, lower := make([]float64, len(tasks)), make([]float64, len(tasks))
	total := 0.0
	for j, x := range tasks {
		values[j], lower[j] = 1, x*(1-slackTol)
		total += x
	}
	best, err := Linear(env, values, lower, false)
	if err != nil {
		return 0, err
	}
	if best.Value == total {
		return 1, nil
	}
	return best.Value / total, nil
}
