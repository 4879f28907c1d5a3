package sim

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// EnviousnessTolerance is the largest enviousness, in percent, that counts as
// none. The totals of the Nash rules are exact to about 1e-5 (see the suite of
// package policies), a thousandth of a percent.
const EnviousnessTolerance = 1e-3

// Enviousness observes the largest enviousness over all pairs of users present,
// in percent, with access points (see [fair.AccessPoints]).
type Enviousness struct {
	Max metrics.Weighted
	// Free is the share of time in which it is below [EnviousnessTolerance].
	Free metrics.Below
	// Series is its course, if Series.Period is set.
	Series metrics.Series
	// Worst is the pair of the largest one at any time.
	Worst fair.Enviousness
	// Now is that of the interval observed last.
	Now    fair.Enviousness
	env    *cluster.Environment
	points *fair.AccessPoints
}

// NewEnviousness returns the observer of a replay of env. The error is that of
// [fair.NewAccessPoints].
func NewEnviousness(env *cluster.Environment) (*Enviousness, error) {
	env = unbounded(env)
	points, err := fair.NewAccessPoints(env)
	if err != nil {
		return nil, err
	}
	return &Enviousness{Free: metrics.Below{Threshold: EnviousnessTolerance}, Worst: fair.Enviousness{Pair: fair.Pair{User: -1, Of: -1}}, env: env, points: points}, nil
}

// Observe implements [Observer]. A user that holds nothing and would run
// something in another's place ends the replay: its enviousness has no number.
func (e *Enviousness) Observe(iv *Interval) error {
	iv.Weigh(e.env)
	now := e.points.Max(iv.Allocation, iv.Present)
	e.Now = now
	if now.Own == 0 && now.User >= 0 {
		return fmt.Errorf("at %d µs: %s", iv.From, now)
	}
	if now.Percent > e.Worst.Percent {
		e.Worst = now
	}
	e.Max.Add(now.Percent, iv.Span())
	e.Free.Add(now.Percent, iv.Span())
	if e.Series.Period > 0 {
		e.Series.Add(now.Percent, int64(iv.From), int64(iv.To))
	}
	return nil
}
