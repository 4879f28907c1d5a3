package cluster

import (
	"math"
	"slices"
)

// zones solves the program of one user (see [Environment.Eta]) where links
// overlap without containing each other. Servers behind the same links form a
// zone, and only the sum over a zone matters:
//
//	max Σ_z x[z]  subject to  0 <= x[z] <= Σ_{s∈z} γ[s]  and
//	Σ_{z behind e} x[z] <= c[e]/d[e].
//
// That is a linear program with one row a link, since the bounds of the zones
// are kept out of the matrix (see [box]).
type zones struct {
	of     []int   // per server: its zone
	behind [][]int // per zone: the links that reach it
	most   []float64
	box    box
}

func newZones(env *Environment) *zones {
	z := &zones{}
	z.of, z.behind = env.Zones()
	z.most = make([]float64, len(z.behind))
	return z
}

// Zones groups the server classes by the links that reach them: of[s] is the zone of
// class s, and links[z] are the links of zone z, ascending. Zones are numbered as the
// classes come to them.
func (env *Environment) Zones() (of []int, links [][]int) {
	of = make([]int, len(env.Servers))
	var here []int
	for s := range of {
		here = here[:0]
		for e := range env.Links {
			if env.Reaches(e, s) {
				here = append(here, e)
			}
		}
		zone := slices.IndexFunc(links, func(known []int) bool { return slices.Equal(known, here) })
		if zone < 0 {
			zone, links = len(links), append(links, slices.Clone(here))
		}
		of[s] = zone
	}
	return of, links
}

// tasks returns the optimum for user j on the servers in may.
func (z *zones) tasks(a *alone, j int, may Set) float64 {
	clear(z.most)
	for s, zone := range z.of {
		if may.Has(s) {
			z.most[zone] += a.gamma(j, s)
		}
	}
	env, p := a.env, &z.box
	p.reset()
	row := make([]int, len(env.Links))
	for e := range env.Links {
		row[e] = -1
		if d := env.LinkDemand(j, e); d > 0 && env.Links[e].Capacity/d < Inf {
			row[e] = p.addRow(env.Links[e].Capacity / d)
		}
	}
	total := 0.0
	for zone, links := range z.behind {
		if !p.addColumn(z.most[zone], links, row) {
			total += z.most[zone]
		}
	}
	return total + p.solve()
}

// box is a dense simplex for max Σ x[k] over 0 <= x[k] <= upper[k] and
// Σ_{k in row i} x[k] <= limit[i], with limits >= 0.
//
// The tableau says, for the basic variable of each row i,
//
//	basic[i] = value[i] - Σ_k cell[i][k]·nonbasic[k]
//
// and every variable that is not basic is 0. A variable at its upper bound is
// replaced by its distance from the bound, so that this stays true; mirrored
// remembers it. Bland's rule (the variable of smallest number enters and,
// among ties, leaves) excludes cycles. The coefficients start as 0 and 1 and
// stay small fractions.
type box struct {
	upper    []float64 // per variable: columns first, then one slack a row
	mirrored []bool
	basic    []int // per row
	value    []float64
	nonbasic []int // per column of the tableau
	gain     []float64
	cell     [][]float64
}

// pivotTolerance tells a coefficient from the rounding of one that is 0; the
// exact ones are fractions with determinants of small 0-1 matrices below.
const pivotTolerance = 1e-9

func (p *box) reset() { *p = box{} }

// addRow adds a row with its limit and returns its index. Rows come before
// columns.
func (p *box) addRow(limit float64) int {
	p.value = append(p.value, limit)
	p.cell = append(p.cell, nil)
	return len(p.value) - 1
}

// addColumn adds a variable in the rows of those links that have one. It
// reports whether there is such a row: a variable without is no part of the
// program, and its optimum is its bound.
func (p *box) addColumn(upper float64, links, row []int) bool {
	bound := false
	for _, e := range links {
		bound = bound || row[e] >= 0
	}
	if !bound || upper == 0 {
		return bound
	}
	for i := range p.cell {
		p.cell[i] = append(p.cell[i], 0)
	}
	k := len(p.nonbasic)
	for _, e := range links {
		if row[e] >= 0 {
			p.cell[row[e]][k] = 1
		}
	}
	p.nonbasic = append(p.nonbasic, k)
	p.upper = append(p.upper, upper)
	p.gain = append(p.gain, 1)
	return true
}

// solve returns the optimum.
func (p *box) solve() float64 {
	columns := len(p.nonbasic)
	for i := range p.value {
		p.basic = append(p.basic, columns+i)
		p.upper = append(p.upper, Inf)
	}
	p.mirrored = make([]bool, len(p.upper))
	for k := p.entering(); k >= 0; k = p.entering() {
		p.step(k)
	}
	total := 0.0
	for i, b := range p.basic {
		if b < columns {
			total += p.true(b, math.Max(p.value[i], 0))
		}
	}
	for _, v := range p.nonbasic {
		if v < columns {
			total += p.true(v, 0)
		}
	}
	return total
}

// true undoes the mirroring of a variable's value.
func (p *box) true(v int, value float64) float64 {
	if p.mirrored[v] {
		return p.upper[v] - value
	}
	return value
}

// entering returns the column whose variable raises the objective, the one of
// the smallest number; -1 at the optimum.
func (p *box) entering() int {
	best := -1
	for k, g := range p.gain {
		if g > pivotTolerance && (best < 0 || p.nonbasic[k] < p.nonbasic[best]) {
			best = k
		}
	}
	return best
}

// step raises the variable of column k until it, or a basic variable, meets a
// bound.
func (p *box) step(k int) {
	room, leaving := p.upper[p.nonbasic[k]], -1
	for i, b := range p.basic {
		limit := Inf
		if c := p.cell[i][k]; c > pivotTolerance {
			limit = math.Max(p.value[i], 0) / c
		} else if c < -pivotTolerance {
			limit = math.Max(p.upper[b]-p.value[i], 0) / -c
		}
		if limit < room || limit == room && leaving >= 0 && b < p.basic[leaving] {
			room, leaving = limit, i
		}
	}
	if leaving < 0 {
		p.mirrorColumn(k)
		return
	}
	if p.cell[leaving][k] < 0 {
		p.mirrorRow(leaving)
	}
	p.exchange(leaving, k)
}

// mirrorColumn replaces the variable of column k, which goes to its upper
// bound, by its distance from it.
func (p *box) mirrorColumn(k int) {
	v := p.nonbasic[k]
	for i := range p.cell {
		p.value[i] -= p.cell[i][k] * p.upper[v]
		p.cell[i][k] = -p.cell[i][k]
	}
	p.gain[k] = -p.gain[k]
	p.mirrored[v] = !p.mirrored[v]
}

// mirrorRow replaces the basic variable of row i by its distance from its
// upper bound.
func (p *box) mirrorRow(i int) {
	v := p.basic[i]
	p.value[i] = p.upper[v] - p.value[i]
	for k := range p.cell[i] {
		p.cell[i][k] = -p.cell[i][k]
	}
	p.mirrored[v] = !p.mirrored[v]
}

// exchange makes the variable of column k basic in row i and the variable of
// row i nonbasic.
func (p *box) exchange(i, k int) {
	row, pivot := p.cell[i], p.cell[i][k]
	p.value[i] /= pivot
	for l := range row {
		row[l] /= pivot
	}
	row[k] = 1 / pivot
	for r := range p.cell {
		if r != i {
			p.value[r] -= p.cell[r][k] * p.value[i]
			eliminate(p.cell[r], row, k)
		}
	}
	eliminate(p.gain, row, k)
	p.basic[i], p.nonbasic[k] = p.nonbasic[k], p.basic[i]
}

// eliminate substitutes the pivot row for column k in another row.
func eliminate(other, row []float64, k int) {
	factor := other[k]
	other[k] = 0
	for l := range other {
		other[l] -= factor * row[l]
	}
}
