package solve

import (
	"fmt"
	"math"

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
	saved  snapshot // the optimum of the first round, where others followed
	loads  []float64
	cost   []float64 // per user: cost of a unit of its work at the clean prices
	clean  []float64 // prices without rounding dust
	prices []float64 // those of the first round
	cert   cluster.Certificate
	result cluster.Allocation
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
	s.limit, s.cost = resize(s.limit, n), resize(s.cost, n)
	s.inside = resize(s.inside, n)
	for j := range n {
		s.inside[j], s.limit[j] = false, 0
		w := norm[j]
		if math.IsInf(w, 1) {
			w, s.tiered = env.Users[j].Weight, true
		}
		if w > 0 {
			s.prog.rescale(j, w)
			s.limit[j] = env.Users[j].Tasks / w
		}
		s.capped = s.capped || !math.IsInf(env.Users[j].Tasks, 1)
	}
	s.basis.reset(&s.prog)
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
	if err := s.start(); err != nil {
		s.state = cold
		return nil, err
	}
	return s.collect()
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
		for _, j := range tier {
			if b.here[j] {
				b.rate[j] = 1
			}
		}
		if err := s.fill(false); err != nil {
			return err
		}
	}
	return nil
}

// begin clears what is said of the last solution.
func (s *MaxMin) begin() {
	s.cert = cluster.Certificate{}
	s.saved.valid = false
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

// greedyServer returns the open server on which a unit of work of user j adds
// least to the largest load, and adds it to the loads.
func greedyServer(b *basis, loads []float64, j int) int {
	best, at := math.Inf(1), -1
	for v := range b.servers {
		if !b.open(j, v) {
			continue
		}
		most, base := 0.0, v*b.res
		for r, d := range b.at(j, v) {
			most = max(most, loads[base+r]+d*b.inv[base+r])
		}
		for _, e := range b.zones[b.zone[v]] {
			most = max(most, loads[b.servers*b.res+e]+b.link[j*b.links+e])
		}
		if most < best {
			best, at = most, v
		}
	}
	base := at * b.res
	for r, d := range b.at(j, at) {
		loads[base+r] += d * b.inv[base+r]
	}
	for _, e := range b.zones[b.zone[at]] {
		loads[b.servers*b.res+e] += b.link[j*b.links+e]
	}
	return at
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

// fill runs rounds of progressive filling until nobody rises any more. With
// optimal, the basis is at the optimum of the first round already. The basis
// stays warm if one round was enough, and is saved as it was after the first
// round if more were needed, unless a task cap or a tier came in between.
func (s *MaxMin) fill(optimal bool) error {
	b := &s.basis
	plain := !s.tiered
	for s.rising() {
		s.cert.Rounds++
		limit := s.lowestCap()
		if !optimal {
			if err := b.raise(limit); err != nil {
				return err
			}
		}
		if b.gpos >= 0 && !optimal {
			if err := b.primal(limit); err != nil {
				return err
			}
		}
		optimal = false
		if b.gpos < 0 {
			s.freezeCapped(limit)
			plain = false
			continue
		}
		if err := s.certify(limit); err != nil {
			return err
		}
		if plain && s.allPriced() {
			s.state = warm
			return nil
		}
		if plain {
			s.saved.take(b)
			plain = false
		}
		b.lower()
		s.freezePriced()
	}
	b.polish()
	return nil
}

// raise lets g into the basis, or moves it up to limit.
func (b *basis) raise(limit float64) error {
	b.load(b.levelVar())
	b.solve()
	st := b.ratio(b.levelVar(), limit)
	if st.kind == exitNone {
		return errUnbounded
	}
	b.take(b.levelVar(), st, limit)
	return nil
}

// lower takes g out of the basis at its present value, for the slack of the
// row with the highest price.
func (b *basis) lower() {
	b.setPrices()
	best, level := -1, b.g()
	for _, k := range b.tight {
		if best < 0 || b.price[k] > b.price[best] {
			best = k
		}
	}
	b.load(slackVar(best))
	b.solve()
	b.pivot(b.gpos, slackVar(best), 0)
	b.level = level
}

// rising reports whether any user still rises.
func (s *MaxMin) rising() bool {
	for j, rate := range s.basis.rate {
		if rate > 0 && s.basis.here[j] {
			return true
		}
	}
	return false
}

// freezeCapped freezes the users that have reached their task cap.
func (s *MaxMin) freezeCapped(level float64) {
	b := &s.basis
	for j := range b.users {
		if b.rate[j] > 0 && b.here[j] && s.limit[j] <= level {
			b.rate[j], b.fixed[j] = 0, s.limit[j]
		}
	}
}

// allPriced reports whether the work of every rising user costs something.
func (s *MaxMin) allPriced() bool {
	b := &s.basis
	for j := range b.users {
		if b.rate[j] > 0 && b.here[j] && s.cost[j] == 0 {
			return false
		}
	}
	return true
}

// freezePriced freezes the rising users whose work costs something at the
// clean prices of the last optimum. g must not be basic.
func (s *MaxMin) freezePriced() {
	b := &s.basis
	for j := range b.users {
		if b.rate[j] > 0 && b.here[j] && s.cost[j] > 0 {
			b.rate[j], b.fixed[j] = 0, b.level
		}
	}
}

// certify bounds the level of this round by its dual and records the bound.
// Where it is not tight, the primal method goes on from here, the second time
// with a fresh inverse.
func (s *MaxMin) certify(limit float64) error {
	b := &s.basis
	gap := math.Inf(1)
	for try := 0; ; try++ {
		b.polish()
		gap = s.bound()/b.g() - 1
		if try == 2 || gap <= Accuracy/100 && b.excess() <= Feasibility/100 {
			break
		}
		if try == 1 && !b.refresh() {
			return errSingular
		}
		if err := b.primal(limit); err != nil {
			return err
		}
		if b.gpos < 0 {
			return errSingular
		}
	}
	if !(gap <= Accuracy && b.g() > 0) {
		return &UncertifiedError{"progressive filling", 0, gap}
	}
	s.cert.Gap = max(s.cert.Gap, gap)
	return nil
}

// bound returns an upper bound of the level of this round that holds for any
// prices π ≥ 0 whatever. With q[j] = min_s of what a unit of j's work costs,
// every allocation that gives the frozen users their share and the rising
// users at least g satisfies
//
//	Σ_k π[k] ≥ Σ_frozen q[j]·share[j] + g·Σ_rising q[j].
//
// It leaves q in s.cost and the cleaned prices in s.clean.
func (s *MaxMin) bound() float64 {
	b := &s.basis
	b.setPrices()
	total := 0.0
	for _, k := range b.tight {
		total += max(b.price[k], 0)
	}
	s.clean = resize(s.clean, b.m)
	worth := 0.0
	for k, v := range b.price {
		if v <= tolPrice*total {
			v = 0
		}
		s.clean[k] = v
		worth += v
	}
	if s.cert.Rounds == 1 {
		copy(s.prices, s.clean)
	}
	b.prices.set(b.program, s.clean)
	each := 0.0
	for j := range b.users {
		if !b.here[j] {
			continue
		}
		_, s.cost[j] = b.prices.cheapest(j)
		worth -= s.cost[j] * b.fixed[j]
		each += s.cost[j] * b.rate[j]
	}
	return worth / each
}

// collect writes the allocation out and checks its constraints.
func (s *MaxMin) collect() (*cluster.Allocation, error) {
	a, n := &s.result, s.prog.users
	a.Region = s.env
	a.Tasks, a.Share = resize(a.Tasks, n), resize(a.Share, n)
	a.X = resize(a.X, n*s.prog.servers)
	a.Unservable = a.Unservable[:0]
	s.basis.write(a.X)
	primal := s.basis.excess()
	for j := range n {
		a.Tasks[j], a.Share[j] = 0, 0
		if !s.inside[j] {
			continue
		}
		if !s.prog.servable(j) || s.norm[j] <= 0 {
			a.Unservable = append(a.Unservable, j)
			continue
		}
		for _, x := range a.On(j) {
			a.Tasks[j] += x
		}
		a.Share[j] = a.Tasks[j] / s.norm[j]
		if cap := s.env.Users[j].Tasks; a.Tasks[j] > cap {
			primal = max(primal, a.Tasks[j]/cap-1)
		}
	}
	a.Prices = s.prog.perUnit(a.Prices, s.prices)
	s.cert.Primal, s.cert.Pivots = primal, s.basis.pivots
	s.basis.pivots = 0
	a.Certificate = s.cert
	if s.saved.valid {
		s.saved.restore(&s.basis)
		s.state = warm
	}
	if !(primal <= Feasibility) {
		s.state = cold
		return nil, &UncertifiedError{"progressive filling", primal, s.cert.Gap}
	}
	return a, nil
}
