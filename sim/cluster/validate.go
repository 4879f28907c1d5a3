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

// ValidateUser is [Validate] for an environment that is sound but, perhaps, for user j,
// whose name is no other's.
func ValidateUser(env *Environment, j int) error {
	v := validator{env: env, taken: names{}}
	v.user(where{list: "users", index: j}, j)
	if len(v.problems) == 0 {
		v.beyond(j, env.EtaEligible(j))
	}
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
	taken                  names // in the space of names at hand
}

// where is a path, which is written out only where there is a problem: it costs more than
// to look for one.
type where struct {
	list  string // "users", say
	index int    // in it
	field string // ".demand", say; "" for the whole
	key   string // of a map, such as that from servers to demands
	keyed bool
	entry int // in a vector; counted from 1; 0: none
}

func (w where) String() string {
	text := fmt.Sprintf("%s[%d]%s", w.list, w.index, w.field)
	if w.keyed {
		text += quotedStep(w.key)
	}
	if w.entry > 0 {
		text += fmt.Sprintf("[%d]", w.entry-1)
	}
	return text
}

// of is a field of what is there.
func (w where) of(field string) where {
	w.field = field
	return w
}

// add adds a problem.
func (v *validator) add(at where, format string, args ...any) {
	v.problems.add(at.String(), format, args...)
}

func (v *validator) all(withUsers bool) {
	env := v.env
	v.taken = names{}
	v.resources()
	clear(v.taken)
	if len(env.Servers) == 0 {
		v.problems.add("servers", "empty: at least one server is needed")
	}
	for s := range env.Servers {
		v.server(where{list: "servers", index: s}, &env.Servers[s])
	}
	for e := range env.Links {
		v.link(where{list: "links", index: e}, &env.Links[e])
	}
	v.units()
	if withUsers && len(env.Users) == 0 {
		v.problems.add("users", "empty: there is nobody to allocate to")
	}
	clear(v.taken)
	for j := range env.Users {
		v.user(where{list: "users", index: j}, j)
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
	for r, name := range v.env.Resources {
		v.name(where{list: "resources", index: r}, name, v.taken)
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

func (v *validator) link(at where, l *Link) {
	v.name(at.of(".name"), l.Name, v.taken)
	v.amount(at.of(".capacity"), l.Capacity)
	v.set(at.of(".servers"), l.Servers)
}

func (v *validator) server(at where, s *Server) {
	v.name(at.of(".name"), s.Name, v.taken)
	v.vector(at.of(".capacity"), s.Capacity)
	if s.Count < 1 {
		v.add(at.of(".count"), "must be at least 1, is %d", s.Count)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
		of, value := at.of(".attributes"+quotedStep(name)), s.Attributes[name]
		switch {
		case name == "":
			v.add(of, "an attribute without a name")
		case !utf8.ValidString(name + value):
			v.add(of, "%q is not valid UTF-8", value)
		}
	}
	var taken names
	if len(s.Taints) > 0 {
		taken = names{}
	}
	for i, t := range s.Taints {
		of := at.of(fmt.Sprintf(".taints[%d]", i))
		if parsed, err := ParseTaint(t.String()); err != nil || parsed != t {
			v.add(of, "%q is not a taint", t)
			continue
		}
		v.name(of, t.String(), taken)
	}
}

func (v *validator) user(at where, j int) {
	u, before := &v.env.Users[j], len(v.problems)
	v.name(at.of(".name"), u.Name, v.taken)
	v.vector(at.of(".demand"), u.Demand)
	if u.LinkDemand != nil && len(u.LinkDemand) != len(v.env.Links) && !v.anyLinks {
		v.add(at.of(".link_demand"), "has %d entries for %d links", len(u.LinkDemand), len(v.env.Links))
	}
	v.amounts(at.of(".link_demand"), u.LinkDemand)
	if !(u.Weight > 0) || math.IsInf(u.Weight, 1) {
		v.add(at.of(".weight"), "must be positive and finite, is %g", u.Weight)
	} else {
		v.amount(at.of(".weight"), u.Weight)
	}
	if !(u.Tasks >= 0) {
		v.add(at.of(".tasks"), "must not be negative, is %g", u.Tasks)
	} else if u.Tasks < Inf {
		v.amount(at.of(".tasks"), u.Tasks)
	}
	v.set(at.of(".servers"), u.Eligible)
	for _, s := range slices.Sorted(maps.Keys(u.DemandOn)) {
		if s < 0 || s >= len(v.env.Servers) {
			v.add(at.of(".demand_on"), "server index %d of %d servers", s, len(v.env.Servers))
			continue
		}
		v.vector(where{list: at.list, index: at.index, field: ".demand_on", key: v.env.Servers[s].Name, keyed: true}, u.DemandOn[s])
	}
	if len(v.problems) == before && !v.anyResources && !v.anyLinks {
		v.needsSomething(at, j)
	}
}

// needsSomething looks for a server that may run user j and from which, links
// included, it takes nothing.
func (v *validator) needsSomething(at where, j int) {
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
			v.add(at, "needs nothing on server %q: no resource or link demand is positive there, so it could run infinitely many tasks", env.Servers[s].Name)
			return
		}
	}
}

// alone looks for users that could run more tasks than a double can count, in an
// environment that is sound otherwise: 2³¹ servers of capacity 1e150 hold 2e309
// tasks of 1e-150 each.
func (v *validator) alone() {
	for j, eta := range v.env.EtasEligible(nil) {
		v.beyond(j, eta)
	}
}

// beyond looks whether user j is one of those, which alone could run eta tasks.
func (v *validator) beyond(j int, eta float64) {
	if math.IsInf(eta, 1) {
		v.add(where{list: "users", index: j}, "demands are so small that the tasks that it could run are beyond the range of a double")
	}
}

// names are those taken in one space of names, with where: a list and the place in it.
type names map[string]struct {
	list, field string
	index       int
}

func (v *validator) name(at where, name string, taken names) {
	first, again := taken[name]
	switch {
	case name == "":
		v.add(at, "empty name")
	case !utf8.ValidString(name):
		v.add(at, "name %q is not valid UTF-8", name)
	case again:
		v.add(at, "name %q is taken by %s", name, where{list: first.list, index: first.index, field: first.field})
	default:
		first.list, first.index, first.field = at.list, at.index, at.field
		taken[name] = first
	}
}

// vector checks a vector with one entry per resource.
func (v *validator) vector(at where, vector []float64) {
	if len(vector) != len(v.env.Resources) && !v.anyResources {
		v.add(at, "has %d entries for %d resources", len(vector), len(v.env.Resources))
	}
	v.amounts(at, vector)
}

func (v *validator) amounts(at where, all []float64) {
	for i, a := range all {
		at.entry = i + 1
		v.amount(at, a)
	}
}

func (v *validator) amount(at where, a float64) {
	if problem := amountProblem(a); problem != "" {
		v.add(at, problem, a)
	}
}

func (v *validator) set(at where, set Set) {
	for s := len(v.env.Servers); set != nil && s < 64*len(set); s++ {
		if set.Has(s) {
			v.add(at, "server index %d of %d servers", s, len(v.env.Servers))
		}
	}
}
