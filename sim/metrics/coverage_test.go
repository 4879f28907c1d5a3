package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The least and the largest coverage that a 95% interval may have.
const leastCoverage, mostCoverage = 0.93, 0.97

// shipped are the numbers of instances of the shipped experiments at any scale,
// and 2, 3, 4 and 5, which sweeps of one's own may have.
var shipped = []int{3, 4, 5, 10, 20, 40, 50, 100, 200, 500, 1000, 1500, 5000}

// population is what values are drawn from.
type population struct {
	name  string
	draw  func(*rand.Rand) float64
	mean  float64
	least int // the smallest n from which the coverage is within the bounds
}

func normal(rng *rand.Rand) float64 { return rng.NormFloat64() }

// lognormal is exp(σ·Z).
func lognormal(sigma float64, least int) population {
	return population{fmt.Sprintf("lognormal, σ = %g", sigma), func(rng *rand.Rand) float64 { return math.Exp(sigma * rng.NormFloat64()) },
		math.Exp(sigma * sigma / 2), least}
}

var populations = []population{
	{"normal", normal, 0, 2},
	lognormal(0.25, 2),
	lognormal(0.5, 2),
	lognormal(0.75, 8),
	lognormal(1, 10),
	{"exponential", (*rand.Rand).ExpFloat64, 1, 5},
	{"Laplace", func(rng *rand.Rand) float64 { return rng.ExpFloat64() * float64(1-2*rng.IntN(2)) }, 0, 7},
	{"uniform", (*rand.Rand).Float64, 0.5, 40},
}

// repetitions is how often n values are drawn. The coverage's standard error is
// below 0.007.
func repetitions(n int) int { return max(1000, min(8000, 200_000/n)) }

// coverage is how often the interval that of gives of n drawn units holds.
func coverage(n int, stream uint64, holds func(rng *rand.Rand) bool) float64 {
	rng := rand.New(rand.NewPCG(stream, uint64(n)))
	held, of := 0, repetitions(n)
	for range of {
		if holds(rng) {
			held++
		}
	}
	return float64(held) / float64(of)
}

func drawn(values []float64, rng *rand.Rand, draw func(*rand.Rand) float64) []float64 {
	for i := range values {
		values[i] = draw(rng)
	}
	return values
}

// check fails where a coverage is outside the bounds, from the n on from which
// it has to be inside; below, it only has to be told.
func check(t *testing.T, what string, n, least int, covered float64) {
	t.Helper()
	t.Logf("%-20s n = %4d: %.3f", what, n, covered)
	if n >= least && (covered < leastCoverage || covered > mostCoverage) {
		t.Errorf("%s, n = %d: the interval covers in %.3f of %d samples", what, n, covered, repetitions(n))
	}
}

// The table of docs/intervals.md: go test -v -run TestMeanCovers ./sim/metrics
func TestMeanCovers(t *testing.T) {
	for k, p := range populations {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range append([]int{2, 8}, shipped...) {
				values := make([]float64, n)
				check(t, p.name, n, p.least, coverage(n, uint64(k), func(rng *rand.Rand) bool {
					iv := Mean(drawn(values, rng, p.draw))
					return iv.Low <= p.mean && p.mean <= iv.High
				}))
			}
		})
	}
}

// What was there before: the percentile bootstrap. That it fails says that the
// test above can.
func TestPercentileBootstrapDoesNotCover(t *testing.T) {
	for n, most := range map[int]float64{3: 0.8, 4: 0.85, 10: 0.92} {
		values, means := make([]float64, n), make([]float64, 400)
		covered := coverage(n, 1, func(rng *rand.Rand) bool {
			drawn(values, rng, normal)
			for b := range means {
				means[b] = 0
				for range n {
					means[b] += values[rng.IntN(n)] / float64(n)
				}
			}
			slices.Sort(means)
			return Quantile(means, 0.025) <= 0 && 0 <= Quantile(means, 0.975)
		})
		if covered > most {
			t.Errorf("n = %d: covers in %.3f", n, covered)
		}
		t.Logf("n = %d: %.3f", n, covered)
	}
}

// Two rules on the same draws: values are correlated, with lognormal parts. The
// ratio of means is that of the populations.
func TestPairedComparisonsCover(t *testing.T) {
	for _, n := range []int{3, 4, 5, 10, 20, 40, 100, 500, 1500} {
		a, b := make([]float64, n), make([]float64, n)
		for _, sigma := range []float64{0.25, 0.5} {
			sample := func(rng *rand.Rand) {
				for i := range a {
					shared := math.Exp(sigma * rng.NormFloat64())
					a[i], b[i] = 2*shared*math.Exp(sigma/2*rng.NormFloat64()), shared*math.Exp(sigma/2*rng.NormFloat64())
				}
			}
			mean, ratios := math.Exp(sigma*sigma/2*(1+0.25)), 0
			check(t, fmt.Sprintf("difference, σ = %g", sigma), n, 3, coverage(n, 21, func(rng *rand.Rand) bool {
				sample(rng)
				if iv := Ratio(a, b); iv.Low <= 2 && 2 <= iv.High {
					ratios++
				}
				iv := Difference(a, b)
				return iv.Low <= mean && mean <= iv.High
			}))
			check(t, fmt.Sprintf("ratio, σ = %g", sigma), n, 3, float64(ratios)/float64(repetitions(n)))
		}
	}
}

// A second run's mean lies within what the first predicts.
func TestRerunCovers(t *testing.T) {
	for k, p := range populations[:5] {
		for _, n := range append([]int{2}, shipped...) {
			first, second := make([]float64, n), make([]float64, n)
			check(t, "rerun, "+p.name, n, p.least, coverage(n, uint64(40+k), func(rng *rand.Rand) bool {
				low, high := Mean(drawn(first, rng, p.draw)).Rerun()
				m := average(drawn(second, rng, p.draw))
				return low <= m && m <= high
			}))
		}
	}
}

// The coverage of a share depends on where it lies between two counts.
func TestShareCovers(t *testing.T) {
	for _, n := range []int{40, 100, 500, 1000, 5000} {
		for _, p := range []float64{0.05, 0.2, 0.5, 0.9} {
			check(t, fmt.Sprintf("share of %g", p), n, 100, coverage(n, 60, func(rng *rand.Rand) bool {
				holds := 0
				for range n {
					if rng.Float64() < p {
						holds++
					}
				}
				iv := Share(holds, n)
				return iv.Low <= p && p <= iv.High
			}))
		}
	}
}
