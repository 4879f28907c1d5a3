package cluster

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Validate checks an environment that was built by other means than
// [ReadEnvironment]; nil, or all [Problems] with the paths that they would have
// in a file.
//
// It asks for at least one resource and one server; names that are not empty,
// not repeated (servers and links share one space of names) and valid UTF-8;
// vectors of the right length; numbers that are 0 or from [LeastNumber] to
// [MostNumber] (a task cap may be +Inf); positive weights and counts; sets and demands of servers that
// exist; units of resources and links that exist; attributes with names, and taints that are not repeated; and for every user a positive demand on each server that may run it,
// for it could run infinitely many tasks otherwise. No users, an empty set of
// eligible servers, a link that reaches nothing and zero capacities are
// allowed.
func Validate(env *Environment) error {
	v := validator{env: env}
	v.all(false)
	if len(v.problems) > 0 {
		return v.problems
	}
	return nil
}

type validator struct {
	env      *Environment
	problems Problems
	// anyResources and anyLinks say that how many there are is not known.
	anyResources, anyLinks bool
}

func (v *validator) all(withUsers bool) {
	env := v.env
	v.resources()
	seen := names{}
	if len(env.Servers) == 0 {
		v.problems.add("servers", "empty: at least one server is needed")
	}
	for s := range env.Servers {
		v.server(fmt.Sprintf("servers[%d]", s), &env.Servers[s], seen)
	}
	for e := range env.Links {
		v.link(fmt.Sprintf("links[%d]", e), &env.Links[e], seen)
	}
	v.units()
	if withUsers && len(env.Users) == 0 {
		v.problems.add("users", "empty: there is nobody to allocate to")
	}
	seen = names{}
	for j := range env.Users {
		v.user(fmt.Sprintf("users[%d]", j), j, seen)
	}
	if len(v.problems) == 0 {
		v.alone()
	}
}

func (v *validator) resources() {
	if len(v.env.Resources) == 0 {
		v.anyResources = true
		v.problems.add("resources", "empty: at least one resource is needed")
	}
	seen := names{}
	for r, name := range v.env.Resources {
		v.name(fmt.Sprintf("resources[%d]", r), name, seen)
	}
}

// units checks the names and the texts of the units.
func (v *validator) units() {
	for _, name := range slices.Sorted(maps.Keys(v.env.Units)) {
		path, unit := "units"+quotedStep(name), v.env.Units[name]
		resource := slices.Contains(v.env.Resources, name)
		link := slices.ContainsFunc(v.env.Links, func(l Link) bool { return l.Name == name })
		switch {
		case resource && link:
			v.problems.add(path, "names a resource and a link: call one of them otherwise")
		case !resource && !link && !v.anyResources && !v.anyLinks:
			v.problems.add(path, "names no resource and no link")
		case strings.TrimSpace(unit) == "":
			v.problems.add(path, "empty unit")
		case !utf8.ValidString(unit):
			v.problems.add(path, "%q is not valid UTF-8", unit)
		}
	}
}

func (v *validator) link(path string, l *Link, seen names) {
	v.name(path+".name", l.Name, seen)
	v.amount(path+".capacity", l.Capacity)
	v.set(path+".servers", l.Servers)
}

func (v *validator) server(path string, s *Server, seen names) {
	v.name(path+".name", s.Name, seen)
	v.vector(path+".capacity", s.Capacity)
	if s.Count < 1 {
		v.problems.add(path+".count", "must be at least 1, is %d", s.Count)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
		at, value := path+".attributes"+quotedStep(name), s.Attributes[name]
		switch {
		case name == "":
			v.problems.add(at, "an attribute without a name")
		case !utf8.ValidString(name + value):
			v.problems.add(at, "%q is not valid UTF-8", value)
		}
	}
	seenTaints := names{}
	for i, t := range s.Taints {
		at := fmt.Sprintf("%s.taints[%d]", path, i)
		if parsed, err := ParseTaint(t.String()); err != nil || parsed != t {
			v.problems.add(at, "%q is not a taint", t)
			continue
		}
		v.name(at, t.String(), seenTaints)
	}
}

func (v *validator) user(path string, j int, seen names) {
	u, before := &v.env.Users[j], len(v.problems)
	v.name(path+".name", u.Name, seen)
	v.vector(path+".demand", u.Demand)
	if u.LinkDemand != nil && len(u.LinkDemand) != len(v.env.Links) && !v.anyLinks {
		v.problems.add(path+".link_demand", "has %d entries for %d links", len(u.LinkDemand), len(v.env.Links))
	}
	v.amounts(path+".link_demand", u.LinkDemand)
	if !(u.Weight > 0) || math.IsInf(u.Weight, 1) {
		v.problems.add(path+".weight", "must be positive and finite, is %g", u.Weight)
	} else {
		v.amount(path+".weight", u.Weight)
	}
	if !(u.Tasks >= 0) {
		v.problems.add(path+".tasks", "must not be negative, is %g", u.Tasks)
	} else if u.Tasks < Inf {
		v.amount(path+".tasks", u.Tasks)
	}
	v.set(path+".servers", u.Eligible)
	for _, s := range slices.Sorted(maps.Keys(u.DemandOn)) {
		if s < 0 || s >= len(v.env.Servers) {
			v.problems.add(path+".demand_on", "server index %d of %d servers", s, len(v.env.Servers))
			continue
		}
		v.vector(path+".demand_on"+quotedStep(v.env.Servers[s].Name), u.DemandOn[s])
	}
	if len(v.problems) == before && !v.anyResources && !v.anyLinks {
		v.needsSomething(path, j)
	}
}

// needsSomething looks for a server that may run user j and from which, links
// included, it takes nothing.
func (v *validator) needsSomething(path string, j int) {
	env := v.env
	for s := range env.Servers {
		if !env.MayRun(j, s) {
			continue
		}
		needs := slices.ContainsFunc(env.Demand(j, s), func(d float64) bool { return d > 0 })
		for e := range env.Links {
			needs = needs || env.Reaches(e, s) && env.LinkDemand(j, e) > 0
		}
		if !needs {
			v.problems.add(path, "needs nothing on server %q: no resource or link demand is positive there, so it could run infinitely many tasks", env.Servers[s].Name)
			return
		}
	}
}

// alone looks for users that could run more tasks than a double can count, in an
// environment that is sound otherwise: 2³¹ servers of capacity 1e150 hold 2e309
// tasks of 1e-150 each.
func (v *validator) alone() {
	for j, eta := range v.env.EtasEligible(nil) {
		if math.IsInf(eta, 1) {
			v.problems.add(fmt.Sprintf("users[%d]", j), "demands are so small that the tasks that it could run are beyond the range of a double")
		}
	}
}

// names are those taken in one space of names, with where.
type names map[string]string

func (v *validator) name(path, name string, seen names) {
	switch first, taken := seen[name]; {
	case name == "":
		v.problems.add(path, "empty name")
	case !utf8.ValidString(name):
		v.problems.add(path, "name %q is not valid UTF-8", name)
	case taken:
		v.problems.add(path, "name %q is taken by %s", name, first)
	default:
		seen[name] = path
	}
}

// vector checks a vector with one entry per resource.
func (v *validator) vector(path string, vector []float64) {
	if len(vector) != len(v.env.Resources) && !v.anyResources {
		v.problems.add(path, "has %d entries for %d resources", len(vector), len(v.env.Resources))
	}
	v.amounts(path, vector)
}

func (v *validator) amounts(path string, all []float64) {
	for i, a := range all {
		v.amount(fmt.Sprintf("%s[%d]", path, i), a)
	}
}

func (v *validator) amount(path string, a float64) {
	if problem := amountProblem(a); problem != "" {
		v.problems.add(path, problem, a)
	}
}

func (v *validator) set(path string, set Set) {
	for s := len(v.env.Servers); set != nil && s < 64*len(set); s++ {
		if set.Has(s) {
			v.problems.add(path, "server index %d of %d servers", s, len(v.env.Servers))
		}
	}
}
