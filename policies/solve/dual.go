package solve

import "math"

// dual runs the dual simplex method from a basis whose prices are right (no variable is
// worth letting in) to one that is feasible too.
//
// Invariant: the prices stay right (up to tolSlide).
func (b *basis) dual() error {
	for range maxPivots(b.m, b.users) {
		if b.fresh > refreshAfter && !b.refresh() {
			return errSingular
		}
		// 1. The variable furthest outside its bounds is to leave.
		i := b.leaving()
		if i < 0 {
			return nil
		}
		// 2. The variable enters whose reduced cost is the first to reach 0.
		if err := b.replace(i, true); err != nil {
			return err
		}
	}
	return errPivots
}

// replace lets the basic variable at position i leave at 0 by a dual pivot. falling says
// that it is below 0, or about to be; else it is fixed at 0.
func (b *basis) replace(i int, falling bool) error {
	b.row = b.rowAt(b.row, i)
	b.setPrices()
	enter, found := b.dualRatio(i, falling)
	if !found {
		return errInfeasible
	}
	b.load(enter)
	b.solve()
	if math.Abs(b.alpha[i]) <= tolPivotLast*b.largest() {
		return errSingular
	}
	b.pivot(i, enter, b.val[i]/b.alpha[i])
	return nil
}

// leaving returns the position of the variable that is to leave: the one
// furthest outside its bounds, or -1. A key below 0 is exchanged for a basic
// variable first.
func (b *basis) leaving() int {
	tol := tolValue * max(1, math.Abs(b.g()))
	at, worst, key := -1, tol, -1
	for i, v := range b.in {
		if v == b.levelVar() {
			continue
		}
		if out := -b.val[i]; out > worst {
			at, worst, key = i, out, -1
		}
		j := b.userOf(v)
		if j < 0 {
			continue
		}
		if !b.isTask(v) {
			if out := b.val[i] - b.span[j]; out > worst {
				at, worst, key = i, out, -1
			}
		}
		if b.head[j] == i && b.hasTask(j) {
			if out := -b.keyValue(j); out > worst {
				at, worst, key = -1, out, j
			}
		}
	}
	if key >= 0 {
		return b.swapLargest(key)
	}
	if at >= 0 && b.val[at] > 0 {
		b.complement(at)
	}
	return at
}
