package solve

import "math"

// setPrices computes the prices of the tight rows from the inverse. A price below dust is
// the rounding of 0 and is set to it: it would make one server look cheaper than another
// to users whose work costs nothing.
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
		col, sum := b.col(t), 0.0
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

// choose returns a variable that is worth letting in (partial pricing): the best of the
// slacks and of the next block of users that has one; under Bland's rule the first.
func (b *basis) choose() (variable, bool) {
	bland := b.stalled > stallLimit
	enter, best, found := variable(0), 0.0, false
	// 1. The slack of a row with a negative price.
	for _, k := range b.tight {
		if gain := -b.price[k]; gain > tolPrice*b.worth && gain > best {
			enter, best, found = slackVar(k), gain, true
		}
	}
	// 2. Users, from where the last call ended; under Bland's rule from the first.
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

// idle reports whether user j holds nothing: its key may move without a pivot.
func (b *basis) idle(j int) bool {
	return b.head[j] < 0 && b.rate[j] == 0 && b.fixed[j] == 0
}

// surplusBasic reports whether the surplus of user j is basic.
func (b *basis) surplusBasic(j int) bool {
	for i := b.head[j]; i >= 0; i = b.next[i] {
		if !b.isTask(b.in[i]) {
			return true
		}
	}
	return false
}
