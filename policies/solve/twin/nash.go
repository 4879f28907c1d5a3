package twin

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/leontief-sim/leontief/sim/cluster"
)

const (
	// nashGap is the gap, per unit of total weight, that Nash must reach.
	nashGap = 1e-9
	// nashNoise is the gap, per unit of total weight, that is rounding. Below
	// it a later point is the better one: totals converge as the root of the
	// gap where a user is indifferent to a server that it does not use.
	nashNoise = 1e-14
	// nashResidual is the residual that rounding leaves.
	nashResidual = 1e-15
	// nashCentre is the parameter of the central path at which it stops.
	nashCentre = 1e-21
	// nashSteps bounds the Newton steps.
	nashSteps = 150
)

// Nash maximises Σ w[j]·log x[j] over χ, the sum over the users that can hold
// anything; the others hold 0. Value is that sum.
//
// It is a primal-dual interior point on the program written out in full: one
// dense Newton system over all columns per step. The answer is scaled into χ
// and certified by its Lagrange bound: for prices λ >= 0 on the rows a·x <= b
// and π[j] the price of the cheapest task of j,
//
//	Σ w·log x  <=  Σ_j w[j]·(log(w[j]/π[j]) - 1) + Σ λ·b   for all x in χ.
//
// An answer whose gap exceeds 1e-9·Σw is an error. Totals are unique; X is
// one of the splits over servers that attain them.
func Nash(env *cluster.Environment) (*Optimum, error) {
	ip := newInterior(env)
	if len(ip.cols) == 0 {
		return &Optimum{Tasks: make([]float64, len(env.Users)), X: ip.matrix(nil)}, nil
	}
	best := ip.run()
	if !(best.Gap <= nashGap*ip.total) {
		return nil, fmt.Errorf("twin: Nash program ends with a gap of %g", best.Gap)
	}
	return best, nil
}

// interior is the state: variables y, slacks s, prices λ of the rows, reduced
// costs z of the columns. Weights are divided by their sum.
type interior struct {
	*region
	weight     []float64
	total      float64 // Σ w over the users that can hold anything
	y, s, l, z []float64
}

// newInterior starts in the middle: equal y at half of the tightest row.
func newInterior(env *cluster.Environment) *interior {
	ip := &interior{region: newRegion(env), weight: make([]float64, len(env.Users))}
	for _, col := range ip.cols {
		ip.weight[col.j] = env.Users[col.j].Weight
	}
	for _, w := range ip.weight {
		ip.total += w
	}
	for j := range ip.weight {
		ip.weight[j] /= ip.total
	}
	ip.start()
	return ip
}

func (ip *interior) start() {
	ones := make([]float64, len(ip.cols))
	for k := range ones {
		ones[k] = 1
	}
	tightest := 1.0
	for _, row := range ip.rows {
		tightest = math.Max(tightest, dot(row.A, ones)/row.B)
	}
	for range ip.cols {
		ip.y = append(ip.y, 0.5/tightest)
		ip.z = append(ip.z, 2*tightest/float64(len(ip.cols)))
	}
	for _, row := range ip.rows {
		s := row.B - dot(row.A, ip.y)
		ip.s, ip.l = append(ip.s, s), append(ip.l, 1/(s*float64(len(ip.rows))))
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// run takes Newton steps until the centre's parameter or the progress is at
// the level of rounding, and returns the best point seen.
func (ip *interior) run() *Optimum {
	best := &Optimum{Gap: math.Inf(1)}
	for range nashSteps {
		if now := ip.certify(); now.Gap < math.Max(best.Gap, nashNoise*ip.total) {
			best = now
		}
		mu := 0.1 * (dot(ip.y, ip.z) + dot(ip.s, ip.l)) / float64(len(ip.y)+len(ip.s))
		if mu < nashCentre || !ip.step(mu) {
			break
		}
	}
	return best
}

// certify scales the point into χ and computes its value and its gap.
func (ip *interior) certify() *Optimum {
	over := 1.0
	bound := 0.0
	for i, row := range ip.rows {
		over = math.Max(over, dot(row.A, ip.y)/row.B)
		bound += ip.l[i] * row.B
	}
	y := make([]float64, len(ip.y))
	price := make([]float64, len(ip.weight))
	for j := range price {
		price[j] = math.Inf(1)
	}
	for k, cost := range ip.columnPrices() {
		y[k] = ip.y[k] / over
		j := ip.cols[k].j
		price[j] = math.Min(price[j], cost/ip.cols[k].gamma)
	}
	out := &Optimum{Tasks: ip.totals(y), X: ip.matrix(y)}
	for j, w := range ip.weight {
		if w > 0 {
			out.Value += w * math.Log(out.Tasks[j])
			bound += w * (math.Log(w/price[j]) - 1)
		}
	}
	out.Gap = math.Abs(bound-out.Value) * ip.total
	out.Value *= ip.total
	return out
}

// columnPrices returns Aᵀλ.
func (ip *interior) columnPrices() []float64 {
	p := make([]float64, len(ip.cols))
	for i, row := range ip.rows {
		for k, a := range row.A {
			p[k] += a * ip.l[i]
		}
	}
	return p
}

// step takes one Newton step towards the centre of parameter mu, 0.95 of the
// way to the boundary at most, shortened until the residual falls or is rounding. It
// reports whether it moved.
func (ip *interior) step(mu float64) bool {
	d, ok := ip.direction(mu)
	if !ok {
		return false
	}
	length := 1.0
	vars, dirs := [][]float64{ip.y, ip.s, ip.l, ip.z}, [][]float64{d.y, d.s, d.l, d.z}
	for v, x := range vars {
		for i := range x {
			if dirs[v][i] < 0 {
				length = math.Min(length, -0.95*x[i]/dirs[v][i])
			}
		}
	}
	before := ip.residual(mu, ip)
	for range 40 {
		next := &interior{region: ip.region, weight: ip.weight, total: ip.total}
		next.y, next.s = along(ip.y, d.y, length), along(ip.s, d.s, length)
		next.l, next.z = along(ip.l, d.l, length), along(ip.z, d.z, length)
		if next.residual(mu, ip) < math.Max(before*(1-1e-4*length), nashResidual) {
			*ip = *next
			return true
		}
		length /= 2
	}
	return false
}

func along(x, d []float64, length float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] + length*d[i]
	}
	return out
}

// residual is what is left of the conditions that define the centre of
// parameter mu, the Euclidean norm of
//
//	y·(-w·γ/x + Aᵀλ - z), λ·(Ay + s - b), yz - mu, sλ - mu
//
// with the factors y and λ in front taken from the point at. A Newton step
// from there is a descent direction of it.
func (ip *interior) residual(mu float64, at *interior) float64 {
	sum := 0.0
	add := func(v float64) { sum += v * v }
	for k, v := range ip.dualResidual() {
		add(v * at.y[k])
		add(ip.y[k]*ip.z[k] - mu)
	}
	for i, row := range ip.rows {
		add((dot(row.A, ip.y) + ip.s[i] - row.B) * at.l[i])
		add(ip.s[i]*ip.l[i] - mu)
	}
	return math.Sqrt(sum)
}

func (ip *interior) dualResidual() []float64 {
	x := ip.totals(ip.y)
	r := ip.columnPrices()
	for k, col := range ip.cols {
		r[k] -= ip.weight[col.j]*col.gamma/x[col.j] + ip.z[k]
	}
	return r
}

// direction solves the Newton system for dy = Y·v and dλ, undivided by the
// slacks, so that it stays well conditioned as they vanish:
//
//	Y·(H + Z/Y)·Y·v + Y·Aᵀ·dλ = Y·(mu/y - z - r_d)
//	A·Y·v - (S/Λ)·dλ         = s - mu/λ - r_p
//
// with H the Hessian of -Σ w·log x. It fails if the matrix is singular in
// floating point.
func (ip *interior) direction(mu float64) (*interior, bool) {
	n, m := len(ip.cols), len(ip.rows)
	rhs := mat.NewVecDense(n+m, nil)
	for k, rd := range ip.dualResidual() {
		rhs.SetVec(k, mu-ip.y[k]*(ip.z[k]+rd))
	}
	for i, row := range ip.rows {
		rp := dot(row.A, ip.y) + ip.s[i] - row.B
		rhs.SetVec(n+i, ip.s[i]-mu/ip.l[i]-rp)
	}
	var lu mat.LU
	lu.Factorize(ip.newton())
	sol := mat.NewVecDense(n+m, nil)
	// A condition warning is no failure here: the residual judges the step.
	_ = lu.SolveVecTo(sol, false, rhs)
	d := &interior{}
	for k := range n {
		d.y = append(d.y, sol.AtVec(k)*ip.y[k])
		d.z = append(d.z, mu/ip.y[k]-ip.z[k]-ip.z[k]*sol.AtVec(k))
	}
	for i := range m {
		d.l = append(d.l, sol.AtVec(n+i))
		d.s = append(d.s, mu/ip.l[i]-ip.s[i]-ip.s[i]/ip.l[i]*d.l[i])
	}
	return d, !math.IsNaN(mat.Sum(sol))
}

// newton returns the matrix of the Newton system.
func (ip *interior) newton() *mat.Dense {
	n, m := len(ip.cols), len(ip.rows)
	x := ip.totals(ip.y)
	h := mat.NewDense(n+m, n+m, nil)
	part := make([]float64, n) // the part of x[j] that comes from column k
	for k, col := range ip.cols {
		part[k] = col.gamma * ip.y[k] / x[col.j]
	}
	for k, col := range ip.cols {
		for q := range ip.cols {
			if ip.cols[q].j == col.j {
				h.Set(k, q, ip.weight[col.j]*part[k]*part[q])
			}
		}
		h.Set(k, k, h.At(k, k)+ip.z[k]*ip.y[k])
	}
	for i, row := range ip.rows {
		for k, a := range row.A {
			h.Set(k, n+i, a*ip.y[k])
			h.Set(n+i, k, a*ip.y[k])
		}
		h.Set(n+i, n+i, -ip.s[i]/ip.l[i])
	}
	return h
}
