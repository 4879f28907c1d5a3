// Package fair holds the checkable definitions of fairness: envy, sharing
// incentive and domination. Each check returns a witness, the users and the
// numbers that decide it, which prints as one sentence.
//
// A [Judge] is made once per environment and asked about one allocation after
// another, for all users or for those present. Asking allocates nothing, since
// a replay asks after every event. What counts as a violation is left to the
// caller: the figures of an exactly fair allocation that a solver found are 1
// within the solver's accuracy, not always exactly.
package fair

import "github.com/leontief-sim/leontief/sim/cluster"

// Judge knows what is needed to compare bundles and equal shares in one
// environment. It does not change after it has been made, so it may be used by
// several goroutines. Weights alone are looked up in the environment when it is asked,
// for whoever changes them in between.
type Judge struct {
	env      *cluster.Environment
	everyone []int
	etas     []float64 // η'[j]
	// zone numbers, per server, the sets of links that servers are behind;
	// needs holds per zone, user by user, the demands that a task has there:
	// of every resource, then of those links.
	zone  []int
	needs []matrix
	// uniform says of a user that its demand is the same on all servers.
	uniform []bool
}

type matrix struct {
	width int
	cell  []float64
	links []int
}

func (m *matrix) row(j int) []float64 { return m.cell[j*m.width : (j+1)*m.width] }

// NewJudge prepares the environment, which must not change any more, and whose
// users are all that will ever be asked about.
func NewJudge(env *cluster.Environment) *Judge {
	g := &Judge{env: env, etas: env.EtasEligible(nil)}
	for j := range env.Users {
		g.everyone = append(g.everyone, j)
		g.uniform = append(g.uniform, len(env.Users[j].DemandOn) == 0)
	}
	zone, behind := env.Zones()
	g.zone = zone
	for _, links := range behind {
		g.needs = append(g.needs, needs(env, links))
	}
	return g
}

// needs lists what one task of each user takes on a server behind the links.
func needs(env *cluster.Environment, links []int) matrix {
	m := matrix{width: len(env.Resources) + len(links), links: links}
	for j := range env.Users {
		m.cell = append(m.cell, env.Users[j].Demand...)
		for _, e := range links {
			m.cell = append(m.cell, env.LinkDemand(j, e))
		}
	}
	return m
}

// present returns the users to look at: all of them for nil.
func (g *Judge) present(users []int) []int {
	if users == nil {
		return g.everyone
	}
	return users
}

// Utility returns u[j](i's bundle), the tasks that user j could run with what
// user i holds, server by server:
//
//	Σ over s with p[j,s] = 1 of x[i,s]·min d[i,·]/d[j,·],
//
// the minimum over the resources of s and the links that reach s of which j
// needs some, with the demands that both have on s; times w[j]/w[i]; at most
// n[j]. Of its own bundle a user can run what it holds, at most n[j].
func (g *Judge) Utility(j, i int, a *cluster.Allocation) float64 {
	n := g.env.Users[j].Tasks
	if i == j {
		return min(a.Tasks[j], n)
	}
	return min(g.bundle(j, i, a)*(g.env.Users[j].Weight/g.env.Users[i].Weight), n)
}

// bundle is u[j](i's bundle) before weights and task caps.
func (g *Judge) bundle(j, i int, a *cluster.Allocation) float64 {
	if a.Tasks[i] == 0 {
		return 0
	}
	may, uniform := g.env.Users[j].Eligible, g.uniform[j] && g.uniform[i]
	if uniform && may == nil && len(g.needs) == 1 {
		return a.Tasks[i] * worth(g.needs[0].row(i), g.needs[0].row(j))
	}
	total, rate, of := 0.0, 0.0, -1
	for s, x := range a.On(i) {
		if x == 0 || !may.Has(s) {
			continue
		}
		if zone := g.zone[s]; zone != of || !uniform {
			rate, of = g.rate(j, i, s), zone
		}
		total += x * rate
	}
	return total
}

// rate returns how many tasks of j fit into one task of i on server s.
func (g *Judge) rate(j, i, s int) float64 {
	m := &g.needs[g.zone[s]]
	mine, others := m.row(j), m.row(i)
	rate := worth(others[len(g.env.Resources):], mine[len(g.env.Resources):])
	return min(rate, worth(g.env.Demand(i, s), g.env.Demand(j, s)))
}

// PerTask returns what one task of user i on server s is worth to user j, in tasks of j:
// p[j,s]·(w[j]/w[i])·min d[i,·]/d[j,·], the minimum as in [Judge.Utility]. Without task caps
// u[j](i's bundle) is the sum of this over the tasks of i.
func (g *Judge) PerTask(j, i, s int) float64 {
	if !g.env.MayRun(j, s) {
		return 0
	}
	return g.rate(j, i, s) * (g.env.Users[j].Weight / g.env.Users[i].Weight)
}

// worth returns the minimum of held/needed over what is needed; +Inf if
// nothing is. Where nothing is needed the quotient is +Inf or NaN, and neither
// is smaller than anything.
func worth(held, needed []float64) float64 {
	least := cluster.Inf
	for r, d := range needed {
		if q := held[r] / d; q < least {
			least = q
		}
	}
	return least
}
