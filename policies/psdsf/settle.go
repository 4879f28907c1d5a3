package psdsf

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// settled is the largest relative change in a sweep that counts as none.
	settled = 1e-13
	// fine is the change up to which what is left of the way is short, so that
	// its limit is extrapolated at once.
	fine = 1e-9
	// window is the number of sweeps of one pattern from which their limit is
	// extrapolated.
	window = 8
	// rank is the relative size below which a direction of the changes is
	// rounding.
	rank = 1e-10
	// longest is the largest number of sweeps that are jumped over at a time.
	longest = 1 << 30
	// slack is the part by which a sweep may change more than the one before a
	// jump, where the path goes on at constant speed.
	slack = 1e-6
)

// walk is a sequence of sweeps under way.
type walk struct {
	*state
	step   float64
	leaps  bool // whether it may leap
	sweeps int
	change float64 // by the last sweep
	steady bool    // the last sweep had the pattern of the one before

	run, wait int  // sweeps since a pattern or a leap began, and how many until the next leap
	full      bool // the last leap went as far as one goes
	model     model
	stretches stretches
	at        []place     // where path has been
	path      [][]float64 // sweeps of one pattern
}

// newWalk returns a walk from where st is. It may leap where the steps are whole
// and nobody has a task cap; elsewhere a sweep does more than the model knows.
func newWalk(st *state, step float64) *walk {
	return &walk{state: st, step: step, leaps: step == 1 && !st.capped, wait: quiet, stretches: stretches{length: shortestStretch, rest: early}}
}

// settle repeats sweeps until nothing changes; it reports whether that was
// reached within so many sweeps.
func (w *walk) settle(most int) bool {
	for w.sweeps < most {
		// 1. Every server acts once.
		w.sweep()
		if w.change <= settled {
			return true
		}
		w.run++
		if !w.steady {
			w.path, w.run, w.wait, w.full = w.path[:0], 0, quiet, false
		}
		// 2. While the pattern is the same, sweeps are leapt over as the model predicts them. Where
		// many users take part, they visit only those whose pattern may change.
		crowded := w.crowded()
		switch {
		case w.leaps && !w.full && w.run >= w.wait && (w.change > fine || crowded) && (!crowded || w.ends >= longestStretch/8):
			w.leap()
		case w.leaps && crowded:
			w.stretchOut()
		}
		// 3. Where that does not end it, their limit is extrapolated.
		if w.sweeps >= patience || w.leaps && (w.full || w.change <= fine) {
			w.follow()
		}
	}
	return false
}

// sweep is [state.sweep].
func (w *walk) sweep() {
	w.change, w.steady = w.state.sweep(w.step)
	w.sweeps++
}

// crowded reports whether there can be stretches, and sums are cheaper than visits.
func (st *state) crowded() bool {
	return st.taking() >= max(multitude, crowd*len(st.groups)*len(st.groups)) && st.even()
}

// follow lengthens the path by where the last sweep has led, and jumps when it
// is long enough.
func (w *walk) follow() {
	if len(w.path) == 0 {
		w.at = w.places()
	}
	w.path = append(w.path, w.levels(w.at))
	if len(w.path) == window {
		w.jump()
		w.path, w.full = w.path[:0], false
	}
}

// jump moves ahead along the path, as long as a sweep from there has the same
// pattern and does not change more. It first takes the combination of the path
// that changes least, then goes on in the direction of the last sweep, doubling
// the distance and halving it again.
//
// Within one pattern the sweep is an affine map. An affine combination of its
// iterates (coefficients that add up to 1) has the limit that they have, also
// where the map has many fixed points: what tells those apart is the same in
// all iterates. So a jump is faster and leads to the same answer.
func (w *walk) jump() {
	here := w.path[window-1]
	speed := floats.SubTo(make([]float64, len(here)), here, w.path[window-2])
	if y := extrapolate(w.path); w.try(here, y) {
		here = w.levels(w.at)
		floats.SubTo(speed, here, y)
	}
	on := func(ahead int) bool {
		if w.change <= settled || !w.try(here, floats.AddScaledTo(make([]float64, len(here)), here, float64(ahead), speed)) {
			return false
		}
		here = w.levels(w.at)
		return true
	}
	ahead := window
	for ahead < longest && on(ahead) {
		ahead *= 2
	}
	for ahead /= 2; ahead > farthest; ahead /= 2 {
		on(ahead)
	}
}

// try makes a sweep from y and goes back to here if that is no progress.
func (w *walk) try(here, y []float64) bool {
	before, pattern := w.change, w.patterns()
	w.set(w.at, y)
	w.sweep()
	if w.steady && w.change <= before*(1+slack) {
		return true
	}
	w.set(w.at, here)
	w.setPatterns(pattern)
	w.change = before
	return false
}

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
	keep := svd.Rank(rank)
	if keep == 0 {
		return y
	}
	var theta mat.Dense
	svd.SolveTo(&theta, mat.NewDense(n, 1, change), keep)
	for k := range m {
		t := theta.At(k, 0)
		for v := range n {
			y[v] -= t * (path[k+2][v] - path[k+1][v])
		}
	}
	return y
}
