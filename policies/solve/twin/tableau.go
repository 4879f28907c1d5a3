package twin

import "math"

// tableau is B⁻¹[A | slacks | artificials | b], one row per constraint, with
// the reduced costs of the current phase in cost (cost[width] is minus the
// value).
//
// Columns: n structural variables, then one slack or surplus per row (all
// zero for EQ), then one artificial per row. The artificial of a row is the
// unit column of the start, so it carries B⁻¹ and with it the prices, whether
// or not phase 1 needs it.
type tableau struct {
	n, m, width int
	least       float64     // the least coefficient to pivot on
	a           [][]float64 // m rows of width+1
	cost        []float64   // width+1
	basis       []int       // basis[i] is the column that is basic in row i
	scale       []float64   // row i was multiplied by scale[i]
	flipped     []bool      // and by -1 where its right-hand side was negative
}

func newTableau(p *LP) *tableau {
	n, m := len(p.C), len(p.Rows)
	t := &tableau{n: n, m: m, width: n + 2*m}
	t.basis, t.scale = make([]int, m), make([]float64, m)
	t.flipped = make([]bool, m)
	for i, row := range p.Rows {
		if len(row.A) != n {
			panic("twin: a row whose length is not the number of variables")
		}
		t.a = append(t.a, t.startRow(i, row))
	}
	return t
}

// startRow scales row i to a largest coefficient of 1 and a right-hand side
// >= 0, and puts its slack into the basis where it can stand there, else its
// artificial.
func (t *tableau) startRow(i int, row Row) []float64 {
	out := make([]float64, t.width+1)
	t.scale[i] = 1 / costScale(row.A)
	sign, slack := 1.0, map[Sense]float64{LE: 1, GE: -1, EQ: 0}[row.Sense]
	if row.B < 0 || (row.B == 0 && row.Sense == GE) {
		sign, t.flipped[i] = -1, true
	}
	for j, a := range row.A {
		out[j] = sign * a * t.scale[i]
	}
	out[t.n+i] = sign * slack
	out[t.n+t.m+i] = 1
	out[t.width] = sign * row.B * t.scale[i]
	t.basis[i] = t.n + t.m + i
	if out[t.n+i] == 1 {
		t.basis[i] = t.n + i
	}
	return out
}

func (t *tableau) artificial(col int) bool { return col >= t.n+t.m }

// price computes the reduced costs of the objective c (one entry per column).
func (t *tableau) price(c []float64) {
	t.cost = make([]float64, t.width+1)
	copy(t.cost, c)
	for i, b := range t.basis {
		if c[b] == 0 {
			continue
		}
		for j, a := range t.a[i] {
			t.cost[j] -= c[b] * a
		}
	}
}

// phase1 drives the artificial variables to 0 and out of the basis.
func (t *tableau) phase1() error {
	c := make([]float64, t.width)
	needed := false
	for _, b := range t.basis {
		if t.artificial(b) {
			c[b], needed = -1, true
		}
	}
	if !needed {
		return nil
	}
	t.price(c)
	if err := t.iterate(); err != nil {
		return err
	}
	left := 0.0
	for i, b := range t.basis {
		if t.artificial(b) {
			left += t.a[i][t.width]
		}
	}
	if left > feasTol {
		return ErrInfeasible
	}
	t.expelArtificials()
	return nil
}

// expelArtificials exchanges each artificial that is still basic (at 0) for
// the largest entry of its row. A row without one is redundant: it stays, and
// no later pivot can move it.
func (t *tableau) expelArtificials() {
	for i, b := range t.basis {
		if !t.artificial(b) {
			continue
		}
		best, col := 1e-9, -1
		for j := 0; j < t.n+t.m; j++ {
			if v := math.Abs(t.a[i][j]); v > best {
				best, col = v, j
			}
		}
		t.a[i][t.width] = 0
		if col >= 0 {
			t.pivot(i, col)
		}
	}
}

// phase2 maximises c from the current basis. The rounding of the pivots is
// then taken out by eliminating the final basis from the rows as given; where
// that uncovers another improving column, the pivots go on from there.
func (t *tableau) phase2(p *LP) error {
	c := make([]float64, t.width)
	scale := costScale(p.C)
	for j, v := range p.C {
		c[j] = v / scale
	}
	for range refreshes {
		t.price(c)
		if err := t.iterate(); err != nil {
			return err
		}
		t.refresh(p)
	}
	t.price(c)
	return nil
}

// refresh computes the tableau of the current basis from p, each basic column
// in the row where its entry is largest.
func (t *tableau) refresh(p *LP) {
	basis := append([]int(nil), t.basis...)
	for i, row := range p.Rows {
		t.a[i] = t.startRow(i, row)
	}
	t.cost = make([]float64, t.width+1)
	done := make([]bool, t.m)
	for _, col := range basis {
		row := -1
		for i := range t.a {
			if !done[i] && (row < 0 || math.Abs(t.a[i][col]) > math.Abs(t.a[row][col])) {
				row = i
			}
		}
		done[row] = true
		t.pivot(row, col)
	}
	t.clip()
}

// iterate pivots until no structural or slack column has a positive reduced
// cost.
func (t *tableau) iterate() error {
	degenerate := 0
	for {
		bland := degenerate >= degeneratePivots
		col := t.entering(bland)
		if col < 0 {
			return nil
		}
		row := t.leaving(col, bland)
		if row < 0 {
			return ErrUnbounded
		}
		if t.a[row][t.width] > 0 {
			degenerate = 0
		} else {
			degenerate++
		}
		t.pivot(row, col)
		t.clip()
	}
}

// clip sets right-hand sides below 0 to 0. They are rounding: the ratio test
// forbids others.
func (t *tableau) clip() {
	for i := range t.a {
		t.a[i][t.width] = math.Max(t.a[i][t.width], 0)
	}
}

// entering is Dantzig's choice, or the first improving column under Bland's
// rule; -1 at the optimum.
func (t *tableau) entering(bland bool) int {
	best, col := costTol, -1
	for j := 0; j < t.n+t.m; j++ {
		if t.cost[j] > best {
			if bland {
				return j
			}
			best, col = t.cost[j], j
		}
	}
	return col
}

// leaving is the row of the smallest ratio, where right-hand sides may fall
// below 0 by harrisTol; of the rows that this admits the one of the largest
// pivot. Under Bland's rule it is the smallest ratio and, among equal ones,
// the smallest basic index. -1: unbounded.
func (t *tableau) leaving(col int, bland bool) int {
	slack := harrisTol
	if bland {
		slack = 0
	}
	bound := math.Inf(1)
	for i := range t.a {
		if v := t.a[i][col]; v > t.least {
			bound = math.Min(bound, (t.a[i][t.width]+slack)/v)
		}
	}
	row := -1
	for i := range t.a {
		v := t.a[i][col]
		if v <= t.least || t.a[i][t.width]/v > bound {
			continue
		}
		if row < 0 || (bland && t.basis[i] < t.basis[row]) || (!bland && v > t.a[row][col]) {
			row = i
		}
	}
	return row
}

// pivot makes col basic in row.
func (t *tableau) pivot(row, col int) {
	p := t.a[row]
	inv := 1 / p[col]
	for j := range p {
		p[j] *= inv
	}
	p[col] = 1
	for i := range t.a {
		if i != row {
			eliminate(t.a[i], p, col)
		}
	}
	eliminate(t.cost, p, col)
	t.basis[row] = col
}

// eliminate subtracts the multiple of p from r that makes r[col] zero.
func eliminate(r, p []float64, col int) {
	f := r[col]
	if f == 0 {
		return
	}
	for j, v := range p {
		r[j] -= f * v
	}
	r[col] = 0
}

// solution reads the vertex and the prices off the final tableau.
func (t *tableau) solution(p *LP) *Solution {
	sol := &Solution{X: make([]float64, t.n), Dual: make([]float64, t.m)}
	for i, b := range t.basis {
		if b < t.n {
			sol.X[b] = t.a[i][t.width]
		}
	}
	for j, c := range p.C {
		sol.Value += c * sol.X[j]
	}
	for i, row := range p.Rows {
		y := -t.cost[t.n+t.m+i] * t.scale[i] * costScale(p.C)
		if t.flipped[i] {
			y = -y
		}
		switch row.Sense { // a price of the wrong sign is within costTol of 0
		case LE:
			y = math.Max(y, 0)
		case GE:
			y = math.Min(y, 0)
		}
		sol.Dual[i] = y
	}
	return sol
}
