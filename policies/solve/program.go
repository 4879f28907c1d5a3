package solve

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// program holds the coefficients of the feasible region χ in scaled form.
//
// Rows are divided by their capacity, so every right-hand side is 1. Tasks of
// user j are counted in units of scale[j], so that y[j,s] = x[j,s]/scale[j].
// What one unit of y takes from row (s,r) is use(j,s)[r]·inv[s,r], and from
// link e link[j,e], in fractions of the capacity.
//
// A user whose demand is the same everywhere is stored once (stride 0), one
// with per-server demands once a server (stride |R|).
type program struct {
	users, servers, res, links int
	work                       int    // users·servers, the number of task variables
	reciprocal                 uint64 // 2⁶⁴/|S|, rounded up: see over

	use     []float64 // scaled demands; see at
	offset  []int     // per user: where its demands start
	stride  []int     // per user: 0, or |R|
	inv     []float64 // per (s,r): 1/c[s,r], or 0 where c[s,r] = 0
	link    []float64 // per (j,e), divided by c[e]
	linkInv []float64 // per e: 1/c[e], or 0
	scale   []float64 // per user, in tasks

	pairs  bool    // two resources, one demand a user, no server closed, one zone
	closed []bool  // per (j,s): j cannot run on s; nil: every server is open to all
	zone   []int   // per server: which of zones it belongs to
	zones  [][]int // distinct sets of links on the way to a server
}

// rows returns K, the number of capacity rows.
func (p *program) rows() int { return p.servers*p.res + p.links }

// at returns the scaled demands of user j on server s.
func (p *program) at(j, s int) []float64 {
	o := p.offset[j] + s*p.stride[j]
	return p.use[o : o+p.res]
}

// open reports whether user j may and can run on server s.
func (p *program) open(j, s int) bool { return p.closed == nil || !p.closed[j*p.servers+s] }

// servable reports whether any server is open to user j.
func (p *program) servable(j int) bool {
	if p.closed == nil {
		return true
	}
	for s := range p.servers {
		if p.open(j, s) {
			return true
		}
	}
	return false
}

// load fills p from env, reusing its memory. All scales are 1 afterwards.
func (p *program) load(env *cluster.Environment) {
	p.users, p.servers = len(env.Users), len(env.Servers)
	p.res, p.links, p.work = len(env.Resources), len(env.Links), p.users*p.servers
	p.reciprocal = ^uint64(0)/uint64(max(1, p.servers)) + 1
	p.loadCapacities(env)
	p.zone, p.zones = env.Zones()
	p.loadDemands(env)
	p.loadLinks(env)
	p.loadClosed(env)
	p.pairs = p.res == 2 && p.closed == nil && len(p.zones) == 1 && len(p.use) == 2*p.users
}

func (p *program) loadCapacities(env *cluster.Environment) {
	p.inv = resize(p.inv, p.servers*p.res)
	for s := range p.servers {
		for r := range p.res {
			v := 0.0
			if c := env.Capacity(s, r); c > 0 {
				v = 1 / c
			}
			p.inv[s*p.res+r] = v
		}
	}
}

func (p *program) loadDemands(env *cluster.Environment) {
	p.offset, p.stride = resize(p.offset, p.users), resize(p.stride, p.users)
	p.scale = resize(p.scale, p.users)
	p.use = p.use[:0]
	for j := range env.Users {
		u := &env.Users[j]
		p.scale[j], p.offset[j], p.stride[j] = 1, len(p.use), 0
		if len(u.DemandOn) == 0 {
			p.use = append(p.use, u.Demand...)
			continue
		}
		p.stride[j] = p.res
		for s := range p.servers {
			p.use = append(p.use, env.Demand(j, s)...)
		}
	}
}

func (p *program) loadLinks(env *cluster.Environment) {
	p.link, p.linkInv = resize(p.link, p.users*p.links), resize(p.linkInv, p.links)
	for e := range p.links {
		inv := 0.0
		if c := env.Links[e].Capacity; c > 0 {
			inv = 1 / c
		}
		p.linkInv[e] = inv
		for j := range p.users {
			p.link[j*p.links+e] = env.LinkDemand(j, e) * inv
		}
	}
}

// loadUser loads the demands of one user anew; its scale is 1 afterwards.
func (p *program) loadUser(env *cluster.Environment, j int) {
	p.scale[j] = 1
	copy(p.use[p.offset[j]:], env.Users[j].Demand)
	if p.stride[j] != 0 {
		for s := range p.servers {
			copy(p.at(j, s), env.Demand(j, s))
		}
	}
	for e := range p.links {
		p.link[j*p.links+e] = env.LinkDemand(j, e) * p.linkInv[e]
	}
}

// loadClosed finds the pairs (j,s) that can hold no task: not eligible, or a
// resource or link that j needs has no capacity.
func (p *program) loadClosed(env *cluster.Environment) {
	p.closed = p.closed[:0]
	dry := false
	for _, v := range p.inv {
		dry = dry || v == 0
	}
	for e := range env.Links {
		dry = dry || env.Links[e].Capacity == 0
	}
	for j := range env.Users {
		dry = dry || env.Users[j].Eligible != nil
	}
	if !dry {
		p.closed = nil
		return
	}
	p.closed = resize(p.closed, p.users*p.servers)
	for j := range p.users {
		for s := range p.servers {
			p.closed[j*p.servers+s] = !env.MayRun(j, s) || p.lacks(env, j, s)
		}
	}
}

func (p *program) lacks(env *cluster.Environment, j, s int) bool {
	for r, d := range env.Demand(j, s) {
		if d > 0 && p.inv[s*p.res+r] == 0 {
			return true
		}
	}
	for _, e := range p.zones[p.zone[s]] {
		if env.LinkDemand(j, e) > 0 && env.Links[e].Capacity == 0 {
			return true
		}
	}
	return false
}

// rescale counts the tasks of user j in units of f times the present scale.
func (p *program) rescale(j int, f float64) {
	p.scale[j] *= f
	end := p.offset[j] + p.res
	if p.stride[j] != 0 {
		end = p.offset[j] + p.servers*p.res
	}
	for i := p.offset[j]; i < end; i++ {
		p.use[i] *= f
	}
	for e := j * p.links; e < (j+1)*p.links; e++ {
		p.link[e] *= f
	}
}

// need returns the largest fraction of a row of server s, or of a link on the
// way to it, that a unit of work of user j takes: 1/need units fill it.
func (p *program) need(j, s int) float64 {
	need := 0.0
	for r, d := range p.at(j, s) {
		need = max(need, d*p.inv[s*p.res+r])
	}
	return max(need, p.needOfLinks(j, p.zone[s]))
}

// needOfLinks is need for the links of a zone.
func (p *program) needOfLinks(j, zone int) float64 {
	need := 0.0
	for _, e := range p.zones[zone] {
		need = max(need, p.link[j*p.links+e])
	}
	return need
}

// spread returns the ratio of the largest to the smallest fraction of a row that a
// unit of work of user j takes, over the servers that are open to it, zeros
// apart; 1 if there is none.
func (p *program) spread(j int) float64 {
	least, most := math.Inf(1), 0.0
	take := func(v float64) {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	for s := range p.servers {
		if !p.open(j, s) {
			continue
		}
		for r, d := range p.at(j, s) {
			take(d * p.inv[s*p.res+r])
		}
		for _, e := range p.zones[p.zone[s]] {
			take(p.link[j*p.links+e])
		}
	}
	return max(1, most/least)
}

// gamma returns the most tasks of user j that one server alone can hold, the
// links on the way to it included; 0 if none can hold any.
func (p *program) gamma(j int) float64 {
	best := 0.0
	for s := range p.servers {
		if p.open(j, s) {
			best = max(best, p.scale[j]/p.need(j, s))
		}
	}
	return best
}

// sumGamma returns an upper bound of what user j can run: the sum over the
// servers of what each alone can hold.
func (p *program) sumGamma(j int) float64 {
	sum := 0.0
	for s := range p.servers {
		if p.open(j, s) {
			sum += p.scale[j] / p.need(j, s)
		}
	}
	return sum
}

// perUnit turns prices of scaled rows into prices of a unit of capacity.
func (p *program) perUnit(dst, prices []float64) []float64 {
	dst = resize(dst, p.rows())
	width := p.servers * p.res
	for i := range width {
		dst[i] = prices[i] * p.inv[i]
	}
	for e := range p.links {
		dst[width+e] = prices[width+e] * p.linkInv[e]
	}
	return dst
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
