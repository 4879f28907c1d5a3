package tsfer

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/leontief-sim/leontief/experiments/results"
)

// RealisationSettings are the settings in which realisations of the fitted
// workload are compared: n = 10, 15, 20 with ρ = 0.7 and 2 MHz.
var RealisationSettings = [...]Setting{fluid(10, 0.7, 2), fluid(15, 0.7, 2), fluid(20, 0.7, 2)}

// Realisation holds what one realisation of the fitted workload gives, by
// setting.
type Realisation struct {
	Seed int64
	// Factor is TSF-ER's mean JCT factor, and Drop how far it is below CRU's,
	// relative to that.
	Factor, Drop [len(RealisationSettings)]float64
}

// Realise measures the realisations of seeds 1 … count of a workload at a median of the durations in seconds, on so many instances of each setting.
// The 95% intervals of a ledger are over instances that are drawn from one
// realisation; what they leave out is the spread between these.
func Realise(ctx context.Context, of Realiser, medianS float64, count, instances int, seed uint64, workers int) ([]Realisation, error) {
	settings, rules := RealisationSettings[:], []string{"tsf-er", "cru"}
	var all []Realisation
	for population := int64(1); population <= int64(count); population++ {
		r, err := realised(of, medianS, population, seed, workers)
		if err != nil {
			return nil, err
		}
		values, err := r.run(ctx, r.fluid, settings, rules, instances, results.MetricJCTFactor)
		if err != nil {
			return nil, fmt.Errorf("realisation %d: %w", population, err)
		}
		m := func(s Setting, rule string) float64 { return mean(values[cell{s, rule}]) }
		one := Realisation{Seed: population}
		for i, s := range settings {
			one.Factor[i], one.Drop[i] = m(s, "tsf-er"), gap(m, s)
		}
		all = append(all, one)
	}
	return all, nil
}

// Spread returns the mean and the standard deviation (that of a sample) of a
// number of each realisation. It needs two at least.
func Spread(all []Realisation, number func(*Realisation) float64) (mean, deviation float64) {
	values := make([]float64, len(all))
	for i := range all {
		values[i] = number(&all[i])
	}
	return stat.MeanStdDev(values, nil)
}
