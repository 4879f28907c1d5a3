package psdsf

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// group is what acts as one server: a class of the environment and all that are
// like it.
//
// On many servers most users are far from getting anything. So only those take
// part in a Fill that hold something or start from no more than (1+margin) times
// the level that stopped them in the Fill before; the others are looked at again
// when they might have come so low. Nobody who would have joined is ever left
// out: the answer is that of a Fill among all.
type group struct {
	*Server
	classes []int
	part    []float64 // per class: its part of the group's servers

	x, now []float64 // tasks by place in Users: held, and by the last Fill
	away   []float64 // of those who took part in it: tasks elsewhere
	// pattern says of each user what stopped it in the last sweep, or that it
	// held nothing then.
	pattern []int

	// joins has users join one by one in a Fill: it must where they have caps.
	joins  bool
	margin float64
	// reach is, per resource, the level up to which the users who take part are
	// all there are, but for the margin; it held when fallen was since.
	reach []float64
	since float64
	fresh bool // since is of this sweep
	// work counts the users filled since they were listed.
	work int
	// previous is closed as it was a sweep before.
	previous []float64
}

// usual is the margin: a larger one lets more users take part in vain, a smaller
// one has them all looked at more often.
const usual = 0.1

// relist is how many users are filled, in parts of all, before they are listed anew: a
// larger number has more of them take part in vain, a smaller one has all looked at more
// often.
const relist = 4

// newGroups returns the groups of env.
func newGroups(env *cluster.Environment, margin float64) []group {
	lists := alike(env)
	merged := *env
	merged.Servers = slices.Clone(env.Servers)
	for _, classes := range lists {
		for _, s := range classes[1:] {
			merged.Servers[classes[0]].Count += env.Servers[s].Count
		}
	}
	groups := make([]group, 0, len(lists))
	for _, classes := range lists {
		g := group{Server: NewServer(&merged, classes[0]), classes: classes, margin: margin, reach: make([]float64, len(env.Resources)), previous: make([]float64, len(env.Resources))}
		for _, s := range classes {
			g.part = append(g.part, float64(env.Servers[s].Count)/float64(merged.Servers[classes[0]].Count))
		}
		g.x, g.now = make([]float64, len(g.Users)), make([]float64, len(g.Users))
		g.away = make([]float64, len(g.Users))
		g.joins = g.capped
		groups = append(groups, g)
	}
	return groups
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

// elsewhere is what the user at a place has elsewhere, of its tasks in total.
func (g *group) elsewhere(i int, tasks []float64) float64 {
	return max(tasks[g.Users[i]]-g.x[i], 0)
}

// fill writes into now what the server procedure gives to the users who take
// part, but for what stopped is still to write; the others get nothing. fallen is a bound on how much the totals have
// fallen so far: what a user has left of its tasks since then is at least the
// part 1-(fallen-since).
func (g *group) fill(tasks []float64, fallen float64) {
	copy(g.previous, g.closed)
	if g.work >= relist*len(g.Users) || !g.complete(fallen) {
		copy(g.reach, g.closed)
		g.list(tasks, fallen)
	}
	for attempt := 0; ; attempt++ {
		// 1. Divide the group among those who are listed.
		g.startAll(tasks)
		g.divide()
		g.work += len(g.order)
		// 2. Done, unless somebody who is not listed might have joined: then list more users,
		// the second time all of them.
		if g.complete(fallen) {
			return
		}
		copy(g.reach, g.closed)
		if attempt > 0 {
			g.reachEverybody()
		}
		g.list(tasks, fallen)
	}
}

// startAll puts the users who take part where they start.
func (g *group) startAll(tasks []float64) {
	if g.width == 2 && !g.joins {
		g.startPairs(tasks)
		return
	}
	for _, i := range g.order {
		away := g.elsewhere(i, tasks)
		g.away[i], g.start[i] = away, away/g.Key[i]
	}
}

// divide divides the group among the users who take part.
func (g *group) divide() {
	if g.joins {
		g.rise(g.now)
		return
	}
	g.flood(g.now)
}

// stale has the users listed anew before the next Fill.
func (g *group) stale() { g.work = math.MaxInt }

// reachEverybody lets all users take part when they are listed next.
func (g *group) reachEverybody() {
	for r := range g.reach {
		g.reach[r] = math.Inf(1)
	}
}

// list decides who takes part.
func (g *group) list(tasks []float64, fallen float64) {
	g.order, g.since, g.fresh, g.work = g.order[:0], fallen, true, 0
	least := math.Inf(1) // of the levels that stop those who need everything
	for _, reach := range g.reach {
		least = min(least, reach)
	}
	all := !slices.Contains(g.every, false)
	for i := range g.Users {
		stops := least
		if !all {
			stops = math.Inf(1)
			for r, need := range g.needs(i) {
				if need > 0 {
					stops = min(stops, g.reach[r])
				}
			}
		}
		if g.x[i] > 0 || g.elsewhere(i, tasks) <= (1+g.margin)*stops*g.Key[i] {
			g.order = append(g.order, i)
		}
	}
}

// complete reports whether all who do not take part were stopped, in the last
// Fill, before the level reached them: each needs a resource that was used up
// below where it can start by now.
func (g *group) complete(fallen float64) bool {
	left := (1 + g.margin) * (1 - (fallen - g.since))
	for r, reach := range g.reach {
		if !math.IsInf(reach, 1) && !(g.closed[r] <= reach*left) {
			return false
		}
	}
	return true
}
