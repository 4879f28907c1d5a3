package solve

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// The Newton system. With E = diag(y/z), 1 the vector of ones and
// κ = p/u + ν/room, a user's step is
//
//	Δy = M⁻¹·(g − Aᵀ·Δπ),  M = E⁻¹ + κ·1·1ᵀ,
//
// where p, the marginal welfare of user j, is a variable of its own: the
// condition u·p = w is linearised like the products y·z = μ, which keeps the
// dual conditions linear. The prices solve (Σ_j A_j·M_j⁻¹·A_jᵀ + diag(t/π))·Δπ = right-hand side.
// Near the optimum E is huge for the servers in use, and A·E·Aᵀ minus its
// rank-one correction would cancel. So the differences δ[s] = a[s] − a[key] to
// the column of the user's key, its server with the largest E, are used:
//
//	A·M⁻¹·Aᵀ = Σ_s E[s]·δ[s]·δ[s]ᵀ − ω·ωᵀ/ε + m·mᵀ·ε/(1+κ·ε),
//
// with ε = ΣE, ω = Σ_s E[s]·δ[s] and the mean column m = a[key] + ω/ε.

// assemble builds the upper triangle of the matrix from the weights of the
// columns, rows and users.
func (s *Nash) assemble() {
	k := s.prog.rows()
	clear(s.schur)
	for i, v := range s.diag {
		s.schur[i*k+i] = v
	}
	for i := range s.users {
		u := &s.users[i]
		clear(s.w)
		key := s.server[u.key]
		rest := 0.0
		for c := u.first; c < u.last; c++ {
			if c == u.key || s.e[c] == 0 {
				continue
			}
			s.difference(u.j, s.server[c], key, s.e[c])
			s.scatter(s.w, u.j, s.server[c], s.e[c])
			rest += s.e[c]
		}
		s.scatter(s.w, u.j, key, -rest)
		s.square(u.j, key, key, rest)
		copy(s.mean, s.w)
		floats.Scale(1/u.sumE, s.mean)
		s.scatter(s.mean, u.j, key, 1)
		s.rankOne(s.w, -1/u.sumE)
		s.rankOne(s.mean, u.sumE/(1+u.kappa*u.sumE))
	}
}

// weigh sets the weights of a step of the interior point method: t/π of the
// rows, E of the columns and κ of the users.
func (s *Nash) weigh() {
	for k := range s.diag {
		s.diag[k] = s.t[k] / s.pi[k]
	}
	for i := range s.users {
		u := &s.users[i]
		for c := u.first; c < u.last; c++ {
			s.e[c] = s.y[c] / s.z[c]
		}
		s.lead(u)
		u.kappa = u.p / u.u
		if !math.IsInf(u.cap, 1) {
			u.kappa += u.nu / u.room
		}
	}
}

// lead sums E over the columns of a user and makes the one of the most weight
// its key.
func (s *Nash) lead(u *nashUser) {
	u.sumE, u.key = 0, u.first
	for c := u.first; c < u.last; c++ {
		u.sumE += s.e[c]
		if s.e[c] > s.e[u.key] {
			u.key = c
		}
	}
}

// difference adds e·(δδᵀ − a_key·a_keyᵀ restricted to the key's own block and
// links) for the server v; the part of the key alone is the same for all
// servers of a user and is added once, by square.
func (s *Nash) difference(j, v, key int, e float64) {
	s.square(j, v, v, e)
	s.square(j, min(v, key), max(v, key), -e)
	s.linkCross(j, v, key, e)
}

// square adds e·a[v]·a[w]ᵀ restricted to the rows of the servers v ≤ w; for
// v = w also nothing but the upper triangle.
func (s *Nash) square(j, v, w int, e float64) {
	p, k := &s.prog, s.prog.rows()
	dv, dw := p.at(j, v), p.at(j, w)
	for r, a := range dv {
		x := e * a * p.inv[v*p.res+r]
		if x == 0 {
			continue
		}
		row := s.schur[(v*p.res+r)*k:]
		for q, b := range dw {
			if v != w || q >= r {
				row[w*p.res+q] += x * b * p.inv[w*p.res+q]
			}
		}
	}
}

// linkCross adds e times what the links contribute to δδᵀ: nothing where both
// servers are behind the same links.
func (s *Nash) linkCross(j, v, key int, e float64) {
	p := &s.prog
	if p.zone[v] == p.zone[key] {
		return
	}
	k, base := p.rows(), p.servers*p.res
	for l := range p.links {
		d := s.linkDelta(j, v, key, l)
		if d == 0 {
			continue
		}
		for r, a := range p.at(j, v) {
			s.schur[(v*p.res+r)*k+base+l] += e * a * p.inv[v*p.res+r] * d
		}
		for r, a := range p.at(j, key) {
			s.schur[(key*p.res+r)*k+base+l] -= e * a * p.inv[key*p.res+r] * d
		}
		for m := l; m < p.links; m++ {
			s.schur[(base+l)*k+base+m] += e * d * s.linkDelta(j, v, key, m)
		}
	}
}

// linkDelta returns δ at link l: the demand where only v is behind it, its
// negative where only the key is.
func (s *Nash) linkDelta(j, v, key, l int) float64 {
	d := 0.0
	for _, e := range s.prog.zones[s.prog.zone[v]] {
		if e == l {
			d++
		}
	}
	for _, e := range s.prog.zones[s.prog.zone[key]] {
		if e == l {
			d--
		}
	}
	return d * s.prog.link[j*s.prog.links+l]
}

// rankOne adds f·v·vᵀ to the upper triangle.
func (s *Nash) rankOne(v []float64, f float64) {
	k := len(v)
	for i, a := range v {
		if a != 0 {
			floats.AddScaled(s.schur[i*k+i:(i+1)*k], f*a, v[i:])
		}
	}
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
	s.factor = resize(s.factor, k*k)
	for try := 0; try < 4; try++ {
		copy(s.factor, s.schur)
		upper := blas64.Symmetric{N: k, Stride: max(1, k), Data: s.factor, Uplo: blas.Upper}
		var ok bool
		if s.chol, ok = lapack64.Potrf(upper); ok {
			return true
		}
		ridge := math.Pow(10, float64(2*try-14))
		for i := range k {
			s.schur[i*k+i] += ridge
		}
	}
	return false
}

// direction computes the step towards complementarity products of mu. The
// scaling that factorize left in s.w stays valid until the next assemble.
func (s *Nash) direction(mu float64) {
	copy(s.rhs, s.rp)
	for k := range s.rhs {
		s.rhs[k] += (mu - s.corrRow[k] - s.t[k]*s.pi[k]) / s.pi[k]
	}
	s.prices.set(&s.prog, s.pi)
	for i := range s.users {
		u := &s.users[i]
		s.right(u, mu)
		s.project(u)
		for c := u.first; c < u.last; c++ {
			s.scatter(s.rhs, u.j, s.server[c], s.dy[c])
		}
	}
	clear(s.dpi)
	for try := 0; ; try++ {
		s.priceStep()
		for k := range s.dpi {
			s.dt[k] = (mu - s.corrRow[k] - s.t[k]*s.pi[k] - s.t[k]*s.dpi[k]) / s.pi[k]
		}
		for i := range s.users {
			s.back(&s.users[i], mu)
		}
		if try == refinements || s.missing() <= refineBelow {
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
// to dpi and takes what it costs off h.
func (s *Nash) priceStep() {
	s.solvePrices()
	floats.Add(s.dpi, s.mean)
	s.prices.set(&s.prog, s.mean)
	for i := range s.users {
		u := &s.users[i]
		for c := u.first; c < u.last; c++ {
			s.h[c] -= s.prices.on(u.j, s.server[c])
		}
	}
}

// missing puts into rhs what the direction leaves of the linearised capacity
// rows, A·Δy + Δt + (what is missing now), and returns the largest.
func (s *Nash) missing() float64 {
	s.usage(s.dy, s.rhs)
	worst := 0.0
	for k := range s.rhs {
		s.rhs[k] += s.dt[k] + s.rp[k]
		worst = max(worst, math.Abs(s.rhs[k]))
	}
	return worst
}

// right sets h to the user's right-hand side g.
func (s *Nash) right(u *nashUser, mu float64) {
	u.shift = (u.weight-u.corrP)/u.u - u.nu
	if !math.IsInf(u.cap, 1) {
		rc := u.u + u.room - u.cap
		u.shift -= (mu - u.corr - u.nu*u.room + u.nu*rc) / u.room
	}
	for c := u.first; c < u.last; c++ {
		// −(q + ν − p − z) + (μ − corr − yz)/y + (w − up)/u, with p and z
		// cancelled.
		s.h[c] = u.shift - s.prices.on(u.j, s.server[c]) + (mu-s.corr[c])/s.y[c]
	}
}

// project sets dy to M⁻¹·h.
func (s *Nash) project(u *nashUser) {
	mean := 0.0
	for c := u.first; c < u.last; c++ {
		mean += s.e[c] * (s.h[c] - s.h[u.key])
	}
	mean /= u.sumE // of h − h[key]
	level := (s.h[u.key] + mean) / (1 + u.kappa*u.sumE)
	for c := u.first; c < u.last; c++ {
		s.dy[c] = s.e[c] * (s.h[c] - s.h[u.key] - mean + level)
	}
}

// back computes a user's step; h holds g − Aᵀ·Δπ.
func (s *Nash) back(u *nashUser, mu float64) {
	s.project(u)
	u.du = 0
	for c := u.first; c < u.last; c++ {
		u.du += s.dy[c]
		s.dz[c] = (mu-s.corr[c]-s.z[c]*s.dy[c])/s.y[c] - s.z[c]
	}
	u.dp = (u.weight-u.corrP-u.p*u.du)/u.u - u.p
	u.droom, u.dnu = 0, 0
	if !math.IsInf(u.cap, 1) {
		u.droom = -(u.u + u.room - u.cap) - u.du
		u.dnu = (mu-u.corr-u.nu*u.droom)/u.room - u.nu
	}
}
