package solve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A variable of the linear programs is named by one number: a task variable
// y[j,s] is j·|S|+s, the common level g and the surplus z[j] follow after
// them, and the slack of row k is −1−k.
type variable int

// basis is the state of a simplex method with generalised upper bounds.
//
// Each user j that is present has one row of its own,
//
//	Σ_s y[j,s] = fixed[j] + rate[j]·g + side[j]·z[j],
//
// and one key variable y[j,key[j]] which that row eliminates. What remains is
// a working basis of one variable for each capacity row (and envy row) alone.
// The inverse is kept by columns, and only for the tight rows, those whose
// slack is not basic: the column of any other row is a unit vector.
type basis struct {
	*program
	extra []envyRow // rows after the capacity rows

	m     int       // rows
	ld    int       // column stride of the inverse
	cols  []float64 // columns of the inverse, one for each tight row
	tight []int     // the tight rows, in the order of cols
	slot  []int     // per row: its index in tight, or -1
	pos   []int     // per row: the position of its basic slack, or -1
	in    []variable
	val   []float64 // value of the basic variable at each position

	here  []bool
	key   []int     // per user: server of the key variable
	fixed []float64 // per user
	rate  []float64 // per user: 1 where the user's total follows g, else 0
	side  []float64 // per user: +1, or -1 where z counts down from the cap
	span  []float64 // per user: upper bound of z; 0 where the user has no surplus
	gain  []float64 // per user: objective per unit of its total

	head, next []int // per user, per position: its basic variables beside the key

	level    float64 // value of g while it is not basic
	gpos     int     // position of g, or -1
	price    []float64
	worth    float64 // Σ|price|
	alpha    []float64
	row      []float64 // per tight row: the pivot row of the inverse
	column   sparse
	surplus  sparse // positions of basic surpluses and their gains
	dense    []float64
	envyOf   [][]int // per user: the extra rows that it is part of
	residual float64 // what polish left over, in fractions of a capacity
	pivots   int
	fresh    int // pivots since the inverse was last computed afresh
	stalled  int // degenerate pivots in a row
	nextUser int // where partial pricing goes on
	prices   pricer
	rays     pricer
	offers   offerings
	speeds   []float64 // per user: see dualTest.fastest
}

// sparse is a column over rows; indices may repeat.
type sparse struct {
	row []int
	val []float64
}

func (c *sparse) add(k int, v float64) {
	if v != 0 {
		c.row = append(c.row, k)
		c.val = append(c.val, v)
	}
}

func (c *sparse) reset() { c.row, c.val = c.row[:0], c.val[:0] }

func (b *basis) levelVar() variable        { return variable(b.users * b.servers) }
func (b *basis) surplusVar(j int) variable { return variable(b.users*b.servers + 1 + j) }
func slackVar(k int) variable              { return variable(-1 - k) }
func (b *basis) taskVar(j, s int) variable { return variable(j*b.servers + s) }
func (b *basis) isTask(v variable) bool    { return v >= 0 && int(v) < b.users*b.servers }
func (b *basis) userOf(v variable) int {
	if i := int(v) - b.users*b.servers - 1; i >= 0 {
		return i
	}
	if !b.isTask(v) {
		return -1
	}
	return int(v) / b.servers
}

// reset empties the working basis: every slack is basic, nobody is present
// and the level is 0.
func (b *basis) reset(p *program) {
	b.program, b.extra = p, b.extra[:0]
	b.m = p.rows()
	b.ld = b.m
	b.tight = b.tight[:0]
	b.slot, b.pos = resize(b.slot, b.m), resize(b.pos, b.m)
	b.in, b.val = resize(b.in, b.m), resize(b.val, b.m)
	b.next = resize(b.next, b.m)
	b.price, b.alpha = resize(b.price, b.m), resize(b.alpha, b.m)
	b.dense = resize(b.dense, b.m)
	for k := range b.m {
		b.slot[k], b.pos[k], b.in[k], b.val[k] = -1, k, slackVar(k), 1
		b.price[k] = 0
	}
	n := p.users
	b.here, b.key, b.head = resize(b.here, n), resize(b.key, n), resize(b.head, n)
	b.fixed, b.rate, b.side = resize(b.fixed, n), resize(b.rate, n), resize(b.side, n)
	b.span, b.gain = resize(b.span, n), resize(b.gain, n)
	for j := range n {
		b.here[j], b.key[j], b.head[j] = false, -1, -1
		b.fixed[j], b.rate[j], b.side[j], b.span[j], b.gain[j] = 0, 0, 1, 0, 0
	}
	b.level, b.gpos = 0, -1
	b.pivots, b.fresh, b.stalled, b.nextUser = 0, 0, 0, 0
	b.envyOf = nil
}

// columnOf returns column slot t of the inverse.
func (b *basis) columnOf(t int) []float64 { return b.cols[t*b.ld : t*b.ld+b.m] }

// addTask adds f times the column of y[j,s] to the sparse column.
func (b *basis) addTask(c *sparse, j, s int, f float64) {
	at := s * b.res
	for r, d := range b.at(j, s) {
		c.add(at+r, f*d*b.inv[at+r])
	}
	base := b.servers * b.res
	for _, e := range b.zones[b.zone[s]] {
		c.add(base+e, f*b.link[j*b.links+e])
	}
	if b.envyOf != nil {
		for _, t := range b.envyOf[j] {
			c.add(b.rows()+t, f*b.extra[t].coef(j, s))
		}
	}
}

// load puts the working column of a variable that is not basic into b.column:
// its own column and what its key variable does in answer.
func (b *basis) load(v variable) {
	c := &b.column
	c.reset()
	switch {
	case v < 0:
		c.add(int(-1-v), 1)
	case b.isTask(v):
		j, s := int(v)/b.servers, int(v)%b.servers
		b.addTask(c, j, s, 1)
		b.addTask(c, j, b.key[j], -1)
	case v == b.levelVar():
		b.loadLevel(func(j int) float64 { return b.rate[j] })
	default:
		j := b.userOf(v)
		b.addTask(c, j, b.key[j], b.side[j])
	}
}

// loadLevel puts Σ_j f(j)·(column of j's key) into b.column, each row once.
func (b *basis) loadLevel(f func(j int) float64) {
	clear(b.dense)
	c := &b.column
	for j := range b.users {
		w := 0.0
		if b.here[j] {
			w = f(j)
		}
		if w == 0 {
			continue
		}
		c.reset()
		b.addTask(c, j, b.key[j], w)
		for i, k := range c.row {
			b.dense[k] += c.val[i]
		}
	}
	c.reset()
	for k, v := range b.dense {
		c.add(k, v)
	}
}

// solve sets alpha to the inverse times b.column.
func (b *basis) solve() {
	clear(b.alpha)
	for i, k := range b.column.row {
		v := b.column.val[i]
		if t := b.slot[k]; t >= 0 {
			floats.AddScaled(b.alpha, v, b.columnOf(t))
		} else {
			b.alpha[b.pos[k]] += v
		}
	}
}

// rowOf sets b.row to the row of the inverse at position i, over the tight
// rows.
func (b *basis) rowOf(i int) {
	b.row = resize(b.row, len(b.tight))
	for t := range b.tight {
		b.row[t] = b.cols[t*b.ld+i]
	}
}

// attach records that the variable at position i belongs to a user.
func (b *basis) attach(i int) {
	if j := b.userOf(b.in[i]); j >= 0 {
		b.next[i], b.head[j] = b.head[j], i
	}
}

// detach undoes attach.
func (b *basis) detach(i int) {
	j := b.userOf(b.in[i])
	if j < 0 {
		return
	}
	if b.head[j] == i {
		b.head[j] = b.next[i]
		return
	}
	for p := b.head[j]; ; p = b.next[p] {
		if b.next[p] == i {
			b.next[p] = b.next[i]
			return
		}
	}
}

// pivot lets the variable whose working column alpha holds enter at position
// i with the step theta, and the variable there leave at its lower bound 0.
func (b *basis) pivot(i int, enter variable, theta float64) {
	if theta != 0 {
		floats.AddScaled(b.val, -theta, b.alpha)
	}
	b.update(i, b.alpha[i])
	b.detach(i)
	old := b.in[i]
	b.in[i], b.val[i] = enter, theta
	if old < 0 {
		b.tighten(int(-1-old), i)
	} else if old == b.levelVar() {
		b.gpos = -1
	}
	if enter < 0 {
		b.loosen(int(-1-enter), i)
	} else if enter == b.levelVar() {
		b.gpos = i
		b.val[i] += b.level
	}
	b.attach(i)
	b.pivots++
	b.fresh++
}

// update applies the elementary transformation with pivot row i to the
// columns of the tight rows: a change of the basis column at position i by
// alpha (relative to the present basis).
func (b *basis) update(i int, pivot float64) {
	inv := 1 / pivot
	for t := range b.tight {
		col := b.columnOf(t)
		f := col[i]
		if f == 0 {
			continue
		}
		f *= inv
		floats.AddScaled(col, -f, b.alpha)
		col[i] = f
	}
}

// tighten makes row k, whose slack has just left position i, a tight row.
// The columns have had the transformation already; that of k was the unit
// vector of i before it.
func (b *basis) tighten(k, i int) {
	t := len(b.tight)
	b.tight = append(b.tight, k)
	b.slot[k], b.pos[k] = t, -1
	if need := (t + 1) * b.ld; need > len(b.cols) {
		b.cols = append(b.cols, make([]float64, max(need, 2*len(b.cols))-len(b.cols))...)
	}
	col := b.columnOf(t)
	f := 1 / b.alpha[i]
	for l, a := range b.alpha[:b.m] {
		col[l] = -f * a
	}
	col[i] = f
}

// loosen makes the slack of row k basic at position i; its column of the
// inverse is a unit vector from now on.
func (b *basis) loosen(k, i int) {
	t, last := b.slot[k], len(b.tight)-1
	if t != last {
		copy(b.columnOf(t), b.columnOf(last))
		moved := b.tight[last]
		b.tight[t], b.slot[moved] = moved, t
	}
	b.tight = b.tight[:last]
	b.slot[k], b.pos[k] = -1, i
}

// follow lets the total of user j rise and fall with g from now on (rate 1),
// or stay as it is (rate 0), without changing any value. g must be basic. It
// reports false, with nothing changed, when the inverse would lose its
// accuracy.
func (b *basis) follow(j int, rate float64) bool {
	b.column.reset()
	b.addTask(&b.column, j, b.key[j], rate-b.rate[j])
	b.solve()
	pivot := 1 + b.alpha[b.gpos]
	if math.Abs(pivot) < tinyShare {
		return false
	}
	b.update2(b.gpos, pivot)
	b.fixed[j] += (b.rate[j] - rate) * b.g()
	if rate == 1 {
		b.fixed[j] = 0
	}
	b.rate[j] = rate
	b.fresh++
	return true
}

// update2 is update for a column that grew by alpha: the entry of the pivot
// row is divided by 1+alpha[i] instead of alpha[i].
func (b *basis) update2(i int, pivot float64) {
	for t := range b.tight {
		col := b.columnOf(t)
		f := col[i] / pivot
		if f == 0 {
			continue
		}
		floats.AddScaled(col, -f, b.alpha)
		col[i] = f
	}
}
