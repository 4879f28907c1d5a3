package solve

import "math"

const (
	// unitRounding is the relative error of a rounded number.
	unitRounding = 1.0 / (1 << 53)
	// doubleRounding is that of an operation on two doubles, with room to spare.
	doubleRounding = 1e-30
)

// totalsBound bounds the relative error of the total of a user of the weight w,
// and hence of every heavier one, by the gap, an absolute one.
//
// Let x be feasible, x* the optimum and t[j] = x[j]/x*[j]. As x* is optimal,
// Σ w/x*·(x − x*) ≤ 0, that is Σ w·(t − 1) ≤ 0. Hence
//
//	gap ≥ Σ w·log x* − Σ w·log x = −Σ w·log t ≥ Σ w·(t − 1 − log t),
//
// a sum of terms that are not negative: none exceeds the gap. With a = gap/w,
// t − 1 − log t ≤ a implies |t − 1| ≤ √(2a) + a.
func totalsBound(gap, w float64) float64 {
	a := gap / w
	return math.Sqrt(2*a) + a
}

// totalsWithin bounds the relative error of every total by the gap.
func (s *Nash) totalsWithin(gap float64) float64 {
	lightest := math.Inf(1)
	for i := range s.users {
		lightest = min(lightest, s.users[i].weight)
	}
	return totalsBound(gap, lightest)
}

// measure computes what is used, the totals and costs, and from them the gap:
//
//	Σ_k π[k]·slack[k] + Σ_j Σ_s x[j,s]·(q[j,s] − q[j]) + Σ_j gain[j]
//
// with q[j,s] the price of a task, q[j] the least of user j, and gain what the
// user would have more of w·log x − q·x at its best number of tasks. This is the
// Lagrangian bound less the objective, with everything that agrees cancelled by
// hand: no term is negative. A point that exceeds a constraint by the part over
// of it is scaled back, which costs Σ w·over.
func (s *Nash) measure() {
	f := &s.fine
	clear(f.used)
	dense := s.prog.pairs && f.mostly()
	if dense {
		s.loadPairs()
	} else {
		for i := range s.users {
			s.load(i)
		}
	}
	f.over, f.negative = 0, false
	gap := float64(len(s.users)+len(f.used)) * doubleRounding * s.total
	for k, price := range f.price {
		slack := s.slack(k)
		if slack < 0 {
			f.over = max(f.over, -slack*s.unit(k))
		}
		gap += math.Abs(slack * price.hi)
		f.negative = f.negative || price.hi < 0
		s.mean[k] = price.hi * s.env.RowCapacity(k)
	}
	s.prices.set(&s.prog, s.mean)
	for i := range s.users {
		if dense {
			least := s.costsPairs(i)
			gap += s.wastePairs(i, least) + s.gain(i, least)
			continue
		}
		least := s.costs(i)
		gap += s.waste(i, least) + s.gain(i, least)
	}
	gap += s.total * f.over
	f.gap, f.off = gap/s.total, s.totalsWithin(gap)
}

// unit returns what a unit of the capacity of row k is of all of it.
func (s *Nash) unit(k int) float64 {
	if width := s.prog.servers * s.prog.res; k >= width {
		return s.prog.linkInv[k-width]
	}
	return s.prog.inv[k]
}

// slack returns what is left of the capacity of row k.
func (s *Nash) slack(k int) float64 {
	return double{s.env.RowCapacity(k), 0}.sub(s.fine.used[k]).hi
}

// load adds what user number i uses, and its total.
func (s *Nash) load(i int) {
	f, u, p := &s.fine, &s.users[i], &s.prog
	clear(f.zone)
	demand, work := s.env.Users[u.j].Demand, f.work[u.first:u.last]
	for c, v := range s.server[u.first:u.last] {
		if !f.basic[u.first+c] {
			continue
		}
		x, at := work[c], &f.zone[p.zone[v]]
		*at = at.add(x)
		if p.stride[u.j] != 0 {
			demand = s.env.Demand(u.j, v)
		}
		used := f.used[v*p.res:][:len(demand)]
		for r, d := range demand {
			used[r] = used[r].add(x.times(d))
		}
	}
	f.total[i] = double{}
	through := f.used[p.servers*p.res:]
	for z, x := range f.zone {
		f.total[i] = f.total[i].add(x)
		for _, e := range p.zones[z] {
			through[e] = through[e].add(x.times(s.env.LinkDemand(u.j, e)))
		}
	}
}

// linkCosts computes what the links on the way to each zone cost a task of user j.
func (s *Nash) linkCosts(j int) {
	f, p := &s.fine, &s.prog
	for z, links := range p.zones {
		cost := double{}
		for _, e := range links {
			cost = cost.add(f.price[p.servers*p.res+e].times(s.env.LinkDemand(j, e)))
		}
		f.zone[z] = cost
	}
}

// taskCost returns the price of a task of user j on server v; linkCosts was last called
// for this user.
func (s *Nash) taskCost(j, v int) double {
	f, p := &s.fine, &s.prog
	cost, demand := f.zone[p.zone[v]], s.env.Users[j].Demand
	if p.stride[j] != 0 {
		demand = s.env.Demand(j, v)
	}
	price := f.price[v*p.res:][:len(demand)]
	for r, d := range demand {
		cost = cost.add(price[r].times(d))
	}
	return cost
}

// costs computes the price of a task of user number i wherever it works, and
// returns the least of all servers that are open to it. One that is dearer by
// more than the rounding of plain numbers need not be looked at closely.
func (s *Nash) costs(i int) double {
	f, u := &s.fine, &s.users[i]
	least, idle := double{math.Inf(1), 0}, false
	s.linkCosts(u.j)
	for c := u.first; c < u.last; c++ {
		if f.basic[c] {
			f.cost[c] = s.taskCost(u.j, s.server[c])
			least = least.min(f.cost[c])
		} else {
			idle = true
		}
	}
	if !idle {
		return least
	}
	dearer := least.hi * s.prog.scale[u.j] * (1 + 1e-12)
	s.prices.each(u.j, s.server[u.first:u.last], s.cost)
	for c := u.first; c < u.last; c++ {
		if !f.basic[c] && s.cost[c-u.first] < dearer {
			least = least.min(s.taskCost(u.j, s.server[c]))
		}
	}
	return least
}

// waste returns what user number i pays more than at its least cost.
func (s *Nash) waste(i int, least double) float64 {
	f, u, sum := &s.fine, &s.users[i], 0.0
	for c := u.first; c < u.last; c++ {
		if f.basic[c] {
			sum += math.Abs(f.work[c].hi * f.cost[c].sub(least).hi)
			f.negative = f.negative || f.work[c].hi < 0
		}
	}
	return sum
}

// gain bounds how much more user number i would have of w·log x − q·x at the
// best number of tasks than at its present one, where each costs q.
//
// With r = 1 − q·x/w that is w·(−r − log(1 − r)) ≤ w·r²/2·(1 + |r|) for |r| ≤
// 1/10; where the task cap n is below w/q, w·log(n/x) − q·(n − x) ≤
// (w − q·x)·(n − x)/x.
func (s *Nash) gain(i int, q double) float64 {
	f, u := &s.fine, &s.users[i]
	n := s.env.Users[u.j].Tasks
	left := double{u.weight, 0}.sub(q.mul(f.total[i])).hi
	if q.hi*n <= u.weight {
		room := double{n, 0}.sub(f.total[i]).hi
		f.over = max(f.over, -room/n)
		return math.Abs(left * room / f.total[i].hi)
	}
	r := math.Abs(left / u.weight)
	if !(r <= 0.1) {
		return math.Inf(1)
	}
	return u.weight * r * r / 2 * (1 + r)
}
