package solve

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Users that come and go. The last optimum says what has a price and who works where, and
// one user changes little of it: Newton steps from there, of the kind that polish the end
// of the central path, solve the equations of the new optimum (see nashpolish.go), each
// with a matrix of its own point. Whatever does not come to a certified end in a few of
// them is solved from nothing.

// nashLast is what is kept of the last result while the next one is set up.
type nashLast struct {
	at     []int // per user of the environment: its place in users, or -1
	users  []nashUser
	work   []double
	basic  []bool
	capped []bool
}

const (
	// restartSteps is the number of Newton steps that a restart takes at most. A user more
	// or less among n moves the totals by about 1/n, and each step squares that.
	restartSteps = 24
	// sharpened is the bound below which the last matrix is good enough.
	sharpened = 1e-5
	// leastKept is what leastWork is for a restart: work that is there changes in proportion
	// to itself, and so stays above 0 as long as it can.
	leastKept = 1e-3
	// cheapest is the part above its least cost at which a server still counts as one of
	// the cheapest of a user that comes.
	cheapest = 1e-9
)

// Load prepares the solver for the users of env, none of them present yet. The environment
// is kept, not copied: weights and task caps are those that it has when Allocate is
// called.
func (s *Nash) Load(env *cluster.Environment) {
	s.env, s.warm = env, false
	s.prog.load(env)
	s.inside = resize(s.inside, len(env.Users))
	clear(s.inside)
}

// Add lets user j in.
func (s *Nash) Add(j int) {
	if s.inside[j] {
		panic(fmt.Sprintf("solve: user %d is here already", j))
	}
	s.inside[j] = true
}

// Remove takes user j out.
func (s *Nash) Remove(j int) {
	if !s.inside[j] {
		panic(fmt.Sprintf("solve: user %d is not here", j))
	}
	s.inside[j] = false
}

// Allocate returns the optimal allocation to the users that are present; it is valid until
// the next call. After the first it starts from the last optimum. What it returns is
// certified as after a start from nothing, and the totals are the same within the
// certificate; the split over servers, where it is not unique, depends on what came before.
func (s *Nash) Allocate() (*cluster.Allocation, error) {
	if s.warm && len(s.users) > 0 && s.restart() {
		if a, err := s.collect(s.steps); err == nil {
			return a, nil
		}
	}
	return s.solve()
}

// restart solves from the last optimum. It reports false where that leads nowhere; the
// caller then starts afresh.
func (s *Nash) restart() bool {
	total := s.total
	s.warm = false
	s.remember()
	s.cast()
	if len(s.users) == 0 {
		return false
	}
	s.best, s.off = math.Inf(1), math.Inf(1)
	if !s.resume(total / s.total) {
		return false
	}
	s.warm = s.chase()
	return s.warm
}

// remember puts the last optimum aside.
func (s *Nash) remember() {
	l, f := &s.last, &s.fine
	l.users, s.users = s.users, l.users
	l.work, f.work = f.work, l.work
	l.basic, f.basic = f.basic, l.basic
	l.capped, f.capped = f.capped, l.capped
	l.at = resize(l.at, s.prog.users)
	for j := range l.at {
		l.at[j] = -1
	}
	for i := range l.users {
		l.at[l.users[i].j] = i
	}
}

// resume sets fine to where the last optimum leads: totals times part, the sum of the
// weights then over that of now, at prices that have risen in that proportion. That is the
// optimum, were all users alike. A user that comes starts with what its weight buys at
// these prices, on its cheapest servers. It reports false where it pays nothing.
func (s *Nash) resume(part float64) bool {
	f := &s.fine
	f.resize(len(s.server), len(s.pi), len(s.users))
	for k := range f.price {
		f.price[k] = double{f.price[k].hi / part, 0}
		s.mean[k] = f.price[k].hi * s.env.RowCapacity(k)
	}
	s.prices.set(&s.prog, s.mean)
	for i := range s.users {
		u := &s.users[i]
		if at := s.last.at[u.j]; at >= 0 {
			s.carry(i, &s.last.users[at], part)
			f.capped[i] = s.last.capped[at]
		} else if !s.welcome(i) {
			return false
		}
		u.cap = s.env.Users[u.j].Tasks / s.prog.scale[u.j]
	}
	return true
}

// carry takes over the work of user number i, which was there as old.
func (s *Nash) carry(i int, old *nashUser, part float64) {
	u, f := &s.users[i], &s.fine
	copy(f.basic[u.first:u.last], s.last.basic[old.first:old.last])
	work := f.work[u.first:u.last]
	copy(work, s.last.work[old.first:old.last])
	for c := range work {
		work[c] = double{work[c].hi * part, 0}
	}
}

// welcome gives user number i, which is new, what its weight buys.
func (s *Nash) welcome(i int) bool {
	u, f, p := &s.users[i], &s.fine, &s.prog
	if p.scale[u.j] != 1 {
		p.loadUser(s.env, u.j)
	}
	q := s.cost[:u.last-u.first]
	s.prices.each(u.j, s.server[u.first:u.last], q)
	least, room := math.Inf(1), 0.0
	for _, cost := range q {
		least = min(least, cost)
	}
	total := u.weight / least
	f.capped[i] = total > s.env.Users[u.j].Tasks
	total = min(total, s.env.Users[u.j].Tasks)
	for c, cost := range q {
		f.basic[u.first+c], f.work[u.first+c] = cost <= least*(1+cheapest), double{}
		if f.basic[u.first+c] {
			room += 1 / p.need(u.j, s.server[u.first+c])
		}
	}
	if !(total > 0) || math.IsInf(total, 1) || !(room > 0) {
		return false
	}
	for c := range q {
		if f.basic[u.first+c] {
			f.work[u.first+c].hi = total / p.need(u.j, s.server[u.first+c]) / room
		}
	}
	p.rescale(u.j, total)
	return true
}

// chase takes Newton steps from fine until its totals are known to polishTarget, which
// it reports, and keeps that point.
func (s *Nash) chase() bool {
	f, before, made := &s.fine, math.Inf(1), false
	for s.steps = range restartSteps {
		// 1. Bound the distance from the optimum; where it is small enough and nothing is
		// negative, that is the end.
		s.measure()
		close := f.off <= polishTarget
		if close && !f.negative {
			s.keepFine()
			return true
		}
		// 2. Where the steps have come to an end, what is not 0 must change. An infinite
		// bound says only that the point is far.
		changed := close || f.off < math.Inf(1) && f.off > 0.5*before
		if changed {
			if !s.exchange() && !s.drop() {
				return false
			}
			s.measure()
		}
		// 3. Take a Newton step, far from the optimum with the matrix of this point.
		if changed || f.off > sharpened || !made {
			if made = s.here() && s.matrix(); !made {
				return false
			}
		}
		s.newton()
		if before = f.off; changed {
			before = math.Inf(1)
		}
	}
	return false
}

// here sets totals and marginal welfares to those of fine. It reports false where a total
// is not positive.
func (s *Nash) here() bool {
	for i := range s.users {
		u := &s.users[i]
		u.u = s.fine.total[i].hi / s.prog.scale[u.j]
		if !(u.u > 0) {
			return false
		}
		u.per = 1 / u.u
		u.p = u.weight * u.per
		for c := u.first; c < u.last; c++ {
			s.y[c] = s.fine.work[c].hi / s.prog.scale[u.j]
		}
	}
	return true
}

// matrix makes the matrix of fine.
func (s *Nash) matrix() bool {
	s.spread(sharp, leastKept)
	s.assemble()
	return s.factorize()
}
