package exact

import (
	"errors"
	"math/big"
)

// Program is the linear program: maximise c·x subject to A·x ≤ b, x ≥ 0.
type Program struct {
	Columns int
	rows    [][]*big.Rat // coefficients; nil is 0
	bounds  []*big.Rat
}

// The two ways in which a program has no optimum.
var (
	ErrInfeasible = errors.New("exact: infeasible")
	ErrUnbounded  = errors.New("exact: unbounded")
)

// AtMost adds the row a·x ≤ b. A missing coefficient is 0.
func (p *Program) AtMost(a map[int]*big.Rat, b *big.Rat) {
	row := make([]*big.Rat, p.Columns)
	for i, v := range a {
		row[i] = v
	}
	p.rows, p.bounds = append(p.rows, row), append(p.bounds, b)
}

// AtLeast adds the row a·x ≥ b.
func (p *Program) AtLeast(a map[int]*big.Rat, b *big.Rat) {
	minus := make(map[int]*big.Rat, len(a))
	for i, v := range a {
		minus[i] = new(big.Rat).Neg(v)
	}
	p.AtMost(minus, new(big.Rat).Neg(b))
}

// Equal adds the row a·x = b.
func (p *Program) Equal(a map[int]*big.Rat, b *big.Rat) {
	p.AtMost(a, b)
	p.AtLeast(a, b)
}

// Maximize returns the optimum of c·x and a vertex that attains it: the simplex
// method on a dictionary with Bland's rule, after a first phase with one
// artificial variable where 0 is not feasible.
func (p *Program) Maximize(c map[int]*big.Rat) (*big.Rat, []*big.Rat, error) {
	d := newDictionary(p)
	if err := d.feasible(); err != nil {
		return nil, nil, err
	}
	d.objective(c)
	if err := d.optimize(); err != nil {
		return nil, nil, err
	}
	return d.value, d.point(p.Columns), nil
}

// dictionary has, per basic variable, b[i] − Σ a[i][j]·x[nonbasic j], and the
// objective value + Σ cost[j]·x[nonbasic j]. Variables: the columns, the slacks,
// and the artificial one, which is last.
type dictionary struct {
	basic, free []int
	a           [][]*big.Rat
	b, cost     []*big.Rat
	value       *big.Rat
}

func newDictionary(p *Program) *dictionary {
	d := &dictionary{value: new(big.Rat)}
	for j := range p.Columns {
		d.free = append(d.free, j)
	}
	for i, row := range p.rows {
		d.basic = append(d.basic, p.Columns+i)
		d.b = append(d.b, new(big.Rat).Set(p.bounds[i]))
		line := make([]*big.Rat, p.Columns)
		for j, v := range row {
			line[j] = new(big.Rat)
			if v != nil {
				line[j].Set(v)
			}
		}
		d.a = append(d.a, line)
	}
	return d
}

// feasible makes all b ≥ 0: it enters the artificial variable x0, which is
// subtracted from every row, drives it to 0 and takes it out.
func (d *dictionary) feasible() error {
	worst := -1
	for i, b := range d.b {
		if b.Sign() < 0 && (worst < 0 || b.Cmp(d.b[worst]) < 0) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	artificial := len(d.basic) + len(d.free)
	d.free = append(d.free, artificial)
	d.cost = make([]*big.Rat, len(d.free))
	for j := range d.cost {
		d.cost[j] = new(big.Rat)
	}
	d.cost[len(d.cost)-1].SetInt64(-1)
	for i := range d.a {
		d.a[i] = append(d.a[i], big.NewRat(-1, 1))
	}
	d.pivot(worst, len(d.free)-1)
	if err := d.optimize(); err != nil {
		return err
	}
	if d.value.Sign() != 0 {
		return ErrInfeasible
	}
	return d.remove(artificial)
}

// remove takes a variable of value 0 out.
func (d *dictionary) remove(variable int) error {
	for i, v := range d.basic {
		if v != variable {
			continue
		}
		for j := range d.free {
			if d.a[i][j].Sign() != 0 {
				d.pivot(i, j)
				break
			}
		}
	}
	for j, v := range d.free {
		if v == variable {
			d.free = append(d.free[:j], d.free[j+1:]...)
			for i := range d.a {
				d.a[i] = append(d.a[i][:j], d.a[i][j+1:]...)
			}
			return nil
		}
	}
	return errors.New("exact: the artificial variable stays in the basis")
}

// objective sets the objective in terms of the nonbasic variables.
func (d *dictionary) objective(c map[int]*big.Rat) {
	d.value = new(big.Rat)
	d.cost = make([]*big.Rat, len(d.free))
	for j, v := range d.free {
		d.cost[j] = new(big.Rat)
		if c[v] != nil {
			d.cost[j].Set(c[v])
		}
	}
	t := new(big.Rat)
	for i, v := range d.basic {
		if c[v] == nil {
			continue
		}
		d.value.Add(d.value, t.Mul(c[v], d.b[i]))
		for j := range d.free {
			d.cost[j].Sub(d.cost[j], t.Mul(c[v], d.a[i][j]))
		}
	}
}

// optimize pivots by Bland's rule, which ends.
func (d *dictionary) optimize() error {
	for {
		in := -1
		for j, c := range d.cost {
			if c.Sign() > 0 && (in < 0 || d.free[j] < d.free[in]) {
				in = j
			}
		}
		if in < 0 {
			return nil
		}
		out := d.leaving(in)
		if out < 0 {
			return ErrUnbounded
		}
		d.pivot(out, in)
	}
}

// leaving returns the row whose basic variable reaches 0 first, −1 if none.
func (d *dictionary) leaving(in int) int {
	out, least := -1, new(big.Rat)
	for i := range d.a {
		if d.a[i][in].Sign() <= 0 {
			continue
		}
		ratio := new(big.Rat).Quo(d.b[i], d.a[i][in])
		if out < 0 || ratio.Cmp(least) < 0 || ratio.Cmp(least) == 0 && d.basic[i] < d.basic[out] {
			out, least = i, ratio
		}
	}
	return out
}

// pivot exchanges the basic variable of row i with nonbasic variable j.
func (d *dictionary) pivot(i, j int) {
	inverse := new(big.Rat).Inv(d.a[i][j])
	row := d.a[i]
	for k := range row {
		row[k].Mul(row[k], inverse)
	}
	row[j].Set(inverse)
	d.b[i].Mul(d.b[i], inverse)
	for r := range d.a {
		if r != i && d.a[r][j].Sign() != 0 {
			f := new(big.Rat).Set(d.a[r][j])
			d.a[r][j].SetInt64(0)
			subtract(d.a[r], row, f)
			d.b[r].Sub(d.b[r], new(big.Rat).Mul(f, d.b[i]))
		}
	}
	if f := new(big.Rat).Set(d.cost[j]); f.Sign() != 0 {
		d.cost[j].SetInt64(0)
		subtract(d.cost, row, f)
		d.value.Add(d.value, new(big.Rat).Mul(f, d.b[i]))
	}
	d.basic[i], d.free[j] = d.free[j], d.basic[i]
}

// subtract takes f times the row off.
func subtract(from, row []*big.Rat, f *big.Rat) {
	t := new(big.Rat)
	for k := range from {
		from[k].Sub(from[k], t.Mul(f, row[k]))
	}
}

// point returns the values of the first n variables.
func (d *dictionary) point(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for j := range x {
		x[j] = new(big.Rat)
	}
	for i, v := range d.basic {
		if v < n {
			x[v].Set(d.b[i])
		}
	}
	return x
}
