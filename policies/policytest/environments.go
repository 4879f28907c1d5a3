package policytest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// subject is an environment of the suite.
type subject struct {
	name string
	env  *cluster.Environment
	// rough environments span so many orders of magnitude that only the
	// certificate and the constraints are determined in double precision.
	rough bool
	seed  uint64
}

// rng returns the random numbers of one check on this subject.
func (s *subject) rng(check string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(check))
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

func anyone(*subject) bool         { return true }
func determined(s *subject) bool   { return !s.rough }
func severalUsers(s *subject) bool { return !s.rough && len(s.env.Users) > 1 }

// kinds are the random environments, a few of each.
var kinds = []struct {
	name  string
	opt   twin.Options
	shape func(env *cluster.Environment) // changes the links
}{
	{"plain", twin.Options{Users: 5, Servers: 3, Resources: 2}, nil},
	{"one link", twin.Options{Users: 6, Servers: 3, Resources: 2, Links: 1}, nil},
	{"weights", twin.Options{Users: 7, Servers: 3, Resources: 3, Links: 1, Weights: true}, nil},
	{"two links to all servers", twin.Options{Users: 6, Servers: 3, Resources: 2, Links: 2, Weights: true}, everywhere},
	{"access points", twin.Options{Users: 6, Servers: 4, Resources: 2, Links: 2, Weights: true}, accessPoints},
	{"overlapping links", twin.Options{Users: 6, Servers: 4, Resources: 2, Links: 2, Weights: true}, nil},
	{"zero demands", twin.Options{Users: 6, Servers: 3, Resources: 3, Links: 1, ZeroDemands: true}, nil},
	{"zero capacities", twin.Options{Users: 5, Servers: 4, Resources: 2, Links: 1, ZeroDemands: true, ZeroCapacities: true}, nil},
	{"eligibility", twin.Options{Users: 6, Servers: 4, Resources: 2, Eligibility: true}, nil},
	{"eligibility, weights, link", twin.Options{Users: 6, Servers: 4, Resources: 2, Links: 1, Eligibility: true, Weights: true}, nil},
	{"caps", twin.Options{Users: 6, Servers: 3, Resources: 2, Links: 1, Caps: true}, nil},
	{"one server, caps", twin.Options{Users: 5, Servers: 1, Resources: 2, Links: 1, Caps: true, Weights: true}, nil},
	{"differing demands", twin.Options{Users: 5, Servers: 3, Resources: 2, Links: 1, DemandOn: true}, nil},
	{"everything", twin.Options{Users: 7, Servers: 4, Resources: 3, Links: 2, Weights: true, Caps: true,
		Eligibility: true, ZeroDemands: true, ZeroCapacities: true, DemandOn: true}, nil},
	{"access points and power", twin.Options{Users: 6, Servers: 5, Resources: 2, Links: 3, Weights: true, ZeroDemands: true}, powered},
	{"twelve decades", twin.Options{Users: 6, Servers: 3, Resources: 2, Links: 1, Decades: 12}, nil},
}

// everywhere makes every link reach all servers.
func everywhere(env *cluster.Environment) {
	for e := range env.Links {
		env.Links[e].Servers = nil
	}
}

// accessPoints gives each server one link, of which a user's tasks take the
// same wherever they run.
func accessPoints(env *cluster.Environment) { partition(env, 0) }

// powered does so with all links but the first, which reaches every server.
func powered(env *cluster.Environment) { partition(env, 1) }

func partition(env *cluster.Environment, first int) {
	for e := first; e < len(env.Links); e++ {
		set := cluster.NewSet(len(env.Servers))
		for s := e - first; s < len(env.Servers); s += len(env.Links) - first {
			set.Add(s)
		}
		env.Links[e].Servers = set
		for j := range env.Users {
			env.Users[j].LinkDemand[e] = env.Users[j].LinkDemand[first]
		}
	}
}

// each is the number of environments of a kind.
const each = 8

// subjects returns the environments of the suite.
func subjects(seed uint64) []*subject {
	var all []*subject
	for k, kind := range kinds {
		for i := range uint64(each) {
			s := &subject{name: fmt.Sprintf("%s %d", kind.name, i), rough: kind.opt.Decades > 0, seed: seed<<16 | uint64(k)<<8 | i}
			s.env = twin.Random(rand.New(rand.NewPCG(s.seed, 0x70746573)), kind.opt)
			if kind.shape != nil {
				kind.shape(s.env)
			}
			all = append(all, s)
		}
	}
	return append(all, edges()...)
}

// edges returns the hand-made edge cases.
func edges() []*subject {
	base := func(users ...cluster.User) *cluster.Environment {
		return &cluster.Environment{
			Resources: []string{"cpu", "mem"},
			Servers: []cluster.Server{{Name: "s1", Capacity: []float64{5, 10}, Count: 1},
				{Name: "s2", Capacity: []float64{10, 5}, Count: 2}},
			Links: []cluster.Link{{Name: "bw", Capacity: 15}},
			Users: users,
		}
	}
	a, b := cluster.NewUser("a", []float64{2, 1}, 2.5), cluster.NewUser("b", []float64{1, 2}, 0.5)
	homeless, capped, linked := cluster.NewUser("homeless", []float64{1, 1}, 1), b, cluster.NewUser("linked", []float64{0, 0}, 1)
	homeless.Eligible = cluster.NewSet(2)
	capped.Name, capped.Tasks = "capped", 0
	dry, cut, nocpu := base(a, b), base(a, b), base(a, cluster.NewUser("mem only", []float64{0, 1}, 0))
	for s := range dry.Servers {
		dry.Servers[s].Capacity = []float64{0, 0}
	}
	cut.Links[0].Capacity = 0
	nocpu.Servers[1].Capacity = []float64{0, 5}
	all := []*subject{
		{name: "one user", env: base(a)},
		{name: "a user that may run nowhere", env: base(a, homeless, b)},
		{name: "nobody can be served", env: base(homeless)},
		{name: "no capacity", env: dry},
		{name: "a link without capacity", env: cut},
		{name: "a server without cpu", env: nocpu},
		{name: "a user that needs a link only", env: base(a, linked)},
		{name: "a task cap of 0", env: base(a, capped)},
		{name: "two alike", env: base(a, func() cluster.User { twin := a; twin.Name = "a2"; return twin }())},
	}
	for i, s := range all {
		s.seed = uint64(i) | 1<<40
	}
	return all
}
