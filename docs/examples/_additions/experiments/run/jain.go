package run

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
)

const metricJain = "jain_index"

func init() {
	results.RegisterMetrics(results.Metric{
		Name: metricJain, Unit: results.UnitRatio, High: 1, Better: results.Higher,
		Definition: "Jain's fairness index of the task shares of the users present: 1 where all are equal, 1/n where one user has everything. Mean over the time with a user.",
		Formula:    "(Σr[j])² / (n·Σr[j]²), r[j] = x[j]/(w[j]·η[j])",
	})
	RegisterMeasurement(Measurement{Name: "jain", Metrics: []string{metricJain}, Watch: func(env *cluster.Environment) Watcher {
		return &watchJain{env: env, eta: env.Etas(nil)}
	}})
}

type watchJain struct {
	env  *cluster.Environment
	eta  []float64
	mean metrics.Weighted
}

// Observe implements [sim.Observer].
func (w *watchJain) Observe(iv *sim.Interval) error {
	sum, squares := 0.0, 0.0
	for _, j := range iv.Present {
		r := iv.Allocation.Tasks[j] / (w.env.Users[j].Weight * w.eta[j])
		sum, squares = sum+r, squares+r*r
	}
	w.mean.Add(sum*sum/(float64(len(iv.Present))*squares), iv.Span())
	return nil
}

// Measures implements [Watcher].
func (w *watchJain) Measures() []Measure { return MeanOf(metricJain, &w.mean) }
