package solve

import "math"

// The passes over the users in a program of pairs: column first+s of a user is server s, and
// a pass is one loop over the columns, or two where a sum must be known first. The numbers
// are those of the general passes, operation by operation.

// through returns what the links cost a unit of work of user j.
func (c *pricer) through(j int) float64 {
	p := c.p
	if p.links == 1 && len(p.zones[0]) == 1 {
		return c.links[0] * p.link[j]
	}
	cost, link := 0.0, p.link[j*p.links:]
	for _, e := range p.zones[0] {
		cost += c.links[e] * link[e]
	}
	return cost
}

// carryPairs adds what the work sum of user j takes from the links to drawn.
func (s *Nash) carryPairs(j int, sum float64) {
	p := &s.prog
	link, through := p.link[j*p.links:], s.drawn[2*p.servers:]
	for _, e := range p.zones[0] {
		through[e] += sum * link[e]
	}
}

// nashPairs is what the passes of a program of pairs take, by server.
type nashPairs struct {
	priced [][2]float64 // price of an unscaled unit of each resource
	taken  [][2]float64 // drawn
	own    []ownPair    // what alonePairs has gathered: see ownPairs
	along  [][2]float64 // per server and link: the same for the entries with the link
}

// ownPair are the entries of the matrix of the two resources of a server.
type ownPair struct{ both0, mixed, both1 float64 }

// reserve makes room for a program.
func (n *nashPairs) reserve(p *program) {
	n.priced, n.taken = resize(n.priced, p.servers), resize(n.taken, p.servers)
	n.own, n.along = resize(n.own, p.servers), resize(n.along, p.servers*p.links)
}

// beginPass readies a pass at the prices that s.prices has.
func (s *Nash) beginPass() {
	clear(s.drawn)
	if !s.prog.pairs {
		return
	}
	clear(s.taken)
	for v := range s.priced {
		s.priced[v] = [2]float64{s.prices.unit[2*v], s.prices.unit[2*v+1]}
	}
}

// endPass sets dst to what the pass has drawn, in fractions of the capacities; pairs says
// that it is in taken.
func (s *Nash) endPass(dst []float64, pairs bool) {
	if pairs {
		for v, taken := range s.taken {
			s.drawn[2*v], s.drawn[2*v+1] = taken[0], taken[1]
		}
	}
	s.prog.fractions(dst, s.drawn)
}

// residualsPairs is what residuals does for a user.
func (s *Nash) residualsPairs(u *nashUser) {
	p, through := &s.prog, s.prices.through(u.j)
	d0, d1 := p.use[2*u.j], p.use[2*u.j+1]
	y, z, q := s.y[u.first:u.last], s.z[u.first:u.last], s.q[u.first:u.last]
	unit, taken := s.priced[:len(y)], s.taken[:len(y)]
	z, q = z[:len(y)], q[:len(y)]
	sum, yz, least := 0.0, 0.0, math.Inf(1)
	for c, work := range y {
		price, at := &unit[c], &taken[c]
		cost := through + d0*price[0] + d1*price[1]
		q[c] = cost
		at[0] += work * d0
		at[1] += work * d1
		sum += work
		yz += work * z[c]
		if cost < least {
			least = cost
		}
	}
	u.u, u.least = sum, least
	s.yz += yz
	s.carryPairs(u.j, sum)
}

// towardsPairs is right, project and draw of the result for a user.
func (s *Nash) towardsPairs(u *nashUser, mu float64) {
	q, per, e := s.q[u.first:u.last], s.per[u.first:u.last], s.e[u.first:u.last]
	h, corr := s.h[u.first:u.last], s.corr[u.first:u.last]
	dy, dz := s.dy[u.first:u.last], s.dz[u.first:u.last]
	per, e, h, corr, dy, dz = per[:len(q)], e[:len(q)], h[:len(q)], corr[:len(q)], dy[:len(q)], dz[:len(q)]
	key, second, shift := u.key-u.first, s.second, u.shift
	lead, mean := shift-q[key]+(mu-second*dy[key]*dz[key])*per[key], 0.0
	for c, cost := range q {
		extra := second * dy[c] * dz[c]
		g := shift - cost + (mu-extra)*per[c]
		corr[c], h[c] = extra, g
		mean += e[c] * (g - lead)
	}
	mean *= u.perE
	s.drawPairs(u, e, h, lead, mean)
}

// backPairs takes what a step of the prices costs off h, and is back and draw of the
// result for a user.
func (s *Nash) backPairs(u *nashUser, mu float64) {
	through, key := s.prices.through(u.j), u.key-u.first
	d0, d1 := s.prog.use[2*u.j], s.prog.use[2*u.j+1]
	e, h := s.e[u.first:u.last], s.h[u.first:u.last]
	unit, taken := s.priced[:len(h)], s.taken[:len(h)]
	e = e[:len(h)]
	lead, mean := h[key]-(through+d0*unit[key][0]+d1*unit[key][1]), 0.0
	for c, g := range h {
		price := &unit[c]
		g -= through + d0*price[0] + d1*price[1]
		h[c] = g
		mean += e[c] * (g - lead)
	}
	mean *= u.perE
	level := (lead + mean) * u.damp
	y, z := s.y[u.first:u.last], s.z[u.first:u.last]
	dy, dz := s.dy[u.first:u.last], s.dz[u.first:u.last]
	corr, per := s.corr[u.first:u.last], s.per[u.first:u.last]
	y, z, dy, dz, corr, per = y[:len(h)], z[:len(h)], dy[:len(h)], dz[:len(h)], corr[:len(h)], per[:len(h)]
	st, sum := s.step, 0.0
	for c, g := range h {
		d := e[c] * (g - lead - mean + level)
		zd := z[c] * d
		w := (mu-corr[c]-zd)*per[c] - z[c]
		dy[c], dz[c] = d, w
		sum += d
		st.zdy, st.ydz, st.dydz = st.zdy+zd, st.ydz+y[c]*w, st.dydz+d*w
		if -y[c] > st.primal*d && d < 0 {
			st.primal = -y[c] / d
		}
		if -z[c] > st.dual*w && w < 0 {
			st.dual = -z[c] / w
		}
		at := &taken[c]
		at[0] += d * d0
		at[1] += d * d1
	}
	s.step, u.du = st, sum
	s.carryPairs(u.j, sum)
}

// projectPairs is project and draw of the result for a user.
func (s *Nash) projectPairs(u *nashUser) {
	e, h := s.e[u.first:u.last], s.h[u.first:u.last]
	e = e[:len(h)]
	lead, mean := s.h[u.key], 0.0
	for c, g := range h {
		mean += e[c] * (g - lead)
	}
	s.drawPairs(u, e, h, lead, mean*u.perE)
}

// drawPairs is draw of the projection of h for a user, whose mean is lead + mean.
func (s *Nash) drawPairs(u *nashUser, e, h []float64, lead, mean float64) {
	level := (lead + mean) * u.damp
	d0, d1, sum := s.prog.use[2*u.j], s.prog.use[2*u.j+1], 0.0
	e, taken := e[:len(h)], s.taken[:len(h)]
	for c, g := range h {
		at := &taken[c]
		d := e[c] * (g - lead - mean + level)
		at[0] += d * d0
		at[1] += d * d1
		sum += d
	}
	s.carryPairs(u.j, sum)
}

// shiftPairs is shift, on all columns: where a user does not work, E and the step are 0.
func (s *Nash) shiftPairs(u *nashUser) {
	through, scale := s.prices.through(u.j), s.prog.scale[u.j]
	d0, d1 := s.prog.use[2*u.j], s.prog.use[2*u.j+1]
	e, h, work := s.e[u.first:u.last], s.h[u.first:u.last], s.fine.work[u.first:u.last]
	unit := s.prices.unit[:2*len(h)]
	e, work = e[:len(h)], work[:len(h)]
	key := u.key - u.first
	lead, mean := h[key]-(through+d0*unit[2*key]+d1*unit[2*key+1]), 0.0
	for c, g := range h {
		price := unit[2*c:][:2]
		g -= through + d0*price[0] + d1*price[1]
		h[c] = g
		mean += e[c] * (g - lead)
	}
	mean *= u.perE
	level := (lead + mean) * u.damp
	for c, g := range h {
		work[c] = work[c].plus(e[c] * (g - lead - mean + level) * scale)
	}
}

// alonePairs is alone, but for what ownPairs does.
func (s *Nash) alonePairs(u *nashUser, i int) {
	p, k, f := &s.prog, s.prog.rows(), u.damp
	width, links := 2*p.servers, p.zones[0]
	s.damping[i] = -u.kappa * f
	e, others := s.e[u.first:u.last], s.cost[:u.last-u.first]
	others = others[:len(e)]
	key, rest := u.key-u.first, 0.0 // rest is ε without the key
	most := e[key]
	e[key] = 0
	for c, weight := range e {
		others[c] = u.sumE - weight
		rest += weight
	}
	e[key], others[key] = most, rest
	d0, d1, link := p.use[2*u.j], p.use[2*u.j+1], p.link[u.j*p.links:]
	kappa, own, along, at := u.kappa, s.own[:len(e)], s.along, i
	for c, weight := range e {
		s.batch[at], s.batch[at+batch] = weight*d0, weight*d1
		at += 2 * batch
		part, to := weight*(1+kappa*others[c])*f, &own[c]
		to.both0 += part * d0 * d0
		to.mixed += part * d0 * d1
		to.both1 += part * d1 * d1
		for _, l := range links {
			part, to := weight*f*link[l], &along[l]
			to[0] += part * d0
			to[1] += part * d1
		}
		along = along[p.links:]
	}
	for at, l := range links {
		for _, m := range links[at:] {
			s.schur[(width+l)*k+width+m] += u.sumE * f * link[l] * link[m]
		}
	}
}

// ownPairs puts what alonePairs has gathered into the matrix: for each server its three
// entries of the upper triangle, and those with each link.
func (s *Nash) ownPairs() {
	p, k := &s.prog, s.prog.rows()
	for v, own := range s.own {
		first, second := s.schur[2*v*k:][:k], s.schur[(2*v+1)*k:][:k]
		first[2*v], first[2*v+1], second[2*v+1] = own.both0, own.mixed, own.both1
		for l, both := range s.along[v*p.links:][:p.links] {
			first[2*p.servers+l], second[2*p.servers+l] = both[0], both[1]
		}
	}
}
