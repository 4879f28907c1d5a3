package fair

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Bottleneck is what PS-DSF's Theorem 1 says of one user on one server: the
// resource that is nearest to being the user's bottleneck there, and how far it
// is from being one.
//
// Resource r of server s is a bottleneck of user j there if d[j,r] > 0, if r is
// saturated, and if
//
//	v[j,s] >= v[m,s] for every user m with x[m,s]·d[m,r] > 0,
//
// where v[j,s] = x[j]/(w[j]·γ[j,s]) is the normalised virtual dominant share. An
// allocation is PS-DSF if and only if every user has a bottleneck on every
// server that may run it and that has some of all that it needs (γ[j,s] > 0).
type Bottleneck struct {
	env                    *cluster.Environment
	User, Server, Resource int // -1 each if nobody has a server
	// Ahead is a user of the resource with a higher share, the one that decides
	// Shortfall; -1 if what is unused decides it.
	Ahead int
	// Own and Other are v of User and of Ahead on Server; Unused is the part of
	// the resource that nobody holds.
	Own, Other, Unused float64
	// Shortfall is the smallest tolerance within which Resource is a
	// bottleneck: the largest of Unused and, over the users m, of the smaller of
	// the part of the resource that m holds and 1 - Own/Other. At most 1.
	Shortfall float64
}

// String says in one sentence what is nearest to a bottleneck.
func (b Bottleneck) String() string {
	if b.User < 0 {
		return "no user has a server (shortfall 0)"
	}
	e := b.env
	text := fmt.Sprintf("user %q on server %q: of %s %.9g is unused", e.Users[b.User].Name, e.Servers[b.Server].Name, e.Resources[b.Resource], b.Unused)
	if b.Ahead >= 0 {
		text += fmt.Sprintf(" and user %q has some with the share %.9g, its own being %.9g", e.Users[b.Ahead].Name, b.Other, b.Own)
	}
	return fmt.Sprintf("%s (shortfall %.3g)", text, b.Shortfall)
}

// Bottlenecks returns the user and server for which Theorem 1 holds least, the
// first of several: the allocation satisfies PS-DSF within its Shortfall. A
// user at its task cap needs no bottleneck. Links are not looked at.
//
// O(servers·resources·users·(log users + ahead)), ahead being those who have some
// of a resource and a share higher by more than the shortfall.
//
// References: Khamse-Ashari et al., "Per-Server Dominant-Share Fairness",
// Definition 3 and Theorem 1. Deviations: the tolerance and the task caps, which
// the paper does not have.
func Bottlenecks(a *cluster.Allocation) Bottleneck {
	env := a.Region
	worst := Bottleneck{env: env, User: -1, Server: -1, Resource: -1, Ahead: -1}
	used := a.Usage(nil)
	for s := range env.Servers {
		h := newHolders(a, s, used)
		for j := range env.Users {
			if !(h.gamma[j] > 0) || !env.MayRun(j, s) || a.Tasks[j] >= env.Users[j].Tasks*(1-atCap) {
				continue
			}
			if b := h.nearest(j); worst.User < 0 || b.Shortfall > worst.Shortfall {
				worst = b
			}
		}
	}
	return worst
}

// UserBottlenecks are what is nearest to a bottleneck of each user of an allocation on
// each server, see [Bottlenecks].
type UserBottlenecks struct {
	a       *cluster.Allocation
	servers []*holders
}

// NewUserBottlenecks prepares an allocation, which must not change any more.
func NewUserBottlenecks(a *cluster.Allocation) *UserBottlenecks {
	b, used := &UserBottlenecks{a: a}, a.Usage(nil)
	for s := range a.Region.Servers {
		b.servers = append(b.servers, newHolders(a, s, used))
	}
	return b
}

// Of returns those of user j on the servers that may run it, of which it needs some
// resource, and that have some of all that it needs; nil for a user that holds all its
// tasks.
func (b *UserBottlenecks) Of(j int) (all []Bottleneck) {
	env := b.a.Region
	if b.a.Tasks[j] >= env.Users[j].Tasks*(1-atCap) {
		return nil
	}
	for s, h := range b.servers {
		if gamma := h.gamma[j]; env.MayRun(j, s) && gamma > 0 && !math.IsInf(gamma, 1) {
			all = append(all, h.nearest(j))
		}
	}
	return all
}

// atCap is how near to its task cap a user counts as having reached it.
const atCap = 1e-9

// holders says of one server who holds what part of each resource.
type holders struct {
	a      *cluster.Allocation
	s      int
	gamma  []float64
	level  []float64 // v[j,s]
	unused []float64
	// who has some of each resource, of the highest level first, and what part.
	who  [][]int
	part [][]float64
}

func newHolders(a *cluster.Allocation, s int, used []float64) *holders {
	env := a.Region
	n := len(env.Users)
	h := &holders{a: a, s: s, gamma: make([]float64, n), level: make([]float64, n)}
	some := make([]int, 0, n)
	for j := range env.Users {
		h.gamma[j] = env.Gamma(j, s)
		h.level[j] = a.Tasks[j] / (env.Users[j].Weight * h.gamma[j])
		if a.On(j)[s] > 0 {
			some = append(some, j)
		}
	}
	slices.SortFunc(some, func(i, j int) int {
		switch a, b := h.level[i], h.level[j]; {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return i - j
	})
	for r := range env.Resources {
		who, part, c := make([]int, 0, len(some)), make([]float64, 0, len(some)), env.Capacity(s, r)
		for _, j := range some {
			if x, d := a.On(j)[s], env.Demand(j, s)[r]; x*d > 0 {
				who, part = append(who, j), append(part, x*d/c)
			}
		}
		h.who, h.part = append(h.who, who), append(h.part, part)
		unused := 0.0
		if c > 0 {
			unused = math.Max(1-used[env.Row(s, r)]/c, 0)
		}
		h.unused = append(h.unused, unused)
	}
	return h
}

// nearest returns the resource that is nearest to a bottleneck of j.
func (h *holders) nearest(j int) Bottleneck {
	best := Bottleneck{Shortfall: math.Inf(1)}
	for r, d := range h.a.Region.Demand(j, h.s) {
		if d == 0 {
			continue
		}
		b := Bottleneck{env: h.a.Region, User: j, Server: h.s, Resource: r, Ahead: -1, Own: h.level[j], Unused: h.unused[r], Shortfall: h.unused[r]}
		for k, m := range h.who[r] {
			lead := 1 - b.Own/h.level[m]
			if lead <= b.Shortfall {
				break // those who follow are no further ahead
			}
			if ahead := min(h.part[r][k], lead); ahead > b.Shortfall {
				b.Ahead, b.Other, b.Shortfall = m, h.level[m], ahead
			}
		}
		if b.Shortfall < best.Shortfall {
			best = b
		}
	}
	return best
}
