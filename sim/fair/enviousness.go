package fair

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Enviousness says by how much a user would gain if it swapped its bundle for
// that of another.
type Enviousness struct {
	Pair
	// Percent is how many more tasks the other bundle is worth, in percent of
	// the own ones: max(100·(Other/Own − 1), 0). It is 0 where both are 0 and
	// +Inf where Own alone is.
	Percent float64
}

// String says who envies whom, with the numbers.
func (e Enviousness) String() string {
	if e.User < 0 {
		return "nobody envies anybody (enviousness 0%)"
	}
	return fmt.Sprintf("user %q would run %.9g tasks with the bundle of user %q, %.9g with its own (enviousness %.9g%%)",
		e.user(), e.Other, e.of(), e.Own, e.Percent)
}

// AccessPoints compares bundles in an environment in which no server is behind
// two links: each link is an access point with the servers behind it.
//
// User j can run with a bundle A
//
//	u[j](A) = Σ_e min(A[e]/d[j,e], Σ_{s∈S(e)} min_r A[s,r]/d[j,r])
//
// tasks, and on servers behind no link what the inner sum says: the bandwidth
// of an access point may be used for any of its servers, and for no other
// one. The minimum is over what j needs; only servers with p[j,s] = 1 count. The
// bundle of user i is what its tasks take, A[s,r] = x[i,s]·d[i,r] and
// A[e] = Σ_{s∈S(e)} x[i,s]·d[i,e]; its worth is multiplied by w[j]/w[i] and
// bounded by n[j], as in [Judge.Utility]. Where no user's demand differs between
// the servers of one access point, the two are equal.
//
// It keeps intermediate results and must not be used by several goroutines.
//
// Reference: multi-AP paper (MTP), equation (1) and section 6.3.
//
// Deviations: weights, task caps, eligibility and demands that differ between
// servers are ours.
type AccessPoints struct {
	env      *cluster.Environment
	everyone []int
	of       []int // per server: its link, or one past the last for none
	// uniform says that all users have the same demand on all servers and may
	// run everywhere.
	uniform bool
	through []float64 // Σ_{s∈S(e)} x[i,s] by user and access point, if uniform
}

// OverlapError says that a server is behind two links, so that access points
// are not defined.
type OverlapError struct{ Server, First, Second string }

func (e *OverlapError) Error() string {
	return fmt.Sprintf("server %s is behind both link %s and link %s: it has no one access point", e.Server, e.First, e.Second)
}

// NewAccessPoints prepares the environment, which must not change any more and
// whose users are all that will ever be asked about. The error is an
// [*OverlapError].
func NewAccessPoints(env *cluster.Environment) (*AccessPoints, error) {
	p := &AccessPoints{env: env, uniform: true}
	for s := range env.Servers {
		point := len(env.Links)
		for e := range env.Links {
			if !env.Reaches(e, s) {
				continue
			}
			if point < len(env.Links) {
				return nil, &OverlapError{env.Servers[s].Name, env.Links[point].Name, env.Links[e].Name}
			}
			point = e
		}
		p.of = append(p.of, point)
	}
	for j := range env.Users {
		p.everyone = append(p.everyone, j)
		p.uniform = p.uniform && env.Users[j].Eligible == nil && len(env.Users[j].DemandOn) == 0
	}
	return p, nil
}

// points is the number of access points, with one for the servers behind no
// link.
func (p *AccessPoints) points() int { return len(p.env.Links) + 1 }

// Utility returns u[j](i's bundle) in tasks. Of its own bundle a user can run
// what it holds, at most n[j]. O(servers·resources).
func (p *AccessPoints) Utility(j, i int, a *cluster.Allocation) float64 {
	users := p.env.Users
	if i == j {
		return min(a.Tasks[j], users[j].Tasks)
	}
	var total float64
	for e := range p.points() {
		total += p.at(e, j, i, a)
	}
	return min(total*(users[j].Weight/users[i].Weight), users[j].Tasks)
}

// at returns the tasks that j could run at one access point with what i holds
// there.
func (p *AccessPoints) at(e, j, i int, a *cluster.Allocation) float64 {
	served, held := 0.0, 0.0
	for s, x := range a.On(i) {
		if x == 0 || p.of[s] != e {
			continue
		}
		held += x
		if p.env.MayRun(j, s) {
			served += x * worth(p.env.Demand(i, s), p.env.Demand(j, s))
		}
	}
	if e < len(p.env.Links) {
		if d := p.env.LinkDemand(j, e); d > 0 {
			served = min(served, held*p.env.LinkDemand(i, e)/d)
		}
	}
	return served
}

// Between returns the enviousness of user j over user i.
func (p *AccessPoints) Between(j, i int, a *cluster.Allocation) Enviousness {
	return p.compare(j, i, p.Utility(j, j, a), p.Utility(j, i, a))
}

func (p *AccessPoints) compare(j, i int, own, other float64) Enviousness {
	if i == j || other <= own {
		return Enviousness{Pair: Pair{p.env, -1, -1, own, other}}
	}
	return Enviousness{Pair{p.env, j, i, own, other}, 100 * (other/own - 1)}
}

// Max returns the largest enviousness over all pairs of the users that are
// present (nil: all), with the pair that attains it (the first of several).
// O(users²·(resources + links)) where all users have one demand and may run
// everywhere, O(users²·servers·resources) elsewhere; most pairs are settled by a
// bound.
func (p *AccessPoints) Max(a *cluster.Allocation, present []int) Enviousness {
	if present == nil {
		present = p.everyone
	}
	if p.uniform {
		p.sum(a, present)
	}
	worst := Enviousness{Pair: nobody(p.env)}
	for _, j := range present {
		own := p.Utility(j, j, a)
		for _, i := range present {
			if i == j {
				continue
			}
			enough := own * (1 + worst.Percent/100)
			if other := p.above(enough, j, i, a); other > enough {
				if e := p.compare(j, i, own, other); e.Percent > worst.Percent {
					worst = e
				}
			}
		}
	}
	return worst
}

// sum fills in through for the users that are present.
func (p *AccessPoints) sum(a *cluster.Allocation, present []int) {
	width := p.points()
	if p.through == nil {
		p.through = make([]float64, len(p.env.Users)*width)
	}
	for _, i := range present {
		row := p.through[i*width : (i+1)*width]
		clear(row)
		for s, x := range a.On(i) {
			row[p.of[s]] += x
		}
	}
}

// above returns u[j](i's bundle), or something not above the bound if that is
// not above it.
func (p *AccessPoints) above(bound float64, j, i int, a *cluster.Allocation) float64 {
	if !p.uniform {
		return p.Utility(j, i, a)
	}
	me, they := &p.env.Users[j], &p.env.Users[i]
	if a.Tasks[i] == 0 {
		return 0
	}
	weight, rate := me.Weight/they.Weight, worth(they.Demand, me.Demand)
	if most := a.Tasks[i] * rate * weight; most <= bound {
		return most
	}
	total := 0.0
	for e, x := range p.through[i*p.points() : (i+1)*p.points()] {
		if x == 0 {
			continue
		}
		best := rate
		if e < len(p.env.Links) {
			if d := p.env.LinkDemand(j, e); d > 0 {
				best = math.Min(best, p.env.LinkDemand(i, e)/d)
			}
		}
		total += x * best
	}
	return min(total*weight, me.Tasks)
}
