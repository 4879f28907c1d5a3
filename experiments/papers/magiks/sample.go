package magiks

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// sample holds the values of settings, block by block.
type sample struct {
	papers.Samples[cell]
	blocks, settings int
}

// cell is a metric of a rule in setting k.
type cell struct {
	k              int
	policy, metric string
}

// sampled collects the blocks of scenarios.
func sampled(rows run.Rows, runs []spec.Scenario) *sample {
	s := &sample{papers.Samples[cell]{}, runs[0].Instances, len(runs)}
	for k, run := range runs {
		maps.Copy(s.Samples, papers.SamplesOf(rows.All(run), func(r *results.Row) (cell, bool) {
			return cell{k, r.Policy, r.Metric}, r.Metric != MetricMovesHistogram
		}))
	}
	return s
}

// reader returns the mean of a cell of setting k over blocks.
type reader func(k int, policy, metric string) float64

// estimate returns a statistic of means with its 95% interval over blocks. It
// is paired over rules and over settings: those that differ in servers only
// have the same users in a block.
func (s *sample) estimate(statistic func(reader) float64) ledger.Estimate {
	return s.Estimate(func(mean func(cell) float64) float64 {
		return statistic(func(k int, policy, metric string) float64 { return mean(cell{k, policy, metric}) })
	})
}

// largest returns the largest value of a cell of setting k over all blocks.
func (s *sample) largest(k int, policy, metric string) float64 {
	return slices.Max(s.Of(cell{k, policy, metric}))
}

// total returns the sum of a cell over all blocks of the settings that have it. It
// panics if none has.
func (s *sample) total(policy, metric string) float64 {
	sum, found := 0.0, false
	for k := range s.settings {
		values, measured := s.Samples[cell{k, policy, metric}]
		sum, found = sum+floats.Sum(values), found || measured
	}
	if !found {
		panic(fmt.Sprintf("magiks: %s of %s was measured nowhere", metric, policy))
	}
	return sum
}

// observed is the estimate of a number that is observed, an extreme or a
// count, and not sampled from.
func (s *sample) observed(v float64) ledger.Estimate { return ledger.Observed(v, s.blocks) }

// fit returns slope and R² of the least-squares line through points.
func fit(x []int, y func(k int) float64) (slope, r2 float64) {
	return line(x, y, func(v float64) float64 { return v })
}

// exponent returns the slope of the least-squares line through the logarithms.
func exponent(x []int, y func(k int) float64) float64 {
	slope, _ := line(x, y, math.Log)
	return slope
}

// line is [fit] of what a scale makes of both coordinates.
func line(x []int, y func(k int) float64, scale func(float64) float64) (slope, r2 float64) {
	xs, ys := make([]float64, len(x)), make([]float64, len(x))
	for k := range x {
		xs[k], ys[k] = scale(float64(x[k])), scale(y(k))
	}
	a, b := stat.LinearRegression(xs, ys, nil, false)
	return b, stat.RSquared(xs, ys, nil, a, b)
}

// spread returns max/min - 1 of the values of some settings.
func spread(settings []int, y func(k int) float64) float64 {
	return most(settings, y)/least(settings, y) - 1
}

// least returns the smallest of the values of some settings.
func least(settings []int, y func(k int) float64) float64 {
	return -most(settings, func(k int) float64 { return -y(k) })
}

// most returns the largest of the values of some settings.
func most(settings []int, y func(k int) float64) float64 {
	high := math.Inf(-1)
	for _, k := range settings {
		high = math.Max(high, y(k))
	}
	return high
}

// mean returns the mean of the values of some settings.
func mean(settings []int, y func(k int) float64) float64 {
	sum := 0.0
	for _, k := range settings {
		sum += y(k)
	}
	return sum / float64(len(settings))
}
