package solve

import "gonum.org/v1/gonum/floats"

// primal runs the primal simplex method from a feasible basis to an optimal one. The
// objective is g where g is basic, else Σ gain·total; g stops at limit.
//
// Invariant: the values stay feasible (up to rounding), and no step lowers the objective.
func (b *basis) primal(limit float64) error {
	for range maxPivots(b.m, b.users) {
		if b.fresh > refreshAfter && !b.refresh() {
			return errSingular
		}
		// 1. Price the rows; a variable whose cost is less than what it saves may enter.
		b.setPrices()
		enter, found := b.choose()
		if !found {
			return nil
		}
		// 2. Find how the basic variables answer to it.
		b.load(enter)
		b.solve()
		// 3. Let it grow until the first bound is met.
		s := b.ratio(enter, limit)
		if s.kind == exitNone {
			return errUnbounded
		}
		b.take(enter, s, limit)
		if s.kind == exitLimit {
			return nil
		}
	}
	return errPivots
}

// maxPivots is the number of pivots after which a method has failed; it needs a few per
// row and user.
func maxPivots(rows, users int) int { return 2000 + 50*(rows+users) }

// take takes a step of the entering variable.
func (b *basis) take(enter variable, s step, limit float64) {
	if s.theta > tolStall {
		b.stalled = 0
	} else {
		b.stalled++
	}
	switch s.kind {
	case exitBasic:
		b.pivot(s.at, enter, s.theta)
	case exitUpper:
		b.complement(s.at)
		b.alpha[s.at] = -b.alpha[s.at]
		b.pivot(s.at, enter, s.theta)
	case exitKey:
		if b.isTask(enter) && b.userOf(enter) == s.at {
			b.flipKey(s.at, b.serverOf(enter), s.theta)
			return
		}
		speed := b.keyRate(s.at) + b.push(enter, s.at)
		i := b.swapLargest(s.at)
		b.alpha[i] = -speed
		b.pivot(i, enter, s.theta)
	case exitOwn:
		b.flipBound(s.at)
	case exitLimit:
		b.takeLimit(enter, s, limit)
	}
}

// swapLargest makes the largest basic task variable of user j its key and
// returns the position that the old key has then.
func (b *basis) swapLargest(j int) int {
	at := -1
	for i := b.head[j]; i >= 0; i = b.next[i] {
		if b.isTask(b.in[i]) && (at < 0 || b.val[i] > b.val[at]) {
			at = i
		}
	}
	b.swapKey(j, at)
	return at
}

// complement counts the surplus at position i down from its span instead of
// up from 0.
func (b *basis) complement(i int) {
	j := b.userOf(b.in[i])
	for t := range b.tight {
		b.cols[t*b.ld+i] = -b.cols[t*b.ld+i]
	}
	b.val[i] = b.span[j] - b.val[i]
	b.fixed[j] += b.side[j] * b.span[j]
	b.side[j] = -b.side[j]
}

// flipBound moves the surplus of user j, which is not basic, from one of its
// bounds to the other; alpha holds its working column.
func (b *basis) flipBound(j int) {
	floats.AddScaled(b.val, -b.span[j], b.alpha)
	b.fixed[j] += b.side[j] * b.span[j]
	b.side[j] = -b.side[j]
	b.pivots++
}

// takeLimit stops g at its limit, where it is not basic any more.
func (b *basis) takeLimit(enter variable, s step, limit float64) {
	if enter == b.levelVar() {
		floats.AddScaled(b.val, -s.theta, b.alpha)
		b.level = limit
		return
	}
	b.pivot(s.at, enter, s.theta)
	b.level = limit
}
