package solve

import "github.com/leontief-sim/leontief/sim/cluster"

// collect checks the best point and returns it.
func (s *Nash) collect(iterations int) (*cluster.Allocation, error) {
	a, p := &s.result, &s.prog
	if len(s.users) == 0 {
		a.X = resize(a.X, p.users*p.servers)
		clear(a.X)
		a.Prices = resize(a.Prices, p.rows())
		clear(a.Prices)
	}
	a.Region, a.Unservable = s.env, a.Unservable[:0]
	a.Tasks, a.Share = resize(a.Tasks, p.users), resize(a.Share, p.users)
	for j := range p.users {
		a.Tasks[j], a.Share[j] = 0, 0
		for _, x := range a.On(j) {
			a.Tasks[j] += x
		}
		if s.inside[j] && !p.servable(j) {
			a.Unservable = append(a.Unservable, j)
		}
	}
	worst := a.Worst().Excess
	a.Certificate = cluster.Certificate{Primal: worst, Gap: s.best, Totals: s.off, Rounds: 1, Pivots: iterations}
	if !(s.best <= Accuracy && worst <= Feasibility) {
		return nil, &UncertifiedError{"Nash welfare", worst, s.best}
	}
	return a, nil
}

// keep stores the present point, of this gap, in the result.
func (s *Nash) keep(gap float64) {
	a, p := &s.result, &s.prog
	s.best, s.off = gap, s.totalsWithin(gap*s.total)
	a.X = resize(a.X, p.users*p.servers)
	clear(a.X)
	over := 1.0
	for k := range s.rp {
		over = max(over, 1+s.rp[k]-s.t[k])
	}
	for i := range s.users {
		u := &s.users[i]
		f := p.scale[u.j] / over
		if u.u/over > u.cap {
			f = p.scale[u.j] * u.cap / u.u
		}
		for c := u.first; c < u.last; c++ {
			a.X[u.j*p.servers+s.server[c]] = s.y[c] * f
		}
	}
	a.Prices = p.perUnit(a.Prices, s.pi)
}

// keepFine stores the polished point in the result, scaled back into the region
// and rounded.
func (s *Nash) keepFine() {
	a, f, p := &s.result, &s.fine, &s.prog
	s.best, s.off = f.gap, f.off+float64(p.servers+2)*unitRounding
	a.X = resize(a.X, p.users*p.servers)
	clear(a.X)
	for i := range s.users {
		u := &s.users[i]
		for c := u.first; c < u.last; c++ {
			a.X[u.j*p.servers+s.server[c]] = f.work[c].hi / (1 + f.over)
		}
	}
	a.Prices = resize(a.Prices, p.rows())
	for k, price := range f.price {
		a.Prices[k] = price.hi
	}
}
