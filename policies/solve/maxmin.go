package solve

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/policies/solve/extended"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// MaxMin finds lexicographic max-min allocations ("progressive filling") of
// the share
//
//	x[j] / norm[j]
//
// over the feasible region χ of an environment: all users rise together from
// 0; a user is frozen where no feasible allocation can raise it without
// lowering one with an equal or smaller share, or where it reaches its task
// cap; the others go on rising.
//
// norm[j] = w[j]·N[j] is in tasks. Where it is +Inf (a rule that does not see
// the demands of j) the user is filled before all others, by its task count
// over its weight; where it is 0 nothing can host the user and it gets 0.
//
// Each round is one linear program, solved by a simplex method whose working
// basis has one variable for each capacity row. The prices at its optimum say
// who is frozen: by complementary slackness every user whose work costs
// something at those prices has exactly the common share in every optimum.
// After Add and Remove, Solve starts from the last basis, which keeps its
// prices and needs a few dual pivots only.
//
// What doubles do not certify is solved in extended precision, from the start:
// see package extended. So is what needs a second round where a user needs more
// than 1e7 times as much of one row as of another. The gap of a round includes
// what the gaps of the rounds before can have moved.
//
// The optimum exists and the totals x[j] are unique; the split over servers
// is in general not. A MaxMin is not safe for concurrent use.
//
// References: the one-round program is (8) of the TSF-ER paper; freezing
// after every round is its Algorithm 1 with the lexicographic order that its
// definition of max-min fairness asks for (the algorithm as printed freezes
// users at their task cap only, which is not enough where demands can be 0).
type MaxMin struct {
	env  *cluster.Environment
	prog program
	basis
	norm   []float64 // in tasks
	limit  []float64 // per user: cap in units of its norm
	inside []bool    // users that are meant to be here
	capped bool      // some user has a task cap
	tiered bool      // some user has an infinite norm
	state  maxminState
	saved  snapshot  // the optimum of the first round, where others followed
	loads  []float64 // per row: scratch of greedy
	spread []float64 // per user, as far as it was needed; see wide
	round
	prices []float64 // clean prices of the first round that prices ended
	priced int       // that round; 0: none yet
	cert   cluster.Certificate
	result cluster.Allocation
}

// round is what is known of the round at hand.
type round struct {
	rises []bool    // per user: whether it is of the tier at hand
	least float64   // level that counts as nothing; see noise
	clean []float64 // prices without rounding dust
	cost  []float64 // per user: cost of a unit of its work at the clean prices
	// errors says by how much, relative, the share of each frozen user may be off, and
	// reached the same of the present level.
	errors  []float64
	reached float64
}

// maxminState says what the basis holds.
type maxminState int

const (
	cold maxminState = iota // nothing of use
	warm                    // the optimum of the first round, perhaps after Add and Remove
)

// Load prepares the solver for the users of env, none of them present yet.
// norm has one entry a user. The environment is kept, not copied.
func (s *MaxMin) Load(env *cluster.Environment, norm []float64) {
	if len(norm) != len(env.Users) {
		panic(fmt.Sprintf("solve: %d norms for %d users", len(norm), len(env.Users)))
	}
	s.env, s.state, s.capped, s.tiered = env, cold, false, false
	s.prog.load(env)
	n := s.prog.users
	s.norm = append(s.norm[:0], norm...)
	s.limit, s.cost, s.errors = resize(s.limit, n), resize(s.cost, n), resize(s.errors, n)
	s.spread = s.spread[:0]
	s.inside = resize(s.inside, n)
	for j := range n {
		s.inside[j] = false
		s.scale(j)
		s.capped = s.capped || !math.IsInf(env.Users[j].Tasks, 1)
	}
	s.basis.reset(&s.prog)
}

// scale counts the tasks of user j, so far one by one, in units of its norm.
func (s *MaxMin) scale(j int) {
	s.limit[j] = 0
	w := s.norm[j]
	if math.IsInf(w, 1) {
		w, s.tiered = s.env.Users[j].Weight, true
	}
	if w > 0 {
		s.prog.rescale(j, w)
		s.limit[j] = s.env.Users[j].Tasks / w
	}
}

// Weigh changes norm[j], which stays infinite, or finite, or 0; where it is infinite the
// weight of the user in the environment has changed. The next Solve is that of a solver
// that was loaded with the new norms: if j is present it starts from nothing.
func (s *MaxMin) Weigh(j int, norm float64) {
	s.norm[j] = norm
	s.prog.loadUser(s.env, j)
	s.scale(j)
	if s.inside[j] {
		s.state = cold
	}
}

// Add lets user j in.
func (s *MaxMin) Add(j int) {
	if s.inside[j] {
		panic(fmt.Sprintf("solve: user %d is here already", j))
	}
	s.inside[j] = true
	if s.state == warm {
		s.join(j)
	}
}

// Remove takes user j out.
func (s *MaxMin) Remove(j int) {
	if !s.inside[j] {
		panic(fmt.Sprintf("solve: user %d is not here", j))
	}
	s.inside[j] = false
	if s.state == warm {
		s.part(j)
	}
}

// usable reports whether user j takes part in the program.
func (s *MaxMin) usable(j int) bool { return s.norm[j] > 0 && s.prog.servable(j) && s.limit[j] > 0 }

// join lets user j into a warm basis, on the server that is cheapest at the
// present prices: its share grows from 0 while that of the others falls, until
// they meet.
func (s *MaxMin) join(j int) {
	if !s.usable(j) {
		return
	}
	b := &s.basis
	b.setPrices()
	b.key[j], _ = b.prices.cheapest(j)
	b.here[j], b.rate[j], b.fixed[j] = true, 0, 0
	if b.slide(j, -1) != nil || !b.follow(j, 1) {
		s.state = cold
	}
}

// part takes user j out of a warm basis: its share falls to 0 while that of
// the others grows.
func (s *MaxMin) part(j int) {
	b := &s.basis
	if !b.here[j] {
		return
	}
	if !b.follow(j, 0) || b.slide(j, 0) != nil {
		s.state = cold
		return
	}
	b.here[j] = false
	for b.head[j] >= 0 {
		if b.replace(b.head[j], false) != nil {
			s.state = cold
			return
		}
	}
}

// Solve allocates to the users that are present. The result is valid until
// the next call.
func (s *MaxMin) Solve() (*cluster.Allocation, error) {
	if s.state == warm && s.restart() == nil {
		if a, err := s.collect(); err == nil {
			return a, nil
		}
	}
	if s.start() == nil {
		if a, err := s.collect(); err == nil {
			return a, nil
		}
	}
	s.state = cold
	return s.extend()
}

// extend solves in extended precision what doubles do not certify.
func (s *MaxMin) extend() (*cluster.Allocation, error) {
	r, err := extended.MaxMin(s.env, s.norm, s.inside, s.noise)
	if err != nil {
		return nil, err
	}
	s.result.X = append(s.result.X[:0], r.X...)
	primal := s.sum()
	s.result.Prices = append(s.result.Prices[:0], r.Prices...)
	s.result.Certificate = cluster.Certificate{Primal: max(primal, r.Excess), Gap: r.Gap, Rounds: r.Rounds, Pivots: r.Pivots}
	return s.check()
}

// restart goes on from the last basis. Any trouble is an error, after which
// the caller starts afresh.
func (s *MaxMin) restart() error {
	b := &s.basis
	b.stalled = 0
	s.begin()
	if b.gpos < 0 || b.g() > s.lowestCap() {
		return errInfeasible
	}
	return s.fill(true)
}

// start solves from nothing, tier by tier.
func (s *MaxMin) start() error {
	s.state = cold
	b := &s.basis
	b.reset(&s.prog)
	s.begin()
	if !s.greedy() {
		return nil
	}
	for _, tier := range s.tiers() {
		b.level = 0
		s.rises = resize(s.rises, b.users)
		clear(s.rises)
		for _, j := range tier {
			if b.here[j] {
				b.rate[j], s.rises[j] = 1, true
			}
		}
		s.least = s.noise(s.rises)
		if err := s.fill(false); err != nil {
			return err
		}
	}
	return nil
}

// noise returns the level that counts as nothing where a first tier may have
// left nothing to the second: a small part of what the rising users could have
// alone. It is 0 without tiers: every level is positive then.
func (s *MaxMin) noise(rising []bool) float64 {
	if !s.tiered {
		return 0
	}
	alone := math.Inf(1)
	for j, rises := range rising {
		if rises {
			alone = min(alone, s.prog.gamma(j)/s.prog.scale[j])
		}
	}
	if math.IsInf(alone, 1) {
		return 0
	}
	return tolNothing * alone
}

// begin clears what is said of the last solution.
func (s *MaxMin) begin() {
	s.cert = cluster.Certificate{}
	s.saved.valid = false
	s.least, s.priced, s.reached = 0, 0, 0
	s.prices = resize(s.prices, s.prog.rows())
	clear(s.prices)
}

// tiers returns the users that rise together, in the order of filling.
func (s *MaxMin) tiers() [][]int {
	var infinite, finite []int
	for j := range s.norm {
		if math.IsInf(s.norm[j], 1) {
			infinite = append(infinite, j)
		} else {
			finite = append(finite, j)
		}
	}
	return [][]int{infinite, finite}
}

// greedy gives each user as its key the server on which it adds least to the
// largest load. It reports whether there is anyone to serve.
func (s *MaxMin) greedy() bool {
	b := &s.basis
	s.loads = resize(s.loads, b.rows())
	clear(s.loads)
	any := false
	for j := range b.users {
		if !s.inside[j] || !s.usable(j) {
			continue
		}
		b.here[j], b.key[j] = true, greedyServer(b, s.loads, j)
		any = true
	}
	return any
}

// lowestCap returns the share at which the first of the rising users reaches
// its task cap.
func (s *MaxMin) lowestCap() float64 {
	low := math.Inf(1)
	if !s.capped {
		return low
	}
	for j, rate := range s.basis.rate {
		if rate > 0 && s.basis.here[j] {
			low = min(low, s.limit[j])
		}
	}
	return low
}

// collect writes the allocation out and checks its constraints.
func (s *MaxMin) collect() (*cluster.Allocation, error) {
	a := &s.result
	a.Region = s.env
	a.X = resize(a.X, s.prog.users*s.prog.servers)
	excess := s.basis.mend()
	if s.cert.Rounds > 1 && excess > tolLater {
		s.state = cold
		return nil, &UncertifiedError{"progressive filling", excess, s.cert.Gap}
	}
	clipped := s.basis.write(a.X)
	s.cert.Gap += retract(a, excess+clipped)
	s.cert.Primal = s.sum()
	s.cert.Pivots = s.basis.pivots
	s.basis.pivots = 0
	a.Prices = s.prog.perUnit(a.Prices, s.prices)
	a.Certificate = s.cert
	if s.saved.valid {
		s.saved.restore(&s.basis)
		s.state = warm
	}
	return s.check()
}

// sum fills in what follows from the allocation in s.result.X, and returns by how
// much a task cap is exceeded, relative to it.
func (s *MaxMin) sum() (primal float64) {
	a, n := &s.result, s.prog.users
	a.Region = s.env
	a.Tasks, a.Share = resize(a.Tasks, n), resize(a.Share, n)
	a.Unservable = a.Unservable[:0]
	norm, tasks, share, x, width := s.norm[:n], a.Tasks[:n], a.Share[:n], a.X, s.prog.servers
	for j, inside := range s.inside[:n] {
		own := x[:width]
		x = x[width:]
		tasks[j], share[j] = 0, 0
		if !inside {
			continue
		}
		if norm[j] <= 0 || !s.prog.servable(j) {
			a.Unservable = append(a.Unservable, j)
			continue
		}
		total := 0.0
		for _, x := range own {
			total += x
		}
		tasks[j], share[j] = total, total/norm[j]
		if !s.capped {
			continue
		}
		if cap := s.env.Users[j].Tasks; total > cap {
			primal = max(primal, total/cap-1)
		}
	}
	return primal
}

// check withholds a result that is not certified.
func (s *MaxMin) check() (*cluster.Allocation, error) {
	c := s.result.Certificate
	if !(c.Primal <= Feasibility && c.Gap <= Accuracy) {
		s.state = cold
		return nil, &UncertifiedError{"progressive filling", c.Primal, c.Gap}
	}
	return &s.result, nil
}
