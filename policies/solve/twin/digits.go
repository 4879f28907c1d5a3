package twin

import (
	"errors"
	"math"
	"math/big"

	"github.com/leontief-sim/leontief/sim/cluster"
)

const (
	// digitsBits is the precision of NashDigits, about 77 decimal digits.
	digitsBits = 256
	// digitsCentre is the parameter of the central path at which it stops.
	digitsCentre = 1e-40
	// digitsResidual is what may be left of the conditions there.
	digitsResidual = 1e-36
	// digitsSteps bounds the Newton steps.
	digitsSteps = 200
)

var errDigits = errors.New("twin: the Nash program in many digits does not converge")

// NashDigits returns the totals of [Nash] to about 17 digits, with the numbers
// of the environment taken as they are: the interior point method in numbers of
// 77 digits, down to the parameter 1e-40 of the central path. The gap is that
// times the number of columns and rows, and the totals are known to the root of
// the gap even where a capacity that is used up has no price. Users that hold
// nothing have 0.
func NashDigits(env *cluster.Environment) ([]*big.Float, error) {
	ip := newInterior(env)
	if len(ip.cols) == 0 {
		return precise(make([]float64, len(env.Users))), nil
	}
	d := &digits{interior: ip, weight: precise(ip.weight), y: precise(ip.y), s: precise(ip.s), l: precise(ip.l), z: precise(ip.z)}
	d.write()
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

// digits is the state: as interior, the rows written anew without rounding.
type digits struct {
	*interior
	weight     []*big.Float
	a          [][]*big.Float // per row and column
	b          []*big.Float
	gamma      []*big.Float
	y, s, l, z []*big.Float
	r1, r2     []*big.Float // what is left of the conditions, see step
	worst      *big.Float
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
	for _, c := range d.cols {
		d.gamma = append(d.gamma, number(c.gamma))
	}
	row := func(bound, unit *big.Float, need func(c column) float64) {
		a := make([]*big.Float, len(d.cols))
		for k, c := range d.cols {
			a[k] = quo(mul(number(need(c)), d.gamma[k]), unit)
		}
		d.a, d.b = append(d.a, a), append(d.b, quo(bound, unit))
	}
	for s, server := range d.env.Servers {
		for r, c := range server.Capacity {
			if total := mul(number(c), number(float64(server.Count))); c > 0 {
				row(total, total, func(c column) float64 {
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
			row(c, c, func(c column) float64 {
				if !d.env.Reaches(e, c.s) {
					return 0
				}
				return d.env.LinkDemand(c.j, e)
			})
		}
	}
	for j, u := range d.env.Users {
		if u.Tasks > 0 && !math.IsInf(u.Tasks, 1) {
			row(number(u.Tasks), number(1), func(c column) float64 {
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
