package extended

import (
	"math"
	"math/big"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// program is the region χ in units of the norms: what one unit of share of user
// j on server s takes of row k, as a fraction of its capacity. Rows are those of
// package cluster: resources of servers, then links.
type program struct {
	env                  *cluster.Environment
	users, servers, rows int
	unit                 []float64 // per user: the norm, or its weight where that is infinite
	columns              [][]entry // per (j,s); nil where j cannot run on s
	limit                []*big.Float
}

// entry is a coefficient.
type entry struct {
	row int
	a   big.Float
}

// newProgram writes the region out for the users that are present.
func newProgram(env *cluster.Environment, norm []float64, present []bool) *program {
	p := &program{env: env, users: len(env.Users), servers: len(env.Servers)}
	p.rows = p.servers*len(env.Resources) + len(env.Links)
	p.unit, p.limit = make([]float64, p.users), make([]*big.Float, p.users)
	p.columns = make([][]entry, p.users*p.servers)
	for j := range env.Users {
		p.unit[j] = norm[j]
		if math.IsInf(norm[j], 1) {
			p.unit[j] = env.Users[j].Weight
		}
		if !present[j] || p.unit[j] <= 0 || env.Users[j].Tasks <= 0 {
			continue
		}
		if tasks := env.Users[j].Tasks; !math.IsInf(tasks, 1) {
			p.limit[j] = newNumber().Quo(exactly(tasks), exactly(p.unit[j]))
		}
		for s := range p.servers {
			p.columns[j*p.servers+s] = p.column(j, s)
		}
	}
	return p
}

// wide reports whether the coefficients differ by more than [widestBits].
func (p *program) wide() bool {
	least, most, any := 0, 0, false
	for _, column := range p.columns {
		for i := range column {
			e := column[i].a.MantExp(nil)
			if !any {
				least, most, any = e, e, true
			}
			least, most = min(least, e), max(most, e)
		}
	}
	return most-least > widestBits
}

// column returns the coefficients of user j on server s; nil where it may not
// run or a capacity that it needs is 0.
func (p *program) column(j, s int) []entry {
	env := p.env
	if !env.MayRun(j, s) {
		return nil
	}
	c := make([]entry, 0, len(env.Resources)+len(env.Links))
	fits := true
	add := func(row int, demand, capacity float64) {
		if demand == 0 {
			return
		}
		if capacity == 0 {
			fits = false
			return
		}
		c = append(c, entry{row: row})
		a := c[len(c)-1].a.SetPrec(prec)
		a.Mul(exactly(demand), exactly(p.unit[j])).Quo(a, exactly(capacity))
	}
	for r, d := range env.Demand(j, s) {
		add(s*len(env.Resources)+r, d, env.Capacity(s, r))
	}
	for e := range env.Links {
		if env.Reaches(e, s) {
			add(p.servers*len(env.Resources)+e, env.LinkDemand(j, e), env.Links[e].Capacity)
		}
	}
	if !fits {
		return nil
	}
	return c
}

func (p *program) at(j, s int) []entry { return p.columns[j*p.servers+s] }

// home returns a server that user j can run on, the one where it fits best, or
// -1.
func (p *program) home(j int) int {
	home, least := -1, newNumber()
	for s := range p.servers {
		if p.at(j, s) == nil {
			continue
		}
		need := newNumber()
		for i := range p.at(j, s) {
			if a := &p.at(j, s)[i].a; a.Cmp(need) > 0 {
				need.Set(a)
			}
		}
		if home < 0 || need.Cmp(least) < 0 {
			home, least = s, need
		}
	}
	return home
}

// cost returns what a unit of share of user j on server s costs at prices of the
// rows.
func (p *program) cost(dst *big.Float, prices vector, j, s int) *big.Float {
	dst.SetInt64(0)
	t := newNumber()
	for i, c := 0, p.at(j, s); i < len(c); i++ {
		if price := &prices[c[i].row]; price.Sign() != 0 {
			dst.Add(dst, t.Mul(&c[i].a, price))
		}
	}
	return dst
}

// cheapest returns the server on which user j costs least, and that cost.
func (p *program) cheapest(prices vector, j int) (int, *big.Float) {
	at, least, cost := -1, newNumber(), newNumber()
	for s := range p.servers {
		if p.at(j, s) != nil && (at < 0 || p.cost(cost, prices, j, s).Cmp(least) < 0) {
			if at < 0 {
				p.cost(cost, prices, j, s)
			}
			at = s
			least.Set(cost)
		}
	}
	return at, least
}
