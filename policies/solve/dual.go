package solve

import "math"

// dual runs the dual simplex method from a basis whose prices are right (no variable is
// worth letting in) to one that is feasible too.
//
// Invariant: the prices stay right (up to tolSlide).
func (b *basis) dual() error {
	for step := range maxPivots(b.m, b.users) {
		if b.fresh > refreshAfter && !b.refresh() {
			return errSingular
		}
		if step%weighAfter == 0 {
			b.weigh()
		}
		// 1. The variable furthest outside its bounds, for its weight, is to leave.
		i := b.leaving()
		if i < 0 {
			return nil
		}
		// 2. The variable enters whose reduced cost is the first to reach 0.
		if err := b.replace(i, true); err != nil {
			return err
		}
		b.reweigh(i)
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

// weighAfter is the number of dual pivots after which the weights are computed anew.
const weighAfter = 10

// weigh sets the weight of each position to the squared length of its row of the inverse
// (steepest edge: a violation counts in proportion to how far away the bound is, not to the
// units of its row).
func (b *basis) weigh() {
	b.weight = resize(b.weight, b.m)
	for i, v := range b.in {
		b.weight[i] = 0
		if v < 0 {
			b.weight[i] = 1
		}
	}
	for t := range b.tight {
		for i, v := range b.col(t) {
			b.weight[i] += v * v
		}
	}
}

// reweigh brings the weights up to date after a pivot at position i with alpha: each row
// is as long at least as what the pivot has added to it (Devex).
func (b *basis) reweigh(i int) {
	pivot := b.alpha[i]
	w := b.weight[i] / (pivot * pivot)
	for k, a := range b.alpha {
		b.weight[k] = max(b.weight[k], a*a*w)
	}
	b.weight[i] = max(w, 1)
}

// leaving returns the position of the variable that is to leave: of those outside their
// bounds by more than rounding the one with the largest square of that over its weight, or
// -1. A key below 0, which counts with the weight of the first basic variable of its user, is
// exchanged for a basic variable first.
func (b *basis) leaving() int {
	tol := tolValue * max(1, math.Abs(b.g()))
	at, key, worst := -1, -1, 0.0
	further := func(i int, out float64) bool {
		if out <= tol || out*out <= worst*b.weight[i] {
			return false
		}
		worst = out * out / b.weight[i]
		return true
	}
	for i, v := range b.in {
		if v == b.levelVar() {
			continue
		}
		if further(i, -b.val[i]) {
			at, key = i, -1
		}
		j := b.userOf(v)
		if j < 0 {
			continue
		}
		if !b.isTask(v) && further(i, b.val[i]-b.span[j]) {
			at, key = i, -1
		}
		if b.head[j] == i && b.hasTask(j) && further(i, -b.keyValue(j)) {
			at, key = -1, j
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
