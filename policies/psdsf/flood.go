package psdsf

import "math"

// pull is what the rising users take of a resource at a level L: slope·L - below
// of its capacity.
type pull struct{ slope, below float64 }

// flood is [Server.rise] for users without caps: it finds the level at which the
// next resource is used up as a root, from the level of the last time, instead
// of by letting users join one by one. What users take of a resource is a convex
// increasing function of the level, with a kink where one joins; so Newton's
// method comes down to the root from above in a few steps, one or two if nearly
// the same users join as the last time.
//
// Where all need the first resource that is used up, nothing is written: whole is that
// resource, and stopped says what each user gets.
func (v *Server) flood(x []float64) {
	v.left = append(v.left[:0], v.order...)
	for r := range v.closed {
		v.closed[r], v.rising.room[r], v.rising.open[r] = math.Inf(1), 1, true
	}
	v.stops = v.stops[:0]
	v.whole = -1
	level := 0.0
	for k := 0; len(v.left) > 0 || k == 0 && v.base != nil; k++ {
		// 1. The level at which the next resource is used up, from where it was last time.
		stop, at := v.root(v.guess[k])
		level = max(level, at)
		v.guess[k] = level
		// 2. Everybody who needs that resource stops there.
		v.closed[stop], v.rising.open[stop] = level, false
		v.stops = append(v.stops, stop)
		if k == 0 && v.every[stop] {
			v.whole = stop
			return
		}
		v.freeze(stop, level, x)
	}
}

// stopped writes what the user at a place gets, where whole stops all.
func (v *Server) stopped(i int, x []float64) {
	v.Frozen[i], x[i] = v.whole, max(v.closed[v.whole]-v.start[i], 0)*v.Key[i]
}

// root returns which resource is used up first if all that are left rise, and
// the level; guess is where to look first.
func (v *Server) root(guess float64) (stop int, level float64) {
	stop, level = v.newton(guess)
	if stop < 0 {
		stop, level = v.newton(math.Inf(1))
	}
	for {
		if v.under < level && level <= v.over {
			return stop, level // the same users start below: newton would say the same
		}
		r, next := v.newton(level)
		if !(next < level) {
			return stop, level
		}
		stop, level = r, next
	}
}

// newton returns which resource would be used up first, and the level, if those
// users of the ones left rise that start below a level: no lower than where the
// first is used up in truth. It is -1 if nobody starts below. It notes the last start
// below the level and the first that is not.
func (v *Server) newton(level float64) (int, float64) {
	switch {
	case v.summed:
		v.summed = false
	case v.width == 2:
		v.pullPairs(level)
	default:
		clear(v.pulls)
		copy(v.pulls, v.base)
		v.under, v.over = math.Inf(-1), math.Inf(1)
		for _, i := range v.left {
			start := v.start[i]
			if !(start < level) {
				v.over = min(v.over, start)
				continue
			}
			v.under = max(v.under, start)
			for r, slope := range v.pull[i*v.width : (i+1)*v.width] {
				v.pulls[r].slope += slope
				v.pulls[r].below += slope * start
			}
		}
	}
	stop, at := -1, math.Inf(1)
	for r, p := range v.pulls {
		if v.rising.open[r] && p.slope > 0 {
			if l := (v.rising.room[r] + p.below) / p.slope; l < at {
				stop, at = r, l
			}
		}
	}
	return stop, at
}

// pairs returns the base for two resources.
func (v *Server) pairs() (a, b pull) {
	if v.base != nil {
		a, b = v.base[0], v.base[1]
	}
	return a, b
}

// pullPairs is the sum of newton for two resources.
func (v *Server) pullPairs(level float64) {
	a, b := v.pairs()
	under, over, starts := math.Inf(-1), math.Inf(1), v.start
	for _, i := range v.left {
		start, slopes := starts[i], v.pull[2*i:][:2]
		if !(start < level) {
			if start < over {
				over = start
			}
			continue
		}
		if start > under {
			under = start
		}
		a.slope += slopes[0]
		a.below += slopes[0] * start
		b.slope += slopes[1]
		b.below += slopes[1] * start
	}
	v.pulls[0], v.pulls[1], v.under, v.over = a, b, under, over
}

// startPairs puts the users who take part where they start, for two resources, and does
// the first sum of flood on the way.
func (g *group) startPairs(tasks []float64) {
	a, b := g.pairs()
	under, over, level := math.Inf(-1), math.Inf(1), g.guess[0]
	users, x, key, starts, aways := g.Users, g.x, g.Key, g.start, g.away
	for _, i := range g.order {
		away := max(tasks[users[i]]-x[i], 0)
		start, slopes := away/key[i], g.pull[2*i:][:2]
		aways[i], starts[i] = away, start
		if !(start < level) {
			if start < over {
				over = start
			}
			continue
		}
		if start > under {
			under = start
		}
		a.slope += slopes[0]
		a.below += slopes[0] * start
		b.slope += slopes[1]
		b.below += slopes[1] * start
	}
	g.pulls[0], g.pulls[1], g.under, g.over, g.summed = a, b, under, over, true
}

// freeze stops all that need a resource at the level, and takes what they hold
// from the room of the others.
func (v *Server) freeze(stop int, level float64, x []float64) {
	rest := v.left[:0]
	for _, i := range v.left {
		pulls := v.pull[i*v.width : (i+1)*v.width]
		if pulls[stop] == 0 {
			rest = append(rest, i)
			continue
		}
		rise := max(level-v.start[i], 0)
		v.Frozen[i], x[i] = stop, rise*v.Key[i]
		for r, slope := range pulls {
			v.rising.room[r] -= rise * slope
		}
	}
	v.left = rest
	for r, room := range v.rising.room {
		v.rising.room[r] = max(room, 0)
	}
}
