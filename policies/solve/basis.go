package solve

import (
	"math"
	"math/bits"
)

// A variable of the linear programs is named by one number: the work y[j,s] is j·|S|+s,
// the common level g and the surpluses z[j] follow, and the slack of row k is −1−k.
type variable int

func slackVar(k int) variable                { return variable(-1 - k) }
func (p *program) taskVar(j, s int) variable { return variable(j*p.servers + s) }
func (p *program) levelVar() variable        { return variable(p.work) }
func (p *program) surplusVar(j int) variable { return variable(p.work + 1 + j) }
func (p *program) isTask(v variable) bool    { return uint(v) < uint(p.work) }

// taskOf returns the user and the server of a task variable.
func (p *program) taskOf(v variable) (j, s int) {
	if p.servers == 1 {
		return int(v), 0
	}
	j = p.over(v)
	return j, int(v) - j*p.servers
}

// over returns v/|S|, |S| > 1, by a multiplication, which is exact as long as v·|S| < 2⁶⁴.
func (p *program) over(v variable) int {
	quotient, _ := bits.Mul64(uint64(v), p.reciprocal)
	return int(quotient)
}

// serverOf returns the server of a task variable.
func (p *program) serverOf(v variable) int {
	_, s := p.taskOf(v)
	return s
}

// userOf returns the user of a task variable or surplus; -1 of other variables.
func (p *program) userOf(v variable) int {
	if i := int(v) - p.work - 1; i >= 0 {
		return i
	}
	if !p.isTask(v) {
		return -1
	}
	j, _ := p.taskOf(v)
	return j
}

// basis is the state of a simplex method with generalised upper bounds.
//
// Each user j that is present has one row of its own,
//
//	Σ_s y[j,s] = fixed[j] + rate[j]·g + side[j]·z[j],
//
// and one key variable y[j,key[j]], which that row eliminates: a change of any other
// variable of the row is answered by the key. What remains is a working basis of one
// variable for each capacity row (and envy row) alone.
//
// References: G. B. Dantzig and R. M. Van Slyke, Generalized Upper Bounding Techniques,
// Journal of Computer and System Sciences 1 (1967).
type basis struct {
	*program
	envyRows
	userRows
	inverse
	basics
	common
	pricing
	ratios
	progress

	column sparse    // working column of the variable at hand
	dense  []float64 // per row: scratch
}

// userRows are the rows of the users. Invariant: the key of a user that is here is on a
// server that is open to it, and is no basic variable.
type userRows struct {
	here  []bool
	key   []int     // server of the key variable
	fixed []float64 // scaled, as all work
	rate  []float64 // 1 where the user's total follows g, else 0
	side  []float64 // +1, or -1 where z counts down from the cap
	span  []float64 // upper bound of z; 0 where the user has no surplus
	gain  []float64 // objective per unit of its total
}

// basics are the variables of the working basis by position.
//
// Invariants: the slack of a row k that is not tight stands at position pos[k]; from
// head[j] on, next links the positions of all basic variables of user j, and -1 ends.
type basics struct {
	in         []variable
	val        []float64
	head, next []int // per user, per position
}

// common is the common level g: the value of the basic variable at gpos, or, where gpos
// is -1, level.
type common struct {
	level float64
	gpos  int
}

// pricing is what the choice of an entering variable takes. Invariant: rows that are not
// tight have the price 0 (complementary slackness).
type pricing struct {
	price    []float64
	worth    float64 // Σ|price|
	prices   pricer  // of price
	surplus  sparse  // positions of basic surpluses, and what each gains
	nextUser int     // where partial pricing goes on
}

// ratios is what ratio tests take.
type ratios struct {
	alpha    []float64 // B⁻¹·column: how fast each basic variable falls
	blocking blocking
	row      []float64 // per tight row: a row of the inverse
	rays     pricer    // of that row
	offers   offerings
	speeds   []float64 // per user: see dualTest.fastest
	weight   []float64 // per position, > 0: see weigh
}

// progress counts what has been done since the basis was made.
type progress struct {
	pivots   int
	fresh    int     // pivots since the inverse was last computed afresh
	stalled  int     // degenerate pivots in a row
	residual float64 // what polish left over, in fractions of a capacity
}

// reset empties the working basis: every slack is basic, nobody is present and the level
// is 0.
func (b *basis) reset(p *program) {
	b.program = p
	b.inverse.reset(p.rows())
	b.in, b.val, b.next = resize(b.in, b.m), resize(b.val, b.m), resize(b.next, b.m)
	b.price, b.alpha, b.dense = resize(b.price, b.m), resize(b.alpha, b.m), resize(b.dense, b.m)
	for k := range b.m {
		b.in[k], b.val[k], b.price[k] = slackVar(k), 1, 0
	}
	n := p.users
	b.here, b.key, b.head = resize(b.here, n), resize(b.key, n), resize(b.head, n)
	b.fixed, b.rate, b.side = resize(b.fixed, n), resize(b.rate, n), resize(b.side, n)
	b.span, b.gain = resize(b.span, n), resize(b.gain, n)
	for j := range n {
		b.here[j], b.key[j], b.head[j] = false, -1, -1
		b.fixed[j], b.rate[j], b.side[j], b.span[j], b.gain[j] = 0, 0, 1, 0, 0
	}
	b.common = common{gpos: -1}
	b.envyRows = envyRows{extra: b.extra[:0]}
	b.pivots, b.fresh, b.stalled, b.nextUser = 0, 0, 0, 0
}

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

// load puts the working column of a variable that is not basic into b.column: its own
// column and the answer of the key.
func (b *basis) load(v variable) {
	c := &b.column
	c.reset()
	switch {
	case v < 0:
		c.add(int(-1-v), 1)
	case b.isTask(v):
		j := b.userOf(v)
		b.addTask(c, j, b.serverOf(v), 1)
		b.addTask(c, j, b.key[j], -1)
	case v == b.levelVar():
		b.loadLevel()
	default:
		j := b.userOf(v)
		b.addTask(c, j, b.key[j], b.side[j])
	}
}

// loadLevel puts the column of g, Σ_j rate[j]·(column of j's key), into b.column, each
// row once.
func (b *basis) loadLevel() {
	clear(b.dense)
	c := &b.column
	for j, rate := range b.rate {
		if !b.here[j] || rate == 0 {
			continue
		}
		c.reset()
		b.addTask(c, j, b.key[j], rate)
		for i, k := range c.row {
			b.dense[k] += c.val[i]
		}
	}
	c.reset()
	for k, v := range b.dense {
		c.add(k, v)
	}
}

// solve sets alpha to B⁻¹·column.
func (b *basis) solve() {
	clear(b.alpha)
	for i, k := range b.column.row {
		b.addTo(b.alpha, k, b.column.val[i])
	}
}

// attach enters the variable at position i in the list of its user, if it has one.
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
	p := b.head[j]
	for b.next[p] != i {
		p = b.next[p]
	}
	b.next[p] = b.next[i]
}

// pivot lets the variable whose working column alpha holds enter at position i with the
// step theta, and the variable there leave at its lower bound 0.
func (b *basis) pivot(i int, enter variable, theta float64) {
	// 1. All basic variables move with the one that enters.
	if theta != 0 {
		addScaled(b.val, -theta, b.alpha)
	}
	// 2. The inverse, with the column of a slack that leaves, without that of one that
	// enters.
	b.exchange(i, b.alpha)
	b.detach(i)
	leave := b.in[i]
	b.in[i], b.val[i] = enter, theta
	if leave < 0 {
		b.tighten(int(-1-leave), i, b.alpha)
	} else if leave == b.levelVar() {
		b.gpos = -1
	}
	if enter < 0 {
		b.loosen(int(-1-enter), i)
	} else if enter == b.levelVar() {
		b.gpos = i
		b.val[i] += b.level
	}
	// 3. The list of the user that the variable belongs to.
	b.attach(i)
	b.pivots++
	b.fresh++
}

// follow lets the total of user j rise and fall with g from now on (rate 1), or stay as
// it is (rate 0), without changing any value. g must be basic. It reports false, with
// nothing changed, when the inverse would lose its accuracy.
func (b *basis) follow(j int, rate float64) bool {
	b.column.reset()
	b.addTask(&b.column, j, b.key[j], rate-b.rate[j])
	b.solve()
	pivot := 1 + b.alpha[b.gpos]
	if math.Abs(pivot) < tinyShare {
		return false
	}
	b.increase(b.gpos, b.alpha, pivot)
	b.fixed[j] += (b.rate[j] - rate) * b.g()
	if rate == 1 {
		b.fixed[j] = 0
	}
	b.rate[j] = rate
	b.fresh++
	return true
}
