package psdsf

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// settled is the largest relative change in a sweep that counts as none.
	settled = 1e-13
	// window is the number of sweeps of one pattern from which their limit is
	// extrapolated.
	window = 8
	// rank is the relative size below which a direction of the changes is
	// rounding.
	rank = 1e-10
)

// settle repeats sweeps until nothing changes; it reports whether that was
// reached within so many sweeps, and how many were made.
func (st *state) settle(step float64, most int) (sweeps int, ok bool) {
	var path [][]float64
	for sweeps < most {
		change, steady := st.sweep(step)
		sweeps++
		if change <= settled {
			return sweeps, true
		}
		if !steady {
			path = path[:0]
		}
		if sweeps < patience {
			continue
		}
		path = append(path, st.vector())
		if len(path) == window {
			sweeps += st.jump(step, path, change)
			path = path[:0]
		}
	}
	return sweeps, false
}

// jump moves ahead along a path of sweeps of one pattern, as long as a sweep
// from there has the same pattern and does not change more; it returns the
// number of sweeps that it made. It first takes the combination of the path
// that changes least, then goes on in the direction of the last sweep, doubling
// the distance.
//
// Within one pattern the sweep is an affine map. An affine combination of its
// iterates (coefficients that add up to 1) has the limit that they have, also
// where the map has many fixed points: what tells those apart is the same in
// all iterates. So a jump is faster and leads to the same answer.
func (st *state) jump(step float64, path [][]float64, change float64) int {
	at, pattern, made := path[len(path)-1], slices.Clone(st.pattern), 0
	speed := floats.SubTo(make([]float64, len(at)), at, path[len(path)-2])
	try := func(y []float64) bool {
		st.set(y)
		made++
		now, steady := st.sweep(step)
		if !steady || now > change*(1+slack) {
			st.set(at)
			copy(st.pattern, pattern)
			return false
		}
		at, change = st.vector(), now
		return true
	}
	if y := extrapolate(path); try(y) {
		floats.SubTo(speed, at, y)
	}
	for ahead := window; change > settled && ahead < longest; ahead *= 2 {
		if !try(floats.AddScaledTo(make([]float64, len(at)), at, float64(ahead), speed)) {
			break
		}
	}
	return made
}

// longest is the largest number of sweeps that are jumped over at a time.
const longest = 1 << 30

// slack is the part by which a sweep may change more than the one before a
// jump, where the path goes on at constant speed.
const slack = 1e-6

// extrapolate returns the affine combination of the path whose change is
// smallest (reduced rank extrapolation): the limit, if as many directions are
// left as the path is long.
func extrapolate(path [][]float64) []float64 {
	n, m := len(path[0]), len(path)-2
	last := path[m+1]
	change := make([]float64, n)
	floats.SubTo(change, last, path[m])
	second := mat.NewDense(n, m, nil)
	for k := range m {
		for v := range n {
			second.Set(v, k, (path[k+2][v]-path[k+1][v])-(path[k+1][v]-path[k][v]))
		}
	}
	y := slices.Clone(last)
	var svd mat.SVD
	if !svd.Factorize(second, mat.SVDThin) {
		return y
	}
	var theta mat.Dense
	keep := svd.Rank(rank)
	if keep == 0 {
		return y
	}
	svd.SolveTo(&theta, mat.NewDense(n, 1, change), keep)
	for k := range m {
		t := theta.At(k, 0)
		for v := range n {
			y[v] -= t * (path[k+2][v] - path[k+1][v])
		}
	}
	return y
}
