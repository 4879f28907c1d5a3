package solve

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// envyRow is the row that keeps user envier from preferring the bundle of
// user source:
//
//	Σ_s y[source,s]·ratio[s] − Σ_s y[envier,s] ≤ 0.
type envyRow struct {
	source, envier int
	ratio          []float64 // per server; of length 1 where it is the same everywhere
}

// coef returns the coefficient of y[j,s].
func (e *envyRow) coef(j, s int) float64 {
	if j == e.envier {
		return -1
	}
	if len(e.ratio) == 1 {
		return e.ratio[0]
	}
	return e.ratio[s]
}

// uniform returns the coefficient of user j where it does not depend on the
// server.
func (e *envyRow) uniform(j int) (float64, bool) {
	if j == e.envier {
		return -1, true
	}
	return e.ratio[0], len(e.ratio) == 1
}

// envyRows are the rows of a program after the capacity rows.
type envyRows struct {
	extra  []envyRow
	envyOf [][]int // per user: the extra rows that it is part of; nil: there are none
}

// tolEnvy is how much more than its own, relative, another's bundle may be
// worth to a user before a row is added against it.
const tolEnvy = 1e-10

// envyFinder looks for envy in an allocation. What one task of user i on
// server s is worth to user j, in tasks of j, is
//
//	p[j,s]·(w[j]/w[i])·min over r with d[j,r] > 0 of d[i,r]/d[j,r],
//
// r over the resources of s and the links on the way to it.
type envyFinder struct {
	env     *cluster.Environment
	p       *program
	sated   []bool // users without rows; nil: none
	uniform bool   // the worth does not depend on the server
	inverse []float64
	demand  []float64 // per user: resources, then links
	known   map[[2]int]bool
	separation
}

// envies reports whether user j may envy anybody: one that nothing can host, or that is
// sated, does not.
func (f *envyFinder) envies(j int) bool {
	return f.p.servable(j) && (f.sated == nil || !f.sated[j])
}

func (f *envyFinder) load(env *cluster.Environment, p *program, sated []bool) {
	f.env, f.p, f.sated = env, p, sated
	f.known = map[[2]int]bool{}
	f.order = f.order[:0]
	f.uniform = len(p.zones) <= 1
	for j := range env.Users {
		f.uniform = f.uniform && env.Users[j].Eligible == nil && p.stride[j] == 0
	}
	width := p.res + p.links
	f.demand, f.inverse = resize(f.demand, p.users*width), resize(f.inverse, p.users*width)
	for j := range env.Users {
		row := f.demand[j*width : (j+1)*width]
		copy(row, env.Users[j].Demand)
		for e := range p.links {
			row[p.res+e] = env.LinkDemand(j, e)
			if !p.uses(e) {
				row[p.res+e] = 0
			}
		}
		for r, d := range row {
			f.inverse[j*width+r] = 1 / d // +Inf where j needs none of it
		}
	}
}

// uses reports whether link e is on the way to any server.
func (p *program) uses(e int) bool {
	for _, links := range p.zones {
		for _, l := range links {
			if l == e {
				return true
			}
		}
	}
	return false
}

// pair returns the worth of a task of i to j where it is the same everywhere.
func (f *envyFinder) pair(j, i int) float64 {
	width := f.p.res + f.p.links
	need, have := f.inverse[j*width:(j+1)*width], f.demand[i*width:(i+1)*width]
	worth := math.Inf(1)
	for r, inv := range need {
		if !math.IsInf(inv, 1) {
			if v := have[r] * inv; v < worth {
				worth = v
			}
		}
	}
	return worth * f.env.Users[j].Weight / f.env.Users[i].Weight
}

// below reports whether pair is at most limit by more than rounding; false where it may
// be either. It stops at the first resource that says so.
func (f *envyFinder) below(j, i int, limit float64) bool {
	limit *= (1 - 1e-12) * f.env.Users[i].Weight / f.env.Users[j].Weight
	width := f.p.res + f.p.links
	need, have := f.inverse[j*width:(j+1)*width], f.demand[i*width:(i+1)*width]
	for r, inv := range need {
		if have[r]*inv < limit { // NaN or +Inf where j needs none
			return true
		}
	}
	return false
}

// on returns the worth of a task of i on server s to j.
func (f *envyFinder) on(j, i, s int) float64 {
	if !f.env.MayRun(j, s) {
		return 0
	}
	worth := math.Inf(1)
	have := f.env.Demand(i, s)
	for r, d := range f.env.Demand(j, s) {
		if d > 0 {
			worth = min(worth, have[r]/d)
		}
	}
	for _, e := range f.p.zones[f.p.zone[s]] {
		if d := f.env.LinkDemand(j, e); d > 0 {
			worth = min(worth, f.env.LinkDemand(i, e)/d)
		}
	}
	return worth * f.env.Users[j].Weight / f.env.Users[i].Weight
}

// bundle returns what user j could run with all that i holds.
func (f *envyFinder) bundle(j, i int, total float64, x []float64) float64 {
	if f.uniform {
		return total * f.pair(j, i)
	}
	sum := 0.0
	for s, v := range x[i*f.p.servers : (i+1)*f.p.servers] {
		if v > 0 {
			sum += v * f.on(j, i, s)
		}
	}
	return sum
}

// row builds the row in scaled units.
func (f *envyFinder) row(b *basis, j, i int) envyRow {
	unit := b.scale[i] / b.scale[j]
	if f.uniform {
		return envyRow{i, j, []float64{unit * f.pair(j, i)}}
	}
	ratio := make([]float64, f.p.servers)
	for s := range ratio {
		if b.open(i, s) {
			ratio[s] = unit * f.on(j, i, s)
		}
	}
	return envyRow{i, j, ratio}
}

// addRow adds an envy row with its slack basic. The inverse grows by a row;
// nothing else changes.
func (b *basis) addRow(row envyRow) {
	k := b.m
	b.grow()
	b.extra = append(b.extra, row)
	t := len(b.extra) - 1
	usage := row.ratioOn(b)
	for _, j := range []int{row.source, row.envier} {
		for i := b.head[j]; i >= 0; i = b.next[i] {
			own := row.coef(j, b.key[j])
			a := b.side[j] * own
			if b.isTask(b.in[i]) {
				a = row.coef(j, b.serverOf(b.in[i])) - own
			}
			if a == 0 {
				continue
			}
			for c := range b.tight {
				col := b.col(c)
				col[k] -= a * col[i]
			}
		}
		b.envyOf[j] = append(b.envyOf[j], t)
	}
	b.in[k], b.val[k], b.next[k] = slackVar(k), -usage, -1
}

// ratioOn returns the left-hand side of the row at the present values.
func (e *envyRow) ratioOn(b *basis) float64 {
	sum := 0.0
	for _, j := range []int{e.source, e.envier} {
		sum += e.coef(j, b.key[j]) * b.keyValue(j)
		for i := b.head[j]; i >= 0; i = b.next[i] {
			if b.isTask(b.in[i]) {
				sum += e.coef(j, b.serverOf(b.in[i])) * b.val[i]
			}
		}
	}
	return sum
}

// grow makes room for one more row.
func (b *basis) grow() {
	b.inverse.grow()
	b.in, b.val, b.next = append(b.in, 0), append(b.val, 0), append(b.next, 0)
	b.price, b.alpha, b.dense = append(b.price[:b.m-1], 0), append(b.alpha[:b.m-1], 0), resize(b.dense, b.m)
}
