package audit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Size is the size of an environment.
type Size struct{ Users, Servers int }

// sizes are the sizes of random environments, in the order in which they are
// tried: small ones first, since they make the better witnesses, and all of
// them again and again.
var sizes = []Size{{2, 1}, {2, 2}, {3, 1}, {3, 2}, {2, 2}, {3, 3}, {4, 2}, {4, 3}, {5, 3}, {6, 4}, {7, 3}, {10, 3}}

// Draw says what environments to draw.
type Draw struct {
	Size    Size
	Without cluster.Feature // features that no environment may have
	// Shape narrows the environments to those of which a property speaks.
	Shape Shape
}

// Shape is a special case of environments.
type Shape int

// The shapes.
const (
	Any          Shape = iota
	OneServer          // of one server
	OneResource        // of one resource and no link
	Dominated          // one resource is dominant for every user on every server
	AccessPoints       // two access points with bandwidth only, of which every user needs its own amount at each
)

// maxTries bounds how often an environment with a feature that is not wanted is
// thrown away.
const maxTries = 50

// Environment draws an environment. Its numbers are small integers (ties and
// corner cases), spread over one or two decades (generic), a few values that
// recur (users much alike) or one parameter that wanders through an otherwise
// simple environment. Every user needs something on every server.
func (d Draw) Environment(rng *rand.Rand) *cluster.Environment {
	for try := 0; ; try++ {
		w := newDrawing(rng, d)
		if try == maxTries {
			w.want = 0
		}
		w.all()
		if cluster.Features(w.env)&d.without() == 0 {
			return w.env
		}
		if try == maxTries {
			panic(fmt.Sprintf("audit: no environment without %s", d.Without))
		}
	}
}

// without are the features that no environment may have: the demands of access
// points differ by definition.
func (d Draw) without() cluster.Feature {
	if d.Shape == AccessPoints {
		return d.Without &^ cluster.DemandOn
	}
	return d.Without
}

// drawing is the state of one draw.
type drawing struct {
	*rand.Rand
	Draw
	env   *cluster.Environment
	want  cluster.Feature // features to have where chance says so
	style int
	few   []float64 // the values of style few
	r     int       // the dominant resource of shape Dominated
	wild  int       // numbers left until the one of style wandering
}

const (
	integers = iota
	spread
	few
	wandering
	styles
)

// optional are the features that are drawn or not, each on its own.
var optional = []cluster.Feature{cluster.Links, cluster.SeveralLinks, cluster.VaryingLinks, cluster.LinkOnly, cluster.Weights, cluster.Caps,
	cluster.Eligibility, cluster.ZeroDemands, cluster.ZeroCapacities, cluster.DemandOn, cluster.Unlike}

func newDrawing(rng *rand.Rand, d Draw) *drawing {
	w := &drawing{Rand: rng, Draw: d, env: &cluster.Environment{}, style: rng.IntN(styles), wild: rng.IntN(10)}
	for _, f := range optional {
		odds := 3
		if f == cluster.Unlike || f == cluster.Links {
			odds = 2
		}
		if d.Without&f == 0 && rng.IntN(odds) == 0 {
			w.want |= f
		}
	}
	if d.Shape == OneResource || d.Shape == Dominated {
		w.want &^= cluster.Links | cluster.DemandOn
	}
	if d.Shape == AccessPoints {
		w.want &= cluster.Weights | cluster.Unlike
	}
	if d.Shape == OneServer {
		w.want &^= cluster.VaryingLinks | cluster.DemandOn
	}
	if w.has(cluster.SeveralLinks | cluster.VaryingLinks | cluster.LinkOnly) {
		w.want |= cluster.Links &^ d.Without
	}
	for range 3 {
		w.few = append(w.few, float64(1+rng.IntN(6)))
	}
	return w
}

func (w *drawing) has(f cluster.Feature) bool { return w.want&f != 0 }
func (w *drawing) one(n int) bool             { return w.IntN(n) == 0 }

// number draws a positive number around the given size.
func (w *drawing) number(size float64) float64 {
	switch w.style {
	case spread:
		return size * math.Exp((w.Float64()-0.5)*math.Log(100))
	case few:
		return w.few[w.IntN(len(w.few))]
	case wandering:
		if w.wild--; w.wild == 0 {
			return size * math.Exp((w.Float64()-0.5)*math.Log(1000))
		}
	}
	return float64(1 + w.IntN(max(2, int(2*size))))
}

func (w *drawing) all() {
	resources := 1 + w.IntN(3)
	servers := w.Size.Servers
	switch w.Shape {
	case OneServer:
		servers = 1
	case OneResource:
		resources = 1
	case AccessPoints:
		resources, servers = 1, 2
	case Dominated:
		resources = 2 + w.IntN(2)
	}
	for r := range resources {
		w.env.Resources = append(w.env.Resources, []string{"cpu", "mem", "gpu"}[r])
	}
	w.r = w.IntN(resources)
	for s := range servers {
		w.env.Servers = append(w.env.Servers, w.server(s))
	}
	if w.has(cluster.Links) {
		w.links()
	}
	for j := range w.Size.Users {
		w.env.Users = append(w.env.Users, w.user(j))
	}
	if w.Shape == Dominated {
		w.dominate()
	}
}

func (w *drawing) server(s int) cluster.Server {
	server := cluster.Server{Name: fmt.Sprintf("s%d", s+1), Count: 1}
	if w.Shape != OneServer && w.one(8) {
		server.Count = 2 + w.IntN(2)
	}
	if s > 0 && !w.has(cluster.Unlike) {
		server.Capacity = append(server.Capacity, w.env.Servers[0].Capacity...)
		return server
	}
	for range w.env.Resources {
		c := w.number(6)
		if w.has(cluster.ZeroCapacities) && w.one(5) {
			c = 0
		}
		server.Capacity = append(server.Capacity, c)
	}
	return server
}

// links draws one link to all servers or two, or one to each part of the
// servers, or links to any servers.
func (w *drawing) links() {
	n, servers := 1, len(w.env.Servers)
	if w.has(cluster.SeveralLinks) {
		n = 2
	}
	points := n > 1 && servers > 1 && w.one(2) // access points
	for e := range n {
		link := cluster.Link{Name: fmt.Sprintf("l%d", e+1), Capacity: w.number(6)}
		if w.has(cluster.ZeroCapacities) && w.one(10) {
			link.Capacity = 0
		}
		switch {
		case points:
			link.Servers = cluster.NewSet(servers)
			for s := e; s < servers; s += n {
				link.Servers.Add(s)
			}
		case w.has(cluster.VaryingLinks) && w.one(2):
			link.Servers = w.subset()
		}
		w.env.Links = append(w.env.Links, link)
	}
}

// subset draws a set of servers that is not empty.
func (w *drawing) subset() cluster.Set {
	n := len(w.env.Servers)
	set := cluster.NewSet(n, w.IntN(n))
	for s := range n {
		if w.one(3) {
			set.Add(s)
		}
	}
	return set
}

func (w *drawing) user(j int) cluster.User {
	u := cluster.NewUser(string(rune('A'+j)), w.demand())
	if len(w.env.Links) > 0 {
		w.linkDemand(&u)
	}
	if w.has(cluster.Weights) && !w.one(3) {
		u.Weight = w.number(2)
	}
	if w.has(cluster.Eligibility) && w.one(2) {
		u.Eligible = w.subset()
	}
	if w.Shape == AccessPoints {
		u.DemandOn = map[int][]float64{1: w.demand()}
	}
	if w.has(cluster.DemandOn) && w.one(2) {
		u.DemandOn = map[int][]float64{w.IntN(len(w.env.Servers)): w.demand()}
	}
	if w.has(cluster.Caps) && w.one(2) {
		u.Tasks = w.number(1)
	}
	return u
}

// demand draws a demand vector with something in it.
func (w *drawing) demand() []float64 {
	d := make([]float64, len(w.env.Resources))
	for r := range d {
		if !w.has(cluster.ZeroDemands) || !w.one(4) {
			d[r] = w.number(2)
		}
	}
	for _, v := range d {
		if v > 0 {
			return d
		}
	}
	d[w.IntN(len(d))] = w.number(2)
	return d
}

// linkDemand draws the link demands of a user: the same behind all access
// points unless they may vary.
func (w *drawing) linkDemand(u *cluster.User) {
	for range w.env.Links {
		d := w.number(2)
		if w.has(cluster.ZeroDemands) && w.one(4) {
			d = 0
		}
		u.LinkDemand = append(u.LinkDemand, d)
	}
	last := len(u.LinkDemand) - 1
	if w.env.Links[last].Servers != nil && !w.has(cluster.VaryingLinks) {
		for e := range u.LinkDemand {
			u.LinkDemand[e] = u.LinkDemand[0]
		}
	}
	if everywhere := w.env.Links[0].Servers == nil; everywhere && w.has(cluster.LinkOnly) && u.LinkDemand[0] > 0 && w.one(4) {
		u.Demand = make([]float64, len(w.env.Resources))
	}
}

// dominate lowers demands until resource w.r is dominant for every user on
// every server that has everything it needs.
func (w *drawing) dominate() {
	for s := range w.env.Servers {
		if w.env.Servers[s].Capacity[w.r] == 0 {
			w.env.Servers[s].Capacity[w.r] = w.number(6)
		}
	}
	for j := range w.env.Users {
		u := &w.env.Users[j]
		if u.Demand[w.r] == 0 {
			u.Demand[w.r] = w.number(2)
		}
		for s := range w.env.Servers {
			if !u.Eligible.Has(s) || w.env.Gamma(j, s) == 0 {
				continue
			}
			c := w.env.Servers[s].Capacity
			for r, d := range u.Demand {
				if most := u.Demand[w.r] * c[r] / c[w.r]; d > most {
					u.Demand[r] = most
				}
			}
		}
	}
}
