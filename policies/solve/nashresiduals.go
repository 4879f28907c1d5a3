package solve

import "math"

// usage sets dst to Σ a·y over the rows.
func (s *Nash) usage(y, dst []float64) {
	clear(s.drawn)
	for i := range s.users {
		s.draw(&s.users[i], y)
	}
	s.prog.fractions(dst, s.drawn)
}

// draw adds what the work y of a user takes to drawn, in units of the scaled demands.
func (s *Nash) draw(u *nashUser, y []float64) {
	p, dst := &s.prog, s.drawn
	servers, y := s.server[u.first:u.last], y[u.first:u.last]
	if p.pairs {
		d0, d1, sum := p.use[2*u.j], p.use[2*u.j+1], 0.0
		for i, v := range servers {
			at := dst[2*v:][:2]
			at[0] += y[i] * d0
			at[1] += y[i] * d1
			sum += y[i]
		}
		link, through := p.link[u.j*p.links:], dst[2*p.servers:]
		for _, e := range p.zones[0] {
			through[e] += sum * link[e]
		}
		return
	}
	clear(s.zone)
	if p.res == 2 {
		o, stride := p.offset[u.j], p.stride[u.j]
		for i, v := range servers {
			d, at := p.use[o+v*stride:][:2], dst[2*v:][:2]
			at[0] += y[i] * d[0]
			at[1] += y[i] * d[1]
			s.zone[p.zone[v]] += y[i]
		}
	} else {
		for i, v := range servers {
			for r, d := range p.at(u.j, v) {
				dst[v*p.res+r] += y[i] * d
			}
			s.zone[p.zone[v]] += y[i]
		}
	}
	base := p.servers * p.res
	for z, sum := range s.zone {
		for _, e := range p.zones[z] {
			dst[base+e] += sum * p.link[u.j*p.links+e]
		}
	}
}

// fractions sets dst to what is drawn in fractions of the capacities.
func (p *program) fractions(dst, drawn []float64) {
	width := p.servers * p.res
	for k, inv := range p.inv {
		dst[k] = drawn[k] * inv
	}
	copy(dst[width:], drawn[width:])
}

// residuals computes totals, costs, and what is missing from the capacity rows.
func (s *Nash) residuals() {
	s.prices.set(&s.prog, s.pi)
	s.beginPass()
	s.yz = 0
	for i := range s.users {
		u := &s.users[i]
		if !math.IsInf(u.cap, 1) {
			u.room = max(u.room, 1e-300)
		}
		if s.prog.pairs {
			s.residualsPairs(u)
			continue
		}
		q := s.q[u.first:u.last]
		y, z := s.y[u.first:u.last], s.z[u.first:u.last]
		s.prices.each(u.j, s.server[u.first:u.last], q)
		s.draw(u, s.y)
		sum, yz, least := 0.0, 0.0, math.Inf(1)
		for c, work := range y {
			sum += work
			yz += work * z[c]
			if q[c] < least {
				least = q[c]
			}
		}
		u.u, u.least = sum, least
		s.yz += yz
	}
	s.endPass(s.rp, s.prog.pairs)
	for k := range s.rp {
		s.rp[k] += s.t[k] - 1
	}
}
