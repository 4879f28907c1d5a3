package tsf

import (
	"math"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
)

// grid holds the abscissas at which a distribution is kept, ascending.
type grid []float64

// newGrid returns the grid of the values, which it rounds to three digits.
func newGrid(x []float64) grid {
	var g grid
	for _, v := range x {
		text := strconv.FormatFloat(v, 'g', 3, 64)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err) // FormatFloat wrote it
		}
		g = append(g, v)
	}
	return g
}

// decades returns 10^low … 10^high in so many steps a decade.
func decades(low, high, steps int) []float64 {
	var x []float64
	for k := low * steps; k <= high*steps; k++ {
		x = append(x, math.Pow(10, float64(k)/float64(steps)))
	}
	return x
}

// The grids: of times (0.01 s to three years), of differences of times, of
// sizes, of shares of the machines.
var (
	timeGrid  = newGrid(append([]float64{0}, decades(-2, 8, 20)...))
	gainGrid  = newGrid(mirrored(decades(-1, 8, 8)))
	sizeGrid  = newGrid(decades(0, 5, 20))
	shareGrid = newGrid(hundredths())
)

// mirrored returns −x, 0 and x, ascending.
func mirrored(x []float64) []float64 {
	var all []float64
	for _, v := range slices.Backward(x) {
		all = append(all, -v)
	}
	return append(append(all, 0), x...)
}

func hundredths() []float64 {
	var x []float64
	for k := range 101 {
		x = append(x, float64(k)/100)
	}
	return x
}

// cdf adds the rows of a distribution function: the share of the values that are
// at most x, at every x of the grid.
func (m *measurement) cdf(policy, metric string, g grid, values []float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	for _, x := range g {
		at, _ := slices.BinarySearchFunc(sorted, x, func(v, x float64) int {
			if v <= x {
				return -1
			}
			return 1
		})
		m.addAt(m.row.Point.With("x", results.OfFloat(x)), policy, metric, float64(at)/float64(len(sorted)))
	}
}
