package cluster

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Feature is a set of features of an environment: what a claim about a rule
// may have to leave out.
type Feature uint

// The features.
const (
	Links          Feature = 1 << iota // some link
	SeveralLinks                       // two links or more
	VaryingLinks                       // what a task takes of links differs between servers
	LinkOnly                           // a user that needs nothing of some server, only links
	Weights                            // weights that differ
	Caps                               // a finite task cap
	Eligibility                        // a user that may not run everywhere
	ZeroDemands                        // a demand of 0, for a resource or a link
	ZeroCapacities                     // a capacity of 0
	DemandOn                           // demands of server resources that differ between servers
	Unlike                             // servers of unlike capacity
)

var featureNames = []string{"links", "several links", "links that only some servers are behind", "users that need links only",
	"weights", "task caps", "placement constraints", "zero demands", "zero capacities", "demands that differ between servers",
	"unlike servers"}

// String lists the features in words.
func (f Feature) String() string { return strings.Join(f.Names(), ", ") }

// Names returns each of the features in words.
func (f Feature) Names() []string {
	var words []string
	for i, name := range featureNames {
		if f&(1<<i) != 0 {
			words = append(words, name)
		}
	}
	return words
}

// Features returns the features of an environment.
func Features(env *Environment) Feature {
	f := when(len(env.Links) > 0, Links) | when(len(env.Links) > 1, SeveralLinks)
	for _, link := range env.Links {
		f |= when(link.Capacity == 0, ZeroCapacities)
	}
	for _, s := range env.Servers {
		f |= when(slices.Contains(s.Capacity, 0), ZeroCapacities) | when(!slices.Equal(s.Capacity, env.Servers[0].Capacity), Unlike)
	}
	for j := range env.Users {
		f |= env.featuresOf(j)
	}
	return f
}

func (env *Environment) featuresOf(j int) Feature {
	u := &env.Users[j]
	f := when(u.Weight != env.Users[0].Weight, Weights) | when(!math.IsInf(u.Tasks, 1), Caps) |
		when(u.Eligible != nil, Eligibility) | when(len(u.DemandOn) > 0, DemandOn)
	for s := range env.Servers {
		d := env.Demand(j, s)
		f |= when(slices.Contains(d, 0), ZeroDemands) | when(slices.Max(d) == 0, LinkOnly) |
			when(!slices.Equal(env.onTheWay(j, s), env.onTheWay(j, 0)), VaryingLinks)
	}
	for e := range env.Links {
		f |= when(env.LinkDemand(j, e) == 0, ZeroDemands)
	}
	return f
}

// onTheWay returns what a task of j takes of the links to s.
func (env *Environment) onTheWay(j, s int) []float64 {
	var d []float64
	for e := range env.Links {
		if env.Reaches(e, s) {
			d = append(d, env.LinkDemand(j, e))
		}
	}
	return d
}

func when(has bool, f Feature) Feature {
	if has {
		return f
	}
	return 0
}

// Clone returns a deep copy of an environment.
func (env *Environment) Clone() *Environment {
	c := &Environment{
		Resources: slices.Clone(env.Resources), Units: maps.Clone(env.Units), Servers: slices.Clone(env.Servers),
		Links: slices.Clone(env.Links), Users: slices.Clone(env.Users),
	}
	for s := range c.Servers {
		c.Servers[s].Capacity = slices.Clone(c.Servers[s].Capacity)
		c.Servers[s].Attributes, c.Servers[s].Taints = maps.Clone(c.Servers[s].Attributes), slices.Clone(c.Servers[s].Taints)
	}
	for e := range c.Links {
		c.Links[e].Servers = slices.Clone(c.Links[e].Servers)
	}
	for j := range c.Users {
		c.Users[j] = c.Users[j].Clone()
	}
	return c
}

// Clone returns a deep copy of a user.
func (u User) Clone() User {
	u.Demand, u.LinkDemand, u.Eligible = slices.Clone(u.Demand), slices.Clone(u.LinkDemand), slices.Clone(u.Eligible)
	if u.DemandOn != nil {
		on := make(map[int][]float64, len(u.DemandOn))
		for s, d := range u.DemandOn {
			on[s] = slices.Clone(d)
		}
		u.DemandOn = on
	}
	return u
}
