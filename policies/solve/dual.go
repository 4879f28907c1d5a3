package solve

import "math"

// dual runs the dual simplex method from a basis whose prices are right (no
// variable is worth letting in) to one that is feasible too. Basic variables
// of users that are not here any more are fixed at 0 and leave first.
func (b *basis) dual() error {
	for range maxPivots(b.m, b.users) {
		if b.fresh > refreshAfter && !b.refresh() {
			return errSingular
		}
		i := b.leaving()
		if i < 0 {
			return nil
		}
		b.rowOf(i)
		b.setPrices()
		enter, found := b.dualRatio(i)
		if !found {
			return errInfeasible
		}
		b.load(enter)
		b.solve()
		if math.Abs(b.alpha[i]) <= tolPivot*b.largest()*1e-2 {
			return errSingular
		}
		b.pivot(i, enter, b.val[i]/b.alpha[i])
	}
	return errPivots
}

// gone reports whether position i belongs to a user that is not here.
func (b *basis) gone(i int) bool {
	j := b.userOf(b.in[i])
	return j >= 0 && !b.here[j]
}

// leaving returns the position of the variable that is to leave: one of a
// user that has gone, else the one furthest outside its bounds, or -1. A key
// below 0 is exchanged for a basic variable first.
func (b *basis) leaving() int {
	tol := tolValue * max(1, math.Abs(b.g()))
	at, worst, key := -1, tol, -1
	for i, v := range b.in {
		if b.gone(i) {
			return i
		}
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

// dualRatio chooses the entering variable when the one at position i leaves:
// the one whose reduced cost reaches 0 first. The row of the inverse at i is
// in b.row. A leaving variable that is fixed at 0 and has that value may be
// moved in either direction.
func (b *basis) dualRatio(i int) (variable, bool) {
	value, fixed := b.val[i], b.gone(i)
	full := resize(b.dense, b.m)
	b.dense = full
	clear(full)
	size := 0.0
	for t, k := range b.tight {
		full[k] = b.row[t]
		size = max(size, math.Abs(b.row[t]))
	}
	if v := b.in[i]; v < 0 {
		full[-1-v] = 1 // the unit column of a row that is not tight
		size = max(size, 1)
	}
	b.rays.set(b.program, full)
	var enter variable
	found, ratio, pivot := false, math.Inf(1), 0.0
	try := func(v variable, a, cost float64) {
		if value < 0 || (value == 0 && fixed && a < 0) {
			a = -a
		}
		if a <= tolPivot*size {
			return
		}
		r := max(cost, 0) / a
		if r < ratio*(1-1e-10) || (r <= ratio*(1+1e-10)+1e-18 && a > pivot) {
			enter, ratio, pivot, found = v, r, a, true
		}
	}
	for t, k := range b.tight {
		try(slackVar(k), b.row[t], b.price[k])
	}
	for j := range b.users {
		if b.here[j] && b.key[j] >= 0 {
			b.dualRatioUser(j, full, try)
		}
	}
	return enter, found
}

func (b *basis) dualRatioUser(j int, row []float64, try func(variable, float64, float64)) {
	if b.span[j] > 0 && b.gpos < 0 && !b.surplusBasic(j) {
		cost := b.costOn(&b.prices, b.price, j, b.key[j])
		try(b.surplusVar(j), b.side[j]*b.costOn(&b.rays, row, j, b.key[j]), b.side[j]*(cost-b.gain[j]))
	}
	if b.servers == 1 {
		return
	}
	plain := b.res == 2 && b.stride[j] == 0 && len(b.zones) <= 1 && (b.envyOf == nil || len(b.envyOf[j]) == 0)
	key := b.key[j]
	if plain {
		o := b.offset[j]
		d0, d1 := b.use[o], b.use[o+1]
		pu, ru := b.prices.unit, b.rays.unit
		p0 := d0*pu[2*key] + d1*pu[2*key+1]
		r0 := d0*ru[2*key] + d1*ru[2*key+1]
		for s := range b.servers {
			if s != key && b.open(j, s) {
				try(b.taskVar(j, s), d0*ru[2*s]+d1*ru[2*s+1]-r0, d0*pu[2*s]+d1*pu[2*s+1]-p0)
			}
		}
		return
	}
	p0 := b.costOn(&b.prices, b.price, j, key)
	r0 := b.costOn(&b.rays, row, j, key)
	for s := range b.servers {
		if s != key && b.open(j, s) {
			try(b.taskVar(j, s), b.costOn(&b.rays, row, j, s)-r0, b.costOn(&b.prices, b.price, j, s)-p0)
		}
	}
}
