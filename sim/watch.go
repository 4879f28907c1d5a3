package sim

import (
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Utilization observes used/total of every capacity row of the allocations'
// region, in the order of [cluster.Environment.Row], over the time in which a
// user is present; see [cluster.MeanUtilization].
type Utilization struct {
	Rows []metrics.Weighted
	// Region is the environment whose rows these are; nil before the first
	// interval.
	Region *cluster.Environment
	now    []float64
}

// Observe implements [Observer].
func (u *Utilization) Observe(iv *Interval) error {
	if u.Region == nil {
		u.Region = iv.Allocation.Region
		u.Rows = make([]metrics.Weighted, u.Region.Rows())
	}
	u.now = iv.Allocation.Utilization(u.now)
	for row, used := range u.now {
		u.Rows[row].Add(used, iv.Span())
	}
	return nil
}

// Mean returns the utilization of the replay; nil if nobody ever was present.
func (u *Utilization) Mean() *cluster.MeanUtilization {
	if u.Region == nil {
		return nil
	}
	rows := make([]float64, len(u.Rows))
	for row := range rows {
		rows[row], _ = u.Rows[row].Mean()
	}
	return cluster.NewMeanUtilization(u.Region, rows)
}

// SITolerance is how far below 1 the minimum restricted task ratio may be
// without counting as a violation of the sharing incentive. It is far above
// the solvers' error and far below any violation of interest.
const SITolerance = 1e-6

// TaskRatio observes the sharing incentive: MIN-SI-SAT, the smallest of
// min(x[j]/ψ[j], 1) over the users present, where ψ[j] = (w[j]/Σw)·η'[j] is
// what user j has when every server and link is divided among those present.
type TaskRatio struct {
	Min       metrics.Weighted // MIN-SI-SAT over time
	Violation metrics.Below    // share of time in which it is below 1 − [SITolerance]
	env       *cluster.Environment
	judge     *fair.Judge
}

// NewTaskRatio returns the observer of a replay of env. Task caps are ignored,
// as the fluid model does.
func NewTaskRatio(env *cluster.Environment) *TaskRatio {
	env = unbounded(env)
	return &TaskRatio{Violation: metrics.Below{Threshold: 1 - SITolerance}, env: env, judge: fair.NewJudge(env)}
}

// Observe implements [Observer].
func (t *TaskRatio) Observe(iv *Interval) error {
	iv.Weigh(t.env)
	least := t.judge.MinSISat(iv.Allocation, iv.Present).Sat
	t.Min.Add(least, iv.Span())
	t.Violation.Add(least, iv.Span())
	return nil
}

// Envy observes MIN-EF-SAT, the smallest of u[j](own)/u[j](i's bundle) and 1
// over all pairs of users present. It looks at all pairs in every interval.
// The zero Envy is ready for use.
type Envy struct {
	Min   metrics.Weighted
	env   *cluster.Environment
	judge *fair.Judge
}

// Observe implements [Observer].
func (e *Envy) Observe(iv *Interval) error {
	if e.judge == nil {
		e.env = iv.Allocation.Region
		if iv.Weights != nil {
			e.env = e.env.With(slices.Clone(e.env.Users))
		}
		e.judge = fair.NewJudge(e.env)
	}
	iv.Weigh(e.env)
	e.Min.Add(e.judge.MinEFSat(iv.Allocation, iv.Present).Sat, iv.Span())
	return nil
}
