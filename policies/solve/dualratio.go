package solve

import "math"

// offerings are the candidates of a dual ratio test. A candidate is met after room/speed;
// speed is the size of its pivot element, and slack how far it may be passed for the sake
// of a larger one (Harris' rule). Invariant: every candidate that pick may return is in
// list; bound falls while they are gathered, so others may be in it too.
type offerings struct {
	list  []offering
	bound float64 // least (room+slack)/speed so far
	// floor is the largest speed of a candidate without room: pick returns no slower one.
	// It keeps the list short where all tie.
	floor float64
}

type offering struct {
	id          int
	room, speed float64
}

func (o *offerings) reset() { o.list, o.bound, o.floor = o.list[:0], math.Inf(1), 0 }

func (o *offerings) add(id int, room, speed, slack float64) {
	room = max(room, 0)
	if speed <= o.floor || room > o.bound*speed {
		return
	}
	if room == 0 {
		o.floor = speed
	}
	o.list = append(o.list, offering{id, room, speed})
	o.bound = min(o.bound, (room+slack)/speed)
}

// put is add where all have the same slack, so that no candidate that add leaves out could
// lower the bound, or be picked: it need not wait for the bound.
func (o *offerings) put(id int, room, speed, slack float64) {
	room = max(room, 0)
	o.list = append(o.list, offering{id, room, speed})
	o.bound = min(o.bound, (room+slack)/speed)
}

// pick returns the fastest candidate among those that are met within the bound, or false
// if there is none.
func (o *offerings) pick() (offering, bool) {
	best, found := offering{}, false
	for _, c := range o.list {
		if c.room <= o.bound*c.speed && (!found || c.speed > best.speed) {
			best, found = c, true
		}
	}
	return best, found
}

// dualRatio chooses the variable that enters when the one at position i leaves: the one
// whose reduced cost reaches 0 first. Row i of the inverse is in b.row. A variable below
// its bound (falling) leaves upwards; one that is fixed at 0 may move either way.
func (b *basis) dualRatio(i int, falling bool) (variable, bool) {
	// 1. Row i of the inverse over all rows, and what it makes a unit of work cost.
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
	// 2. Gather the candidates: slacks, then users, the one first whose candidate is the
	// fastest, because it raises offers.floor most.
	test := dualTest{b: b, row: full, falling: falling}
	first := test.measure()
	for _, test.tol = range []float64{tolPivot * size, tolPivotLast * size} {
		b.offers.reset()
		for t, k := range b.tight {
			test.try(slackVar(k), b.row[t], b.price[k], tolSlide*b.worth)
		}
		if first >= 0 {
			test.user(first)
		}
		if b.pairs && b.envyOf == nil && b.gpos >= 0 && b.servers > 1 { // so pairs says all
			test.pairs(0, max(first, 0))
			test.pairs(first+1, b.users)
		} else {
			for j, here := range b.here {
				if here && j != first {
					test.user(j)
				}
			}
		}
		// 3. Take the best; if all pivot elements are small, once more with the small ones.
		if best, found := b.offers.pick(); found {
			return variable(best.id), true
		}
	}
	return 0, false
}

// dualTest gathers the candidates of one dual ratio test.
type dualTest struct {
	b       *basis
	row     []float64
	falling bool
	tol     float64
	// low and high are the least and the largest entry of the row per unit of
	// demand, over the servers, where there are two resources.
	low, high [2]float64
	bounded   bool // b.speeds has bounds
}

// fewServers is the number of servers below which testing a user takes as long as
// measuring it.
const fewServers = 8

// measure sets t.low and t.high, bounds the speed of each plain user's variables in
// b.speeds and returns the user of the largest bound; -1 where there are no bounds.
// Testing this user first prunes most of the others where many dual solutions tie.
func (t *dualTest) measure() (first int) {
	b := t.b
	b.speeds = resize(b.speeds, b.users)
	t.bounded = b.res == 2 && len(b.zones) <= 1 && b.servers >= fewServers
	if !t.bounded {
		return -1
	}
	low0, high0, low1, high1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for row := b.rays.unit; len(row) >= 2; row = row[2:] {
		low0, high0 = min(low0, row[0]), max(high0, row[0])
		low1, high1 = min(low1, row[1]), max(high1, row[1])
	}
	t.low, t.high = [2]float64{low0, low1}, [2]float64{high0, high1}
	first, most := -1, 0.0
	for j, here := range b.here {
		if here && b.stride[j] == 0 {
			v := t.fastest(j)
			if b.speeds[j] = v; v > most {
				first, most = j, v
			}
		}
	}
	return first
}

// fastest returns an upper bound of the pivot elements of a plain user's variables.
func (t *dualTest) fastest(j int) float64 {
	d, ray := t.b.use[t.b.offset[j]:], t.b.rays.unit[2*t.b.key[j]:]
	down := d[0]*(ray[0]-t.low[0]) + d[1]*(ray[1]-t.low[1])
	if t.falling {
		return down
	}
	return max(down, d[0]*(t.high[0]-ray[0])+d[1]*(t.high[1]-ray[1]))
}

// try offers a variable with the entry a in the pivot row and a reduced cost.
func (t *dualTest) try(v variable, a, cost, slack float64) {
	if a = t.speed(a); a > t.tol {
		t.b.offers.add(int(v), cost, a, slack)
	}
}

// speed is how fast a variable with the entry a in the pivot row moves the one that leaves
// to its bound. One that is fixed may move in either direction.
func (t *dualTest) speed(a float64) float64 {
	if t.falling || a < 0 {
		return -a
	}
	return a
}

// user offers the variables of user j: its surplus, and its work on other servers than
// that of its key.
func (t *dualTest) user(j int) {
	b := t.b
	key := b.key[j]
	if b.span[j] > 0 && b.gpos < 0 && !b.surplusBasic(j) {
		if a := b.side[j] * b.costOn(&b.rays, t.row, j, key); t.speed(a) > max(t.tol, b.offers.floor) {
			cost := b.costOn(&b.prices, b.price, j, key)
			t.try(b.surplusVar(j), a, b.side[j]*(cost-b.gain[j]), tolSlide*b.gain[j])
		}
	}
	if b.servers == 1 {
		return
	}
	if b.plain(j) {
		if b.res == 2 {
			t.pairs(j, j+1)
		} else {
			t.vectors(j)
		}
		return
	}
	p0 := b.costOn(&b.prices, b.price, j, key)
	r0 := b.costOn(&b.rays, t.row, j, key)
	for s := range b.servers {
		if s != key && b.open(j, s) && !b.basic(j, s) {
			t.try(b.taskVar(j, s), b.costOn(&b.rays, t.row, j, s)-r0, b.costOn(&b.prices, b.price, j, s)-p0, tolSlide*p0)
		}
	}
}

// plain reports whether user j is of the common kind, in which its servers
// differ in nothing but their resources: one demand vector, all servers behind
// the same links, no envy row that tells servers apart.
func (b *basis) plain(j int) bool {
	if b.stride[j] != 0 || len(b.zones) > 1 {
		return false
	}
	if b.envyOf != nil {
		for _, t := range b.envyOf[j] {
			if _, uniform := b.extra[t].uniform(j); !uniform {
				return false
			}
		}
	}
	return true
}

// basic reports whether y[j,s] is basic beside the key.
func (b *basis) basic(j, s int) bool {
	v := b.taskVar(j, s)
	for i := b.head[j]; i >= 0; i = b.next[i] {
		if b.in[i] == v {
			return true
		}
	}
	return false
}

// pairs is the inner loop of user for the common kind with two resources, for the users
// that are here from one to before another.
func (t *dualTest) pairs(from, to int) {
	b := t.b
	pu, ru := b.prices.unit, b.rays.unit
	pu = pu[:len(ru)]
	offset, keys, use, here := b.offset[:to], b.key[:to], b.use, b.here[:to]
	slow := max(t.tol, b.offers.floor)
	for j := from; j < len(here); j++ {
		if !here[j] || t.bounded && b.speeds[j] <= slow {
			continue
		}
		d, key := use[offset[j]:][:2], 2*keys[j]
		d0, d1 := d[0], d[1]
		p0 := d0*pu[key] + d1*pu[key+1]
		r0 := d0*ru[key] + d1*ru[key+1]
		for i := 1; i < len(ru); i += 2 {
			a := d0*ru[i-1] + d1*ru[i] - r0
			if t.falling || a < 0 {
				a = -a
			}
			if a <= slow {
				continue
			}
			cost := d0*pu[i-1] + d1*pu[i] - p0
			if cost > b.offers.bound*a {
				continue
			}
			s := i / 2
			if i-1 == key || !b.open(j, s) || b.head[j] >= 0 && b.basic(j, s) {
				continue
			}
			b.offers.add(int(b.taskVar(j, s)), cost, a, tolSlide*(p0+b.linkPrice(j)))
			slow = max(t.tol, b.offers.floor)
		}
	}
}

// vectors is the inner loop of user for the common kind.
func (t *dualTest) vectors(j int) {
	b := t.b
	key := b.key[j]
	d, ru, pu := b.at(j, key), b.rays.unit, b.prices.unit
	r0 := times(d, ru[key*len(d):])
	p0, link := math.NaN(), 0.0 // not known yet
	least := max(t.tol, b.offers.floor)
	for s := range b.servers {
		a := t.speed(times(d, ru[s*len(d):]) - r0)
		if a <= least || s == key {
			continue
		}
		if p0 != p0 {
			p0, link = times(d, pu[key*len(d):]), b.linkPrice(j)
		}
		cost := times(d, pu[s*len(d):]) - p0
		if cost > b.offers.bound*a || !b.open(j, s) || b.head[j] >= 0 && b.basic(j, s) {
			continue
		}
		b.offers.add(int(b.taskVar(j, s)), cost, a, tolSlide*(p0+link))
		least = max(t.tol, b.offers.floor)
	}
}

// times returns Σ_r d[r]·unit[r].
func times(d, unit []float64) float64 {
	unit = unit[:len(d)]
	if len(d) == 3 {
		return d[0]*unit[0] + d[1]*unit[1] + d[2]*unit[2]
	}
	sum := 0.0
	for r, v := range d {
		sum += v * unit[r]
	}
	return sum
}

// linkPrice returns what the links cost a unit of work of user j where all
// servers are behind the same ones.
func (b *basis) linkPrice(j int) float64 {
	cost := 0.0
	for e, price := range b.prices.links {
		cost += price * b.link[j*b.links+e]
	}
	return cost
}
