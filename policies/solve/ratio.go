package solve

import "math"

// exit says which variable a step drives to a bound.
type exit int

const (
	exitNone  exit = iota // no bound is met: the program is unbounded
	exitBasic             // the basic variable at position at reaches 0
	exitUpper             // the basic surplus at position at reaches its span
	exitKey               // the key of user at reaches 0
	exitOwn               // the entering surplus of user at reaches its span
	exitLimit             // g reaches its limit
)

// step is the result of a ratio test.
type step struct {
	kind  exit
	at    int
	id    variable // the variable that stops
	theta float64
	pivot float64 // size of the pivot element, to break near ties
}

// blocking are the steps of a ratio test that may be the first: those within tolTie of
// the shortest so far.
type blocking struct {
	list  []step
	bound float64
}

func (c *blocking) reset() { c.list, c.bound = c.list[:0], math.Inf(1) }

func (c *blocking) add(s step) {
	if s.theta > c.bound {
		return
	}
	c.list = append(c.list, s)
	c.bound = min(c.bound, s.theta+tolTie*(1+s.theta))
}

// first returns, of the steps that are as short as the shortest one up to rounding, the
// one with the largest pivot element; under Bland's rule that of the lowest variable.
func (c *blocking) first(bland bool) step {
	best := step{kind: exitNone, theta: math.Inf(1)}
	for _, s := range c.list {
		switch {
		case s.theta > c.bound:
		case best.kind == exitNone, bland && s.id < best.id, !bland && s.pivot > best.pivot:
			best = s
		}
	}
	return best
}

// push returns what a unit of the entering variable by itself does to the key of user j.
func (b *basis) push(enter variable, j int) float64 {
	switch {
	case enter < 0:
		return 0
	case enter == b.levelVar():
		return b.rate[j]
	case b.userOf(enter) != j:
		return 0
	case b.isTask(enter):
		return -1
	}
	return b.side[j]
}

// ratio finds the first bound that is met when the variable enter grows; alpha holds its
// working column.
func (b *basis) ratio(enter variable, limit float64) step {
	c := &b.blocking
	c.reset()
	try := func(kind exit, at int, id variable, room, speed float64) {
		if !math.IsInf(room, 1) {
			c.add(step{kind, at, id, max(room, 0) / speed, speed})
		}
	}
	tol := tolPivot * b.largest()
	for i, a := range b.alpha {
		// 1. The bounds of the basic variables.
		v := b.in[i]
		switch {
		case v == b.levelVar():
			if -a > tol {
				try(exitLimit, i, v, limit-b.val[i], -a)
			}
			continue
		case a > tol:
			try(exitBasic, i, v, b.val[i], a)
		case -a > tol && v > b.levelVar():
			try(exitUpper, i, v, b.span[b.userOf(v)]-b.val[i], -a)
		}
		// 2. The keys of the users that have other basic work, once each.
		if j := b.userOf(v); j >= 0 && b.head[j] == i && b.hasTask(j) {
			if down := -b.keyRate(j) - b.push(enter, j); down > tol {
				try(exitKey, j, b.taskVar(j, b.key[j]), b.keyValue(j), down)
			}
		}
	}
	// 3. What the entering variable itself meets: its own bound, or the key of its user
	// where that has no other basic work.
	switch j := b.userOf(enter); {
	case enter == b.levelVar():
		try(exitLimit, -1, enter, limit-b.level, 1)
	case j >= 0 && !b.isTask(enter):
		try(exitOwn, j, enter, b.span[j], 1)
	case j >= 0 && !b.hasTask(j):
		if down := 1 - b.keyRate(j); down > tol {
			try(exitKey, j, b.taskVar(j, b.key[j]), b.keyValue(j), down)
		}
	}
	return c.first(b.stalled > stallLimit)
}

// hasTask reports whether user j has a basic task variable beside its key.
func (b *basis) hasTask(j int) bool {
	for i := b.head[j]; i >= 0; i = b.next[i] {
		if b.isTask(b.in[i]) {
			return true
		}
	}
	return false
}

func (b *basis) largest() float64 {
	v := 0.0
	for _, a := range b.alpha {
		if a = math.Abs(a); a > v {
			v = a
		}
	}
	return v
}
