package tsfer

import (
	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/traces/seed"
)

// cell names the values of one rule in one setting.
type cell struct {
	Setting
	rule string
}

// samples holds one value an instance for each cell. Instance i drew the same
// jobs in all cells of one n, so differences between cells are paired.
type samples map[cell][]float64

// means gives the mean of a cell over some multiset of instances.
type means func(Setting, string) float64

// estimate returns a statistic of cell means with its 95% bootstrap interval.
// Instances are resampled, for all cells together. The stream is named by the
// entry that the estimate is for.
func (s samples) estimate(experimentSeed uint64, id string, statistic func(means) float64) experiments.Estimate {
	instances := 0
	for _, values := range s {
		instances = len(values) // the same for all cells of one sweep
	}
	rng := seed.Stream(Paper, experimentSeed, "bootstrap", id)
	iv := metrics.Bootstrap(rng, instances, metrics.Resamples, 0.95, func(pick []int) float64 {
		return statistic(func(setting Setting, rule string) float64 {
			values, sum := s[cell{setting, rule}], 0.0
			for _, i := range pick {
				sum += values[i]
			}
			return sum / float64(len(pick))
		})
	})
	return experiments.Estimate{Value: iv.Value, Low: iv.Low, High: iv.High, Instances: instances}
}
