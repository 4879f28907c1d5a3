package cluster

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/leontief-sim/leontief/sim/spelling"
)

// ReadEnvironment reads an environment file: one JSON object with the keys
// resources, units, servers, links, users of the specification's section 2.
//
// Reading is strict. Unknown and repeated keys, wrong types, wrong lengths,
// unknown and repeated names, numbers out of range (see [InRange]), anything
// after the object, and all that [Validate] finds are problems, and so is an
// environment without users. All of them are returned at once as [Problems].
// Any other error comes from r.
func ReadEnvironment(r io.Reader) (*Environment, error) { return read(r, true) }

// ReadCluster reads a cluster file: an environment file without the key users.
func ReadCluster(r io.Reader) (*Environment, error) { return read(r, false) }

func read(r io.Reader, withUsers bool) (*Environment, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	root, problem := parseJSON(data)
	if problem != nil {
		return nil, Problems{*problem}
	}
	d := &decoder{env: &Environment{}}
	d.environment(root, withUsers)
	if root.kind != object {
		return nil, d.problems
	}
	v := validator{env: d.env, anyResources: d.broken("resources"), anyLinks: d.broken("links")}
	v.all(withUsers)
	if problems := append(d.problems, d.problems.outside(v.problems)...); len(problems) > 0 {
		return nil, problems
	}
	return d.env, nil
}

// decoder turns the tree of a file into an environment. What it cannot read it
// reports and leaves at the value of an absent key.
type decoder struct {
	env      *Environment
	problems Problems
	index    map[string]int // of servers by name
}

func (d *decoder) broken(path string) bool {
	return slices.ContainsFunc(d.problems, func(p Problem) bool { return p.Path == path || p.Path == "" })
}

func (d *decoder) environment(root *node, withUsers bool) {
	keys := []string{"resources", "units", "servers", "links", "users"}
	if !withUsers {
		keys = keys[:4]
	}
	f := d.fields(root, "", keys...)
	if root.kind != object {
		return
	}
	d.env.Resources = d.names(f.need("resources"))
	d.env.Units = d.units(f.may("units"))
	f.need("servers").each(func(at place) { d.env.Servers = append(d.env.Servers, d.server(at)) })
	d.index = map[string]int{}
	for s, server := range slices.Backward(d.env.Servers) {
		d.index[server.Name] = s
	}
	f.may("links").each(func(at place) { d.env.Links = append(d.env.Links, d.link(at)) })
	if withUsers {
		f.need("users").each(func(at place) { d.env.Users = append(d.env.Users, d.user(at)) })
	}
}

func (d *decoder) server(at place) Server {
	f := d.fields(at.node, at.path, "name", "capacity", "count", "attributes", "taints")
	s := Server{Name: f.need("name").string(), Capacity: f.need("capacity").numbers(), Count: 1,
		Attributes: d.attributes(f.may("attributes")), Taints: d.taints(f.may("taints"))}
	if count := f.may("count"); count.node != nil {
		s.Count = count.whole(1)
	}
	return s
}

// attributes reads an object of texts by the name of an attribute; an absent one is nil.
func (d *decoder) attributes(at place) map[string]string {
	attributes := d.texts(at, "the attribute is given twice")
	if attributes == nil && at.node != nil {
		attributes = map[string]string{}
	}
	return attributes
}

func (d *decoder) taints(at place) []Taint {
	var taints []Taint
	at.each(func(at place) {
		if !at.is(text) {
			return
		}
		t, err := ParseTaint(at.node.text)
		if err != nil {
			d.problems.add(at.path, "%v", err)
		}
		taints = append(taints, t)
	})
	return taints
}

func (d *decoder) link(at place) Link {
	f := d.fields(at.node, at.path, "name", "capacity", "servers")
	return Link{
		Name:     f.need("name").string(),
		Capacity: f.need("capacity").number(0),
		Servers:  d.set(f.may("servers")),
	}
}

func (d *decoder) user(at place) User {
	f := d.fields(at.node, at.path, "name", "demand", "link_demand", "weight", "tasks", "servers", "demand_on")
	return User{
		Name:       f.need("name").string(),
		Demand:     f.need("demand").numbers(),
		LinkDemand: f.may("link_demand").numbers(),
		Weight:     f.may("weight").number(1),
		Tasks:      f.may("tasks").number(Inf),
		Eligible:   d.set(f.may("servers")),
		DemandOn:   d.demandOn(f.may("demand_on")),
	}
}

// demandOn reads an object of demand vectors by server name.
func (d *decoder) demandOn(at place) map[int][]float64 {
	if at.node == nil || !at.is(object) {
		return nil
	}
	var on map[int][]float64
	for i, name := range at.node.keys {
		path := at.path + quotedStep(name)
		s, known := d.serverNamed(place{d, path, &node{kind: text, text: name}})
		if slices.Contains(at.node.keys[:i], name) {
			d.problems.add(path, "the server is given twice")
			continue
		}
		demand := place{d, path, at.node.items[i]}.numbers()
		if known {
			if on == nil {
				on = map[int][]float64{}
			}
			on[s] = demand
		}
	}
	return on
}

// units reads an object of units by the name of a resource or link.
func (d *decoder) units(at place) map[string]string { return d.texts(at, "the unit is given twice") }

// texts reads an object of texts by name; nil if there are none.
func (d *decoder) texts(at place, twice string) map[string]string {
	if at.node == nil || !at.is(object) {
		return nil
	}
	var texts map[string]string
	for i, name := range at.node.keys {
		value := place{d, at.path + quotedStep(name), at.node.items[i]}
		if slices.Contains(at.node.keys[:i], name) {
			d.problems.add(value.path, "%s", twice)
			continue
		}
		if texts == nil {
			texts = map[string]string{}
		}
		texts[name] = value.string()
	}
	return texts
}

// set reads a list of server names; an absent one is the nil Set.
func (d *decoder) set(at place) Set {
	if at.node == nil {
		return nil
	}
	set := NewSet(len(d.env.Servers))
	at.each(func(at place) {
		s, known := d.serverNamed(at)
		if known && set.Has(s) {
			d.problems.add(at.path, "server %q is named twice", at.node.text)
		} else if known {
			set.Add(s)
		}
	})
	return set
}

// serverNamed returns the index of the server that is named at a place.
func (d *decoder) serverNamed(at place) (int, bool) {
	if !at.is(text) {
		return 0, false
	}
	s, known := d.index[at.node.text]
	if !known && !d.broken("servers") {
		d.problems.add(at.path, "unknown server %q", at.node.text)
	}
	return s, known
}

func (d *decoder) names(at place) []string {
	var names []string
	at.each(func(at place) { names = append(names, at.string()) })
	return names
}

// place is a value of the file and its path; node is nil where it is absent.
type place struct {
	d    *decoder
	path string
	node *node
}

// fields are the values of an object by key.
type fields struct {
	d     *decoder
	path  string
	valid bool
	by    map[string]*node
}

// fields reads an object and reports unknown and repeated keys.
func (d *decoder) fields(n *node, path string, known ...string) fields {
	f := fields{d: d, path: path, by: map[string]*node{}}
	if f.valid = (place{d, path, n}).is(object); !f.valid {
		return f
	}
	for i, key := range n.keys {
		_, repeated := f.by[key]
		switch {
		case path == "" && key == "users" && !slices.Contains(known, key):
			d.problems.add(f.at(key), "a cluster's file has none: the users are the jobs of a workload")
		case !slices.Contains(known, key):
			d.problems.add(f.at(key), "unknown key%s", spelling.Hint(key, known))
		case repeated:
			d.problems.add(f.at(key), "the key is given twice")
		default:
			f.by[key] = n.items[i]
		}
	}
	return f
}

func (f fields) at(key string) string {
	switch {
	case strings.ContainsAny(key, ".[]\"") || key == "" || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }):
		return f.path + quotedStep(key)
	case f.path == "":
		return key
	}
	return f.path + "." + key
}

func (f fields) may(key string) place { return place{f.d, f.at(key), f.by[key]} }

func (f fields) need(key string) place {
	if f.by[key] == nil && f.valid {
		f.d.problems.add(f.at(key), "missing")
	}
	return f.may(key)
}

// is reports whether the value is of the kind, and a problem if it is not.
func (at place) is(k kind) bool {
	if at.node.kind != k {
		at.d.problems.add(at.path, "must be %s, is %s", k, at.node.kind)
	}
	return at.node.kind == k
}

func (at place) each(f func(place)) {
	if at.node == nil || !at.is(list) {
		return
	}
	for i, item := range at.node.items {
		f(place{at.d, fmt.Sprintf("%s[%d]", at.path, i), item})
	}
}

func (at place) string() string {
	if at.node == nil || !at.is(text) {
		return ""
	}
	return at.node.text
}

func (at place) numbers() []float64 {
	var all []float64
	at.each(func(at place) { all = append(all, at.number(0)) })
	return all
}

// number reads a number; an absent or unreadable one is otherwise.
func (at place) number(otherwise float64) float64 {
	if at.node == nil || !at.is(number) {
		return otherwise
	}
	v, err := strconv.ParseFloat(at.node.text, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(at.node.text), "e")
	switch zero := !strings.ContainsAny(mantissa, "123456789"); {
	case zero:
		return 0 // not -0
	case err != nil || !InRange(math.Abs(v)) || v == 0:
		at.d.problems.add(at.path, "must be 0 or from 1e-150 to 1e150, is %s", abridged(at.node.text))
		return otherwise
	}
	return v
}

// abridged returns a text that may be long, for a message.
func abridged(text string) string {
	if len(text) <= 40 {
		return text
	}
	return text[:25] + "…" + text[len(text)-10:]
}

// whole reads an integer; an unreadable one is otherwise.
func (at place) whole(otherwise int) int {
	v := at.number(float64(otherwise))
	if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
		at.d.problems.add(at.path, "must be a whole number up to %d, is %s", math.MaxInt32, at.node.text)
		return otherwise
	}
	return int(v)
}
