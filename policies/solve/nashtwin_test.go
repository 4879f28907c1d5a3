package solve

import (
	"errors"
	"math"
	"math/big"

	"github.com/leontief-sim/leontief/sim/cluster"
)

const (
	// digitsBits is the precision of nashDigits, about 77 decimal digits.
	digitsBits = 256
	// digitsCentre is the parameter of the central path at which it stops.
	digitsCentre = 1e-40
	// digitsResidual is what may be left of the conditions there.
	digitsResidual = 1e-36
	// digitsSteps bounds the Newton steps.
	digitsSteps = 200
)

var errDigits = errors.New("the Nash program in many digits does not converge")

// nashDigits returns the totals of the Nash program to about 17 digits, with the numbers
// of the environment taken as they are: a primal-dual interior point method on the
// program written out in full, in numbers of 77 digits, down to the parameter 1e-40 of
// the central path. The gap is that times the number of columns and rows, and the totals
// are known to the root of the gap even where a capacity that is used up has no price.
// Users that hold nothing have 0.
func nashDigits(env *cluster.Environment) ([]*big.Float, error) {
	d := newDigits(env)
	if len(d.cols) == 0 {
		return d.totals(nil), nil
	}
	for turn := range digitsSteps {
		mu := d.mu()
		if small(mu, digitsCentre) {
			if d.residuals(); !small(d.worst, digitsResidual) {
				break
			}
			return d.totals(d.y), nil
		}
		// Every other step is one back to the middle of the path.
		if turn%2 == 0 {
			mu.Mul(mu, number(0.05))
		}
		d.step(mu)
	}
	return nil, errDigits
}

// digits is the state: the work y of each column, the slacks s and prices l of the rows
// A·y ≤ b, the reduced costs z of the columns. Columns are scaled to what a user could
// run on the server alone, rows to their capacities.
type digits struct {
	env        *cluster.Environment
	cols       []digitsColumn
	weight     []*big.Float   // per user, as a part of Σw
	a          [][]*big.Float // per row and column
	b          []*big.Float
	gamma      []*big.Float
	y, s, l, z []*big.Float
	r1, r2     []*big.Float // what is left of the conditions, see step
	worst      *big.Float
}

// digitsColumn is a user and a server that can run it.
type digitsColumn struct{ j, s int }

// newDigits writes the rows and starts in the middle: equal y at half of the tightest row.
func newDigits(env *cluster.Environment) *digits {
	d := &digits{env: env, weight: precise(make([]float64, len(env.Users)))}
	total := 0.0
	for j := range env.Users {
		for s := range env.Servers {
			if alone := aloneOn(env, j, s); alone > 0 {
				d.cols, d.gamma = append(d.cols, digitsColumn{j, s}), append(d.gamma, number(alone))
				d.weight[j] = number(env.Users[j].Weight)
			}
		}
		w, _ := d.weight[j].Float64()
		total += w
	}
	for j := range d.weight {
		d.weight[j] = quo(d.weight[j], number(total))
	}
	d.write()
	d.start()
	return d
}

// aloneOn returns what user j runs when it has server s and the links to it to itself.
func aloneOn(env *cluster.Environment, j, s int) float64 {
	if !env.MayRun(j, s) {
		return 0
	}
	most := min(env.Gamma(j, s), env.Users[j].Tasks)
	for e, link := range env.Links {
		if d := env.LinkDemand(j, e); d > 0 && env.Reaches(e, s) {
			most = min(most, link.Capacity/d)
		}
	}
	return most
}

func (d *digits) start() {
	tightest := number(1)
	for i, row := range d.a {
		sum := zero()
		for _, a := range row {
			sum.Add(sum, a)
		}
		if sum.Quo(sum, d.b[i]); sum.Cmp(tightest) > 0 {
			tightest = sum
		}
	}
	for range d.cols {
		d.y = append(d.y, quo(number(0.5), tightest))
		d.z = append(d.z, quo(mul(number(2), tightest), number(float64(len(d.cols)))))
	}
	for i, row := range d.a {
		s := zero().Set(d.b[i])
		for k, a := range row {
			s.Sub(s, mul(a, d.y[k]))
		}
		d.s, d.l = append(d.s, s), append(d.l, quo(number(1), mul(s, number(float64(len(d.a))))))
	}
}

func number(v float64) *big.Float { return new(big.Float).SetPrec(digitsBits).SetFloat64(v) }

func precise(v []float64) []*big.Float {
	out := make([]*big.Float, len(v))
	for i, x := range v {
		out[i] = number(x)
	}
	return out
}

func zero() *big.Float                   { return new(big.Float).SetPrec(digitsBits) }
func sub(a, b *big.Float) *big.Float     { return zero().Sub(a, b) }
func mul(a, b *big.Float) *big.Float     { return zero().Mul(a, b) }
func quo(a, b *big.Float) *big.Float     { return zero().Quo(a, b) }
func small(a *big.Float, v float64) bool { return zero().Abs(a).Cmp(number(v)) <= 0 }

// write writes the rows in units of the capacities.
func (d *digits) write() {
	row := func(bound, unit *big.Float, need func(c digitsColumn) float64) {
		a := make([]*big.Float, len(d.cols))
		for k, c := range d.cols {
			a[k] = quo(mul(number(need(c)), d.gamma[k]), unit)
		}
		d.a, d.b = append(d.a, a), append(d.b, quo(bound, unit))
	}
	for s, server := range d.env.Servers {
		for r, c := range server.Capacity {
			if total := mul(number(c), number(float64(server.Count))); c > 0 {
				row(total, total, func(c digitsColumn) float64 {
					if c.s != s {
						return 0
					}
					return d.env.Demand(c.j, s)[r]
				})
			}
		}
	}
	for e, link := range d.env.Links {
		if c := number(link.Capacity); link.Capacity > 0 {
			row(c, c, func(c digitsColumn) float64 {
				if !d.env.Reaches(e, c.s) {
					return 0
				}
				return d.env.LinkDemand(c.j, e)
			})
		}
	}
	for j, u := range d.env.Users {
		if u.Tasks > 0 && !math.IsInf(u.Tasks, 1) {
			row(number(u.Tasks), number(1), func(c digitsColumn) float64 {
				if c.j != j {
					return 0
				}
				return 1
			})
		}
	}
}

// totals returns x[j] from the scaled variables.
func (d *digits) totals(y []*big.Float) []*big.Float {
	x := make([]*big.Float, len(d.weight))
	for j := range x {
		x[j] = zero()
	}
	for k, c := range d.cols {
		x[c.j].Add(x[c.j], mul(y[k], d.gamma[k]))
	}
	return x
}

// mu returns the mean of the products that vanish in the optimum.
func (d *digits) mu() *big.Float {
	sum := zero()
	for k := range d.y {
		sum.Add(sum, mul(d.y[k], d.z[k]))
	}
	for i := range d.s {
		sum.Add(sum, mul(d.s[i], d.l[i]))
	}
	return sum.Quo(sum, number(float64(len(d.y)+len(d.s))))
}

// residuals computes what is left of Aᵀλ − z − w·γ/x = 0 and of Ay + s = b.
func (d *digits) residuals() {
	x := d.totals(d.y)
	d.r1, d.r2, d.worst = nil, nil, zero()
	note := func(r *big.Float) *big.Float {
		if size := zero().Abs(r); size.Cmp(d.worst) > 0 {
			d.worst = size
		}
		return r
	}
	for k, c := range d.cols {
		r := sub(zero().Neg(d.z[k]), quo(mul(d.weight[c.j], d.gamma[k]), x[c.j]))
		for i := range d.a {
			r.Add(r, mul(d.a[i][k], d.l[i]))
		}
		d.r1 = append(d.r1, note(r))
	}
	for i := range d.a {
		r := sub(d.s[i], d.b[i])
		for k := range d.cols {
			r.Add(r, mul(d.a[i][k], d.y[k]))
		}
		d.r2 = append(d.r2, note(r))
	}
}

// step takes a Newton step towards the centre of parameter mu, nine tenths of the
// way to the boundary at most:
//
//	(H + Z/Y)·dy + Aᵀ·dλ = μ/y − z − r1
//	A·dy − (S/Λ)·dλ      = s − μ/λ − r2.
func (d *digits) step(mu *big.Float) {
	d.residuals()
	n, m := len(d.y), len(d.s)
	x, matrix := d.totals(d.y), make([][]*big.Float, n+m)
	for i := range matrix {
		matrix[i] = precise(make([]float64, n+m+1))
	}
	for k, c := range d.cols {
		for q, o := range d.cols {
			if c.j == o.j {
				matrix[k][q] = quo(mul(d.weight[c.j], mul(d.gamma[k], d.gamma[q])), mul(x[c.j], x[c.j]))
			}
		}
		matrix[k][k].Add(matrix[k][k], quo(d.z[k], d.y[k]))
		for i := range m {
			matrix[k][n+i], matrix[n+i][k] = number(0).Set(d.a[i][k]), number(0).Set(d.a[i][k])
		}
		matrix[k][n+m] = sub(sub(quo(mu, d.y[k]), d.z[k]), d.r1[k])
	}
	for i := range m {
		matrix[n+i][n+i] = zero().Neg(quo(d.s[i], d.l[i]))
		matrix[n+i][n+m] = sub(sub(d.s[i], quo(mu, d.l[i])), d.r2[i])
	}
	solveDigits(matrix)
	dy, dl := make([]*big.Float, n), make([]*big.Float, m)
	dz, ds := make([]*big.Float, n), make([]*big.Float, m)
	for k := range n {
		dy[k] = matrix[k][n+m]
		dz[k] = sub(quo(sub(mu, mul(d.z[k], dy[k])), d.y[k]), d.z[k])
	}
	for i := range m {
		dl[i] = matrix[n+i][n+m]
		ds[i] = sub(quo(sub(mu, mul(d.s[i], dl[i])), d.l[i]), d.s[i])
	}
	d.move([][]*big.Float{d.y, d.z, d.s, d.l}, [][]*big.Float{dy, dz, ds, dl})
}

func (d *digits) move(at, by [][]*big.Float) {
	length := number(1)
	for v := range at {
		for i, x := range at[v] {
			if most := mul(number(-0.9), x); by[v][i].Sign() < 0 && mul(length, by[v][i]).Cmp(most) < 0 {
				length = quo(most, by[v][i])
			}
		}
	}
	for v := range at {
		for i, x := range at[v] {
			x.Add(x, mul(length, by[v][i]))
		}
	}
}

// solveDigits solves the system of which the last column is the right-hand side,
// and leaves the solution there.
func solveDigits(rows [][]*big.Float) {
	n := len(rows)
	for p := range n {
		best := p
		for i := p + 1; i < n; i++ {
			if zero().Abs(rows[i][p]).Cmp(zero().Abs(rows[best][p])) > 0 {
				best = i
			}
		}
		rows[p], rows[best] = rows[best], rows[p]
		for i := range n {
			if i == p || rows[i][p].Sign() == 0 {
				continue
			}
			f := quo(rows[i][p], rows[p][p])
			for k := p; k <= n; k++ {
				rows[i][k].Sub(rows[i][k], mul(f, rows[p][k]))
			}
		}
	}
	for p := range n {
		rows[p][n].Quo(rows[p][n], rows[p][p])
	}
}
