package twin

import (
	"errors"
	"fmt"
	"math"
)

// Sense is the relation of a row to its right-hand side.
type Sense int

// The three kinds of row.
const (
	LE Sense = iota // a·x <= b
	GE              // a·x >= b
	EQ              // a·x  = b
)

// Row is one constraint a·x (sense) b.
type Row struct {
	A     []float64 // one coefficient per variable
	Sense Sense
	B     float64
}

// LP is the program max c·x subject to rows, x >= 0.
type LP struct {
	C    []float64
	Rows []Row
}

// Solution is an optimal vertex of an [LP].
type Solution struct {
	X []float64
	// Dual holds one price per row, in the units of the row as given: >= 0
	// for LE, <= 0 for GE, free for EQ; Σ Dual·B equals Value.
	Dual  []float64
	Value float64
}

// The two ways in which a program has no optimum.
var (
	ErrInfeasible = errors.New("twin: infeasible")
	ErrUnbounded  = errors.New("twin: unbounded")
)

const (
	// harrisTol is how far a basic variable may be driven below 0 for the
	// sake of a larger pivot.
	harrisTol = 1e-12
	// refreshes is how often the final basis is computed anew.
	refreshes = 3
	// costTol is the least reduced cost to enter on, with costs scaled to 1.
	costTol = 1e-11
	// feasTol is the sum of infeasibilities that phase 1 may leave.
	feasTol = 1e-10
	// checkTol is what the final check allows of any residual, relative to
	// the largest term of the row.
	checkTol = 1e-8
	// degeneratePivots is the number of pivots without progress in a row
	// after which Bland's rule replaces Dantzig's.
	degeneratePivots = 50
)

// Add appends a row.
func (p *LP) Add(a []float64, sense Sense, b float64) {
	p.Rows = append(p.Rows, Row{a, sense, b})
}

// Solve returns an optimal vertex: a dense tableau, slack start, phase 1 on
// the sum of artificial variables where the slack start is infeasible,
// Dantzig's rule, Bland's after 50 degenerate pivots. Rows are scaled to a
// largest coefficient of 1. The answer is checked against the program as
// given: rows, signs of prices and reduced costs, and the gap between c·x and
// the dual value.
//
// It returns ErrInfeasible or ErrUnbounded, or an error that names the
// residual of an answer that does not pass the check. It panics if a row has
// the wrong length.
//
// A small pivot can spoil all digits of a badly scaled program. The program
// is therefore solved with one least pivot after another until an answer
// passes the check; an error, ErrInfeasible and ErrUnbounded included, is
// returned only if none does, and is that of the first.
func (p *LP) Solve() (*Solution, error) {
	var first error
	for _, least := range leastPivots {
		sol, err := p.attempt(least)
		if err == nil {
			return sol, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// leastPivots are the least coefficients to pivot on, in rows scaled to 1.
var leastPivots = []float64{1e-10, 1e-8, 1e-6, 1e-12}

// attempt solves and checks with one least pivot.
func (p *LP) attempt(least float64) (*Solution, error) {
	t := newTableau(p)
	t.least = least
	if err := t.phase1(); err != nil {
		return nil, err
	}
	if err := t.phase2(p); err != nil {
		return nil, err
	}
	sol := t.solution(p)
	if err := p.check(sol); err != nil {
		return nil, err
	}
	return sol, nil
}

// check computes the residuals of sol from p alone.
func (p *LP) check(sol *Solution) error {
	reduced := append([]float64(nil), p.C...)
	size := make([]float64, len(p.C)) // the largest term of each reduced cost
	for j, c := range p.C {
		size[j] = math.Abs(c)
	}
	bound, boundSize := 0.0, 0.0
	for i, row := range p.Rows {
		if err := checkRow(row, sol.X, sol.Dual[i]); err != nil {
			return fmt.Errorf("twin: row %d: %w", i, err)
		}
		for j, a := range row.A {
			reduced[j] -= sol.Dual[i] * a
			size[j] = math.Max(size[j], math.Abs(sol.Dual[i]*a))
		}
		bound += sol.Dual[i] * row.B
		boundSize = math.Max(boundSize, math.Abs(sol.Dual[i]*row.B))
	}
	for j, d := range reduced {
		if d > checkTol*math.Max(size[j], costScale(p.C)) {
			return fmt.Errorf("twin: reduced cost of column %d is %g against terms of %g", j, d, size[j])
		}
	}
	gap := math.Abs(bound - sol.Value)
	if gap > checkTol*math.Max(boundSize, math.Abs(sol.Value)) {
		return fmt.Errorf("twin: value %g, dual value %g", sol.Value, bound)
	}
	return nil
}

// checkRow checks one row and the sign of its price.
func checkRow(row Row, x []float64, dual float64) error {
	lhs, size := 0.0, math.Abs(row.B)
	for j, a := range row.A {
		lhs += a * x[j]
		size = math.Max(size, math.Abs(a))
	}
	over := lhs - row.B
	wrongSign := -dual
	switch row.Sense {
	case GE:
		over, wrongSign = -over, dual
	case EQ:
		over, wrongSign = math.Abs(over), 0
	}
	if over > checkTol*size {
		return fmt.Errorf("violated by %g against terms of %g", over, size)
	}
	if wrongSign > 0 {
		return fmt.Errorf("price %g has the wrong sign", dual)
	}
	return nil
}

// costScale is the largest cost in absolute value, 1 if all are 0.
func costScale(c []float64) float64 {
	scale := 0.0
	for _, v := range c {
		scale = math.Max(scale, math.Abs(v))
	}
	if scale == 0 {
		return 1
	}
	return scale
}
