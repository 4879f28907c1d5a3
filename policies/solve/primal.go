package solve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// exit says which variable a step drives to a bound.
type exit int

const (
	exitNone  exit = iota // no bound is met: the program is unbounded
	exitBasic             // the basic variable at position at reaches 0
	exitUpper             // the basic surplus at position at reaches its span
	exitKey               // the key of user at reaches 0
	exitOwn               // the entering surplus of user at reaches its span
	exitLimit             // g reaches its limit
)

// step is the result of a ratio test.
type step struct {
	kind  exit
	at    int
	id    variable // the variable that stops
	theta float64
	pivot float64 // size of the pivot element, to break near ties
}

// better prefers the shorter step, and among steps that agree to rounding the
// one with the larger pivot element (under Bland's rule: the lower index).
func (a step) better(b step, bland bool) bool {
	if b.kind == exitNone {
		return true
	}
	if near := 1e-12 * (1 + min(a.theta, b.theta)); math.Abs(a.theta-b.theta) > near {
		return a.theta < b.theta
	}
	if bland {
		return a.id < b.id
	}
	return a.pivot > b.pivot
}

// primal runs the primal simplex method from a feasible basis to an optimal
// one. The objective is g where g is basic, else Σ gain·total. g stops at
// limit.
func (b *basis) primal(limit float64) error {
	for range maxPivots(b.m, b.users) {
		if b.fresh > refreshAfter && !b.refresh() {
			return errSingular
		}
		b.setPrices()
		enter, found := b.choose()
		if !found {
			return nil
		}
		b.load(enter)
		b.solve()
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

func maxPivots(rows, users int) int { return 2000 + 50*(rows+users) }

// setPrices computes the prices of the tight rows from the inverse. What is
// rounding dust is set to 0: it would make one server look cheaper than
// another to users whose work costs nothing.
func (b *basis) setPrices() {
	b.findPrices()
	b.prices.set(b.program, b.price)
}

// findPrices is setPrices without readying the pricer for them.
func (b *basis) findPrices() {
	clear(b.price)
	if b.gpos >= 0 {
		for t, k := range b.tight {
			b.price[k] = b.cols[t*b.ld+b.gpos]
		}
	} else {
		b.welfarePrices()
	}
	b.worth = 0
	for _, k := range b.tight {
		b.worth += math.Abs(b.price[k])
	}
	for _, k := range b.tight {
		if math.Abs(b.price[k]) < dust*b.worth {
			b.price[k] = 0
		}
	}
}

// welfarePrices adds up the rows of the inverse at basic surpluses, times what
// each gains; column by column, since those lie together in memory.
func (b *basis) welfarePrices() {
	b.surplus.reset()
	for i, v := range b.in {
		if v >= 0 && !b.isTask(v) {
			j := b.userOf(v)
			b.surplus.add(i, b.side[j]*b.gain[j])
		}
	}
	for t, k := range b.tight {
		col, sum := b.columnOf(t), 0.0
		for at, i := range b.surplus.row {
			sum += b.surplus.val[at] * col[i]
		}
		b.price[k] = sum
	}
}

// cheapest returns the open server on which a unit of work of user j costs
// least, and that cost, envy rows included.
func (b *basis) cheapest(c *pricer, row []float64, j int) (int, float64) {
	if b.envyOf == nil || len(b.envyOf[j]) == 0 {
		return c.cheapest(j)
	}
	base, varies := 0.0, false
	for _, t := range b.envyOf[j] {
		if v, uniform := b.extra[t].uniform(j); uniform {
			base += row[b.rows()+t] * v
		} else {
			varies = true
		}
	}
	if !varies {
		s, cost := c.cheapest(j)
		return s, cost + base
	}
	best, at := math.Inf(1), -1
	for s := range b.servers {
		if b.open(j, s) {
			if cost := b.costOn(c, row, j, s); cost < best {
				best, at = cost, s
			}
		}
	}
	return at, best
}

// costOn returns what a unit of work of user j costs on server s.
func (b *basis) costOn(c *pricer, row []float64, j, s int) float64 {
	cost := c.on(j, s)
	if b.envyOf != nil {
		for _, t := range b.envyOf[j] {
			cost += row[b.rows()+t] * b.extra[t].coef(j, s)
		}
	}
	return cost
}

// choose returns a variable that is worth letting in: the best of a block of
// users (all of them under Bland's rule: the first), or the slack of a row
// with a negative price.
func (b *basis) choose() (variable, bool) {
	bland := b.stalled > stallLimit
	enter, best, found := variable(0), 0.0, false
	for _, k := range b.tight {
		if gain := -b.price[k]; gain > tolPrice*b.worth && gain > best {
			enter, best, found = slackVar(k), gain, true
		}
	}
	const block = 48
	for seen := 0; seen < b.users; seen++ {
		j := b.nextUser
		if bland {
			j = seen
		}
		if v, gain := b.offer(j); gain > best {
			enter, best, found = v, gain, true
			if bland {
				return enter, true
			}
		}
		if !bland {
			b.nextUser++
			if b.nextUser >= b.users {
				b.nextUser = 0
			}
		}
		if found && seen%block == block-1 {
			break
		}
	}
	return enter, found
}

// offer returns the best variable of user j to let in and what a unit of it
// gains; 0 if none is worth it.
func (b *basis) offer(j int) (variable, float64) {
	if !b.here[j] {
		return 0, 0
	}
	s, cost := b.cheapest(&b.prices, b.price, j)
	if s < 0 {
		return 0, 0
	}
	own := cost
	if s != b.key[j] {
		own = b.costOn(&b.prices, b.price, j, b.key[j])
		if b.idle(j) {
			b.key[j], own = s, cost
		}
	}
	gain := own - cost
	if gain <= max(tolCost*math.Abs(own), dust*b.worth) || b.basic(j, s) {
		gain = 0 // a basic variable costs what the key does, but for prices taken for dust
	}
	v := b.taskVar(j, s)
	if b.span[j] > 0 && b.gpos < 0 && !b.surplusBasic(j) {
		if up := b.side[j] * (b.gain[j] - own); up > tolCost*(math.Abs(own)+math.Abs(b.gain[j])) && up >= gain {
			return b.surplusVar(j), up
		}
	}
	return v, gain
}

// idle reports whether user j holds nothing in the basis and nothing at all,
// so that its key may move at no cost.
func (b *basis) idle(j int) bool {
	return b.head[j] < 0 && b.rate[j] == 0 && b.fixed[j] == 0
}

func (b *basis) surplusBasic(j int) bool {
	for i := b.head[j]; i >= 0; i = b.next[i] {
		if !b.isTask(b.in[i]) {
			return true
		}
	}
	return false
}

// push returns what a unit of the entering variable itself does to the key of
// user j.
func (b *basis) push(enter variable, j int) float64 {
	switch {
	case enter < 0:
		return 0
	case enter == b.levelVar():
		return b.rate[j]
	case b.userOf(enter) != j:
		return 0
	case b.isTask(enter):
		return -1
	}
	return b.side[j]
}

// ratio finds the first bound that is met when the variable enter grows;
// alpha holds its working column.
func (b *basis) ratio(enter variable, limit float64) step {
	best := step{kind: exitNone, theta: math.Inf(1)}
	bland := b.stalled > stallLimit
	try := func(kind exit, at int, id variable, room, speed float64) {
		if math.IsInf(room, 1) {
			return
		}
		s := step{kind, at, id, max(room, 0) / speed, speed}
		if s.better(best, bland) {
			best = s
		}
	}
	tol := tolPivot * b.largest()
	for i, a := range b.alpha {
		v := b.in[i]
		switch {
		case v == b.levelVar():
			if -a > tol {
				try(exitLimit, i, v, limit-b.val[i], -a)
			}
			continue
		case a > tol:
			try(exitBasic, i, v, b.val[i], a)
		case -a > tol && v > b.levelVar():
			try(exitUpper, i, v, b.span[b.userOf(v)]-b.val[i], -a)
		}
		if j := b.userOf(v); j >= 0 && b.head[j] == i && b.hasTask(j) {
			if down := -b.keyRate(j) - b.push(enter, j); down > tol {
				try(exitKey, j, b.taskVar(j, b.key[j]), b.keyValue(j), down)
			}
		}
	}
	if own := b.userOf(enter); own >= 0 {
		b.ownRatio(enter, own, tol, try)
	}
	if enter == b.levelVar() {
		try(exitLimit, -1, enter, limit-b.level, 1)
	}
	return best
}

// ownRatio adds the bounds of the entering variable's own user that the pass
// over the basis does not meet.
func (b *basis) ownRatio(enter variable, j int, tol float64, try func(exit, int, variable, float64, float64)) {
	if !b.isTask(enter) {
		try(exitOwn, j, enter, b.span[j], 1)
		return
	}
	if b.hasTask(j) {
		return // its key was met already
	}
	if down := 1 - b.keyRate(j); down > tol {
		try(exitKey, j, b.taskVar(j, b.key[j]), b.keyValue(j), down)
	}
}

// hasTask reports whether user j has a basic task variable beside its key.
func (b *basis) hasTask(j int) bool {
	for i := b.head[j]; i >= 0; i = b.next[i] {
		if b.isTask(b.in[i]) {
			return true
		}
	}
	return false
}

func (b *basis) largest() float64 {
	v := 0.0
	for _, a := range b.alpha {
		if a = math.Abs(a); a > v {
			v = a
		}
	}
	return v
}

// take carries a step out.
func (b *basis) take(enter variable, s step, limit float64) {
	if s.theta > 1e-13 {
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
			b.flipKey(s.at, int(enter)%b.servers, s.theta)
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
