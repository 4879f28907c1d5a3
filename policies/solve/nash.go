package solve

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
	"gonum.org/v1/gonum/floats"
)

// Nash maximises the weighted Nash welfare
//
//	Σ_j w[j]·log x[j]
//
// over the feasible region χ with a primal-dual interior point method
// (Mehrotra's predictor and corrector). Users that nothing can host, or whose
// task cap is 0, get 0 and are left out of the sum.
//
// The totals x[j] and, at the optimum, the cost of each user's work are
// unique; the split over servers is in general not. What is returned is inside
// the optimal face, with work on every server and room in every capacity where
// the face has any (unless what is 0 was in doubt: see polish), but not its
// analytic centre: Mehrotra's steps let the
// products that the central path keeps equal (work and its reduced cost, slack
// and price) drift apart, by factors of 2 to 3,000, and polishing takes the
// nearest optimum from there. In small environments the split was up to .37 of a
// user's tasks from the centre, .14 in the median of the environments
// (TestTheSplitIsInsideTheOptimalFace). The linear algebra is of
// order K, the number of capacity rows: each user is eliminated by hand.
//
// The certificate's gap is the difference between the objective and its dual
// bound, divided by Σ w: the weighted geometric mean of the tasks is within
// that factor of the best. A Nash is not safe for concurrent use.
//
// References: proportional fairness as an equilibrium of prices, Kelly,
// Maulloo and Tan 1998; section 3.2 of the TSF-ER paper.
type Nash struct {
	env       *cluster.Environment
	prog      program
	inside    []bool // users that are present
	users     []nashUser
	total     float64 // Σ w
	centering float64 // one of centerings
	nashColumns
	nashRows
	nashSystem
	nashPairs
	prices pricer
	fine   fine
	best   float64 // gap of the result
	off    float64 // bound of the relative error of its totals
	stale  bool    // the weights at hand are of an earlier program
	tries  int     // matrices of its own kind that polishing has begun with
	warm   bool    // fine is the last result, with its totals known to polishTarget
	steps  int     // Newton's, of the last restart
	last   nashLast
	result cluster.Allocation
}

// nashColumns are the pairs of a user and a server that is open to it, user by user.
// Invariant on the central path: y, z > 0.
type nashColumns struct {
	server []int
	y, z   []float64 // work and its reduced cost
	dy, dz []float64 // the step
	per    []float64 // 1/y
	e, h   []float64 // y/z, and the right-hand side
	q      []float64 // what work costs at the present prices
	cost   []float64 // scratch: the same of one user at others
	yz     float64   // Σ y·z
	step   columnStep
	corr   []float64 // second-order term of the corrector: second·Δy·Δz
	second float64
}

// nashRows are the capacity rows. Invariant on the central path: pi, t > 0.
type nashRows struct {
	pi, t   []float64 // price and slack
	dpi, dt []float64 // the step
	rp      []float64 // what is missing from Σ a·y + t = 1
	rhs     []float64
	drawn   []float64 // scratch of usage: see draw
	zone    []float64 // per zone: the same of one user
	diag    []float64 // t/π
	corrRow []float64 // second-order term of the corrector
}

// nashSystem is the linear system of the prices, of K capacity rows; see nashsystem.go.
type nashSystem struct {
	w, mean []float64 // per row: the scaling and the solution
	schur   []float64 // K×K, upper triangle
	factor  []float64 // K×K: its Cholesky factor
	// The batch of users at hand: per row of a server and user E·a, per user κ/(1 + κ·ε);
	// scratch of one row, and of the links and zones of one user.
	batch, damping, row []float64
	behind              [][]bool // per zone and link: whether the link is on the way
	zoneE, through      []float64
}

// nashUser is one user of the program; its columns are [first, last). Invariant on the
// central path: u, p > 0, and where the task cap is finite room, nu > 0.
type nashUser struct {
	j           int
	first, last int
	key         int // column with the largest y/z
	weight      float64
	cap         float64 // in scaled units
	u, room     float64 // total, and distance to the cap
	nu          float64 // price of the cap
	p           float64 // marginal welfare; w/u at the optimum
	dp          float64
	corrP       float64
	du, droom   float64
	dnu         float64
	sumE, kappa float64
	per, perE   float64 // 1/u, 1/ε
	damp        float64 // 1/(1 + κ·ε)
	least       float64 // the least of its q
	shift       float64 // constant part of the right-hand side
	corr        float64
}

// iterations of the interior point method before it gives up; it needs 10 to
// 25.
const nashIterations = 100

// centerings are the least parts of the path's parameter that a step keeps, in
// the order in which they are tried. Where task caps and capacities bind at once
// (totals on the boundary that are to be split, say) the parameter can fall by
// more in one step than the digits of the linear system bear: the capacity rows
// are then off for good. Smaller steps of the parameter stop before that.
var centerings = [...]float64{0, 0.01, 0.1}

// Solve returns the optimal allocation to all users of env; it is valid until the next
// call.
func (s *Nash) Solve(env *cluster.Environment) (*cluster.Allocation, error) {
	s.Load(env)
	for j := range env.Users {
		s.Add(j)
	}
	return s.Allocate()
}

// solve starts from nothing.
func (s *Nash) solve() (a *cluster.Allocation, err error) {
	for _, s.centering = range centerings {
		s.start()
		if a, err = s.follow(); err == nil {
			break
		}
	}
	return a, err
}

// follow follows the central path from the starting point, until the totals are polished
// or the path ends. The result is the best point that was met.
func (s *Nash) follow() (*cluster.Allocation, error) {
	s.best, s.off, s.tries, s.warm = math.Inf(1), math.Inf(1), 0, false
	iterations, worse := 0, 0
	for len(s.users) > 0 && iterations < nashIterations {
		// 1. Bound the distance of the present point from the optimum.
		s.residuals()
		gap := math.Inf(1)
		if sum, _ := s.complementarity(0, 0); sum <= far*s.total {
			gap = s.gap()
		}
		switch {
		case gap >= s.best:
			worse++
		case gap > Accuracy: // of no use as a result
			s.best, worse = gap, 0
		default:
			s.keep(gap)
			worse = 0
		}
		// 2. End where polishing reaches the optimum, or where rounding ends the progress.
		if gap <= polishBelow && iterations > 0 && s.polish() {
			s.warm = true
			break
		}
		if gap <= nashTarget || worse >= 3 && s.best <= Accuracy/10 {
			break
		}
		// 3. Go on along the path.
		if !s.advance() {
			break
		}
		iterations++
	}
	if len(s.users) == 0 {
		s.best, s.off = 0, 0
	}
	return s.collect(iterations)
}

// nashTarget is the gap at which the method stops; a result is accepted up to
// [Accuracy].
const nashTarget = 1e-12

// far is the sum of the complementarity products, relative to Σ w, above which the gap,
// which it nearly is, need not be known.
const far = 0.01

// nashRounding is the part of Σ w that the rounding of a gap makes up; a smaller
// gap is known of a polished point only.
const nashRounding = 1e-14

// start sets up the columns and an interior point: half of the equal share,
// with prices that are the same for all rows.
func (s *Nash) start() {
	s.cast()
	for i := range s.users {
		if j := s.users[i].j; s.prog.scale[j] != 1 {
			s.prog.loadUser(s.env, j)
		}
	}
	clear(s.pi) // a step of 0 of what an earlier program left may be NaN
	for _, v := range [][]float64{s.z, s.dy, s.dz, s.corr, s.t, s.dpi, s.dt, s.rp, s.corrRow} {
		clear(v)
	}
	s.step = columnStep{}
	share := 0.5 / float64(max(1, len(s.users)))
	for i := range s.users {
		s.place(&s.users[i], share)
	}
	s.startPrices()
}

// cast lists the users that are present and their columns.
func (s *Nash) cast() {
	p := &s.prog
	s.users, s.server, s.stale = s.users[:0], s.server[:0], true
	s.total = 0
	for j, here := range s.inside {
		if here && p.servable(j) && s.env.Users[j].Tasks > 0 {
			s.enter(j)
		}
	}
	n, k := len(s.server), p.rows()
	for _, v := range []*[]float64{&s.y, &s.z, &s.dy, &s.dz, &s.per, &s.e, &s.h, &s.q, &s.cost, &s.corr} {
		*v = resize(*v, n)
	}
	for _, v := range []*[]float64{&s.pi, &s.t, &s.dpi, &s.dt, &s.rp, &s.rhs, &s.drawn, &s.diag, &s.corrRow, &s.w, &s.mean} {
		*v = resize(*v, k)
	}
	s.reserve()
}

// enter adds user j and its columns.
func (s *Nash) enter(j int) {
	u := nashUser{j: j, first: len(s.server), weight: s.env.Users[j].Weight}
	for v := range s.prog.servers {
		if s.prog.open(j, v) {
			s.server = append(s.server, v)
		}
	}
	u.last = len(s.server)
	s.total += u.weight
	s.users = append(s.users, u)
}

// place gives a user the part share of every server and link and scales it so
// that its total is 1.
func (s *Nash) place(u *nashUser, share float64) {
	p, sum := &s.prog, 0.0
	link := s.mean[:p.links]
	clear(link)
	behind := 0.0 // of the need, what is of the links
	if p.pairs {
		behind = p.needOfLinks(u.j, 0)
	}
	for c := u.first; c < u.last; c++ {
		v := s.server[c]
		need := behind
		if p.pairs {
			need = max(need, p.use[2*u.j]*p.inv[2*v], p.use[2*u.j+1]*p.inv[2*v+1])
		} else {
			need = p.need(u.j, v)
		}
		s.y[c] = share / need
		sum += s.y[c]
		for _, e := range p.zones[p.zone[v]] {
			link[e] += s.y[c] * p.link[u.j*p.links+e]
		}
	}
	f := 1.0
	for _, load := range link {
		if load > share {
			f = min(f, share/load)
		}
	}
	f = min(f, 0.5*s.env.Users[u.j].Tasks/sum)
	p.rescale(u.j, sum*f)
	for c := u.first; c < u.last; c++ {
		s.y[c] /= sum
	}
	u.cap = s.env.Users[u.j].Tasks / p.scale[u.j]
}

// startPrices gives all rows the same price, and users and columns the dual variables that
// belong to it.
func (s *Nash) startPrices() {
	p := &s.prog
	for k := range s.pi {
		s.pi[k] = s.total / float64(len(s.pi))
		s.t[k] = 1
	}
	s.usage(s.y, s.rp)
	for k, v := range s.rp {
		s.t[k] = 1 - v
	}
	s.prices.set(p, s.pi)
	for i := range s.users {
		u := &s.users[i]
		mu := u.weight / float64(u.last-u.first)
		u.u, u.p, u.room, u.nu = 1, u.weight, u.cap-1, 0
		if !math.IsInf(u.cap, 1) {
			u.nu = mu / u.room
		}
		s.prices.each(u.j, s.server[u.first:u.last], s.cost)
		for c := u.first; c < u.last; c++ {
			s.z[c] = max(s.cost[c-u.first]+u.nu-u.weight, 0.1*mu/s.y[c])
		}
	}
}

// gap returns the duality gap at the present prices, relative to Σ w: the
// Lagrangian bound
//
//	Σ_k π[k] + Σ_j max over x in (0, n[j]] of w[j]·log x − q[j]·x
//
// minus the objective, where q[j] is the least cost of a unit of j's work.
// The objective is that of the point scaled back into the region.
func (s *Nash) gap() float64 {
	over := 1.0
	for k := range s.rp {
		over = max(over, 1+s.rp[k]-s.t[k])
	}
	gap := floats.Sum(s.pi)
	for i := range s.users {
		u := &s.users[i]
		x, q := u.cap, u.least
		if q > 0 {
			x = min(x, u.weight/q)
		}
		have := min(u.u/over, u.cap)
		gap += u.weight*math.Log(x/have) - q*x
	}
	return max(math.Abs(gap)/s.total, nashRounding)
}
