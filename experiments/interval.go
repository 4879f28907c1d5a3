package experiments

import (
	"fmt"

	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/traces/seed"
)

// Bootstrap returns the 95% bootstrap interval of a cell's mean. Its draws are
// seeded by the given name and seed and by the cell, so that an interval does
// not depend on which other cells there are.
func Bootstrap(name string, runSeed uint64) plots.Interval {
	return func(k plots.Key, values []float64) (low, high float64) {
		rng := seed.Stream(name, runSeed, "bootstrap", k.Item, k.Metric, k.Policy, int(k.N), fmt.Sprint(k.Rho), fmt.Sprint(k.BandwidthMHz),
			fmt.Sprint(k.SlotS), k.Parameters, k.User)
		iv := metrics.MeanInterval(rng, values)
		return iv.Low, iv.High
	}
}
