package sim

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Domination observes the domination factor: the largest Σx' over feasible
// x' ≥ x, over Σx; 1 iff the allocation is Pareto optimal. It solves a linear
// program in every interval. The zero Domination is ready for use.
type Domination struct {
	Factor    metrics.Weighted
	dominator *solve.Dominator
}

// Observe implements [Observer].
func (d *Domination) Observe(iv *Interval) error {
	if d.dominator == nil {
		d.dominator = solve.NewDominator(iv.Allocation.Region)
	}
	factor, err := d.dominator.Factor(iv.Here, iv.Allocation.Tasks)
	if err != nil {
		return err
	}
	if math.IsInf(factor, 1) {
		return fmt.Errorf("at %d µs: nobody holds anything, so there is no domination factor", iv.From)
	}
	d.Factor.Add(factor, iv.Span())
	return nil
}
