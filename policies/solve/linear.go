package solve

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Linear maximises a linear welfare
//
//	Σ_j value[j]·x[j]
//
// over the feasible region χ, subject to x[j] ≥ lower[j] and, if asked, to
// envy-freeness: u[j](i's bundle) ≤ x[j] for all pairs of users.
//
// Of the n² envy rows only those are generated that an optimum without them
// violates; each time the dual simplex method goes on from the last basis. What
// doubles do not certify is solved in extended precision, where the program is not
// too large.
// The prices of these rows are in the allocation's EnvyPrices.
// The optimum need not be unique. A Linear is not safe for concurrent use.
//
// References: relative and cautious relative utilitarianism, section 3.1 of
// the TSF-ER paper; the domination factor, its section 6.2.
type Linear struct {
	env  *cluster.Environment
	prog program
	basis
	envy    envyFinder
	loads   []float64
	lower   []float64 // scaled
	present []bool
	cert    cluster.Certificate
	result  cluster.Allocation
}

// LinearProblem is what [Linear] is asked for, beside the environment.
type LinearProblem struct {
	Value    []float64 // per user, ≥ 0; per task
	Lower    []float64 // per user, in tasks; nil: 0
	EnvyFree bool
	// Sated are the users, by index, that envy nobody whatever others hold; nil: none.
	Sated []bool
	// Present lists the users that take part; nil: all.
	Present []int
	// Known are pairs of users, the one that envies first, whose rows against envy are
	// there from the start. They change no answer; where they are those that bind, they
	// save most of the work. Pairs of absent users do not count.
	Known [][2]int
}

// Solve returns an optimal allocation; it is valid until the next call. The
// lower bounds must be feasible to within [Feasibility], relative: what is
// missing within that is taken off all of them alike.
func (s *Linear) Solve(env *cluster.Environment, q LinearProblem) (*cluster.Allocation, error) {
	s.env = env
	s.prog.load(env)
	a, err := s.solve(q)
	if err != nil {
		return s.extend(q, err)
	}
	return a, nil
}

func (s *Linear) solve(q LinearProblem) (*cluster.Allocation, error) {
	s.cert = cluster.Certificate{}
	s.basis.reset(&s.prog)
	// 1. A feasible basis: everybody holds its lower bound.
	if err := s.floor(q); err != nil {
		return nil, err
	}
	// 2. The optimum without envy rows but those that are known.
	b := &s.basis
	s.cert.Rounds = 1
	s.addKnown(q)
	if err := b.primal(0); err != nil {
		return nil, err
	}
	// 3. While somebody envies: add rows that the optimum violates, restore feasibility by
	// the dual method, and what the dual method leaves of optimality by the primal one.
	for q.EnvyFree {
		b.polish()
		added := s.addEnvy(q)
		if added == 0 {
			break
		}
		s.cert.Rounds++
		if err := b.dual(); err != nil {
			return nil, err
		}
		if err := b.primal(0); err != nil {
			return nil, err
		}
	}
	return s.collect(q)
}

// floor finds a basis in which everybody holds its lower bound: progressive
// filling of x/lower up to 1. It then opens the surpluses.
func (s *Linear) floor(q LinearProblem) error {
	b := &s.basis
	s.lower = resize(s.lower, b.users)
	s.loads = resize(s.loads, b.rows())
	clear(s.loads)
	any := false
	enter := func(j int) {
		s.lower[j] = 0
		if !s.prog.servable(j) {
			return
		}
		low := 0.0
		if q.Lower != nil {
			low = q.Lower[j]
		}
		unit := low
		if low <= 0 {
			unit = s.prog.gamma(j)
		} else {
			s.lower[j], any = 1, true
		}
		s.prog.rescale(j, unit/s.prog.scale[j])
		b.here[j], b.rate[j] = true, s.lower[j]
		b.key[j] = greedyServer(b, s.loads, j)
	}
	if q.Present == nil {
		for j := range b.users {
			enter(j)
		}
	} else {
		for _, j := range q.Present {
			enter(j)
		}
	}
	if any {
		if err := s.climb(); err != nil {
			return err
		}
	}
	return s.open(q)
}

// climb raises everybody with a lower bound to it.
func (s *Linear) climb() error {
	b := &s.basis
	if err := b.raise(1); err != nil {
		return err
	}
	if b.gpos < 0 {
		return nil
	}
	if err := b.primal(1); err != nil {
		return err
	}
	if b.gpos < 0 {
		return nil
	}
	b.polish()
	if b.g() < 1-Feasibility {
		return fmt.Errorf("%w: only %.9g of every lower bound fits", errInfeasible, b.g())
	}
	b.lower()
	return nil
}

// open fixes what everybody holds and lets the surpluses above it in.
func (s *Linear) open(q LinearProblem) error {
	b := &s.basis
	level := b.level
	b.level = 0
	for j := range b.users {
		if !b.here[j] {
			continue
		}
		b.fixed[j], b.rate[j] = b.rate[j]*level, 0
		s.lower[j] = b.fixed[j]
		cap := s.env.Users[j].Tasks / b.scale[j]
		b.span[j] = max(0, cap-b.fixed[j])
		if b.fixed[j] > cap*(1+Feasibility) {
			return fmt.Errorf("%w: users[%d] has a lower bound above its task cap", errInfeasible, j)
		}
		b.gain[j] = q.Value[j] * b.scale[j]
	}
	return nil
}

// addKnown adds the known rows that the lower bounds keep: the basis stays feasible.
func (s *Linear) addKnown(q LinearProblem) {
	b := &s.basis
	if !q.EnvyFree || len(q.Known) == 0 {
		return
	}
	b.envyOf = make([][]int, b.users)
	s.envy.load(s.env, &s.prog, q.Sated)
	for _, pair := range q.Known {
		j, i := pair[0], pair[1]
		if !b.here[j] || !b.here[i] || !s.envy.envies(j) || s.envy.known[pair] {
			continue
		}
		if row := s.envy.row(b, j, i); row.ratioOn(b) <= 0 {
			s.envy.known[pair] = true
			b.addRow(row)
		}
	}
}

// Binding returns the pairs of users, the one that envies first, whose rows bound the
// last optimum.
func (s *Linear) Binding(dst [][2]int) [][2]int {
	b := &s.basis
	for t, row := range b.extra {
		if b.slot[b.rows()+t] >= 0 {
			dst = append(dst, [2]int{row.envier, row.source})
		}
	}
	return dst
}

// addEnvy adds the worst violated envy row of every envious user and returns
// how many there were.
func (s *Linear) addEnvy(q LinearProblem) int {
	b := &s.basis
	if b.envyOf == nil {
		b.envyOf = make([][]int, b.users)
		s.envy.load(s.env, &s.prog, q.Sated)
	}
	s.result.X = resize(s.result.X, b.users*b.servers)
	b.write(s.result.X)
	rows := s.envy.worst(b, s.result.X)
	for _, row := range rows {
		b.addRow(row)
	}
	return len(rows)
}

// certify bounds the objective by its dual: with q[j] what a unit of j's work
// costs on its cheapest server at prices π ≥ 0, every feasible allocation has
//
//	Σ_j v[j]·y[j] ≤ Σ_k π[k] + Σ_j max over t in [lower, cap] of (v[j]−q[j])·t,
//
// where a cap that is infinite is replaced by what all servers could hold.
func (s *Linear) certify() {
	b := &s.basis
	b.setPrices()
	total, value := 0.0, 0.0
	for k := range b.price {
		b.price[k] = max(b.price[k], 0)
		if k < b.rows() {
			total += b.price[k]
		}
	}
	b.prices.set(b.program, b.price)
	for j := range b.users {
		if !b.here[j] {
			continue
		}
		_, cost := b.cheapest(&b.prices, b.price, j)
		margin := b.gain[j] - cost
		if margin < 0 {
			total += margin * s.lower[j]
		} else {
			total += margin * min(s.env.Users[j].Tasks, s.prog.sumGamma(j)) / b.scale[j]
		}
		value += b.gain[j] * b.total(j)
	}
	s.cert.Gap = 0
	if value > 0 {
		s.cert.Gap = total/value - 1
	} else if total > 0 {
		s.cert.Gap = math.Inf(1)
	}
}

// total returns what user j holds, in scaled units.
func (b *basis) total(j int) float64 {
	v := b.fixed[j] + b.rate[j]*b.g()
	for i := b.head[j]; i >= 0; i = b.next[i] {
		if !b.isTask(b.in[i]) {
			v += b.side[j] * b.val[i]
		}
	}
	return v
}

// settle refines and certifies the solution. Where the rounding of the pivots has left it
// further from feasible or optimal than it may be, the inverse is computed anew and both
// simplex methods go on from the same basis.
func (s *Linear) settle() error {
	b := &s.basis
	for try := 0; ; try++ {
		b.polish()
		s.certify()
		if try == 3 || s.cert.Gap <= Accuracy/100 && b.excess() <= Feasibility/100 {
			return nil
		}
		if !b.refresh() {
			return errSingular
		}
		if err := b.dual(); err != nil {
			return err
		}
		if err := b.primal(0); err != nil {
			return err
		}
	}
}

// collect settles the solution, writes the allocation out and checks it.
func (s *Linear) collect(q LinearProblem) (*cluster.Allocation, error) {
	if err := s.settle(); err != nil {
		return nil, err
	}
	return s.writeOut(q)
}

// envyPrices returns the prices of the rows against envy, per task of the envier; nil if
// there are none by the problem.
func (s *Linear) envyPrices(q LinearProblem) []cluster.EnvyPrice {
	if !q.EnvyFree {
		return nil
	}
	prices := []cluster.EnvyPrice{}
	for t, row := range s.basis.extra {
		price := s.basis.price[s.basis.rows()+t] / s.basis.scale[row.envier]
		prices = append(prices, cluster.EnvyPrice{Envier: row.envier, Envied: row.source, Price: price})
	}
	return prices
}

// writeOut writes the allocation out and checks it.
func (s *Linear) writeOut(q LinearProblem) (*cluster.Allocation, error) {
	b, a := &s.basis, &s.result
	a.X = resize(a.X, b.users*b.servers)
	clipped := b.write(a.X)
	s.cert.Gap += retract(&cluster.Allocation{Region: s.env, X: a.X}, b.excess()+clipped)
	s.cert.Primal, s.cert.Pivots = 0, b.pivots
	a.Prices = s.prog.perUnit(a.Prices, b.price)
	a.EnvyPrices = s.envyPrices(q)
	return s.check(q, s.presence(q))
}
