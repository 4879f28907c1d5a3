// Package simplex is the simplex method on a dictionary, for the numbers of package
// math/big: rational ones, with which it is exact, or floating point ones of any precision.
//
// References: V. Chvátal, Linear Programming, 1983, chapters 2 and 3.
package simplex

import "errors"

// Number is a number of package math/big.
type Number[T any] interface {
	*T
	Set(x *T) *T
	SetInt64(x int64) *T
	Neg(x *T) *T
	Add(x, y *T) *T
	Sub(x, y *T) *T
	Mul(x, y *T) *T
	Quo(x, y *T) *T
	Cmp(y *T) int
	Sign() int
}

// The ways in which a program has no optimum, or none is found.
var (
	ErrInfeasible = errors.New("simplex: infeasible")
	ErrUnbounded  = errors.New("simplex: unbounded")
	ErrPivots     = errors.New("simplex: too many pivots")
)

// Rules are what differs between kinds of numbers.
type Rules[T any] struct {
	Zero func() T      // a number of the precision that is computed with
	Less func(x, y *T) // takes y off x
	// Stall is the number of degenerate pivots in a row after which Bland's rule, which
	// ends, takes the place of the largest cost, which is quick. With 0 it is Bland's rule
	// from the first pivot.
	Stall int
	Most  int // number of pivots after which to give up; 0: none
}

// Dictionary is the program max c·x subject to A·x ≤ b, x ≥ 0. Variables are numbered: the
// columns, the slacks of the rows, the artificial variable of the first phase.
//
// Invariants, before and after every pivot:
//
//	basic[i]  = b[i] − Σ_j a[i][j]·free[j]  for every row i,
//	objective = value + Σ_j cost[j]·free[j],
//
// and b ≥ 0 from the first phase on: with all free variables at 0 it is a vertex.
type Dictionary[T any, P Number[T]] struct {
	Rules[T]
	Pivots int

	columns     int
	basic, free []int
	a           [][]T
	b, cost     []T
	value       T
	stalled     int
}

// New returns the dictionary in which all slacks are basic. It keeps rows and bounds.
func New[T any, P Number[T]](rules Rules[T], columns int, rows [][]T, bounds []T) *Dictionary[T, P] {
	d := &Dictionary[T, P]{Rules: rules, columns: columns, a: rows, b: bounds, value: rules.Zero()}
	for j := range columns {
		d.free = append(d.free, j)
	}
	for i := range rows {
		d.basic = append(d.basic, columns+i)
	}
	return d
}

// Maximize goes to a vertex at which c·x, with one coefficient a column, is largest.
func (d *Dictionary[T, P]) Maximize(c []T) error {
	if err := d.feasible(); err != nil {
		return err
	}
	d.objective(c)
	return d.optimize()
}

// Vector returns n numbers of value 0.
func (d *Dictionary[T, P]) Vector(n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = d.Zero()
	}
	return v
}

// feasible is the first phase: it makes all b ≥ 0.
func (d *Dictionary[T, P]) feasible() error {
	worst := -1
	for i := range d.b {
		if P(&d.b[i]).Sign() < 0 && (worst < 0 || P(&d.b[i]).Cmp(&d.b[worst]) < 0) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	// 1. An artificial variable is taken off every row. It enters in the worst one, which
	// makes all b ≥ 0.
	last, artificial := len(d.free), d.columns+len(d.basic)
	d.free = append(d.free, artificial)
	for i := range d.a {
		minus := d.Zero()
		P(&minus).SetInt64(-1)
		d.a[i] = append(d.a[i], minus)
	}
	d.cost, d.value = d.Vector(last+1), d.Zero()
	P(&d.cost[last]).SetInt64(-1)
	d.pivot(worst, last)
	// 2. It is made as small as can be, and taken out where that is 0.
	if err := d.optimize(); err != nil {
		return err
	}
	if P(&d.value).Sign() < 0 {
		return ErrInfeasible
	}
	d.remove(artificial)
	return nil
}

// remove takes a variable of value 0 out. If it is basic in a row without any other
// variable it stays: it is 0 then, whatever the others are.
func (d *Dictionary[T, P]) remove(variable int) {
	for i, v := range d.basic {
		for j := range d.free {
			if v == variable && P(&d.a[i][j]).Sign() != 0 {
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
			return
		}
	}
}

// objective states the objective in terms of the free variables.
func (d *Dictionary[T, P]) objective(c []T) {
	d.value, d.cost = d.Zero(), d.Vector(len(d.free))
	for j, v := range d.free {
		if v < d.columns {
			P(&d.cost[j]).Set(&c[v])
		}
	}
	product := d.Zero()
	for i, v := range d.basic {
		if v < d.columns && P(&c[v]).Sign() != 0 {
			P(&d.value).Add(&d.value, P(&product).Mul(&c[v], &d.b[i]))
			d.subtract(d.cost, d.a[i], &c[v])
		}
	}
}

// optimize pivots until no free variable raises the objective.
func (d *Dictionary[T, P]) optimize() error {
	for k := 0; d.Most == 0 || k < d.Most; k++ {
		in := d.entering()
		if in < 0 {
			return nil
		}
		out := d.leaving(in)
		if out < 0 {
			return ErrUnbounded
		}
		if d.stalled++; P(&d.b[out]).Sign() > 0 {
			d.stalled = 0
		}
		d.pivot(out, in)
	}
	return ErrPivots
}

// entering returns the free variable of the largest cost, or of the lowest number under
// Bland's rule; −1 if no cost is positive.
func (d *Dictionary[T, P]) entering() int {
	in, bland := -1, d.Stall == 0 || d.stalled > d.Stall
	for j := range d.cost {
		if P(&d.cost[j]).Sign() <= 0 {
			continue
		}
		if in < 0 || bland && d.free[j] < d.free[in] || !bland && P(&d.cost[j]).Cmp(&d.cost[in]) > 0 {
			in = j
		}
	}
	return in
}

// leaving returns the row whose basic variable reaches 0 first, −1 if none does.
func (d *Dictionary[T, P]) leaving(in int) int {
	out, least, ratio := -1, d.Zero(), d.Zero()
	for i := range d.a {
		if P(&d.a[i][in]).Sign() <= 0 {
			continue
		}
		P(&ratio).Quo(&d.b[i], &d.a[i][in])
		if c := P(&ratio).Cmp(&least); out < 0 || c < 0 || c == 0 && d.basic[i] < d.basic[out] {
			out = i
			P(&least).Set(&ratio)
		}
	}
	return out
}

// pivot exchanges the basic variable of row i with free variable j.
func (d *Dictionary[T, P]) pivot(i, j int) {
	d.Pivots++
	inverse, f, product := d.Zero(), d.Zero(), d.Zero()
	P(&inverse).SetInt64(1)
	P(&inverse).Quo(&inverse, &d.a[i][j])
	// 1. Solve row i for free variable j.
	row := d.a[i]
	for k := range row {
		P(&row[k]).Mul(&row[k], &inverse)
	}
	P(&row[j]).Set(&inverse)
	P(&d.b[i]).Mul(&d.b[i], &inverse)
	// 2. Substitute it in the other rows and in the objective.
	for r := range d.a {
		if r != i && P(&d.a[r][j]).Sign() != 0 {
			P(&f).Set(&d.a[r][j])
			P(&d.a[r][j]).SetInt64(0)
			d.subtract(d.a[r], row, &f)
			d.Less(&d.b[r], P(&product).Mul(&f, &d.b[i]))
		}
	}
	if P(&f).Set(&d.cost[j]); P(&f).Sign() != 0 {
		P(&d.cost[j]).SetInt64(0)
		d.subtract(d.cost, row, &f)
		d.Less(&d.value, P(&product).Neg(P(&f).Mul(&f, &d.b[i])))
	}
	d.basic[i], d.free[j] = d.free[j], d.basic[i]
}

// subtract takes f times the row off.
func (d *Dictionary[T, P]) subtract(from, row []T, f *T) {
	product := d.Zero()
	for k := range from {
		if P(&row[k]).Sign() != 0 {
			d.Less(&from[k], P(&product).Mul(f, &row[k]))
		}
	}
}

// Value returns the objective.
func (d *Dictionary[T, P]) Value() *T { return &d.value }

// Point returns the values of the columns.
func (d *Dictionary[T, P]) Point() []T {
	x := d.Vector(d.columns)
	for i, v := range d.basic {
		if v < d.columns {
			P(&x[v]).Set(&d.b[i])
		}
	}
	return x
}

// Duals returns the prices of the rows: what one more unit of a bound gains.
func (d *Dictionary[T, P]) Duals() []T {
	p := d.Vector(len(d.basic))
	for j, v := range d.free {
		if v >= d.columns && v < d.columns+len(p) && P(&d.cost[j]).Sign() < 0 {
			P(&p[v-d.columns]).Neg(&d.cost[j])
		}
	}
	return p
}
