package whole

import (
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// byTenant returns the jobs of each tenant, by their places among those present: tenants
// in the order in which the first of these jobs came, jobs in order of arrival.
func (r *rounding) byTenant() [][]int {
	var jobs [][]int
	known := map[int32]int{}
	for i, at := range r.present {
		tenant := r.users[at].tenant
		k, ok := known[tenant]
		if !ok {
			k, known[tenant], jobs = len(jobs), len(jobs), append(jobs, nil)
		}
		jobs[k] = append(jobs[k], i)
	}
	return jobs
}

// bundle is what the jobs of a tenant are given on one server, of each resource and then
// of each link, and what the tasks hold that they have started of it.
type bundle struct {
	given, held []float64
	needs       [][]float64 // of one task of each job
}

// startTogether starts the whole tasks of the jobs of a tenant:
//
//  1. On a server s the tenant's bundle is B = Σ_j x[j,s]·d[j], of the resources there and
//     of the links that reach s, over its jobs j.
//  2. A task of j may start if all tasks of the tenant that start on s stay within B with
//     it, by the measure of [rounding.floor], whatever jobs they are of.
//  3. Of the jobs with such a task the one is served that lags most behind, by
//     Σ x[j,s'] over s and the servers before it less the tasks that it has started there;
//     of several, the one that came first. Then 2 again, until there is none.
//
// So jobs of equal demands start floor(Σ_j x[j,s]) tasks on each server, as one user
// would. A bundle is not moved to another server, or to another tenant.
func (r *rounding) startTogether(jobs []int) {
	due, started := make([]float64, len(jobs)), make([]float64, len(jobs))
	for server := range int32(r.servers.Servers()) {
		b := r.bundle(jobs, server)
		for i, j := range jobs {
			due[i] += r.part(j, server)
		}
		for {
			next, most := -1, 0.0
			for i, j := range jobs {
				if lag := due[i] - started[i]; (next < 0 || lag > most) && r.startable(r.present[j], server) && r.within(&b, i) {
					next, most = i, lag
				}
			}
			if next < 0 {
				break
			}
			r.place(r.present[jobs[next]], server)
			started[next]++
			for row, d := range b.needs[next] {
				b.held[row] += d
			}
		}
	}
}

// bundle returns what the jobs are given on a server.
func (r *rounding) bundle(jobs []int, server int32) bundle {
	rows := len(r.Env.Resources) + len(r.Env.Links)
	b := bundle{given: make([]float64, rows), held: make([]float64, rows)}
	for _, j := range jobs {
		needs := r.needs(&r.users[r.present[j]].kind.user, r.servers.Class(int(server)))
		x := r.part(j, server)
		for row, d := range needs {
			b.given[row] += x * d
		}
		b.needs = append(b.needs, needs)
	}
	return b
}

// needs returns what a task of a user needs on a class of servers, of each resource there
// and then of each link that reaches it.
func (r *rounding) needs(u *cluster.User, class int) []float64 {
	demand := u.Demand
	if on, differs := u.DemandOn[class]; differs {
		demand = on
	}
	needs := append(make([]float64, 0, len(demand)+len(r.Env.Links)), demand...)
	for e := range r.Env.Links {
		d := 0.0
		if u.LinkDemand != nil && r.Env.Reaches(e, class) {
			d = u.LinkDemand[e]
		}
		needs = append(needs, d)
	}
	return needs
}

// within reports whether another task of the i-th job stays within its tenant's bundle.
func (r *rounding) within(b *bundle, i int) bool {
	for row, d := range b.needs[i] {
		limit := b.given[row] + max(snap*d, solve.Feasibility*b.given[row])
		if r.options.Literal {
			limit = b.given[row] * (1 - literalPart)
		}
		if d > 0 && b.held[row]+d > limit {
			return false
		}
	}
	return true
}
