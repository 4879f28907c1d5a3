package twin

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Options says what a random environment has. Zero values: no links, equal
// weights, no caps, no constraints, all demands and capacities positive,
// demands over two decades.
type Options struct {
	Users, Servers, Resources, Links int

	Weights        bool    // log-uniform in [0.25, 4]
	Caps           bool    // a third of the users, around their equal share
	Eligibility    bool    // half of the users, on a random subset; rarely on none
	ZeroDemands    bool    // a quarter of all demands; rarely all but those of links
	ZeroCapacities bool    // a tenth of the servers' capacities; rarely a link's
	DemandOn       bool    // a third of the users differ on some servers
	Decades        float64 // decades that demands span; 0: 2
}

// Random draws an environment. Resources are named cpu, mem, then r2, r3, …;
// some server classes have a count above 1; each link but the first reaches a
// random subset of the servers, so that links may overlap. Every user needs
// something on every server that it may use, so no allocation is unbounded;
// some users may be unservable where eligibility, zero demands or zero
// capacities are asked for.
func Random(rng *rand.Rand, opt Options) *cluster.Environment {
	if opt.Decades == 0 {
		opt.Decades = 2
	}
	d := &draw{rng, opt, &cluster.Environment{}}
	for r := range opt.Resources {
		name := fmt.Sprintf("r%d", r)
		if r < 2 {
			name = []string{"cpu", "mem"}[r]
		}
		d.env.Resources = append(d.env.Resources, name)
	}
	for s := range opt.Servers {
		d.env.Servers = append(d.env.Servers, d.server(s))
	}
	for e := range opt.Links {
		d.env.Links = append(d.env.Links, d.link(e))
	}
	for j := range opt.Users {
		d.env.Users = append(d.env.Users, d.user(j))
	}
	return d.env
}

type draw struct {
	rng *rand.Rand
	opt Options
	env *cluster.Environment
}

// one reports true once in n.
func (d *draw) one(n int) bool { return d.rng.IntN(n) == 0 }

func (d *draw) logUniform(lo, hi float64) float64 { return logUniform(d.rng, lo, hi) }

func logUniform(rng *rand.Rand, lo, hi float64) float64 {
	return lo * math.Exp(rng.Float64()*math.Log(hi/lo))
}

func (d *draw) server(s int) cluster.Server {
	server := cluster.Server{Name: fmt.Sprintf("s%d", s), Count: 1}
	if d.one(3) {
		server.Count = 2 + d.rng.IntN(4)
	}
	for range d.opt.Resources {
		c := d.logUniform(0.25, 2)
		if d.opt.ZeroCapacities && d.one(10) {
			c = 0
		}
		server.Capacity = append(server.Capacity, c)
	}
	return server
}

func (d *draw) link(e int) cluster.Link {
	link := cluster.Link{Name: fmt.Sprintf("l%d", e), Capacity: d.logUniform(0.2, 2) * math.Sqrt(float64(d.opt.Servers))}
	if d.opt.ZeroCapacities && d.one(20) {
		link.Capacity = 0
	}
	if e > 0 {
		link.Servers = d.subset()
	}
	return link
}

// subset draws each server with probability 1/2, at least one.
func (d *draw) subset() cluster.Set {
	set := cluster.NewSet(d.opt.Servers, d.rng.IntN(d.opt.Servers))
	for s := range d.opt.Servers {
		if d.one(2) {
			set.Add(s)
		}
	}
	return set
}

func (d *draw) user(j int) cluster.User {
	u := cluster.NewUser(fmt.Sprintf("u%d", j), d.demand())
	if d.opt.Links > 0 {
		u.LinkDemand = d.linkDemand(&u)
	}
	if d.opt.Weights {
		u.Weight = d.logUniform(0.25, 4)
	}
	if d.opt.Eligibility && d.one(2) {
		u.Eligible = d.subset()
		if d.one(25) {
			u.Eligible = cluster.NewSet(d.opt.Servers)
		}
	}
	if d.opt.DemandOn && d.one(3) {
		u.DemandOn = map[int][]float64{}
		for s := range d.opt.Servers {
			if d.one(3) {
				u.DemandOn[s] = d.demand()
			}
		}
	}
	if d.opt.Caps && d.one(3) {
		if n := d.cap(u); n > 0 {
			u.Tasks = n
		}
	}
	return u
}

// demand draws one demand vector, at least one entry of it positive.
func (d *draw) demand() []float64 {
	v := make([]float64, d.opt.Resources)
	for r := range v {
		v[r] = d.logUniform(0.5*math.Pow(10, -d.opt.Decades), 0.5)
		if d.opt.ZeroDemands && d.one(4) {
			v[r] = 0
		}
	}
	for _, x := range v {
		if x > 0 {
			return v
		}
	}
	v[d.rng.IntN(len(v))] = d.logUniform(0.5*math.Pow(10, -d.opt.Decades), 0.5)
	return v
}

// linkDemand draws the link demands of u. Rarely, where zero demands are
// asked for, it takes all other demands away: the first link, which reaches
// every server, then bounds the user.
func (d *draw) linkDemand(u *cluster.User) []float64 {
	v := make([]float64, d.opt.Links)
	for e := range v {
		v[e] = d.logUniform(0.5*math.Pow(10, -d.opt.Decades), 0.5)
		if d.opt.ZeroDemands && d.one(4) {
			v[e] = 0
		}
	}
	if d.opt.ZeroDemands && v[0] > 0 && d.one(8) {
		u.Demand = make([]float64, d.opt.Resources)
	}
	return v
}

// cap draws a task cap around the equal share of u's pooled demand.
func (d *draw) cap(u cluster.User) float64 {
	least := math.Inf(1)
	for r, dem := range u.Demand {
		if dem > 0 {
			least = math.Min(least, d.env.TotalCapacity(r)/dem)
		}
	}
	for e, dem := range u.LinkDemand {
		if dem > 0 {
			least = math.Min(least, d.env.Links[e].Capacity/dem)
		}
	}
	return least / float64(d.opt.Users) * d.logUniform(0.05, 5)
}

// Benchmark draws the environment on which speed is compared: n users, S
// servers, two resources, one link of capacity 1 over all servers. S = 3 has
// servers (1, 1), (1.7, 0.3), (0.3, 1.7); otherwise the first is (1, 1) and
// all other capacities are log-uniform in [0.25, 1]. Demands are log-uniform
// in [0.001, 0.5], link demands the same divided by the total of the first
// resource.
func Benchmark(n, S int, seed uint64) *cluster.Environment {
	rng := rand.New(rand.NewPCG(seed, uint64(n)<<32|uint64(S)))
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}, Links: []cluster.Link{{Name: "bw", Capacity: 1}}}
	three := [][]float64{{1, 1}, {1.7, 0.3}, {0.3, 1.7}}
	for s := range S {
		capacity := []float64{1, 1}
		switch {
		case S == 3:
			capacity = three[s]
		case s > 0:
			capacity = []float64{logUniform(rng, 0.25, 1), logUniform(rng, 0.25, 1)}
		}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("s%d", s), Capacity: capacity, Count: 1})
	}
	total := env.TotalCapacity(0)
	for j := range n {
		demand := []float64{logUniform(rng, 0.001, 0.5), logUniform(rng, 0.001, 0.5)}
		link := logUniform(rng, 0.001, 0.5) / total
		env.Users = append(env.Users, cluster.NewUser(fmt.Sprintf("u%d", j), demand, link))
	}
	return env
}
