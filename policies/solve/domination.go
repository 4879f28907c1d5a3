package solve

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Domination returns the domination factor of an allocation with the given
// totals: max Σ_j x'[j] over the feasible x' ≥ tasks, divided by Σ_j tasks[j],
// and the x' that attains it. It is 1 exactly where the allocation is Pareto
// optimal, up to [Accuracy]; 1 where nobody holds anything and nobody can,
// +Inf where only nobody holds anything.
//
// Totals that are infeasible by more than [Feasibility] are an error.
//
// Reference: section 6.2 of the TSF-ER paper.
func Domination(env *cluster.Environment, tasks []float64) (factor float64, better []float64, err error) {
	d := NewDominator(env)
	factor, err = d.Factor(nil, tasks)
	return factor, d.Better(), err
}

// Dominator computes domination factors again and again for the users of one
// environment. It is not safe for concurrent use.
type Dominator struct {
	linear  Linear
	ones    []float64
	dust    []float64 // per user: what counts as nothing
	lower   []float64
	present []int
}

// NewDominator returns a Dominator for env, which it keeps.
func NewDominator(env *cluster.Environment) *Dominator {
	d := &Dominator{ones: make([]float64, len(env.Users)), dust: env.EtasEligible(nil)}
	for j := range d.ones {
		d.ones[j] = 1
		d.dust[j] *= tolDust
	}
	d.linear.env = env
	d.linear.prog.load(env)
	return d
}

// Factor returns the domination factor of tasks among the users that are
// present; nil means all. See [Domination].
func (d *Dominator) Factor(present []bool, tasks []float64) (float64, error) {
	d.present = d.present[:0]
	held := 0.0
	for j := range d.ones {
		if present == nil || present[j] {
			d.present = append(d.present, j)
			held += tasks[j]
		}
	}
	a, err := d.best(tasks, held)
	if err != nil {
		return math.NaN(), err
	}
	best := d.sum(a)
	switch {
	case held > 0:
		return math.Max(best/held, 1), nil
	case best > 0:
		return math.Inf(1), nil
	}
	return 1, nil
}

// relax are the parts of the totals that may be given up, in the order in
// which they are tried in doubles: totals at the very edge of the region are infeasible
// by rounding as often as not. The factor is exact to the last of them, a
// tenth of [Accuracy].
var relax = [...]float64{0, 1e-12, 1e-11, 1e-10, 1e-9}

// best maximises Σ x' over the feasible x' ≥ tasks. What is given up of one user's
// total can be another's whole allocation where demands span many decades: what
// is gained by giving anything up is sought in extended precision too.
func (d *Dominator) best(tasks []float64, held float64) (a *cluster.Allocation, err error) {
	d.lower = resize(d.lower, len(tasks))
	q := LinearProblem{Value: d.ones, Lower: d.lower, Present: d.present}
	// 1. In doubles, giving up as little as makes the totals feasible.
	for _, part := range relax {
		d.bound(tasks, part)
		if a, err = d.linear.solve(q); err == nil {
			if part == 0 || d.sum(a) <= held*(1+Accuracy) || !d.wide() {
				return a, nil
			}
			break
		}
	}
	// 2. In extended precision, giving up nothing.
	failed, gained := err, (*cluster.Allocation)(nil)
	if failed == nil {
		gained = a.Clone()
	}
	d.bound(tasks, 0)
	if a, err = d.linear.extend(q, errWide); err == nil {
		return a, nil
	}
	if failed != nil {
		return nil, failed
	}
	d.linear.result = *gained
	return &d.linear.result, nil
}

// wide reports whether what a user needs of one row is [widest] times what it
// needs of another.
func (d *Dominator) wide() bool {
	for _, j := range d.present {
		if d.linear.prog.spread(j) > widest {
			return true
		}
	}
	return false
}

// bound sets the lower bounds to the totals less a part of each.
func (d *Dominator) bound(tasks []float64, part float64) {
	for j, x := range tasks {
		d.lower[j] = x * (1 - part)
		if x < d.dust[j] {
			d.lower[j] = 0
		}
	}
}

// sum returns what all users that are present hold.
func (d *Dominator) sum(a *cluster.Allocation) float64 {
	sum := 0.0
	for _, j := range d.present {
		sum += a.Tasks[j]
	}
	return sum
}

// Better returns the dominating totals of the last factor; they are valid
// until the next one.
func (d *Dominator) Better() []float64 { return d.linear.result.Tasks }
