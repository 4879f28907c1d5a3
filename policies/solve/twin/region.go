package twin

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// column is one variable: tasks of user j on server class s, in units of γ'.
type column struct {
	j, s  int
	gamma float64 // γ'[j,s]: tasks of j with s and the links to it to itself, at most n[j]
}

// region is the feasible region χ of an environment in scaled columns.
type region struct {
	env  *cluster.Environment
	cols []column
	rows []Row // capacities and caps, all LE
}

// newRegion writes χ out: a row per (server class, resource) and per link of
// positive capacity, and one per finite task cap. Pairs at which nothing fits
// have no column. It panics if a user's tasks on some server are unbounded.
func newRegion(env *cluster.Environment) *region {
	g := &region{env: env}
	for j := range env.Users {
		for s := range env.Servers {
			gamma := alone(env, j, s)
			if math.IsInf(gamma, 1) {
				panic("twin: a user needs nothing of a server that it may use")
			}
			if gamma > 0 {
				g.cols = append(g.cols, column{j, s, gamma})
			}
		}
	}
	for s := range env.Servers {
		for r := range env.Resources {
			g.capacity(env.Capacity(s, r), func(c column) float64 {
				if c.s != s {
					return 0
				}
				return env.Demand(c.j, s)[r]
			})
		}
	}
	for e, link := range env.Links {
		g.capacity(link.Capacity, func(c column) float64 {
			if !env.Reaches(e, c.s) {
				return 0
			}
			return env.LinkDemand(c.j, e)
		})
	}
	for j, u := range env.Users {
		if u.Tasks > 0 && !math.IsInf(u.Tasks, 1) {
			g.rows = append(g.rows, Row{g.tasksRow(j), LE, u.Tasks})
		}
	}
	return g
}

// alone returns γ'[j,s]: 0 where j may not run on s, else the least capacity
// per demand over the resources of s and the links that reach it, at most the
// user's cap.
func alone(env *cluster.Environment, j, s int) float64 {
	if !env.MayRun(j, s) {
		return 0
	}
	gamma := math.Inf(1)
	for r, d := range env.Demand(j, s) {
		if d > 0 {
			gamma = math.Min(gamma, env.Capacity(s, r)/d)
		}
	}
	for e, link := range env.Links {
		if d := env.LinkDemand(j, e); d > 0 && env.Reaches(e, s) {
			gamma = math.Min(gamma, link.Capacity/d)
		}
	}
	return math.Min(gamma, env.Users[j].Tasks)
}

// capacity adds the row Σ x·d <= c in units of c. Nothing that needs a
// capacity of 0 has a column, so that row would be empty.
func (g *region) capacity(c float64, demand func(column) float64) {
	if c == 0 {
		return
	}
	a := make([]float64, len(g.cols))
	for k, col := range g.cols {
		a[k] = demand(col) * col.gamma / c
	}
	g.rows = append(g.rows, Row{a, LE, 1})
}

// tasksRow returns the coefficients of x[j].
func (g *region) tasksRow(j int) []float64 {
	a := make([]float64, len(g.cols))
	for k, col := range g.cols {
		if col.j == j {
			a[k] = col.gamma
		}
	}
	return a
}

// program returns the program max c·y over the region with extra more
// variables behind the columns.
func (g *region) program(c []float64, extra int) *LP {
	p := &LP{C: make([]float64, len(g.cols)+extra)}
	copy(p.C, c)
	for _, row := range g.rows {
		p.Add(widen(row.A, extra), row.Sense, row.B)
	}
	return p
}

// widen copies a and appends extra zeros.
func widen(a []float64, extra int) []float64 {
	return append(append(make([]float64, 0, len(a)+extra), a...), make([]float64, extra)...)
}

// matrix returns x[j,s], user-major, from the scaled variables.
func (g *region) matrix(y []float64) []float64 {
	width := len(g.env.Servers)
	x := make([]float64, len(g.env.Users)*width)
	for k, col := range g.cols {
		x[col.j*width+col.s] = y[k] * col.gamma
	}
	return x
}

// totals returns x[j] from the scaled variables.
func (g *region) totals(y []float64) []float64 {
	x := make([]float64, len(g.env.Users))
	for k, col := range g.cols {
		x[col.j] += y[k] * col.gamma
	}
	return x
}

// most returns the most that one server alone can give to each user: max over
// s of γ'[j,s].
func (g *region) most() []float64 {
	best := make([]float64, len(g.env.Users))
	for _, col := range g.cols {
		best[col.j] = math.Max(best[col.j], col.gamma)
	}
	return best
}
