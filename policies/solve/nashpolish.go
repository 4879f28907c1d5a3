package solve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Polishing. At the end of the central path it is known which capacities have a
// price and which servers a user works on, and the optimum is the solution of
// equations:
//
//	Σ a·x = c                 for every capacity with a price π > 0,
//	Σ π·a = w[j]/x[j]         for every server s that user j works on,
//	x[j]  = n[j]              instead, where the task cap binds.
//
// Newton steps solve them, with the matrix of the last step of the interior
// point method, which near the optimum is nearly theirs. Its factor is a few
// digits off, and so each step gains a few digits; what is right to the last
// digit is the residual, computed in 32 digits from the numbers of the
// environment. So are x and π kept. Prices and work that are 0 in the optimum
// are 0 exactly.

// fine is the point that is polished.
type fine struct {
	work   []double // per column: tasks
	basic  []bool   // per column: worked on
	cost   []double // per column worked on: price of a task
	price  []double // per row: price of a unit of the capacity
	active []bool   // per row: has a price
	used   []double // per row
	zone   []double // per zone: scratch of one user
	total  []double // per user: tasks
	capped []bool   // per user: the task cap binds
	over   float64  // by how much the point exceeds a constraint, relative
	gap    float64  // of the point scaled back into the region, relative to Σ w
	off    float64  // bound of the totals' relative error, see totalsBound
	// negative says that work or a price is below 0: the gap is then no bound.
	negative bool
}

const (
	// polishBelow is the gap of the interior point at which polishing is tried.
	polishBelow = 1e-6
	// polishTarget is the relative error of the totals at which it stops.
	polishTarget = 1e-10
	// polishSteps is the number of Newton steps that are tried with a matrix,
	// and polishSets how many matrices.
	polishSteps, polishSets = 40, 6
	// doubt is the ratio of two numbers whose product vanishes up to which
	// both may be 0 in the optimum.
	doubt = 1e3
	// stiff is how much easier it is in a matrix of polishing to move work
	// between servers than to change a total.
	stiff = 1e5
	// sharp is the same for a matrix that is made when the point is within sharpBelow: from
	// there work moves by less than that, and each step doubles the digits.
	sharp, sharpBelow = 1e8, 1e-2
)

// leastWork are the least parts of a user's work that a server counts for in a
// matrix of polishing, one after the other: with more, work that is nearly 0
// can grow, with less it stays.
var leastWork = [...]float64{0.1, 0.01, 1, 0.001}

// polish takes Newton steps from the present point and keeps what is better
// than the result so far. It reports whether the totals are then known to
// polishTarget. The point of the interior method stays as it was.
//
// If it is not clear what is 0 (a capacity may be used up and yet have no price,
// say), or the matrix at hand does not do, matrices of its own are made: then
// everything in doubt is let in, and taken out when it becomes negative.
func (s *Nash) polish() bool {
	// 1. Where it is clear what is 0: with the matrix at hand.
	if s.identify(1) && s.refineAtHand() {
		return true
	}
	// 2. Else with matrices of its own, until none changes what is 0.
	s.identify(doubt)
	s.tries++
	for range polishSets {
		s.spread(stiff, leastWork[s.tries%len(leastWork)])
		s.assemble()
		if !s.factorize() {
			break
		}
		done, changed := s.refine(false)
		if done {
			return true
		}
		if !changed {
			break
		}
	}
	clear(s.dy)
	return false
}

// refineAtHand refines with the matrix of the last step, on what is worked on
// alone.
func (s *Nash) refineAtHand() bool {
	for c, basic := range s.fine.basic {
		if !basic {
			s.e[c] = 0
		}
	}
	for i := range s.users {
		s.lead(&s.users[i])
	}
	done, _ := s.refine(true)
	return done
}

// refine takes Newton steps with the matrix at hand; if it may, it makes a sharper one
// once, where the point is close. It reports whether they
// reached polishTarget, and whether what is not 0 has changed. What is 0 in the
// optimum may be a little below it on the way; only at the end is it set to 0.
func (s *Nash) refine(may bool) (done, changed bool) {
	f, before := &s.fine, math.Inf(1)
	for range polishSteps {
		// 1. Bound the distance of the point from the optimum. What is below 0 where the
		// bound is good enough is set to 0.
		s.measure()
		if f.off <= polishTarget && f.negative {
			changed = s.exchange()
			s.measure()
		}
		if f.gap < s.best && !f.negative {
			s.keepFine()
		}
		// 2. End at the target, or where the steps stop converging.
		if s.off <= polishTarget {
			return true, changed
		}
		if changed || !(f.off <= 0.7*before) {
			break
		}
		// 3. Take a Newton step.
		if may && f.off <= sharpBelow {
			if may = false; !s.sharpen() {
				break
			}
		}
		before = f.off
		s.newton()
	}
	return false, s.exchange() || changed || s.drop()
}

// identify guesses from the present point what is worked on and what has a
// price: of two numbers whose product vanishes, the larger one does not, and
// both are let in where they are within a factor of margin. It reports whether
// none is within a factor of doubt.
func (s *Nash) identify(margin float64) (sure bool) {
	f := &s.fine
	f.resize(len(s.y), len(s.pi), len(s.users))
	sure = true
	positive := func(a, b float64) bool {
		sure = sure && (a > doubt*b || b > doubt*a)
		return a*margin > b
	}
	for k, price := range s.pi {
		f.active[k], f.price[k] = positive(price, s.t[k]*s.total), double{}
		if f.active[k] {
			f.price[k].hi = price * s.unit(k)
		}
	}
	for i := range s.users {
		u := &s.users[i]
		f.capped[i] = !math.IsInf(u.cap, 1) && positive(u.nu*u.u, u.p*u.room)
		for c := u.first; c < u.last; c++ {
			f.basic[c] = positive(s.y[c]*u.p, s.z[c]*u.u)
		}
		s.begin(u)
	}
	return sure
}

// begin sets the work of a user to that of the present point, where it works.
// It works somewhere.
func (s *Nash) begin(u *nashUser) {
	f := &s.fine
	f.basic[u.first+floats.MaxIdx(s.y[u.first:u.last])] = true
	for c := u.first; c < u.last; c++ {
		f.work[c] = double{}
		if f.basic[c] {
			f.work[c].hi = s.y[c] * s.prog.scale[u.j]
		}
	}
}

func (f *fine) resize(columns, rows, users int) {
	f.work, f.cost, f.basic = resize(f.work, columns), resize(f.cost, columns), resize(f.basic, columns)
	f.price, f.active, f.used = resize(f.price, rows), resize(f.active, rows), resize(f.used, rows)
	f.total, f.capped = resize(f.total, users), resize(f.capped, users)
}

// spread sets the weights of a matrix for what is not 0 alone.
func (s *Nash) spread(stiffness, least float64) {
	f := &s.fine
	for i := range s.users {
		u := &s.users[i]
		one := u.u / u.p
		for c := u.first; c < u.last; c++ {
			s.e[c] = 0
			if f.basic[c] {
				s.e[c] = stiffness * one * max(s.y[c]/u.u, least)
			}
		}
		u.kappa = 1 / one
		if f.capped[i] {
			u.kappa *= stiff * stiff
		}
		s.lead(u)
	}
	s.rule()
}

// rule sets the weights of the rows of a matrix of polishing.
func (s *Nash) rule() {
	for k, active := range s.fine.active {
		s.diag[k] = 1 / (stiff * stiff * s.total)
		if !active {
			s.diag[k] = stiff * stiff * stiff * stiff / s.total
		}
	}
}

// sharpen makes the matrix at hand, whose steps have come close, one of polishing, with
// the work of each user divided among its servers as it is in it.
func (s *Nash) sharpen() bool {
	for i := range s.users {
		u := &s.users[i]
		one := u.u / u.p
		floats.Scale(sharp*one*u.perE, s.e[u.first:u.last])
		u.kappa = 1 / one
		if s.fine.capped[i] {
			u.kappa *= stiff * stiff
		}
		s.lead(u)
	}
	s.rule()
	s.assemble()
	return s.factorize()
}

// newton takes a step of all that is not 0: it solves
//
//	(Σ_j A_j·M_j⁻¹·A_jᵀ + diag)·Δπ = Σ_j A_j·M_j⁻¹·mismatch_j − slack,
//	Δx_j = M_j⁻¹·(mismatch_j − A_jᵀ·Δπ).
//
// A row without a price keeps none, but its part of Δπ counts for Δx: it keeps
// work from going where it does not fit.
func (s *Nash) newton() {
	f, pairs := &s.fine, s.prog.pairs && !s.stale
	s.beginPass()
	for i := range s.users {
		u := &s.users[i]
		s.mismatch(i)
		if pairs {
			s.projectPairs(u)
			continue
		}
		s.project(u)
		s.draw(u, s.dy)
	}
	s.endPass(s.rhs, pairs)
	for k, active := range f.active {
		if active {
			s.rhs[k] -= s.slack(k) * s.unit(k)
		}
	}
	s.solvePrices()
	for k, active := range f.active {
		if active {
			f.price[k] = f.price[k].plus(s.mean[k] * s.unit(k))
		}
	}
	s.prices.set(&s.prog, s.mean)
	for i := range s.users {
		if pairs {
			s.shiftPairs(&s.users[i])
		} else {
			s.shift(&s.users[i])
		}
	}
}

// shift moves the work of a user by the step that newton has found.
func (s *Nash) shift(u *nashUser) {
	f := &s.fine
	s.prices.each(u.j, s.server[u.first:u.last], s.cost)
	for c := u.first; c < u.last; c++ {
		if f.basic[c] {
			s.h[c] -= s.cost[c-u.first]
		}
	}
	s.project(u)
	for c := u.first; c < u.last; c++ {
		if f.basic[c] {
			f.work[c] = f.work[c].plus(s.dy[c] * s.prog.scale[u.j])
		}
	}
}

// mismatch sets h to what the costs of user number i differ from its marginal
// welfare, for one whose cap binds from each other.
func (s *Nash) mismatch(i int) {
	f, u := &s.fine, &s.users[i]
	scale := s.prog.scale[u.j]
	short := 0.0
	if f.capped[i] {
		short = u.kappa * double{s.env.Users[u.j].Tasks, 0}.sub(f.total[i]).hi / scale
	}
	for c := u.first; c < u.last; c++ {
		switch {
		case !f.basic[c]:
			s.h[c] = 0
		case f.capped[i]:
			s.h[c] = f.cost[u.key].sub(f.cost[c]).hi*scale + short
		default:
			s.h[c] = double{u.weight, 0}.sub(f.cost[c].mul(f.total[i])).hi / f.total[i].hi * scale
		}
	}
}

// exchange takes out what has become negative and lets in what is violated: a
// capacity, a cheaper server, a task cap. It reports whether there was anything.
func (s *Nash) exchange() (changed bool) {
	f := &s.fine
	for k := range f.price {
		switch {
		case f.active[k] && f.price[k].hi < 0:
			f.price[k], f.active[k], changed = double{}, false, true
		case !f.active[k] && s.slack(k) < 0:
			f.active[k], changed = true, true
		}
	}
	for i := range s.users {
		changed = s.exchangeUser(i) || changed
	}
	return changed
}

// exchangeUser is exchange for user number i.
func (s *Nash) exchangeUser(i int) (changed bool) {
	f, u := &s.fine, &s.users[i]
	n := s.env.Users[u.j].Tasks
	s.linkCosts(u.j)
	if f.capped[i] && f.cost[u.key].hi*n > u.weight || !f.capped[i] && f.total[i].hi > n {
		f.capped[i], changed = !f.capped[i], true
	}
	for c := u.first; c < u.last; c++ {
		switch {
		case f.basic[c] && f.work[c].hi < 0:
			f.work[c], f.basic[c], changed = double{}, false, true
		case !f.basic[c] && s.taskCost(u.j, s.server[c]).sub(f.cost[u.key]).hi < 0:
			f.basic[c], changed = true, true
		}
	}
	return changed
}

// drop takes out what contributes most to the gap: where several capacities, or
// several servers of a user, are the same up to rounding, the conditions of all of
// them together have no solution. It reports whether there was anything.
func (s *Nash) drop() bool {
	f, worst, row, column := &s.fine, 0.0, -1, -1
	for k, active := range f.active {
		if lost := s.slack(k) * f.price[k].hi; active && lost > worst {
			worst, row = lost, k
		}
	}
	for i := range s.users {
		u := &s.users[i]
		least := s.costs(i)
		for c := u.first; c < u.last; c++ {
			if lost := f.work[c].hi * f.cost[c].sub(least).hi; f.basic[c] && lost > worst {
				worst, row, column = lost, -1, c
			}
		}
	}
	switch {
	case row >= 0:
		f.price[row], f.active[row] = double{}, false
	case column >= 0:
		f.work[column], f.basic[column] = double{}, false
	}
	return worst > 0
}
