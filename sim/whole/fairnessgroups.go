package whole

import (
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// fairGroups joins the classes of servers that no user tells apart: behind the
// same links, and for every kind that is present either closed or with the same
// demand. What a bundle is worth to somebody depends on how many tasks of it are
// in each group alone. Without constraints, differing demands and links over
// some of the servers there is one group.
type fairGroups struct {
	env   *cluster.Environment
	of    []int // per class of servers: its group
	first []int // per group: one of its classes
	count int
	width int // rows of a group: resources, then links
}

// open joins classes behind the same links.
func (g *fairGroups) open(env *cluster.Environment) {
	*g = fairGroups{env: env, of: make([]int, len(env.Servers)), width: len(env.Resources) + len(env.Links)}
	g.divide(nil)
}

// size is the number of rows of all groups.
func (g *fairGroups) size() int { return g.count * g.width }

// divide makes the groups anew for the given kinds.
func (g *fairGroups) divide(kinds []*kind) {
	g.first = g.first[:0]
	for s := range g.of {
		g.of[s] = slices.IndexFunc(g.first, func(other int) bool { return g.alike(s, other, kinds) })
		if g.of[s] < 0 {
			g.of[s] = len(g.first)
			g.first = append(g.first, s)
		}
	}
	g.count = len(g.first)
}

// alike reports whether two classes are the same for all of the kinds.
func (g *fairGroups) alike(a, b int, kinds []*kind) bool {
	for e := range g.env.Links {
		if g.env.Reaches(e, a) != g.env.Reaches(e, b) {
			return false
		}
	}
	return !slices.ContainsFunc(kinds, func(k *kind) bool { return tells(k, a, b) })
}

// tells reports whether a kind tells two classes apart.
func tells(k *kind, a, b int) bool {
	if k.May.Has(a) != k.May.Has(b) {
		return true
	}
	return k.May.Has(a) && len(k.user.DemandOn) > 0 && !slices.Equal(demandOn(&k.user, a), demandOn(&k.user, b))
}

// demandOn is what a task takes of the resources of a class of servers.
func demandOn(u *cluster.User, s int) []float64 {
	if on, differs := u.DemandOn[s]; differs {
		return on
	}
	return u.Demand
}

// splits reports whether a kind tells two classes of a group apart.
func (g *fairGroups) splits(k *kind) bool {
	if k.May == nil && len(k.user.DemandOn) == 0 {
		return false
	}
	for s, group := range g.of {
		if tells(k, s, g.first[group]) {
			return true
		}
	}
	return false
}

// may reports whether a kind may run on a group.
func (g *fairGroups) may(k *kind, group int) bool { return k.May.Has(g.first[group]) }

// need returns what one task of a kind takes on a group of each resource and of
// each link that reaches it; of other links nothing.
func (g *fairGroups) need(k *kind, group int) []float64 {
	s := g.first[group]
	need := append(slices.Clone(demandOn(&k.user, s)), make([]float64, len(g.env.Links))...)
	for e := range g.env.Links {
		if e < len(k.user.LinkDemand) && g.env.Reaches(e, s) {
			need[len(g.env.Resources)+e] = k.user.LinkDemand[e]
		}
	}
	return need
}
