package solve

import "math"

// fill runs rounds of progressive filling until nobody rises any more. With optimal, the
// basis is at the optimum of the first round already. If that round was enough, the basis
// stays warm; if not, it is saved as it was after that round, unless a task cap or a tier
// ended it.
//
// Invariant: before each round the users that rise (rate 1) have the common share g, and
// every frozen user (rate 0) has its final share.
func (s *MaxMin) fill(optimal bool) error {
	b := &s.basis
	plain := !s.tiered
	for s.rising() {
		// 1. Raise the common level to its maximum, at most to the lowest task cap.
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
		// 2. If a task cap ended the round, freeze the users at their caps.
		if b.gpos < 0 {
			s.freezeCapped(limit)
			plain = false
			continue
		}
		// 3. Else prices ended it: certify the level by them.
		if err := s.certify(limit); err != nil {
			return err
		}
		if plain && s.allPriced() {
			s.state = warm
			return nil
		}
		if s.wide() {
			return errWide
		}
		if plain {
			s.saved.take(b)
			plain = false
		}
		// 4. Freeze the users whose work costs something: by complementary slackness each
		// has exactly the common share in every optimum.
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
			b.rate[j], b.fixed[j], s.errors[j] = 0, s.limit[j], 0
		}
	}
}

// allPriced reports whether the work of every rising user costs something.
func (s *MaxMin) allPriced() bool {
	here, cost := s.basis.here, s.cost[:len(s.basis.here)]
	for j, rate := range s.basis.rate[:len(here)] {
		if cost[j] == 0 && rate > 0 && here[j] {
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
			b.rate[j], b.fixed[j], s.errors[j] = 0, b.level, s.reached
		}
	}
}

// certify bounds the level of this round by its dual and records the bound.
func (s *MaxMin) certify(limit float64) error {
	b := &s.basis
	var gap float64
	// 1. Where the bound is not tight, the primal method goes on from here, the second time
	// with a fresh inverse.
	for try := 0; ; try++ {
		b.polish()
		gap = s.gap()
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
	if !(gap <= Accuracy) {
		return &UncertifiedError{"progressive filling", 0, gap}
	}
	// 2. A later round is off by what the frozen shares are, too.
	if s.cert.Rounds > 1 {
		gap += s.inherited()
		if excess := b.excess(); !(gap <= Accuracy && excess <= tolLater) {
			return &UncertifiedError{"progressive filling", excess, gap}
		}
	}
	s.reached = gap
	s.cert.Gap = max(s.cert.Gap, gap)
	return nil
}

// inherited returns by how much, relative to it, the level of this round can be off
// because those of earlier rounds are: with the costs q that gap has left in s.cost,
//
//	Σ_frozen q[j]·share[j]·error[j] / (g·Σ_rising q[j]).
func (s *MaxMin) inherited() float64 {
	b := &s.basis
	moved, each := 0.0, 0.0
	for j := range b.users {
		if b.here[j] {
			moved += s.cost[j] * b.fixed[j] * s.errors[j]
			each += s.cost[j] * b.rate[j]
		}
	}
	return moved / each / max(b.g(), s.least)
}

// wide reports whether a user that is here needs [widest] times as much of one row as of
// another: what rounding leaves of a row could then be its whole allocation in a second
// round.
func (s *MaxMin) wide() bool {
	for len(s.spread) < s.prog.users {
		s.spread = append(s.spread, s.prog.spread(len(s.spread)))
	}
	for j, here := range s.basis.here {
		if here && s.spread[j] > widest {
			return true
		}
	}
	return false
}

// gap returns how far the level of this round can be from the best, relative
// to it. For any prices π ≥ 0 whatever, with q[j] the least cost of a unit of
// j's work, every allocation that gives the frozen users their share and the
// rising users at least g' satisfies
//
//	Σ_k π[k] ≥ Σ_frozen q[j]·share[j] + g'·Σ_rising q[j],
//
// and so g' − g is at most
//
//	(Σ_k π[k]·slack[k] + Σ_j Σ_s y[j,s]·(q[j,s] − q[j])) / Σ_rising q[j]
//
// for the present y and its slacks. No term is negative, so nothing cancels.
// It is +Inf where the level is not positive, and not small enough to count as
// nothing. It leaves q in s.cost and the cleaned prices in s.clean.
func (s *MaxMin) gap() float64 {
	b := &s.basis
	s.cleanPrices()
	b.prices.set(b.program, s.clean)
	lost, each := 0.0, 0.0
	for _, k := range b.tight {
		lost += s.clean[k] * b.residual
	}
	for k, i := range b.pos {
		if i >= 0 {
			lost += s.clean[k] * math.Abs(b.val[i])
		}
	}
	if b.pairs {
		lost, each = s.costsOfPairs(lost)
	} else {
		for j, here := range b.here {
			if !here {
				continue
			}
			_, cost := b.prices.cheapest(j)
			s.cost[j] = cost
			each += cost * b.rate[j]
			if more := b.prices.same(j, b.key[j]) - cost; more > 0 {
				lost += math.Abs(b.keyValue(j)) * more
			}
			for i := b.head[j]; i >= 0; i = b.next[i] {
				lost += math.Abs(b.val[i]) * (b.prices.same(j, b.serverOf(b.in[i])) - cost)
			}
		}
	}
	if s.tiered {
		// A second tier may have a level of 0, of which rounding is any part.
		lost = max(0, lost-rounding*b.worth)
	}
	unit := max(b.g(), s.least)
	if !(unit > 0) {
		return math.Inf(1)
	}
	return lost / each / unit
}

// costsOfPairs leaves the cost of each user in s.cost and returns lost with what work on
// dearer servers loses, and the sum of the costs of those that rise.
func (s *MaxMin) costsOfPairs(lost float64) (_, each float64) {
	b := &s.basis
	unit, cost, rate, head := b.prices.unit, s.cost[:len(b.here)], b.rate[:len(b.here)], b.head[:len(b.here)]
	g, fixed, key, use := b.g(), b.fixed[:len(b.here)], b.key[:len(b.here)], b.use[:2*len(b.here)]
	for j, here := range b.here {
		if !here {
			continue
		}
		through, d0, d1 := b.prices.through(j), use[2*j], use[2*j+1]
		own, least := d0*unit[2*key[j]]+d1*unit[2*key[j]+1], math.Inf(1)
		for i := 1; i < len(unit); i += 2 {
			if price := d0*unit[i-1] + d1*unit[i]; price < least {
				least = price
			}
		}
		own, least = own+through, least+through
		cost[j] = least
		each += least * rate[j]
		y := fixed[j] + rate[j]*g
		if head[j] >= 0 {
			y = b.keyValue(j)
		}
		lost += math.Abs(y) * (own - least)
		for i := head[j]; i >= 0; i = b.next[i] {
			v := b.serverOf(b.in[i])
			lost += math.Abs(b.val[i]) * (d0*unit[2*v] + d1*unit[2*v+1] + through - least)
		}
	}
	return lost, each
}

// cleanPrices sets s.clean to the prices without rounding dust, and keeps
// those of the first round that prices end (a task cap may end earlier ones).
func (s *MaxMin) cleanPrices() {
	b := &s.basis
	b.findPrices()
	s.clean = resize(s.clean, b.m)
	for k, v := range b.price {
		if v <= tolPrice*b.worth {
			v = 0
		}
		s.clean[k] = v
	}
	if s.priced == 0 || s.priced == s.cert.Rounds {
		s.priced = s.cert.Rounds
		copy(s.prices, s.clean)
	}
}
