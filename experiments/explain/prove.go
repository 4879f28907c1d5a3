package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// EnvyRow is a row against envy that is tight: what Envied holds is worth to Envier as many
// tasks as it has.
type EnvyRow struct {
	Envier string `json:"envier"`
	Envied string `json:"envied"`
	// Worth is u[envier](bundle of envied), and Has what the envier has, in tasks.
	Worth float64 `json:"worth"`
	Has   float64 `json:"has"`
	// Price is what would be gained at the margin if the bundle might be worth one task
	// more to the envier than what it has: in tasks of the user whose limit it is, or of
	// the welfare in [Explanation.EnvyRows].
	Price float64 `json:"price"`
}

// prices are those of the rows of a program.
type prices struct {
	rows []float64           // by capacity row of the region
	envy []cluster.EnvyPrice // those that are not 0
}

// proof is a dual solution, in tasks of the user.
type proof struct {
	prices
	least []float64 // q, by user
	gap   float64   // Bound less what the user has
}

// prove scales the prices of an allocation to those of user j and computes what they prove.
// Bound − x[j] is at most the sum
//
//	Σ_k π[k]·left[k] + Σ_{v,u} λ[v,u]·left[v,u]
//	  + Σ_i Σ_s x[i,s]·(cost[i,s] − q[i]·[i = j or floor[i] > 0]) + Σ_i max(0, −q[i])·η'[i]
//
// of terms that are not negative. It is false where the sum exceeds [solve.Accuracy]
// relative to x[j], and where there are no prices.
func (l *limiter) prove(j int, floor []float64, from *cluster.Allocation) (proof, bool) {
	if len(from.Prices) != l.region.Rows() {
		return proof{}, false
	}
	p := proof{prices: l.clean(from), least: make([]float64, len(floor))}
	own := l.least(&p.prices, j)
	if !(own > 0) {
		return p, false
	}
	p.scale(1 / own)
	for row, price := range p.rows {
		p.gap += price * math.Abs(l.region.RowCapacity(row)-l.used[row])
	}
	for _, e := range p.envy {
		p.gap += e.Price * math.Abs(l.a.Tasks[e.Envier]-l.worth(e))
	}
	for i := range floor {
		q := l.least(&p.prices, i)
		if q < 0 { // rounding, or no proof
			p.gap, q = p.gap-q*l.region.EtaEligible(i), 0
		}
		if i != j && floor[i] == 0 {
			q = 0
		}
		p.least[i] = q
		for s, x := range l.a.On(i) {
			if x > 0 {
				p.gap += x * math.Abs(l.cost(&p.prices, i, s)-q)
			}
		}
	}
	unit := l.a.Tasks[j]
	if unit == 0 {
		unit = l.region.EtaEligible(j)
	}
	return p, p.gap <= solve.Accuracy*unit
}

func (p *prices) scale(by float64) {
	for row := range p.rows {
		p.rows[row] *= by
	}
	for t := range p.envy {
		p.envy[t].Price *= by
	}
}

// worth is what the bundle of the envied user is worth to the envier. The rule refuses task
// caps.
func (l *limiter) worth(e cluster.EnvyPrice) float64 {
	return l.judge.Utility(e.Envier, e.Envied, l.a)
}

// clean returns the prices without those of rows that are not tight, and without rounding.
func (l *limiter) clean(from *cluster.Allocation) prices {
	top := 0.0
	for row, price := range from.Prices {
		top = math.Max(top, price*l.region.RowCapacity(row))
	}
	for _, e := range from.EnvyPrices {
		top = math.Max(top, e.Price*l.a.Tasks[e.Envier])
	}
	out := prices{rows: make([]float64, len(from.Prices))}
	for row, price := range from.Prices {
		if l.unused[row] <= Tight && price*l.region.RowCapacity(row) > dust*top {
			out.rows[row] = price
		}
	}
	for _, e := range from.EnvyPrices {
		if has := l.a.Tasks[e.Envier]; has-l.worth(e) <= Tight*has && e.Price*has > dust*top {
			out.envy = append(out.envy, e)
		}
	}
	return out
}

// envyRows states prices of rows against envy.
func (l *limiter) envyRows(all []cluster.EnvyPrice) (rows []EnvyRow) {
	for _, e := range all {
		rows = append(rows, EnvyRow{l.region.Users[e.Envier].Name, l.region.Users[e.Envied].Name, l.worth(e), l.a.Tasks[e.Envier], e.Price})
	}
	slices.SortStableFunc(rows, func(a, b EnvyRow) int { return cmp.Compare(b.Price*b.Has, a.Price*a.Has) })
	return rows
}

// enviers lists the tight rows against envy for what user i holds, with the prices of the
// rule's own program.
func (l *limiter) enviers(i int) []EnvyRow {
	if !l.envyFree() || l.a.Tasks[i] == 0 {
		return nil
	}
	price := map[int]float64{}
	for _, e := range l.clean(l.a).envy {
		if e.Envied == i {
			price[e.Envier] = e.Price
		}
	}
	var tight []cluster.EnvyPrice
	for v, has := range l.a.Tasks {
		if e := (cluster.EnvyPrice{Envier: v, Envied: i, Price: price[v]}); v != i && has > 0 && has-l.worth(e) <= Tight*has {
			tight = append(tight, e)
		}
	}
	return l.envyRows(tight)
}

// cost returns what a task of user i costs on server s.
func (l *limiter) cost(p *prices, i, s int) float64 {
	sum := 0.0
	for r, d := range l.region.Demand(i, s) {
		sum += p.rows[l.region.Row(s, r)] * d
	}
	for e := range l.region.Links {
		if l.region.Reaches(e, s) {
			sum += p.rows[l.region.LinkRow(e)] * l.region.LinkDemand(i, e)
		}
	}
	for _, e := range p.envy {
		if e.Envied == i {
			sum += e.Price * l.judge.PerTask(e.Envier, i, s)
		}
		if e.Envier == i {
			sum -= e.Price
		}
	}
	return sum
}

// least returns the least cost of a task of user i over the servers that can host it.
func (l *limiter) least(p *prices, i int) float64 {
	least := math.Inf(1)
	for s := range l.region.Servers {
		if l.hosts(i, s) {
			least = math.Min(least, l.cost(p, i, s))
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}
