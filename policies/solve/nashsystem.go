package solve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// The Newton system. With E = diag(y/z), 1 the vector of ones and
// κ = p/u + ν/room, a user's step is
//
//	Δy = M⁻¹·(g − Aᵀ·Δπ),  M = E⁻¹ + κ·1·1ᵀ,
//
// where p, the marginal welfare of user j, is a variable of its own: the
// condition u·p = w is linearised like the products y·z = μ, which keeps the
// dual conditions linear. The prices solve (Σ_j A_j·M_j⁻¹·A_jᵀ + diag(t/π))·Δπ = right-hand side.
// With ε = ΣE and e[s] the entries of E, M⁻¹ has the entries
//
//	e[s]·(1 + κ·(ε − e[s]))/(1 + κ·ε)  on the diagonal,
//	−e[s]·e[t]·κ/(1 + κ·ε)             elsewhere.
//
// Near the optimum E is huge for the servers in use, and E less its rank-one correction
// would cancel. In these forms nothing does, where ε − e[s] is the sum of the others'.
// The same holds of the sums of the entries over the servers behind a link, which are
// what its row sees of M⁻¹; with a, b, c, d the sums of e[s] over the servers behind
// both of two links, the first alone, the second alone and neither, that of the two is
//
//	(a + κ·(a·d − b·c))/(1 + κ·ε).

// batch is how many users assemble takes at a time: their E·a stay in the fastest cache.
const batch = 64

// reserve makes room for the system.
func (s *Nash) reserve() {
	p := &s.prog
	k, width := p.rows(), p.servers*p.res
	s.schur, s.factor = resize(s.schur, k*k), resize(s.factor, k*k)
	s.batch, s.damping, s.row = resize(s.batch, width*batch), resize(s.damping, batch), resize(s.row, batch)
	s.nashPairs.reserve(p)
	s.fine.zone = resize(s.fine.zone, len(p.zones))
	s.zone, s.zoneE = resize(s.zone, len(p.zones)), resize(s.zoneE, len(p.zones))
	s.through = resize(s.through, len(p.zones)*p.links)
	s.behind = resize(s.behind, len(p.zones))
	for z, links := range p.zones {
		s.behind[z] = resize(s.behind[z], p.links)
		clear(s.behind[z])
		for _, e := range links {
			s.behind[z][e] = true
		}
	}
}

// assemble builds the upper triangle of the matrix from the weights of the
// columns, rows and users.
func (s *Nash) assemble() {
	p := &s.prog
	k, width := p.rows(), p.servers*p.res
	s.stale = false
	clear(s.schur)
	clear(s.own)
	clear(s.along)
	// 1. In units of the scaled demands: entries of one server and of links user by user,
	// those of two servers for a batch of users at once.
	for from := 0; from < len(s.users); from += batch {
		users := s.users[from:min(from+batch, len(s.users))]
		if p.pairs {
			for i := range users {
				s.alonePairs(&users[i], i)
			}
		} else {
			clear(s.batch)
			for i := range users {
				s.alone(&users[i], i)
			}
		}
		s.across(len(users))
	}
	if p.pairs {
		s.ownPairs()
	}
	// 2. In fractions of the capacities.
	for i, inv := range p.inv {
		row := s.schur[i*k : (i+1)*k]
		for l := i; l < width; l++ {
			row[l] *= inv * p.inv[l]
		}
		floats.Scale(inv, row[width:])
	}
	for i, v := range s.diag {
		s.schur[i*k+i] += v
	}
}

// alone adds the part of a user that is not of two servers, and notes the rest as member
// i of the batch.
func (s *Nash) alone(u *nashUser, i int) {
	p, k := &s.prog, s.prog.rows()
	width := p.servers * p.res
	f := u.damp
	s.damping[i] = -u.kappa * f
	rest := 0.0 // of ε without the key
	clear(s.zoneE)
	for c := u.first; c < u.last; c++ {
		if c != u.key {
			rest += s.e[c]
		}
		s.zoneE[p.zone[s.server[c]]] += s.e[c]
	}
	s.towards(u, f)
	for c := u.first; c < u.last; c++ {
		e, v := s.e[c], s.server[c]
		if e == 0 {
			continue
		}
		others := u.sumE - e
		if c == u.key {
			others = rest
		}
		own, need := e*(1+u.kappa*others)*f, p.at(u.j, v)
		through := s.through[p.zone[v]*p.links:][:p.links]
		for r, d := range need {
			at := v*p.res + r
			s.batch[at*batch+i] = e * d
			row := s.schur[at*k:][:k]
			for q := r; q < len(need); q++ {
				row[at+q-r] += own * d * need[q]
			}
			for l, b := range through {
				row[width+l] += e * d * b
			}
		}
	}
	s.amongLinks(u, f)
}

// towards fills in, per zone and link, what the row of M⁻¹ of a server of the zone sums up
// to over the servers behind the link, for each unit of its weight, times the demand.
func (s *Nash) towards(u *nashUser, f float64) {
	p := &s.prog
	for zone := range s.zoneE {
		for l := range p.links {
			in, other := s.behind[zone][l], 0.0 // Σ e[s] on the other side of the link
			for z, sum := range s.zoneE {
				if s.behind[z][l] != in {
					other += sum
				}
			}
			at := 1 + u.kappa*other
			if !in {
				at = -u.kappa * other
			}
			s.through[zone*p.links+l] = at * f * p.link[u.j*p.links+l]
		}
	}
}

// amongLinks adds a user's part of the entries of two links.
func (s *Nash) amongLinks(u *nashUser, f float64) {
	p, k := &s.prog, s.prog.rows()
	base := p.servers * p.res
	link := p.link[u.j*p.links:][:p.links]
	for l, x := range link {
		for m := l; m < len(link) && x != 0; m++ {
			var sums [4]float64 // both, the first alone, the second alone, neither
			for z, sum := range s.zoneE {
				at := 0
				if !s.behind[z][l] {
					at += 2
				}
				if !s.behind[z][m] {
					at++
				}
				sums[at] += sum
			}
			s.schur[(base+l)*k+base+m] += (sums[0] + u.kappa*(sums[0]*sums[3]-sums[1]*sums[2])) * f * x * link[m]
		}
	}
}

// across adds the entries of two servers of n users of the batch.
func (s *Nash) across(n int) {
	p, k := &s.prog, s.prog.rows()
	row, damping := s.row[:n], s.damping[:n]
	for i := range len(p.inv) - p.res {
		floats.MulTo(row, damping, s.batch[i*batch:][:n])
		dst := s.schur[i*k:]
		for l := (i/p.res + 1) * p.res; l < len(p.inv); l++ {
			dst[l] += floats.Dot(row, s.batch[l*batch:][:n])
		}
	}
}

// farther is longer than any step.
const farther = 2

// columnStep is what is known of a direction of the columns: how far it goes before one
// becomes negative (farther, if that is farther than any step), and the sums of z·Δy, y·Δz and Δy·Δz.
type columnStep struct{ primal, dual, zdy, ydz, dydz float64 }

// weigh sets the weights of a step of the interior point method: t/π of the
// rows, E of the columns and κ of the users.
func (s *Nash) weigh() {
	for k := range s.diag {
		s.diag[k] = s.t[k] / s.pi[k]
	}
	for i := range s.users {
		u := &s.users[i]
		y, z := s.y[u.first:u.last], s.z[u.first:u.last]
		e, per := s.e[u.first:u.last], s.per[u.first:u.last]
		for c, work := range y {
			e[c], per[c] = work/z[c], 1/work
		}
		u.per = 1 / u.u
		u.kappa = u.p * u.per
		if !math.IsInf(u.cap, 1) {
			u.kappa += u.nu / u.room
		}
		s.lead(u)
	}
}

// lead sums E over the columns of a user, whose κ is known, and makes the one of the
// most weight its key.
func (s *Nash) lead(u *nashUser) {
	e := s.e[u.first:u.last]
	sum, key, most := 0.0, 0, uint64(0)
	for c, weight := range e {
		sum += weight
		// Numbers that are not negative are in the order of their bits; a comparison of these
		// needs no branch, which would be mispredicted for every other user.
		if bits := math.Float64bits(weight); bits > most {
			key, most = c, bits
		}
	}
	u.sumE, u.key = sum, u.first+key
	u.perE, u.damp = 1/u.sumE, 1/(1+u.kappa*u.sumE)
}

// factorize computes the Cholesky factor of the matrix, scaled to a unit
// diagonal.
func (s *Nash) factorize() bool {
	k := len(s.t)
	for i := range k {
		s.w[i] = 1 / math.Sqrt(s.schur[i*k+i])
	}
	for i := range k {
		row := s.schur[i*k : (i+1)*k]
		for l := i; l < k; l++ {
			row[l] *= s.w[i] * s.w[l]
		}
	}
	for try := 0; try < 4; try++ {
		copy(s.factor, s.schur)
		if cholesky(s.factor, k) {
			return true
		}
		ridge := math.Pow(10, float64(2*try-14))
		for i := range k {
			s.schur[i*k+i] += ridge
		}
	}
	return false
}

// cholesky replaces the upper triangle of the k×k matrix a = UᵀU by U, with the inverse
// of each diagonal entry in its place. It reports whether a is positive definite.
func cholesky(a []float64, k int) bool {
	for i := range k {
		row := a[i*k+i : (i+1)*k]
		if !(row[0] > 0) || math.IsInf(row[0], 1) {
			return false
		}
		row[0] = 1 / math.Sqrt(row[0])
		for l := 1; l < len(row); l++ {
			row[l] *= row[0]
		}
		for l := 1; l < len(row); l++ {
			if f := row[l]; f != 0 {
				addScaled(a[(i+l)*k+i+l:(i+l+1)*k], -f, row[l:])
			}
		}
	}
	return true
}

// solvePrices solves for a step of the prices from the right-hand side and
// leaves it in mean.
func (s *Nash) solvePrices() {
	x, k := s.mean, len(s.mean)
	floats.MulTo(x, s.rhs, s.w)
	for i := range x {
		row := s.factor[i*k+i : (i+1)*k]
		x[i] *= row[0]
		addScaled(x[i+1:], -x[i], row[1:])
	}
	for i := k - 1; i >= 0; i-- {
		row := s.factor[i*k+i : (i+1)*k]
		x[i] = (x[i] - dot(row[1:], x[i+1:])) * row[0]
	}
	floats.Mul(x, s.w)
}

// direction computes the step towards complementarity products of mu. The
// scaling that factorize left in s.w stays valid until the next assemble.
func (s *Nash) direction(mu float64) {
	s.beginPass()
	for i := range s.users {
		u := &s.users[i]
		u.corr, u.corrP = s.second*u.droom*u.dnu, s.second*u.du*u.dp
		s.constant(u, mu)
		if s.prog.pairs {
			s.towardsPairs(u, mu)
			continue
		}
		s.right(u, mu)
		s.project(u)
		s.draw(u, s.dy)
	}
	s.endPass(s.rhs, s.prog.pairs)
	for k := range s.rhs {
		s.rhs[k] += s.rp[k] + (mu-s.corrRow[k]-s.t[k]*s.pi[k])/s.pi[k]
	}
	clear(s.dpi)
	for try := 0; ; try++ {
		s.priceStep(mu)
		if s.missing() <= refineBelow || try == refinements {
			return
		}
	}
}

// refinements is how often a direction is refined at most, and refineBelow
// the violation of the linearised capacity rows that is left as it is. Where
// several users share several servers alike, the matrix holds entries that
// differ by the inverse of the complementarity, and one solution is not
// enough for the last digits.
const (
	refinements = 3
	refineBelow = 1e-11
)

// priceStep solves for a step of the prices from the right-hand side, adds it
// to dpi, takes what it costs off h, and computes all other steps from these.
func (s *Nash) priceStep(mu float64) {
	s.solvePrices()
	floats.Add(s.dpi, s.mean)
	for k := range s.dpi {
		s.dt[k] = (mu - s.corrRow[k] - s.t[k]*s.pi[k] - s.t[k]*s.dpi[k]) / s.pi[k]
	}
	s.prices.set(&s.prog, s.mean)
	s.beginPass()
	s.step = columnStep{primal: farther, dual: farther}
	for i := range s.users {
		u := &s.users[i]
		if s.prog.pairs {
			s.backPairs(u, mu)
		} else {
			h := s.h[u.first:u.last]
			s.prices.each(u.j, s.server[u.first:u.last], s.cost)
			for c, cost := range s.cost[:len(h)] {
				h[c] -= cost
			}
			s.back(u, mu)
			s.draw(u, s.dy)
		}
		s.rest(u, mu)
	}
}

// missing puts into rhs what the direction leaves of the linearised capacity
// rows, A·Δy + Δt + (what is missing now), and returns the largest.
func (s *Nash) missing() float64 {
	s.endPass(s.rhs, s.prog.pairs)
	worst := 0.0
	for k := range s.rhs {
		s.rhs[k] += s.dt[k] + s.rp[k]
		worst = max(worst, math.Abs(s.rhs[k]))
	}
	return worst
}

// constant sets the part of a user's right-hand side that is the same on all its columns.
func (s *Nash) constant(u *nashUser, mu float64) {
	u.shift = (u.weight-u.corrP)*u.per - u.nu
	if !math.IsInf(u.cap, 1) {
		rc := u.u + u.room - u.cap
		u.shift -= (mu - u.corr - u.nu*u.room + u.nu*rc) / u.room
	}
}

// right sets h to the user's right-hand side g.
func (s *Nash) right(u *nashUser, mu float64) {
	q, per := s.q[u.first:u.last], s.per[u.first:u.last]
	h, corr := s.h[u.first:u.last], s.corr[u.first:u.last]
	dy, dz := s.dy[u.first:u.last], s.dz[u.first:u.last]
	for c, cost := range q {
		corr[c] = s.second * dy[c] * dz[c]
		// −(q + ν − p − z) + (μ − corr − yz)/y + (w − up)/u, with p and z
		// cancelled.
		h[c] = u.shift - cost + (mu-corr[c])*per[c]
	}
}

// project sets dy to M⁻¹·h.
func (s *Nash) project(u *nashUser) {
	e, h, dy := s.e[u.first:u.last], s.h[u.first:u.last], s.dy[u.first:u.last]
	lead, mean := s.h[u.key], 0.0
	for c, weight := range e {
		mean += weight * (h[c] - lead)
	}
	mean *= u.perE // of h − h[key]
	level := (lead + mean) * u.damp
	for c, weight := range e {
		dy[c] = weight * (h[c] - lead - mean + level)
	}
}

// back computes the step of a user's columns; h holds g − Aᵀ·Δπ.
func (s *Nash) back(u *nashUser, mu float64) {
	s.project(u)
	u.du = 0
	y, z := s.y[u.first:u.last], s.z[u.first:u.last]
	dy, dz := s.dy[u.first:u.last], s.dz[u.first:u.last]
	corr, per := s.corr[u.first:u.last], s.per[u.first:u.last]
	st := s.step
	for c, d := range dy {
		u.du += d
		zd := z[c] * d
		e := (mu-corr[c]-zd)*per[c] - z[c]
		dz[c] = e
		st.zdy, st.ydz, st.dydz = st.zdy+zd, st.ydz+y[c]*e, st.dydz+d*e
		if d < 0 && -y[c] > st.primal*d {
			st.primal = -y[c] / d
		}
		if e < 0 && -z[c] > st.dual*e {
			st.dual = -z[c] / e
		}
	}
	s.step = st
}

// rest computes from a user's step, which is known for its columns, that of its other
// variables.
func (s *Nash) rest(u *nashUser, mu float64) {
	u.dp = (u.weight-u.corrP-u.p*u.du)*u.per - u.p
	u.droom, u.dnu = 0, 0
	if !math.IsInf(u.cap, 1) {
		u.droom = -(u.u + u.room - u.cap) - u.du
		u.dnu = (mu-u.corr-u.nu*u.droom)/u.room - u.nu
	}
}
