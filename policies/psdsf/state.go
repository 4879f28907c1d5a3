package psdsf

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// state is an allocation under way.
type state struct {
	groups []group
	tasks  []float64 // x[j] over all groups
	// fallen is the sum, over all acts of groups, of the largest part of its
	// tasks that a user lost in it.
	fallen float64
	// start is the totals when the last sweep began, base what fallen was then.
	start  []float64
	base   float64
	capped bool // a user has a task cap
	// ends is the least number of sweeps like the last one in which a user would lose
	// all that it holds on a group.
	ends float64
}

// newState returns the start of Algorithm I: DRF on each server apart.
func newState(env *cluster.Environment, margin float64) *state {
	st := &state{groups: newGroups(env, margin), tasks: make([]float64, len(env.Users))}
	for k := range st.groups {
		g := &st.groups[k]
		st.capped = st.capped || g.capped
		g.pattern = make([]int, len(g.Users))
		for i := range g.pattern {
			g.pattern[i] = idle
		}
		g.reachEverybody()
		g.list(st.tasks, 0)
		g.fill(st.tasks, 0)
		for i := range g.x {
			if g.whole >= 0 {
				g.stopped(i, g.now)
			}
			g.x[i] = g.now[i]
		}
	}
	st.sum()
	st.start = slices.Clone(st.tasks)
	return st
}

// tally replaces what has fallen in the single acts since the last sweep began by what has
// fallen in all of them together, which is less where users lose here and gain there.
func (st *state) tally() {
	keep := 1.0
	for j, had := range st.start {
		if has := st.tasks[j]; has < keep*had {
			keep = has / had
		}
	}
	base := st.base + 1 - keep
	for k := range st.groups {
		if g := &st.groups[k]; g.fresh {
			g.since, g.fresh = base-(st.fallen-g.since), false
		}
	}
	st.base, st.fallen = base, base
	copy(st.start, st.tasks)
}

// sum computes the totals afresh.
func (st *state) sum() {
	clear(st.tasks)
	for k := range st.groups {
		g := &st.groups[k]
		for _, i := range g.order {
			st.tasks[g.Users[i]] += g.x[i]
		}
	}
}

// sweep lets every server act once, in order, and go the part step of the way
// to what its procedure says. It returns the largest change of x[j,s] relative
// to x[j], and whether the pattern is that of the last sweep: while it is, the
// sweep is an affine map.
func (st *state) sweep(step float64) (change float64, steady bool) {
	st.sum()
	st.tally()
	steady, st.ends = true, math.Inf(1)
	for k := range st.groups {
		g := &st.groups[k]
		g.fill(st.tasks, st.fallen)
		by, same := st.move(g, step)
		change, steady = math.Max(change, by), steady && same
	}
	return change, steady
}

const (
	// dust is the part of a user's tasks below which what it holds on a server
	// is rounding, and idle the pattern of a user that holds no more.
	dust = 1e-12
	idle = -3
	// margin is more than what rounding makes of a product.
	margin = 1e-12
	// doubt is how many times more than dust an idle user must get not to be
	// idle any longer, so that rounding does not change the pattern to and fro.
	doubt = 100
)

// note returns what stopped the user at a place in the last Fill, or that it holds
// nothing then.
func (g *group) note(i int) int {
	least := dust
	if g.pattern[i] == idle {
		least = doubt * dust
	}
	if now := g.now[i]; now > least*(g.away[i]+now) {
		return g.Frozen[i]
	}
	return idle
}

// move goes the part step of the way from what the users of a group hold to what
// its last Fill says, and returns the largest relative change, and whether the pattern
// was so before.
func (st *state) move(g *group, step float64) (change float64, steady bool) {
	fall, ends := 0.0, st.ends
	steady = true
	tasks, users, x, now, away, pattern := st.tasks, g.Users, g.x, g.now, g.away, g.pattern
	for _, i := range g.order {
		if g.whole >= 0 {
			g.stopped(i, now)
		}
		j, old := users[i], x[i]
		why := g.note(i)
		steady = steady && why == pattern[i]
		pattern[i] = why
		to := old + step*(now[i]-old)
		total, by := away[i]+to, to-old
		if by < 0 && why != idle && to < -ends*by {
			ends = -to / by
		}
		// Divided only where it may be more than what is known.
		if by = math.Abs(by); by > change*total*(1-margin) {
			change = max(change, by/total)
		}
		if had := tasks[j]; had-total > fall*had*(1-margin) {
			fall = max(fall, 1-total/had)
		}
		x[i], tasks[j] = to, total
	}
	st.fallen += fall
	st.ends = ends
	return change, steady
}

// place is one user on one group.
type place struct{ group, user int }

// taking returns how many users take part, in all groups together.
func (st *state) taking() (n int) {
	for k := range st.groups {
		n += len(st.groups[k].order)
	}
	return n
}

// places lists who may hold something.
func (st *state) places() []place {
	all := make([]place, 0, st.taking())
	for k := range st.groups {
		for _, i := range st.groups[k].order {
			all = append(all, place{k, i})
		}
	}
	return all
}

// levels returns x at some places, each as the level that it makes up.
func (st *state) levels(at []place) []float64 {
	y := make([]float64, len(at))
	for k, p := range at {
		y[k] = st.groups[p.group].x[p.user] / st.groups[p.group].Key[p.user]
	}
	return y
}

// set is the inverse of levels; it empties all other places. Negative entries
// are 0.
func (st *state) set(at []place, y []float64) {
	for k := range st.groups {
		g := &st.groups[k]
		for _, i := range g.order {
			g.x[i] = 0
		}
		g.order = g.order[:0]
		g.stale()
	}
	for k, p := range at {
		g := &st.groups[p.group]
		g.x[p.user] = math.Max(y[k], 0) * g.Key[p.user]
		g.order = append(g.order, p.user)
	}
}

// patterns returns a copy of the pattern of each group.
func (st *state) patterns() [][]int {
	all := make([][]int, len(st.groups))
	for k := range st.groups {
		all[k] = slices.Clone(st.groups[k].pattern)
	}
	return all
}

// setPatterns is the inverse of patterns.
func (st *state) setPatterns(all [][]int) {
	for k := range st.groups {
		copy(st.groups[k].pattern, all[k])
	}
}
