package audit

import (
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// mutate changes one number of a case, or several: capacities, demands,
// weights, what is reported. A number that is 0 stays 0.
func mutate(rng *rand.Rand, c *Case) {
	all := cells(c)
	size := []float64{0.01, 0.1, 0.7}[rng.IntN(3)]
	for range 1 + rng.IntN(3) {
		cell := all[rng.IntN(len(all))]
		factor := math.Exp(size * rng.NormFloat64())
		for _, v := range cell {
			*v *= factor
		}
	}
	if c.Report != nil && rng.IntN(3) == 0 {
		bend(rng, c.Report, size, rng.IntN(2) == 0)
	}
}

// cells lists the numbers of a case. The demands of a liar come with what it
// reports, so that the lie stays the same in proportion; link demands that are
// equal behind all access points stay so.
func cells(c *Case) [][]*float64 {
	var all [][]*float64
	env := c.Env
	for s := range env.Servers {
		all = append(all, each(env.Servers[s].Capacity)...)
	}
	for e := range env.Links {
		all = append(all, []*float64{&env.Links[e].Capacity})
	}
	for j := range env.Users {
		all = append(all, userCells(c, j)...)
	}
	return all
}

// userCells lists the numbers of a user: its demands, a task cap, and its
// weight where weights differ.
func userCells(c *Case, j int) [][]*float64 {
	var all [][]*float64
	u := &c.Env.Users[j]
	mine, liar := numbers(u), c.Report != nil && c.User == j
	first, last := len(u.Demand), len(u.Demand)+len(u.LinkDemand)
	for i := range mine {
		from, to := i, i+1
		if i >= first && i < last && linkCells(c.Env, u) {
			from, to = first, last
		}
		cell := append([]*float64(nil), mine[from:to]...)
		if liar {
			cell = append(cell, numbers(c.Report)[from:to]...)
		}
		all = append(all, cell)
	}
	if !math.IsInf(u.Tasks, 1) {
		cell := []*float64{&u.Tasks}
		if liar && !math.IsInf(c.Report.Tasks, 1) {
			cell = append(cell, &c.Report.Tasks)
		}
		all = append(all, cell)
	}
	if cluster.Features(c.Env)&cluster.Weights != 0 {
		all = append(all, []*float64{&u.Weight})
	}
	return all
}

// linkCells reports whether the link demands of a user are one number behind
// several access points.
func linkCells(env *cluster.Environment, u *cluster.User) bool {
	if len(u.LinkDemand) < 2 || env.Links[len(env.Links)-1].Servers == nil {
		return false
	}
	for _, d := range u.LinkDemand {
		if d != u.LinkDemand[0] {
			return false
		}
	}
	return true
}

func each(values []float64) [][]*float64 {
	var all [][]*float64
	for i := range values {
		all = append(all, []*float64{&values[i]})
	}
	return all
}
