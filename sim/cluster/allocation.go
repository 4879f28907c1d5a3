package cluster

import "slices"

// Allocation is what a rule gives: real-valued task counts.
type Allocation struct {
	// Region is the environment in which X is feasible. It is the environment
	// that was asked about, except for a rule that allocates from another one
	// (drf pools all servers into one).
	Region *Environment
	// Tasks is x[j], tasks in total; one entry per user.
	Tasks []float64
	// X is x[j,s], user-major: X[j*len(Region.Servers)+s].
	X []float64
	// Share is the scalar that the rule equalises, x[j]/(w[j]·N[j]), or x/η
	// where it equalises none.
	Share []float64
	// Prices holds the dual prices of the capacity rows of Region in the order
	// of [Environment.Row], scaled as the rule's program has them; nil where
	// the rule solves no program.
	Prices []float64
	// EnvyPrices are the dual prices of the rows against envy, in the scale of Prices;
	// nil where the rule's program has no such rows. Rows without a price need not be
	// there.
	EnvyPrices []EnvyPrice
	// Unservable lists the users that no eligible server can host. They hold
	// 0 tasks.
	Unservable []int
	// Certificate says how far from exact the numbers can be.
	Certificate Certificate
}

// EnvyPrice is the dual price of the row
//
//	u[Envier](bundle of Envied) ≤ x[Envier]
//
// in tasks of the envier: what the objective would gain if that bundle might be worth one
// task more than what the envier has, at the margin.
type EnvyPrice struct {
	Envier, Envied int // users, by index
	Price          float64
}

// Certificate bounds the error of an allocation without trusting the solver
// that made it: each figure is computed from the numbers of the allocation
// and of the prices alone.
type Certificate struct {
	// Primal is the largest violation of a constraint, relative to its
	// capacity (or cap, or bound).
	Primal float64
	// Gap is the distance between the objective and its dual bound, relative
	// to the objective; for progressive filling the largest over the rounds.
	Gap float64
	// Totals bounds the relative error of every user's total, for a program
	// whose totals are unique and bounded by the gap (Nash welfare); 0 for
	// another one.
	Totals float64
	// Rounds and Pivots count the work: rounds of progressive filling (or of
	// row generation) and pivots or interior-point iterations.
	Rounds, Pivots int
}

// Clone returns a copy that shares nothing with a but its region.
func (a *Allocation) Clone() *Allocation {
	c := *a
	c.Tasks, c.X, c.Share = slices.Clone(a.Tasks), slices.Clone(a.X), slices.Clone(a.Share)
	c.Prices, c.Unservable = slices.Clone(a.Prices), slices.Clone(a.Unservable)
	c.EnvyPrices = slices.Clone(a.EnvyPrices)
	return &c
}

// On returns x[j,·] over the servers of the region.
func (a *Allocation) On(j int) []float64 {
	n := len(a.Region.Servers)
	return a.X[j*n : (j+1)*n]
}
