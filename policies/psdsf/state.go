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
	capped bool // a user has a task cap
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
		copy(g.x, g.now)
	}
	st.sum()
	return st
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
	steady = true
	for k := range st.groups {
		g := &st.groups[k]
		g.fill(st.tasks, st.fallen)
		steady = g.note(st.tasks) && steady
		change = math.Max(change, st.move(g, step))
	}
	return change, steady
}

const (
	// dust is the part of a user's tasks below which what it holds on a server
	// is rounding, and idle the pattern of a user that holds no more.
	dust = 1e-12
	idle = -3
	// doubt is how many times more than dust an idle user must get not to be
	// idle any longer, so that rounding does not change the pattern to and fro.
	doubt = 100
)

// note keeps the pattern of the last Fill and reports whether it was so before.
func (g *group) note(tasks []float64) bool {
	steady := true
	for _, i := range g.order {
		least, why := dust, idle
		if g.pattern[i] == idle {
			least = doubt * dust
		}
		if g.now[i] > least*(g.elsewhere(i, tasks)+g.now[i]) {
			why = g.Frozen[i]
		}
		steady = steady && why == g.pattern[i]
		g.pattern[i] = why
	}
	return steady
}

// move goes the part step of the way from what the users of a group hold to what
// its last Fill says, and returns the largest relative change.
func (st *state) move(g *group, step float64) float64 {
	change, fall := 0.0, 0.0
	for _, i := range g.order {
		j, old := g.Users[i], g.x[i]
		elsewhere := g.elsewhere(i, st.tasks)
		g.x[i] = old + step*(g.now[i]-old)
		now := elsewhere + g.x[i]
		if g.x[i] != old {
			change = max(change, math.Abs(g.x[i]-old)/now)
		}
		if now < st.tasks[j] {
			fall = max(fall, 1-now/st.tasks[j])
		}
		st.tasks[j] = now
	}
	st.fallen += fall
	return change
}

// place is one user on one group.
type place struct{ group, user int }

// places lists who may hold something.
func (st *state) places() []place {
	var all []place
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
