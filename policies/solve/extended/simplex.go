package extended

import (
	"errors"
	"math/big"
)

var (
	errUnbounded = errors.New("solve: the program is unbounded")
	errPivots    = errors.New("solve: too many pivots")
)

const (
	// block is the number of users that are priced together.
	block = 48
	// stallLimit is the number of degenerate pivots in a row after which Bland's
	// rule takes over until the next step of positive length.
	stallLimit = 60
)

// maxPivots is the number of pivots after which a method gives up.
func maxPivots(rows, columns int) int { return 2000 + 50*(rows+columns) }

// exit says what a step drives to a bound.
type exit int

const (
	exitNone  exit = iota
	exitBasic      // the basic variable at position at
	exitKey        // the key of user at
	exitLimit      // the level reaches its limit
)

// step is the result of a ratio test.
type step struct {
	kind         exit
	at, id       int
	theta, pivot *big.Float
}

// primal raises the level to its maximum, or to limit (nil: none), from a basis
// in which it is basic.
func (b *basis) primal(limit *big.Float) error {
	for range maxPivots(b.rows, b.users) {
		// 1. Price the rows; a variable whose cost is less than what it saves may enter.
		b.setPrices()
		enter, found := b.choose()
		if !found {
			return nil
		}
		// 2. Find how the basic variables answer to it, and let it grow to the first bound.
		b.load(enter)
		s := b.ratio(enter, limit)
		if s.kind == exitNone {
			return errUnbounded
		}
		b.take(enter, s)
		if s.kind == exitLimit {
			b.level.Set(limit)
			return nil
		}
	}
	return errPivots
}

// setPrices sets the prices of the rows, and what they sum to.
func (b *basis) setPrices() {
	b.worth = newNumber()
	t := newNumber()
	for k := range b.prices {
		b.prices[k].Set(&b.inverse[b.where][k])
		b.worth.Add(b.worth, t.Abs(&b.prices[k]))
	}
	b.prices.clean(b.worth)
}

// choose returns a variable that is worth letting in: the best of a block of
// users, or the slack of a row with a negative price. Under Bland's rule it is
// the one with the lowest number.
func (b *basis) choose() (int, bool) {
	bland := b.stalled > stallLimit
	enter, found, best := 0, false, newNumber()
	for k := b.rows - 1; k >= 0; k-- {
		if gain := newNumber().Neg(&b.prices[k]); gain.Cmp(best) > 0 {
			enter, found, best = -1-k, true, gain
			if bland {
				return enter, true
			}
		}
	}
	for seen := range b.users {
		j := b.next
		if bland {
			j = seen
		}
		if v, gain := b.offer(j, bland); gain.Cmp(best) > 0 {
			enter, found, best = v, true, gain
			if bland {
				return enter, true
			}
		}
		b.next = (b.next + 1) % b.users
		if found && !bland && seen%block == block-1 {
			break
		}
	}
	return enter, found
}

// offer returns the best server for user j to go to (or the first one worth it)
// and what a unit of share gains there.
func (b *basis) offer(j int, first bool) (int, *big.Float) {
	best := newNumber()
	if !b.here[j] || !b.rate[j] && b.fixed[j].Sign() == 0 {
		return 0, best
	}
	own := b.cost(newNumber(), b.prices, j, b.key[j])
	least := newNumber().Sub(own, newNumber().Mul(b.worth, negligible))
	enter, cost := 0, newNumber()
	for s := range b.servers {
		if s == b.key[j] || b.at(j, s) == nil {
			continue
		}
		if b.cost(cost, b.prices, j, s).Cmp(least) < 0 {
			least.Set(cost)
			enter = j*b.servers + s
			best.Sub(own, cost)
			if first {
				break
			}
		}
	}
	return enter, best
}

// better prefers the shorter step, among equal ones the one with the larger pivot
// element (under Bland's rule: the lower number).
func (a step) better(b step, bland bool) bool {
	if b.kind == exitNone {
		return true
	}
	if c := a.theta.Cmp(b.theta); c != 0 {
		return c < 0
	}
	if bland {
		return a.id < b.id
	}
	return a.pivot.Cmp(b.pivot) > 0
}

// ratio finds the first bound that is met when enter grows; b.alpha holds its
// column.
func (b *basis) ratio(enter int, limit *big.Float) step {
	best, bland := step{}, b.stalled > stallLimit
	try := func(kind exit, at, id int, room, speed *big.Float) {
		if speed.Sign() <= 0 {
			return
		}
		if room.Sign() < 0 {
			room = newNumber()
		}
		s := step{kind, at, id, newNumber().Quo(room, speed), newNumber().Set(speed)}
		if s.better(best, bland) {
			best = s
		}
	}
	for i, v := range b.in {
		switch {
		case i != b.where:
			try(exitBasic, i, v, &b.value[i], &b.alpha[i])
		case limit != nil:
			try(exitLimit, i, v, newNumber().Sub(limit, &b.value[i]), newNumber().Neg(&b.alpha[i]))
		}
	}
	for j := range b.users {
		if b.here[j] && (len(b.beside[j]) > 0 || b.owner(enter) == j) {
			try(exitKey, j, j*b.servers+b.key[j], b.keyValue(j), b.keyFall(enter, j))
		}
	}
	if enter == b.levelVar() && limit != nil {
		try(exitLimit, -1, enter, newNumber().Sub(limit, &b.level), big.NewFloat(1))
	}
	return best
}

// keyFall returns how fast the key of user j falls when enter grows.
func (b *basis) keyFall(enter, j int) *big.Float {
	v, one := newNumber(), big.NewFloat(1)
	for _, i := range b.beside[j] {
		v.Sub(v, &b.alpha[i])
	}
	if b.owner(enter) == j {
		v.Add(v, one)
	}
	if b.rate[j] {
		if enter == b.levelVar() {
			v.Sub(v, one)
		} else if b.where >= 0 {
			v.Add(v, &b.alpha[b.where])
		}
	}
	if abs := newNumber().Abs(v); abs.Cmp(negligible) < 0 {
		v.SetInt64(0)
	}
	return v
}

// take carries a step out.
func (b *basis) take(enter int, s step) {
	b.stalled++
	if s.theta.Sign() > 0 {
		b.stalled = 0
	}
	start := newNumber()
	if enter == b.levelVar() {
		start.Set(&b.level)
	}
	switch {
	case s.kind == exitLimit && s.at < 0:
		b.move(s.theta)
	case s.kind != exitKey:
		b.pivot(s.at, enter, s.theta, start)
	case len(b.beside[s.at]) == 0:
		b.flip(s.at, enter%b.servers, s.theta)
	default:
		at := b.fullest(s.at)
		b.swap(s.at, at)
		b.load(enter)
		b.pivot(at, enter, s.theta, start)
	}
}

// fullest returns the position of the largest basic variable of user j.
func (b *basis) fullest(j int) int {
	at := b.beside[j][0]
	for _, i := range b.beside[j] {
		if b.value[i].Cmp(&b.value[at]) > 0 {
			at = i
		}
	}
	return at
}
