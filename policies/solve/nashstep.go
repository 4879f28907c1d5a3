package solve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// advance makes one predictor-corrector step. It reports false where the system cannot be
// solved.
func (s *Nash) advance() bool {
	// 1. The Newton system at the present point, which has the mean product mu.
	mu, count := s.complementarity(0, 0)
	mu /= count
	s.weigh()
	s.assemble()
	if !s.factorize() {
		return false
	}
	// 2. Predict: how small mu becomes in a step straight to the optimum.
	s.correct(0)
	s.direction(0)
	primal, dual := s.stepLength(1)
	affine, _ := s.complementarity(primal, dual)
	sigma := max(s.centering, min(1, math.Pow(affine/count/mu, 3)))
	// 3. Correct: to the part sigma of mu, with the second-order terms of that step.
	damp := min(0.9995, max(0.9, 1-10*mu))
	s.correct(primal * dual)
	s.direction(sigma * mu)
	primal, dual = s.stepLength(damp)
	if min(primal, dual) < shortStep {
		// The second-order terms do not help here: towards the centre instead.
		s.correct(0)
		s.direction(max(sigma, 0.5) * mu)
		primal, dual = s.stepLength(damp)
	}
	// 4. Move, each half as far as its variables stay positive.
	s.move(primal, dual)
	return true
}

// shortStep is the step length below which a corrector step is thought to
// have failed.
const shortStep = 0.2

// complementarity returns Σ of all products after a step of the given
// lengths, and how many there are.
func (s *Nash) complementarity(primal, dual float64) (sum, count float64) {
	sum = s.yz + primal*s.step.zdy + dual*s.step.ydz + primal*dual*s.step.dydz
	for k := range s.t {
		sum += (s.t[k] + primal*s.dt[k]) * (s.pi[k] + dual*s.dpi[k])
	}
	count = float64(len(s.y) + len(s.t))
	for i := range s.users {
		if u := &s.users[i]; !math.IsInf(u.cap, 1) {
			sum += (u.room + primal*u.droom) * (u.nu + dual*u.dnu)
			count++
		}
	}
	return sum, count
}

// correct stores f times the second-order terms of the last direction; those of the users
// and columns follow in direction.
func (s *Nash) correct(f float64) {
	s.second = f
	for k := range s.corrRow {
		s.corrRow[k] = f * s.dt[k] * s.dpi[k]
	}
}

// stepLength returns the longest primal and dual steps that keep the point
// inside, times damp, at most 1.
func (s *Nash) stepLength(damp float64) (primal, dual float64) {
	primal, dual = min(1/damp, s.step.primal), min(1/damp, s.step.dual)
	for k := range s.t {
		primal, dual = within(primal, s.t[k], s.dt[k]), within(dual, s.pi[k], s.dpi[k])
	}
	for i := range s.users {
		u := &s.users[i]
		dual = within(dual, u.p, u.dp)
		if !math.IsInf(u.cap, 1) {
			primal, dual = within(primal, u.room, u.droom), within(dual, u.nu, u.dnu)
		}
	}
	return min(1, primal*damp), min(1, dual*damp)
}

// within returns length, or, if it is shorter, the length of a step at which v reaches 0.
func within(length, v, dv float64) float64 {
	if -v >= length*dv && dv < 0 {
		return min(length, -v/dv)
	}
	return length
}

// move takes a step of the given lengths.
func (s *Nash) move(primal, dual float64) {
	floats.AddScaled(s.y, primal, s.dy)
	floats.AddScaled(s.z, dual, s.dz)
	floats.AddScaled(s.t, primal, s.dt)
	floats.AddScaled(s.pi, dual, s.dpi)
	for i := range s.users {
		u := &s.users[i]
		u.p += dual * u.dp
		if !math.IsInf(u.cap, 1) {
			u.room += primal * u.droom
			u.nu += dual * u.dnu
		}
	}
}
