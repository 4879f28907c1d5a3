package solve

import (
	"math"
	"slices"
)

// NashServer maximises Nash welfare on one server whose users have no task caps and
// weigh the same:
//
//	maximise Σ_j log y[j]  subject to  Σ_j a[j,r]·y[j] ≤ 1 for each of l resources.
//
// It is [Nash] for a program so small that its l prices are all there is to find.
// The zero value is ready; it is not safe for concurrent use.
//
// At prices p user j takes y[j] = 1/q[j] with q[j] = Σ_r p[r]·a[j,r]. The prices
// solve the dual program
//
//	minimise φ(p) = Σ_r p[r] − Σ_j log q[j]  over p ≥ 0,
//
// which is convex. Its gradient is 1 − used[r], used[r] = Σ_j a[j,r]/q[j], and its
// second derivative Σ_j a[j,r]·a[j,r']/q[j]². Newton's steps are taken in the prices
// that are above 0 or should rise, cut off at 0 and halved until φ falls. The first
// prices are those of the last program: servers of a random association are alike.
//
// Reference: Bertsekas, Projected Newton methods for optimization problems with
// simple constraints, SIAM J. Control Optim. 20 (1982).
type NashServer struct {
	Steps int // Newton's, of the last program

	need         []float64 // a, user-major
	price, trial []float64 // p, and after the step at hand
	q, to        []float64 // the same of q
	used, step   []float64 // per price
	second       []float64 // φ”, lower triangle
	free         []int     // the resources whose prices the model leaves free
	factor       []float64 // Cholesky's, of their part of φ”
	right        []float64
}

// The steps after which Solve gives up, and the gap per user that it accepts. Three
// to eight steps reach about 1e-15.
const (
	nashServerSteps = 50
	nashServerGap   = 1e-12
	// nashServerRidge is added to φ”, relative to its diagonal: fewer users than
	// prices leave some of these open.
	nashServerRidge = 1e-12
)

// Solve fills in y for the needs a, l to a user, each at least 0 and finite and the
// largest of a user 1. No capacity is exceeded beyond rounding. gap bounds
// Σ log y* − Σ log y, and so |y/y* − 1| ≤ √(2·gap) + gap for every user; ok says
// that it is at most 1e-12 a user. Where it is not, y is not to be used: [Nash] has
// more patience.
func (s *NashServer) Solve(need []float64, l int, y []float64) (gap float64, ok bool) {
	s.start(need, l, len(y))
	limit := nashServerGap * float64(len(y))
	gap = math.Inf(1)
	for s.Steps = 0; ; s.Steps++ {
		now, over := s.measure()
		improved := now < gap/2
		if now < gap {
			gap = now
			for j, q := range s.q {
				y[j] = 1 / (q * over)
			}
		}
		if gap <= limit && !improved || s.Steps == nashServerSteps || !s.advance() {
			break
		}
	}
	return gap, gap <= limit
}

// start takes the last prices, if they are of as many resources, scaled to the
// number of users: at the optimum Σ_r p[r] is just that.
func (s *NashServer) start(need []float64, l, users int) {
	s.need, s.q, s.to = need, resize(s.q, users), resize(s.to, users)
	s.used, s.step, s.trial = resize(s.used, l), resize(s.step, l), resize(s.trial, l)
	s.second = resize(s.second, l*l)
	sum := 0.0
	for _, p := range s.price {
		sum += p
	}
	if len(s.price) != l || !(sum > 0) {
		s.price, sum = resize(s.price, l), 0
	}
	for r := range s.price {
		// A part for each resource, so that every user pays for something.
		if sum == 0 {
			s.price[r] = float64(users) / float64(l)
		} else {
			s.price[r] = float64(users) * (0.98*s.price[r]/sum + 0.02/float64(l))
		}
	}
	s.charge(s.price, s.q)
}

// charge fills in q.
func (s *NashServer) charge(price, q []float64) {
	l := len(price)
	for j := range q {
		sum := 0.0
		for r, a := range s.need[j*l : (j+1)*l] {
			sum += a * price[r]
		}
		q[j] = sum
	}
}

// measure computes what is used and the gap:
//
//	φ(p) − n − Σ_j log y[j] = Σ_r p[r]·(1 − used[r]) + n·log over  for  y = 1/(q·over)
//
// since Σ_r p[r]·used[r] is the number of users n. over, at least 1, brings y into
// the region.
func (s *NashServer) measure() (gap, over float64) {
	l, n := len(s.price), float64(len(s.q))
	clear(s.used)
	for j, q := range s.q {
		for r, a := range s.need[j*l : (j+1)*l] {
			s.used[r] += a / q
		}
	}
	over = 1
	for r, used := range s.used {
		over = max(over, used)
		gap += s.price[r] * (1 - used)
	}
	rounding := n * (n + float64(l) + 4) * unitRounding
	return max(gap+n*math.Log(over), 0) + rounding, over
}

// advance takes a step of Newton's method; false if none lowers φ.
func (s *NashServer) advance() bool {
	s.curve()
	if !s.direction() {
		return false
	}
	for part := 1.0; part > 1e-6; part /= 2 {
		if s.try(part) {
			return true
		}
	}
	return false
}

// curve computes φ”, the lower triangle.
func (s *NashServer) curve() {
	l := len(s.price)
	clear(s.second)
	for j, q := range s.q {
		a, f := s.need[j*l:(j+1)*l], 1/(q*q)
		for r, x := range a {
			row, x := s.second[r*l:r*l+r+1], x*f
			for i := range row {
				row[i] += x * a[i]
			}
		}
	}
}

// direction minimises the second-order model of φ over the steps that keep prices
// above 0: prices that would fall below are taken to 0, and the others solved for
// anew.
func (s *NashServer) direction() bool {
	s.free = s.free[:0]
	for r, p := range s.price {
		s.step[r] = 0
		if p > 0 || s.used[r] > 1 {
			s.free = append(s.free, r)
		}
	}
	for {
		if !s.solveFree() {
			return false
		}
		kept := s.free[:0]
		for _, r := range s.free {
			if s.price[r]+s.step[r] > 0 {
				kept = append(kept, r)
			} else {
				s.step[r] = -s.price[r]
			}
		}
		if len(kept) == len(s.free) {
			return true
		}
		s.free = kept
	}
}

// solveFree solves φ”·step = used − 1 for the free prices, the steps of the others
// being given, by Cholesky's method.
func (s *NashServer) solveFree() bool {
	l, k := len(s.price), len(s.free)
	s.factor, s.right = resize(s.factor, k*k), resize(s.right, k)
	h, x := s.factor, s.right
	for i, r := range s.free {
		x[i] = s.used[r] - 1
		for fixed, step := range s.step {
			if !slices.Contains(s.free, fixed) {
				x[i] -= s.second[max(r, fixed)*l+min(r, fixed)] * step
			}
		}
		for i2, r2 := range s.free[:i+1] {
			v := s.second[r*l+r2]
			if i == i2 {
				v *= 1 + nashServerRidge
			}
			for i3 := range i2 {
				v -= h[i*k+i3] * h[i2*k+i3]
			}
			if i2 < i {
				v /= h[i2*k+i2]
				x[i] -= v * x[i2]
			} else if !(v > 0) {
				return false
			} else {
				v = math.Sqrt(v)
				x[i] /= v
			}
			h[i*k+i2] = v
		}
	}
	for i := k - 1; i >= 0; i-- {
		for i2 := i + 1; i2 < k; i2++ {
			x[i] -= h[i2*k+i] * x[i2]
		}
		x[i] /= h[i*k+i]
		s.step[s.free[i]] = x[i]
	}
	return true
}

// try goes a part of the step, and stays there if φ is not larger by more than
// rounding.
func (s *NashServer) try(part float64) bool {
	change := 0.0
	for r, p := range s.price {
		s.trial[r] = max(0, p+part*s.step[r])
		change += s.trial[r] - p
	}
	s.charge(s.trial, s.to)
	ratio := 1.0
	for j, to := range s.to {
		// One logarithm for several users, as long as the product is in range.
		if ratio *= to / s.q[j]; !(ratio > 1e-100 && ratio < 1e100) {
			if !(ratio > 0) {
				return false
			}
			change -= math.Log(ratio)
			ratio = 1
		}
	}
	if change -= math.Log(ratio); !(change <= 1e-13*float64(len(s.q))) {
		return false
	}
	s.q, s.to = s.to, s.q
	s.price, s.trial = s.trial, s.price
	return true
}
