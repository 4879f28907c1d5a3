package audit

import (
	"math"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Shrink returns the smallest case with the simplest numbers that it finds to
// violate the property still: users, servers, links and resources are taken
// away, weights, caps, constraints and counts dropped, capacities and demands
// replaced by small integers, for as long as the violation keeps a part of its
// size. The result does not depend on chance.
func Shrink(rule Rule, p policies.Property, f Found) Found {
	s := &shrinking{rule: rule, property: p, best: f, keep: keep(f.Outcome.Size), features: cluster.Features(f.Case.Env)}
	again := true
	for range maxRounds {
		if !again {
			break
		}
		again = s.structure()
		again = s.units() || again
		again = s.digits() || again
	}
	s.rename()
	return s.best
}

// maxRounds bounds the rounds of shrinking, each of which makes something
// smaller or simpler.
const maxRounds = 40

// keep is the size that a violation must not fall below while it is shrunk.
func keep(size float64) float64 {
	return max(min(size/4, 0.05), min(size/2, 10*Clear))
}

type shrinking struct {
	rule     Rule
	property policies.Property
	best     Found
	keep     float64
	features cluster.Feature // what there was at first, and no more
}

// try accepts a case if it violates the property by enough.
func (s *shrinking) try(c Case) bool {
	if cluster.Validate(c.Env) != nil || cluster.Features(c.Env)&^s.features != 0 {
		return false
	}
	o, err := Measure(s.rule, s.property, c)
	if err != nil || !(o.Size >= s.keep) || o.Sentence == nil {
		return false
	}
	s.best.Case, s.best.Outcome = c, o
	return true
}

// structure takes parts away.
func (s *shrinking) structure() bool {
	changed := false
	for j := len(s.best.Case.Env.Users) - 1; j >= 0; j-- {
		changed = s.dropUser(j) || changed
	}
	for v := len(s.best.Case.Env.Servers) - 1; v >= 0; v-- {
		changed = s.dropServer(v) || changed
	}
	for v := range s.best.Case.Env.Servers {
		changed = s.fewer(v) || changed
	}
	for e := len(s.best.Case.Env.Links) - 1; e >= 0; e-- {
		changed = s.dropLink(e) || changed
	}
	for r := len(s.best.Case.Env.Resources) - 1; r >= 0; r-- {
		changed = s.dropResource(r) || changed
	}
	for _, plain := range plainer {
		c := s.best.Case.clone()
		if plain(&c) && s.try(c) {
			changed = true
		}
	}
	for j := range s.best.Case.Env.Users {
		for _, plain := range plainerUser {
			if c := s.best.Case.clone(); plain.has(&c.Env.Users[j]) {
				plain.drop(&c.Env.Users[j])
				if c.Report != nil && c.User == j {
					plain.drop(c.Report)
				}
				changed = s.try(c) || changed
			}
		}
	}
	return changed
}

func (s *shrinking) dropUser(j int) bool {
	c := s.best.Case.clone()
	if len(c.Env.Users) < 2 || c.User == j && (c.Report != nil || s.property == policies.PM || s.property == policies.SPL) {
		return false
	}
	c.Env.Users = append(c.Env.Users[:j], c.Env.Users[j+1:]...)
	if c.User > j {
		c.User--
	}
	for v, owner := range c.Owner {
		if owner == j {
			c.Owner[v] = -1
		} else if owner > j {
			c.Owner[v]--
		}
	}
	return s.try(c)
}

// fewer takes servers of a class away.
func (s *shrinking) fewer(v int) bool {
	for n := 1; n < s.best.Case.Env.Servers[v].Count; n++ {
		c := s.best.Case.clone()
		c.Env.Servers[v].Count = n
		if s.try(c) {
			return true
		}
	}
	return false
}

func (s *shrinking) dropServer(v int) bool {
	c := s.best.Case.clone()
	env, n := c.Env, len(c.Env.Servers)
	if n < 2 || s.property == policies.RM && c.Row < env.LinkRow(0) && c.Row/len(env.Resources) == v {
		return false
	}
	width := len(env.Resources)
	switch {
	case c.Row >= env.LinkRow(0):
		c.Row -= width
	case c.Row/width > v:
		c.Row -= width
	}
	env.Servers = append(env.Servers[:v], env.Servers[v+1:]...)
	for e := range env.Links {
		env.Links[e].Servers = without(env.Links[e].Servers, v, n)
	}
	for _, u := range c.users() {
		dropFrom(u, v, n)
	}
	if c.Owner != nil {
		c.Owner = append(c.Owner[:v], c.Owner[v+1:]...)
	}
	return s.try(c)
}

// dropFrom takes server v of n away from a user.
func dropFrom(u *cluster.User, v, n int) {
	u.Eligible = without(u.Eligible, v, n)
	var on map[int][]float64
	for s, d := range u.DemandOn {
		if s == v {
			continue
		}
		if on == nil {
			on = map[int][]float64{}
		}
		if s > v {
			s--
		}
		on[s] = d
	}
	u.DemandOn = on
}

// without returns the set of servers after server v of n is gone; nil where it
// then holds all.
func without(set cluster.Set, v, n int) cluster.Set {
	if set == nil {
		return nil
	}
	rest := cluster.NewSet(n - 1)
	for s := range n {
		switch {
		case s == v || !set.Has(s):
		case s > v:
			rest.Add(s - 1)
		default:
			rest.Add(s)
		}
	}
	if rest.Len() == n-1 {
		return nil
	}
	return rest
}

func (s *shrinking) dropLink(e int) bool {
	c := s.best.Case.clone()
	if s.property == policies.RM {
		switch at := c.Env.LinkRow(e); {
		case c.Row == at:
			return false
		case c.Row > at:
			c.Row--
		}
	}
	c.Env.Links = append(c.Env.Links[:e], c.Env.Links[e+1:]...)
	for _, u := range c.users() {
		u.LinkDemand = cut(u.LinkDemand, e)
	}
	return s.try(c)
}

// cut takes entry i away; nil if nothing is left.
func cut(d []float64, i int) []float64 {
	if len(d) < 2 {
		return nil
	}
	return append(append([]float64(nil), d[:i]...), d[i+1:]...)
}

func (s *shrinking) dropResource(r int) bool {
	c := s.best.Case.clone()
	env, width := c.Env, len(c.Env.Resources)
	if width < 2 {
		return false
	}
	if s.property == policies.RM {
		server, links := c.Row/width, c.Row-env.LinkRow(0)
		switch {
		case links >= 0:
			c.Row = len(env.Servers)*(width-1) + links
		case c.Row%width == r:
			return false
		case c.Row%width > r:
			c.Row = server*(width-1) + c.Row%width - 1
		default:
			c.Row = server*(width-1) + c.Row%width
		}
	}
	env.Resources = append(env.Resources[:r:r], env.Resources[r+1:]...)
	for v := range env.Servers {
		env.Servers[v].Capacity = cut(env.Servers[v].Capacity, r)
	}
	for _, u := range c.users() {
		u.Demand = cut(u.Demand, r)
		for s, d := range u.DemandOn {
			u.DemandOn[s] = cut(d, r)
		}
	}
	return s.try(c)
}

// plainer are changes that make an environment plainer; each reports whether it
// changed anything.
var plainer = []func(c *Case) bool{
	func(c *Case) bool { // no weights
		changed := false
		for j := range c.Env.Users {
			changed = changed || c.Env.Users[j].Weight != 1
			c.Env.Users[j].Weight = 1
		}
		return changed
	},
	func(c *Case) bool { // one server a class
		changed := false
		for v := range c.Env.Servers {
			changed = changed || c.Env.Servers[v].Count != 1
			c.Env.Servers[v].Count = 1
		}
		return changed
	},
	func(c *Case) bool { // all servers behind all links
		changed := false
		for e := range c.Env.Links {
			changed = changed || c.Env.Links[e].Servers != nil
			c.Env.Links[e].Servers = nil
		}
		return changed
	},
	func(c *Case) bool { // the report differs in demands only
		if c.Report == nil || sameSet(c.Report.Eligible, c.Env.Users[c.User].Eligible) {
			return false
		}
		c.Report.Eligible = append(cluster.Set(nil), c.Env.Users[c.User].Eligible...)
		return true
	},
	func(c *Case) bool { // … not in the number of tasks
		if c.Report == nil || c.Report.Tasks == c.Env.Users[c.User].Tasks {
			return false
		}
		c.Report.Tasks = c.Env.Users[c.User].Tasks
		return true
	},
	func(c *Case) bool { // the report differs in servers or tasks only
		if c.Report == nil || slices.Equal(values(numbers(c.Report)), values(numbers(&c.Env.Users[c.User]))) {
			return false
		}
		eligible, tasks := c.Report.Eligible, c.Report.Tasks
		*c.Report = c.Env.Users[c.User].Clone()
		c.Report.Eligible, c.Report.Tasks = eligible, tasks
		return true
	},
}

// plainerUser are what makes a user less plain, and how it is dropped.
var plainerUser = []struct {
	has  func(u *cluster.User) bool
	drop func(u *cluster.User)
}{
	{func(u *cluster.User) bool { return u.Eligible != nil }, func(u *cluster.User) { u.Eligible = nil }},
	{func(u *cluster.User) bool { return !math.IsInf(u.Tasks, 1) }, func(u *cluster.User) { u.Tasks = cluster.Inf }},
	{func(u *cluster.User) bool { return len(u.DemandOn) > 0 }, func(u *cluster.User) { u.DemandOn = nil }},
}

// sameSet reports whether two sets are equal; the nil set is equal to itself only.
func sameSet(a, b cluster.Set) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// rename gives users, servers and links the first names of their kind.
func (s *shrinking) rename() {
	c := s.best.Case.clone()
	for j := range c.Env.Users {
		c.Env.Users[j].Name = string(rune('A' + j))
	}
	if c.Report != nil {
		c.Report.Name = c.Env.Users[c.User].Name
	}
	for v := range c.Env.Servers {
		c.Env.Servers[v].Name = "s" + string(rune('1'+v))
	}
	for e := range c.Env.Links {
		c.Env.Links[e].Name = "l" + string(rune('1'+e))
	}
	s.try(c)
}
