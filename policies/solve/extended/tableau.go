package extended

import (
	"errors"
	"math/big"
)

// ErrInfeasible is returned where no point satisfies all rows.
var ErrInfeasible = errors.New("solve: no feasible allocation")

// tableau is the linear program max c·y subject to A·y ≤ b, y ≥ 0 as a
// dictionary: basic[i] = b[i] − Σ_j a[i][j]·free[j], objective = value +
// Σ_j cost[j]·free[j]. Variables are numbered: the columns, the slacks of the
// rows, the artificial variable of the first phase.
type tableau struct {
	columns     int
	basic, free []int
	a           []vector
	b, cost     vector
	value       *big.Float
	stalled     int
	pivots      int
}

// newTableau returns the dictionary in which all slacks are basic. It keeps rows
// and bounds.
func newTableau(columns int, rows []vector, bounds vector) *tableau {
	t := &tableau{columns: columns, a: rows, b: bounds, value: newNumber()}
	for j := range columns {
		t.free = append(t.free, j)
	}
	for i := range rows {
		t.basic = append(t.basic, columns+i)
	}
	return t
}

// maximize returns an error unless it ends at an optimum.
func (t *tableau) maximize(c vector) error {
	if err := t.feasible(); err != nil {
		return err
	}
	t.objective(c)
	return t.optimize()
}

// feasible makes all b ≥ 0 with one artificial variable, which is subtracted from
// every row, driven to 0 and taken out.
func (t *tableau) feasible() error {
	worst := -1
	for i := range t.b {
		if t.b[i].Sign() < 0 && (worst < 0 || t.b[i].Cmp(&t.b[worst]) < 0) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	last := len(t.free)
	artificial := t.columns + len(t.basic)
	t.free = append(t.free, artificial)
	for i := range t.a {
		t.a[i] = append(t.a[i], *newNumber().SetInt64(-1))
	}
	t.cost, t.value = newVector(last+1), newNumber()
	t.cost[last].SetInt64(-1)
	t.pivot(worst, last)
	if err := t.optimize(); err != nil {
		return err
	}
	if t.value.Sign() < 0 {
		return ErrInfeasible
	}
	t.remove(artificial)
	return nil
}

// remove takes a variable of value 0 out.
func (t *tableau) remove(variable int) {
	for i, v := range t.basic {
		if v != variable {
			continue
		}
		for j := range t.free {
			if t.a[i][j].Sign() != 0 {
				t.pivot(i, j)
				break
			}
		}
	}
	for j, v := range t.free {
		if v == variable {
			t.free = append(t.free[:j], t.free[j+1:]...)
			for i := range t.a {
				t.a[i] = append(t.a[i][:j], t.a[i][j+1:]...)
			}
			return
		}
	}
}

// objective sets the objective c, per column, in terms of the free variables.
func (t *tableau) objective(c vector) {
	t.value, t.cost = newNumber(), newVector(len(t.free))
	for j, v := range t.free {
		if v < t.columns {
			t.cost[j].Set(&c[v])
		}
	}
	product := newNumber()
	for i, v := range t.basic {
		if v >= t.columns || c[v].Sign() == 0 {
			continue
		}
		t.value.Add(t.value, product.Mul(&c[v], &t.b[i]))
		subtract(t.cost, t.a[i], &c[v])
	}
}

// optimize pivots on the largest cost, and by Bland's rule while the objective
// stalls.
func (t *tableau) optimize() error {
	for range 2000 + 50*(len(t.basic)+len(t.free)) {
		in := t.entering()
		if in < 0 {
			return nil
		}
		out := t.leaving(in)
		if out < 0 {
			return errUnbounded
		}
		if t.stalled++; t.b[out].Sign() > 0 {
			t.stalled = 0
		}
		t.pivot(out, in)
	}
	return errPivots
}

func (t *tableau) entering() int {
	in := -1
	for j := range t.cost {
		if t.cost[j].Sign() <= 0 {
			continue
		}
		if in < 0 || t.stalled > stallLimit && t.free[j] < t.free[in] || t.stalled <= stallLimit && t.cost[j].Cmp(&t.cost[in]) > 0 {
			in = j
		}
	}
	return in
}

// leaving returns the row whose basic variable reaches 0 first, −1 if none.
func (t *tableau) leaving(in int) int {
	out, least, ratio := -1, newNumber(), newNumber()
	for i := range t.a {
		if t.a[i][in].Sign() <= 0 {
			continue
		}
		ratio.Quo(&t.b[i], &t.a[i][in])
		if c := ratio.Cmp(least); out < 0 || c < 0 || c == 0 && t.basic[i] < t.basic[out] {
			out = i
			least.Set(ratio)
		}
	}
	return out
}

// pivot exchanges the basic variable of row i with free variable j.
func (t *tableau) pivot(i, j int) {
	t.pivots++
	inverse, f := newNumber().Quo(big.NewFloat(1), &t.a[i][j]), newNumber()
	row := t.a[i]
	for k := range row {
		row[k].Mul(&row[k], inverse)
	}
	row[j].Set(inverse)
	t.b[i].Mul(&t.b[i], inverse)
	for r := range t.a {
		if r == i || t.a[r][j].Sign() == 0 {
			continue
		}
		f.Set(&t.a[r][j])
		t.a[r][j].SetInt64(0)
		subtract(t.a[r], row, f)
		less(&t.b[r], newNumber().Mul(f, &t.b[i]))
	}
	if f.Set(&t.cost[j]); f.Sign() != 0 {
		t.cost[j].SetInt64(0)
		subtract(t.cost, row, f)
		less(t.value, newNumber().Neg(f.Mul(f, &t.b[i])))
	}
	t.basic[i], t.free[j] = t.free[j], t.basic[i]
}

// subtract takes f times the row off.
func subtract(from, row vector, f *big.Float) {
	product := newNumber()
	for k := range from {
		if row[k].Sign() != 0 {
			less(&from[k], product.Mul(f, &row[k]))
		}
	}
}

// less takes y off x; what cancels but for a negligible part is 0.
func less(x, y *big.Float) {
	if x.Sign() == 0 {
		x.Neg(y)
		return
	}
	before := x.MantExp(nil)
	if x.Sub(x, y); x.Sign() != 0 && x.MantExp(nil) < before-prec/2 {
		x.SetInt64(0)
	}
}

// point returns the values of the columns.
func (t *tableau) point() vector {
	y := newVector(t.columns)
	for i, v := range t.basic {
		if v < t.columns {
			y[v].Set(&t.b[i])
		}
	}
	return y
}

// duals returns the prices of the rows: what one more unit of a bound gains.
func (t *tableau) duals() vector {
	p := newVector(len(t.basic))
	for j, v := range t.free {
		if v >= t.columns && v < t.columns+len(p) && t.cost[j].Sign() < 0 {
			p[v-t.columns].Neg(&t.cost[j])
		}
	}
	return p
}
