package constraints

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// Matcher finds the machines, or classes of servers, that satisfy constraints and
// whose taints are tolerated. They are numbered in
// the order in which they were given. Each text of constraints, and each single
// constraint, is evaluated once.
type Matcher struct {
	machines int
	taints   [][]cluster.Taint      // by machine; nil: there are none
	values   map[string][]attribute // of each name, by machine
	single   map[Constraint]cluster.Set
	known    map[string]cluster.Set
}

// attribute is the text of an attribute of a machine, if it is there.
type attribute struct {
	text  string
	there bool
}

// NewMatcher returns a matcher for the machines. A text of attributes that is
// not one is an error that names the machine.
func NewMatcher(machines []traces.Machine) (*Matcher, error) {
	m := newMatcher(len(machines))
	for i := range machines {
		attributes, err := ParseAttributes(machines[i].Attributes)
		if err != nil {
			return nil, fmt.Errorf("machine %s: %w", machines[i].ID, err)
		}
		m.describe(i, attributes)
	}
	return m, nil
}

// NewServerMatcher returns a matcher for classes of servers. Attributes that are not
// stated are absent.
func NewServerMatcher(servers []cluster.Server) *Matcher {
	m := newMatcher(len(servers))
	for s := range servers {
		m.describe(s, servers[s].Attributes)
		if len(servers[s].Taints) > 0 && m.taints == nil {
			m.taints = make([][]cluster.Taint, len(servers))
		}
		if m.taints != nil {
			m.taints[s] = servers[s].Taints
		}
	}
	return m
}

func newMatcher(machines int) *Matcher {
	return &Matcher{
		machines: machines, values: map[string][]attribute{},
		single: map[Constraint]cluster.Set{}, known: map[string]cluster.Set{},
	}
}

// describe says what the attributes of machine i are.
func (m *Matcher) describe(i int, attributes map[string]string) {
	for name, value := range attributes {
		if m.values[name] == nil {
			m.values[name] = make([]attribute, m.machines)
		}
		m.values[name][i] = attribute{value, true}
	}
}

// Eligible returns the machines that satisfy the constraints of a text, and whose
// taints it tolerates; nil where all do. The set is shared between calls and must not be changed.
func (m *Matcher) Eligible(text string) (cluster.Set, error) {
	if set, ok := m.known[text]; ok {
		return set, nil
	}
	list, tolerations, err := Parse(text)
	if err != nil {
		return nil, err
	}
	set := cluster.NewSet(m.machines)
	for i := range m.machines {
		if m.taints == nil || tolerated(m.taints[i], tolerations) {
			set.Add(i)
		}
	}
	for _, c := range list {
		for w, word := range m.satisfying(c) {
			set[w] &= word
		}
	}
	if set.Len() == m.machines {
		set = nil
	}
	m.known[text] = set
	return set, nil
}

// Count returns the number of machines in a set that Eligible returned.
func (m *Matcher) Count(set cluster.Set) int {
	if set == nil {
		return m.machines
	}
	return set.Len()
}

// satisfying returns the machines that satisfy one constraint.
func (m *Matcher) satisfying(c Constraint) cluster.Set {
	if set, ok := m.single[c]; ok {
		return set
	}
	set := cluster.NewSet(m.machines)
	values, match := m.values[c.Attribute], c.Predicate()
	for i := range m.machines {
		var of attribute
		if values != nil {
			of = values[i]
		}
		if match(of.text, of.there) {
			set.Add(i)
		}
	}
	m.single[c] = set
	return set
}
