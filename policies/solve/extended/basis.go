package extended

import "math/big"

// basis is the working basis: one variable for each row, beside one key server for each
// user, which the row of its total eliminates. Variables are numbered as in package solve:
// y[j,s] is j·|S|+s, the level follows, the slack of row k is −1−k.
type basis struct {
	*program
	// Per user: Σ_s y[j,s] is the level (rate) or fixed; key is the server of the variable
	// that this row eliminates, beside lists the positions of its other basic variables.
	here   []bool
	key    []int
	rate   []bool
	fixed  vector
	beside [][]int
	// Per position: the basic variable and its value; where is that of the level, or -1,
	// and level its value then. inverse is by rows.
	in      []int
	value   vector
	inverse []vector
	level   big.Float
	where   int

	prices  vector     // per row
	worth   *big.Float // Σ|prices|
	alpha   vector     // how fast each basic variable falls
	dense   vector     // per row: scratch
	next    int        // where partial pricing goes on
	stalled int        // degenerate pivots in a row
	pivots  int
}

func newBasis(p *program) *basis {
	b := &basis{
		program: p, here: make([]bool, p.users), key: make([]int, p.users), rate: make([]bool, p.users),
		fixed: newVector(p.users), in: make([]int, p.rows), value: newVector(p.rows), inverse: newMatrix(p.rows, p.rows),
		beside: make([][]int, p.users), where: -1, prices: newVector(p.rows), alpha: newVector(p.rows), dense: newVector(p.rows),
	}
	b.level.SetPrec(prec)
	for k := range p.rows {
		b.in[k] = -1 - k
		b.value[k].SetInt64(1)
		b.inverse[k][k].SetInt64(1)
	}
	for j := range p.users {
		b.key[j] = p.home(j)
		b.here[j] = b.key[j] >= 0
	}
	return b
}

func (b *basis) levelVar() int { return b.users * b.servers }

// owner returns the user of a task variable, or -1.
func (b *basis) owner(v int) int {
	if v < 0 || v == b.levelVar() {
		return -1
	}
	return v / b.servers
}

// g returns the level.
func (b *basis) g() *big.Float {
	if b.where >= 0 {
		return &b.value[b.where]
	}
	return &b.level
}

// share returns what user j holds in all.
func (b *basis) share(j int) *big.Float {
	if b.rate[j] {
		return b.g()
	}
	return &b.fixed[j]
}

// keyValue returns what user j holds on its key server.
func (b *basis) keyValue(j int) *big.Float {
	v := newNumber().Set(b.share(j))
	for _, i := range b.beside[j] {
		v.Sub(v, &b.value[i])
	}
	if abs := newNumber().Abs(v); abs.Cmp(newNumber().Mul(b.share(j), negligible)) < 0 {
		v.SetInt64(0)
	}
	return v
}

// spread adds f times the column of y[j,s] to b.dense.
func (b *basis) spread(j, s int, f *big.Float) {
	t := newNumber()
	for i, c := 0, b.at(j, s); i < len(c); i++ {
		b.dense[c[i].row].Add(&b.dense[c[i].row], t.Mul(&c[i].a, f))
	}
}

// load sets b.alpha to the inverse times the working column of a variable that
// is not basic.
func (b *basis) load(v int) {
	b.dense.clear()
	plus, minus := big.NewFloat(1), big.NewFloat(-1)
	switch j := b.owner(v); {
	case v < 0:
		b.dense[-1-v].SetInt64(1)
	case j >= 0:
		b.spread(j, v%b.servers, plus)
		b.spread(j, b.key[j], minus)
	default:
		for i := range b.users {
			if b.here[i] && b.rate[i] {
				b.spread(i, b.key[i], plus)
			}
		}
	}
	b.dense.clean(b.dense.largest())
	t := newNumber()
	for i := range b.alpha {
		a := &b.alpha[i]
		a.SetInt64(0)
		for k := range b.dense {
			if b.dense[k].Sign() != 0 && b.inverse[i][k].Sign() != 0 {
				a.Add(a, t.Mul(&b.dense[k], &b.inverse[i][k]))
			}
		}
	}
	b.alpha.clean(b.alpha.largest())
}

// move takes a step of length theta along b.alpha.
func (b *basis) move(theta *big.Float) {
	if theta.Sign() == 0 {
		return
	}
	b.value.addScaled(newNumber().Neg(theta), b.alpha)
	b.value.clean(big.NewFloat(1))
}

// pivot lets a variable whose column b.alpha holds enter at position i, at the
// value start + theta.
func (b *basis) pivot(i, enter int, theta, start *big.Float) {
	b.move(theta)
	if j := b.owner(b.in[i]); j >= 0 {
		b.beside[j] = without(b.beside[j], i)
	}
	if i == b.where {
		b.where = -1
	}
	row := b.inverse[i]
	b.eliminate(i)
	inv := newNumber().Quo(big.NewFloat(1), &b.alpha[i])
	for k := range row {
		row[k].Mul(&row[k], inv)
	}
	b.in[i] = enter
	b.value[i].Add(theta, start)
	if j := b.owner(enter); j >= 0 {
		b.beside[j] = append(b.beside[j], i)
	} else if enter == b.levelVar() {
		b.where = i
	}
	b.pivots++
}

// eliminate takes alpha[l]/alpha[i] times row i of the inverse off each other row
// l.
func (b *basis) eliminate(i int) {
	f := newNumber()
	for l := range b.inverse {
		if l != i && b.alpha[l].Sign() != 0 {
			b.inverse[l].addScaled(f.Neg(f.Quo(&b.alpha[l], &b.alpha[i])), b.inverse[i])
		}
	}
}

func without(list []int, v int) []int {
	for i, w := range list {
		if w == v {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// swap makes the basic variable of user j at position i its key, and puts the
// old key in its place.
func (b *basis) swap(j, i int) {
	value := b.keyValue(j)
	row, minus := newVector(b.rows), big.NewFloat(-1)
	for _, l := range b.beside[j] {
		row.addScaled(minus, b.inverse[l])
	}
	if b.rate[j] && b.where >= 0 {
		row.addScaled(big.NewFloat(1), b.inverse[b.where])
	}
	b.inverse[i] = row
	s := b.in[i] % b.servers
	b.in[i], b.key[j] = j*b.servers+b.key[j], s
	b.value[i].Set(value)
}

// flip makes y[j,s], whose column b.alpha holds, the key of user j, whose old key
// is 0 after a step of length theta and which has no other basic variable. Of the
// working basis only the column of the level depends on it.
func (b *basis) flip(j, s int, theta *big.Float) {
	b.move(theta)
	b.key[j] = s
	b.pivots++
	if !b.rate[j] || b.where < 0 {
		return
	}
	at := newNumber().Add(big.NewFloat(1), &b.alpha[b.where])
	row := b.inverse[b.where]
	for k := range row {
		row[k].Quo(&row[k], at)
	}
	for l := range b.inverse {
		if l != b.where {
			b.inverse[l].addScaled(newNumber().Neg(&b.alpha[l]), row)
		}
	}
}
