package cluster

import (
	"cmp"
	"slices"
)

// alone solves the program of one user that has the cluster to itself (see
// [Environment.Eta]) for the users of an environment one after another.
//
// Where any two links reach disjoint sets of servers or one set contains the
// other, the links form a forest and the program is solved from its leaves:
// what passes a link is the sum of what it reaches directly and of what passes
// the links below it, at most c[e]/d[j,e]. This is optimal because a link's
// servers meet the rest of the program only in their sum. Links that overlap
// in another way take the simplex of zones.go.
type alone struct {
	env      *Environment
	capacity []float64 // per row of (class, resource), of the whole class
	passed   []float64 // scratch: per link, and one entry for the root
	order    []int     // links, inner before outer
	parent   []int     // per link: the smallest link around it; the root
	home     []int     // per server: the smallest link around it; the root
	zones    *zones    // nil where the links form a forest
}

func newAlone(env *Environment) *alone {
	a := &alone{
		env:      env,
		capacity: make([]float64, len(env.Servers)*len(env.Resources)),
		passed:   make([]float64, len(env.Links)+1),
	}
	for s := range env.Servers {
		for r := range env.Resources {
			a.capacity[env.Row(s, r)] = env.Capacity(s, r)
		}
	}
	if !a.nest() {
		a.zones = newZones(env)
	}
	return a
}

// LinksNest reports whether any two links reach disjoint sets of servers, or one
// all that the other reaches. Then η is a sum of minima of positive terms, and
// its rounding is small beside it; otherwise it is the optimum of a program.
func (env *Environment) LinksNest() bool { return newAlone(env).zones == nil }

// nest finds the forest of the links and reports whether they form one.
func (a *alone) nest() bool {
	env, root := a.env, len(a.env.Links)
	size := make([]int, root)
	a.order, a.parent = make([]int, root), make([]int, root)
	for e := range size {
		a.order[e] = e
		size[e] = env.overlap(e, e)
	}
	slices.SortStableFunc(a.order, func(e, f int) int { return cmp.Compare(size[e], size[f]) })
	for i, e := range a.order {
		a.parent[e] = root
		for _, f := range a.order[i+1:] {
			common := env.overlap(e, f)
			if common > 0 && common < size[e] {
				return false
			}
			if common > 0 && a.parent[e] == root {
				a.parent[e] = f
			}
		}
	}
	a.home = make([]int, len(env.Servers))
	for s := range a.home {
		a.home[s] = root
		for _, e := range slices.Backward(a.order) {
			if env.Reaches(e, s) {
				a.home[s] = e
			}
		}
	}
	return true
}

// overlap counts the servers that both links reach.
func (env *Environment) overlap(e, f int) int {
	n := 0
	for s := range env.Servers {
		if env.Reaches(e, s) && env.Reaches(f, s) {
			n++
		}
	}
	return n
}

// tasks returns η[j], or η'[j] where only eligible servers count.
func (a *alone) tasks(j int, eligible bool) float64 {
	u := &a.env.Users[j]
	may := u.Eligible
	if !eligible {
		may = nil
	}
	if a.zones != nil {
		return a.zones.tasks(a, j, may)
	}
	clear(a.passed)
	root := len(a.order)
	if may == nil && a.env.plain(j) {
		a.passed[0] = a.sum(u.Demand)
	} else {
		for s, e := range a.home {
			if may.Has(s) {
				a.passed[e] += a.gamma(j, s)
			}
		}
	}
	for _, e := range a.order {
		through := a.passed[e]
		if d := a.env.LinkDemand(j, e); d > 0 {
			through = min(through, a.env.Links[e].Capacity/d)
		}
		a.passed[a.parent[e]] += through
	}
	return a.passed[root]
}

// oneZone reports whether there is no link, or one to all servers.
func (env *Environment) oneZone() bool {
	return len(env.Links) == 0 || len(env.Links) == 1 && env.Links[0].Servers == nil
}

// plain reports whether the demand of a user is the same on all servers and there is no
// link, or one to all of them.
func (env *Environment) plain(j int) bool {
	u := &env.Users[j]
	return len(u.DemandOn) == 0 && len(u.Demand) > 0 && env.oneZone()
}

// etaOfOne returns η of the only user, which is plain, on some of the servers, without what
// serves many users.
func (env *Environment) etaOfOne(may Set) float64 {
	total, demand := 0.0, env.Users[0].Demand
	for s := range env.Servers {
		if !may.Has(s) {
			continue
		}
		gamma := Inf
		for r, d := range demand {
			if d > 0 {
				gamma = min(gamma, env.Capacity(s, r)/d)
			}
		}
		total += gamma
	}
	for e := range env.Links {
		if d := env.LinkDemand(0, e); d > 0 {
			total = min(total, env.Links[e].Capacity/d)
		}
	}
	return total
}

// gamma is [Environment.Gamma] from the capacities at hand.
func (a *alone) gamma(j, s int) float64 {
	demand := a.env.Users[j].Demand
	if len(a.env.Users[j].DemandOn) > 0 {
		demand = a.env.Demand(j, s)
	}
	gamma := Inf
	for r, c := range a.capacity[s*len(demand) : (s+1)*len(demand)] {
		if d := demand[r]; d > 0 {
			gamma = min(gamma, c/d)
		}
	}
	return gamma
}

// sum returns Σ_s γ[s] of a demand that is the same on all servers, of at least
// one resource: the inner loop of a cold solve, so two resources, the usual number, are written out.
func (a *alone) sum(demand []float64) float64 {
	total, width := 0.0, len(demand)
	if width == 2 && demand[0] > 0 && demand[1] > 0 {
		d0, d1 := demand[0], demand[1]
		for c := a.capacity; len(c) >= 2; c = c[2:] {
			total += min(c[0]/d0, c[1]/d1)
		}
		return total
	}
	for c := a.capacity; len(c) >= width; c = c[width:] {
		gamma := Inf
		for r, d := range demand {
			if d > 0 {
				gamma = min(gamma, c[r]/d)
			}
		}
		total += gamma
	}
	return total
}
