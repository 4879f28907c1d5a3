package extended

import (
	"errors"
	"math/big"

	"github.com/leontief-sim/leontief/policies/solve/simplex"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// LinearProblem is the program max Σ value[j]·x[j] over χ subject to x[j] ≥
// lower[j] and to rows against envy.
type LinearProblem struct {
	Value, Lower []float64 // per user and task; Lower may be nil
	Present      []bool
	Envy         []Envy
}

// Envy is the row Σ_s x[Source,s]·Ratio[s] ≤ x[Envier].
type Envy struct {
	Source, Envier int
	Ratio          []float64 // per server
}

// largest is the number of coefficients up to which a program is solved here: a
// pivot takes some 100 ns for each.
const largest = 400_000

// ErrInfeasible is returned where no point satisfies all rows.
var ErrInfeasible = errors.New("solve: no feasible allocation")

var errLarge = errors.New("solve: the program is too large for extended precision")

// Linear solves the problem with a dense dictionary. The result is certified by
// its dual: Gap is the distance of the objective from the bound that the prices
// of the rows prove, relative to it, and Excess the largest violation of a row.
func Linear(env *cluster.Environment, q LinearProblem) (r *Result, err error) {
	defer precise(&err)
	most := len(env.Servers)*len(env.Resources) + len(env.Links) + 2*len(env.Users) + len(q.Envy)
	if most*len(env.Users)*len(env.Servers) > largest {
		return nil, errLarge
	}
	l := newLinear(env, q)
	if l.wide() {
		return nil, ErrPrecision
	}
	rows := make([][]big.Float, len(l.rows))
	for i := range rows {
		rows[i] = l.rows[i].clone()
	}
	rules := simplex.Rules[big.Float]{Zero: func() big.Float { return *newNumber() }, Less: less, Stall: stallLimit, Most: maxPivots(len(l.rows), len(l.owner))}
	d := simplex.New(rules, len(l.owner), rows, l.bounds.clone())
	if err := d.Maximize(l.cost); errors.Is(err, simplex.ErrInfeasible) {
		return nil, ErrInfeasible
	} else if err != nil {
		return nil, err
	}
	r = l.result(d)
	duals := vector(d.Duals())
	for t, e := range q.Envy { // the last rows, each divided by the unit of its envier
		r.Envy = append(r.Envy, double(newNumber().Quo(&duals[len(l.rows)-len(q.Envy)+t], exactly(l.unit[e.Envier]))))
	}
	return r, nil
}

// linear is the problem in units of what a user could run on its best server.
type linear struct {
	*program
	owner  []int // per column: j·|S|+s
	rows   []vector
	bounds vector
	cost   vector
}

func newLinear(env *cluster.Environment, q LinearProblem) *linear {
	unit := make([]float64, len(env.Users))
	for j := range unit {
		unit[j] = best(env, j)
	}
	l := &linear{program: newProgram(env, unit, q.Present)}
	at := make([]int, l.users*l.servers) // column of (j,s), or -1
	for v := range at {
		if at[v] = -1; l.columns[v] != nil {
			at[v] = len(l.owner)
			l.owner = append(l.owner, v)
		}
	}
	l.capacities()
	for j := range l.users {
		if n := l.limit[j]; n != nil {
			l.add(l.total(j, at, 1), n)
		}
		if q.Lower != nil && q.Lower[j] > 0 && q.Present[j] && unit[j] > 0 {
			low := newNumber().Quo(exactly(q.Lower[j]), exactly(unit[j]))
			l.add(l.total(j, at, -1), low.Neg(low))
		}
	}
	for _, e := range q.Envy {
		l.envy(e, at)
	}
	l.cost = newVector(len(l.owner))
	for c, v := range l.owner {
		l.cost[c].Mul(exactly(q.Value[v/l.servers]), exactly(unit[v/l.servers]))
	}
	return l
}

// best returns the tasks that user j runs on the server that holds most of them,
// links included; 0 where none can hold any.
func best(env *cluster.Environment, j int) float64 {
	most := 0.0
	for s := range env.Servers {
		if env.MayRun(j, s) {
			most = max(most, env.Psi(j, s))
		}
	}
	return most
}

func (l *linear) add(row vector, bound *big.Float) {
	l.rows = append(l.rows, row)
	l.bounds = append(l.bounds, *newNumber().Set(bound))
}

// capacities adds the capacity rows, which have the bound 1.
func (l *linear) capacities() {
	for range l.program.rows {
		l.add(newVector(len(l.owner)), big.NewFloat(1))
	}
	for c, v := range l.owner {
		for i := range l.columns[v] {
			e := &l.columns[v][i]
			l.rows[e.row][c].Set(&e.a)
		}
	}
}

// total returns sign times the total of user j.
func (l *linear) total(j int, at []int, sign int64) vector {
	row := newVector(len(l.owner))
	for _, c := range at[j*l.servers : (j+1)*l.servers] {
		if c >= 0 {
			row[c].SetInt64(sign)
		}
	}
	return row
}

// envy adds a row, divided by the unit of the envier.
func (l *linear) envy(e Envy, at []int) {
	row := l.total(e.Envier, at, -1)
	for s, ratio := range e.Ratio {
		if c := at[e.Source*l.servers+s]; c >= 0 {
			row[c].Mul(exactly(ratio), exactly(l.unit[e.Source]))
			row[c].Quo(&row[c], exactly(l.unit[e.Envier]))
		}
	}
	l.add(row, newNumber())
}

// result rounds the optimum and certifies it from the numbers of the problem.
func (l *linear) result(d *simplex.Dictionary[big.Float, *big.Float]) *Result {
	y, prices := vector(d.Point()), vector(d.Duals())
	r := &Result{X: make([]float64, l.users*l.servers), Prices: make([]float64, l.program.rows), Rounds: 1, Pivots: d.Pivots}
	for c, v := range l.owner {
		r.X[v] = double(newNumber().Mul(&y[c], exactly(l.unit[v/l.servers])))
	}
	for k := range r.Prices {
		if c := l.env.RowCapacity(k); c > 0 {
			r.Prices[k] = double(newNumber().Quo(&prices[k], exactly(c)))
		}
	}
	r.Excess, r.Gap = double(l.excess(y)), double(l.gap(y, prices))
	return r
}

// excess returns the largest violation of a row by y, relative to the larger of
// its bound and its terms.
func (l *linear) excess(y vector) *big.Float {
	worst, term := newNumber(), newNumber()
	for i, row := range l.rows {
		left, size := newNumber().Neg(&l.bounds[i]), newNumber().Abs(&l.bounds[i])
		for c := range row {
			if row[c].Sign() != 0 && y[c].Sign() != 0 {
				left.Add(left, term.Mul(&row[c], &y[c]))
				if term.Abs(term).Cmp(size) > 0 {
					size.Set(term)
				}
			}
		}
		if left.Sign() > 0 && left.Quo(left, size).Cmp(worst) > 0 {
			worst.Set(left)
		}
	}
	return worst
}

// gap returns how far Σ cost·y is from the bound that the prices prove, relative
// to it: for prices π ≥ 0 and as no column can exceed 1 in its units,
//
//	Σ cost·y' ≤ Σ_i π[i]·b[i] + Σ_c max(0, cost[c] − Σ_i π[i]·a[i,c]).
func (l *linear) gap(y, prices vector) *big.Float {
	bound, value, term := newNumber(), newNumber(), newNumber()
	for i := range prices {
		bound.Add(bound, term.Mul(&prices[i], &l.bounds[i]))
	}
	for c := range l.owner {
		value.Add(value, term.Mul(&l.cost[c], &y[c]))
		rest := newNumber().Set(&l.cost[c])
		for i := range prices {
			if prices[i].Sign() != 0 && l.rows[i][c].Sign() != 0 {
				rest.Sub(rest, term.Mul(&prices[i], &l.rows[i][c]))
			}
		}
		if rest.Sign() > 0 {
			bound.Add(bound, rest)
		}
	}
	switch bound.Sub(bound, value); {
	case bound.Sign() <= 0:
		return newNumber()
	case value.Sign() <= 0:
		return bound.SetInf(false)
	}
	return bound.Quo(bound, value)
}
