package exact

import (
	"errors"
	"math/big"

	"github.com/leontief-sim/leontief/policies/solve/simplex"
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

// exactly are the rules of rational numbers: nothing is rounded, and Bland's rule ends.
var exactly = simplex.Rules[big.Rat]{Zero: func() (zero big.Rat) { return }, Less: func(x, y *big.Rat) { x.Sub(x, y) }}

// Maximize returns the optimum of c·x and a vertex that attains it.
func (p *Program) Maximize(c map[int]*big.Rat) (*big.Rat, []*big.Rat, error) {
	rows, bounds, costs := make([][]big.Rat, len(p.rows)), make([]big.Rat, len(p.rows)), make([]big.Rat, p.Columns)
	for i, row := range p.rows {
		bounds[i].Set(p.bounds[i])
		rows[i] = make([]big.Rat, p.Columns)
		for j, v := range row {
			if v != nil {
				rows[i][j].Set(v)
			}
		}
	}
	for j, v := range c {
		costs[j].Set(v)
	}
	d := simplex.New(exactly, p.Columns, rows, bounds)
	switch err := d.Maximize(costs); {
	case errors.Is(err, simplex.ErrInfeasible):
		return nil, nil, ErrInfeasible
	case err != nil:
		return nil, nil, ErrUnbounded
	}
	point, x := d.Point(), make([]*big.Rat, p.Columns)
	for j := range x {
		x[j] = &point[j]
	}
	return d.Value(), x, nil
}
