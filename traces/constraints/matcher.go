package constraints

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// Matcher finds the machines that satisfy constraints. Machines are numbered in
// the order in which they were given. Each text of constraints, and each single
// constraint, is evaluated once.
type Matcher struct {
	machines int
	// values holds the texts of each attribute by machine; empty where absent.
	values map[string][]string
	single map[Constraint]cluster.Set
	known  map[string]cluster.Set
}

// NewMatcher returns a matcher for the machines. A text of attributes that is
// not one is an error that names the machine.
func NewMatcher(machines []traces.Machine) (*Matcher, error) {
	m := &Matcher{
		machines: len(machines), values: map[string][]string{},
		single: map[Constraint]cluster.Set{}, known: map[string]cluster.Set{"": nil},
	}
	for i := range machines {
		attributes, err := ParseAttributes(machines[i].Attributes)
		if err != nil {
			return nil, fmt.Errorf("machine %s: %w", machines[i].ID, err)
		}
		for name, value := range attributes {
			if m.values[name] == nil {
				m.values[name] = make([]string, len(machines))
			}
			m.values[name][i] = value
		}
	}
	return m, nil
}

// Eligible returns the machines that satisfy the constraints of a text; nil
// where all do. The set is shared between calls and must not be changed.
func (m *Matcher) Eligible(text string) (cluster.Set, error) {
	if set, ok := m.known[text]; ok {
		return set, nil
	}
	list, err := Parse(text)
	if err != nil {
		return nil, err
	}
	set := cluster.NewSet(m.machines)
	for i := range m.machines {
		set.Add(i)
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
	values := m.values[c.Attribute]
	for i := range m.machines {
		value := ""
		if values != nil {
			value = values[i]
		}
		if c.Match(value) {
			set.Add(i)
		}
	}
	m.single[c] = set
	return set
}
