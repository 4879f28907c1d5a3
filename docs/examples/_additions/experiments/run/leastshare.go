package run

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
)

const metricLeastShare = "least_share"

func init() {
	results.RegisterMetrics(results.Metric{
		Name: metricLeastShare, Unit: results.UnitRatio, High: 1, Better: results.Higher,
		Definition: "Smallest share of the users present: of what a user could run with the whole cluster to itself, over its weight. Mean over the time with a user.",
		Formula:    "min over j present of x[j]/(w[j]·η[j])",
	})
	RegisterMeasurement(Measurement{Name: "least-share", Metrics: []string{metricLeastShare}, Watch: func(env *cluster.Environment, _ []sim.Job) Watcher {
		return &watchLeastShare{env: env, eta: env.Etas(nil)}
	}})
}

type watchLeastShare struct {
	env  *cluster.Environment
	eta  []float64
	mean metrics.Weighted
}

// Observe implements [sim.Observer].
func (w *watchLeastShare) Observe(iv *sim.Interval) error {
	least := 1.0
	for _, j := range iv.Present {
		least = min(least, iv.Allocation.Tasks[j]/(w.env.Users[j].Weight*w.eta[j]))
	}
	w.mean.Add(least, iv.Span())
	return nil
}

// Measures implements [Watcher].
func (w *watchLeastShare) Measures() []Measure { return MeanOf(metricLeastShare, &w.mean) }
