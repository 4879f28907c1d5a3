package policytest

import (
	"math"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// FIFO is the rule that any test of a fair one must be able to tell from it:
// users take what fits, in the order in which they are listed.
var FIFO policies.Policy = fifo{}

type fifo struct{}

// Allocate implements [policies.Policy]. It is feasible and never fails.
func (fifo) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	n, width := len(env.Users), len(env.Servers)
	a := &cluster.Allocation{Region: env, Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n)}
	left := make([]float64, env.Rows())
	for row := range left {
		left[row] = env.RowCapacity(row)
	}
	for j := range n {
		for s := range width {
			x := fits(env, left, j, s, env.Users[j].Tasks-a.Tasks[j])
			a.On(j)[s] = x
			a.Tasks[j] += x
			take(env, left, j, s, x)
		}
		if eta := env.Eta(j); eta > 0 {
			a.Share[j] = a.Tasks[j] / eta
		}
		if env.EtaEligible(j) == 0 {
			a.Unservable = append(a.Unservable, j)
		}
	}
	return a, nil
}

// fits returns how many tasks of j, at most most, fit into what is left on s.
func fits(env *cluster.Environment, left []float64, j, s int, most float64) float64 {
	if !env.MayRun(j, s) {
		return 0
	}
	for r, d := range env.Demand(j, s) {
		if d > 0 {
			most = math.Min(most, left[env.Row(s, r)]/d)
		}
	}
	for e := range env.Links {
		if d := env.LinkDemand(j, e); d > 0 && env.Reaches(e, s) {
			most = math.Min(most, left[env.LinkRow(e)]/d)
		}
	}
	return math.Max(most, 0)
}

func take(env *cluster.Environment, left []float64, j, s int, x float64) {
	for r, d := range env.Demand(j, s) {
		left[env.Row(s, r)] -= x * d
	}
	for e := range env.Links {
		if env.Reaches(e, s) {
			left[env.LinkRow(e)] -= x * env.LinkDemand(j, e)
		}
	}
}
