package metrics

import "math"

// Quantile returns the p-quantile of values in ascending order, linear between
// order statistics: the value at position p·(n-1) counted from 0 (type 7 of
// Hyndman and Fan), as numpy and matplotlib have it; traces.Quantile is one of the
// values. It panics if there are no values or p is outside [0, 1].
func Quantile(ascending []float64, p float64) float64 {
	i, part := QuantileAt(len(ascending), p)
	if i+1 >= len(ascending) {
		return ascending[len(ascending)-1]
	}
	return ascending[i] + part*(ascending[i+1]-ascending[i])
}

// QuantileAt returns where the p-quantile of n values is: between that of rank i, from 0, and
// the next one, so far from the first as part of the way says. It panics as [Quantile] does.
func QuantileAt(n int, p float64) (i int, part float64) {
	if n == 0 || !(p >= 0 && p <= 1) {
		panic("metrics: a quantile needs values and p in [0, 1]")
	}
	position := p * float64(n-1)
	i = int(math.Floor(position))
	return i, position - float64(i)
}
