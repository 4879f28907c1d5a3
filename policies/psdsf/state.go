package psdsf

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// group is what acts as one server: a class of the environment and all that are
// like it.
type group struct {
	*Server
	classes []int
	part    []float64 // per class: its part of the group's servers
}

// state is an allocation under way.
type state struct {
	groups []group
	x      [][]float64 // tasks by group and place in the group's Users
	tasks  []float64   // x[j] over all groups
	// pattern says of each user on each group what stopped it in the last
	// sweep, and whether it then held anything. Where it stays the same the
	// sweep is an affine map.
	pattern   []int
	elsewhere []float64
	old       []float64
}

// newState returns the start of Algorithm I: DRF on each server apart.
func newState(env *cluster.Environment) *state {
	st := &state{tasks: make([]float64, len(env.Users)), elsewhere: make([]float64, len(env.Users)), old: make([]float64, len(env.Users))}
	for _, classes := range alike(env) {
		g := group{classes: classes}
		merged, total := env.Servers[classes[0]], 0
		for _, s := range classes {
			total += env.Servers[s].Count
		}
		for _, s := range classes {
			g.part = append(g.part, float64(env.Servers[s].Count)/float64(total))
		}
		merged.Count = total
		g.Server = NewServer(alone(env, classes[0], merged), 0)
		x := make([]float64, len(g.Users))
		g.Fill(st.elsewhere[:len(x)], x)
		st.groups, st.x = append(st.groups, g), append(st.x, x)
	}
	st.sum()
	return st
}

// alone returns the environment of one server that the users see as class s.
func alone(env *cluster.Environment, s int, server cluster.Server) *cluster.Environment {
	one := &cluster.Environment{Resources: env.Resources, Servers: []cluster.Server{server}, Users: slices.Clone(env.Users)}
	for j := range one.Users {
		u := &one.Users[j]
		u.Demand, u.DemandOn, u.Eligible, u.LinkDemand = env.Demand(j, s), nil, nil, nil
		if !env.MayRun(j, s) {
			u.Eligible = cluster.NewSet(1)
		}
	}
	return one
}

// alike lists the classes by what acts as one server, in the order of their
// first members: classes of the same capacities, on which the same users may
// run with the same demands.
func alike(env *cluster.Environment) [][]int {
	var groups [][]int
	for s := range env.Servers {
		at := slices.IndexFunc(groups, func(g []int) bool { return same(env, g[0], s) })
		if at < 0 {
			groups = append(groups, []int{s})
		} else {
			groups[at] = append(groups[at], s)
		}
	}
	return groups
}

func same(env *cluster.Environment, s, t int) bool {
	if !slices.Equal(env.Servers[s].Capacity, env.Servers[t].Capacity) {
		return false
	}
	for j := range env.Users {
		if env.MayRun(j, s) != env.MayRun(j, t) || len(env.Users[j].DemandOn) > 0 && !slices.Equal(env.Demand(j, s), env.Demand(j, t)) {
			return false
		}
	}
	return true
}

// sum computes the totals afresh.
func (st *state) sum() {
	clear(st.tasks)
	for s := range st.groups {
		for i, j := range st.groups[s].Users {
			st.tasks[j] += st.x[s][i]
		}
	}
}

// sweep lets every server act once, in order, and go the part step of the way
// to what its procedure says. It returns the largest change of x[j,s] relative
// to x[j], and whether the pattern is that of the last sweep.
func (st *state) sweep(step float64) (change float64, steady bool) {
	st.sum()
	steady = true
	at := 0
	for s := range st.groups {
		g, x := &st.groups[s], st.x[s]
		old, elsewhere := st.old[:len(x)], st.elsewhere[:len(x)]
		copy(old, x)
		for i, j := range g.Users {
			elsewhere[i] = math.Max(st.tasks[j]-x[i], 0)
		}
		g.Fill(elsewhere, x)
		for i, j := range g.Users {
			why := idle
			if x[i] > dust*(elsewhere[i]+x[i]) {
				why = g.Frozen[i]
			}
			steady = st.note(at, why) && steady
			at++
			x[i] = old[i] + step*(x[i]-old[i])
			st.tasks[j] = elsewhere[i] + x[i]
			if x[i] != old[i] {
				change = math.Max(change, math.Abs(x[i]-old[i])/st.tasks[j])
			}
		}
	}
	return change, steady
}

// dust is the part of a user's tasks below which what it holds on a server is
// rounding, and idle the pattern of a user that holds no more.
const (
	dust = 1e-12
	idle = -3
)

// note keeps the pattern at a place and reports whether it was so before.
func (st *state) note(at, why int) bool {
	if at == len(st.pattern) {
		st.pattern = append(st.pattern, why)
		return false
	}
	before := st.pattern[at]
	st.pattern[at] = why
	return before == why
}

// vector returns x in one piece, each entry as the level that it makes up.
func (st *state) vector() []float64 {
	var y []float64
	for s := range st.x {
		for i, x := range st.x[s] {
			y = append(y, x/st.groups[s].Key[i])
		}
	}
	return y
}

// set is the inverse of vector. Negative entries are 0.
func (st *state) set(y []float64) {
	for s := range st.x {
		for i := range st.x[s] {
			st.x[s][i] = math.Max(y[i], 0) * st.groups[s].Key[i]
		}
		y = y[len(st.x[s]):]
	}
}
