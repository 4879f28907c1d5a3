package tsfer

import (
	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// cell names the values of one rule in one setting.
type cell struct {
	Setting
	rule string
}

// samples holds one value an instance for each cell. Instance i drew the same
// jobs in all cells of one n, so differences between cells are paired.
type samples map[cell][]float64

// means gives the mean of a cell over instances.
type means func(Setting, string) float64

// estimate returns a statistic of cell means with its 95% interval, which is
// paired over cells.
func (s samples) estimate(statistic func(means) float64) ledger.Estimate {
	instances := 0
	for _, values := range s {
		instances = len(values) // the same for all cells of one sweep
	}
	return ledger.Sampled(metrics.Statistic(instances, func(mean func([]float64) float64) float64 {
		return statistic(func(setting Setting, rule string) float64 { return mean(s[cell{setting, rule}]) })
	}))
}
