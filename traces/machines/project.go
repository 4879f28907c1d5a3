package machines

import (
	"cmp"
	"slices"

	"github.com/leontief-sim/leontief/traces/constraints"
)

// seen is an attribute as the jobs see it: a text, or none.
type seen struct {
	there bool
	text  string
}

func (a seen) compare(b seen) int {
	switch {
	case a.there == b.there:
		return cmp.Compare(a.text, b.text)
	case b.there:
		return -1
	}
	return 1
}

// projection says as what an attribute is seen by the jobs: as the first, absent
// before any text, that their constraints do not tell from it. Nil: as it is.
type projection map[seen]seen

// see returns what is seen of an attribute of a machine; false where it is absent, or
// seen as absent.
func (p projection) see(attributes map[string]string, name string) (string, bool) {
	value, there := attributes[name]
	if p == nil {
		return value, there
	}
	as := p[seen{there, value}]
	return as.text, as.there
}

// project returns the attributes that a view names, each with how it is seen; nil if it
// names none.
//
// Two values, of which one may be that there is none, are alike if each constraint on the
// attribute matches both or neither. So a class of machines that
// are seen alike has one answer to every conjunction of the constraints.
func (inv *Inventory) project(v View) map[string]projection {
	asked := map[string][]constraints.Constraint{}
	for _, text := range v.Constraints {
		list, _, err := constraints.Parse(text)
		if err != nil {
			continue
		}
		for _, c := range list {
			if !slices.Contains(asked[c.Attribute], c) {
				asked[c.Attribute] = append(asked[c.Attribute], c)
			}
		}
	}
	if len(asked)+len(v.Attributes) == 0 {
		return nil
	}
	all := map[string]projection{}
	for name, list := range asked {
		all[name] = inv.alike(name, list)
	}
	for _, name := range v.Attributes {
		all[name] = nil
	}
	return all
}

// alike groups the values of an attribute by what the constraints on it say of them.
func (inv *Inventory) alike(name string, asked []constraints.Constraint) projection {
	p, first := projection{}, map[string]seen{}
	for i := range inv.Machines {
		value, there := inv.Machines[i].Attributes[name]
		p[seen{there, value}] = seen{}
		if there && value == "" { // = and != take it for absent, and so may all
			p[seen{}] = seen{}
		}
	}
	var match []func(attribute string, there bool) bool
	for _, c := range asked {
		match = append(match, c.Predicate())
	}
	answers := func(value seen) string {
		text := make([]byte, len(asked))
		for k := range asked {
			text[k] = '0'
			if match[k](value.text, value.there) {
				text[k] = '1'
			}
		}
		return string(text)
	}
	for value := range p {
		key := answers(value)
		if known, ok := first[key]; !ok || value.compare(known) < 0 {
			first[key] = value
		}
	}
	for value := range p {
		p[value] = first[answers(value)]
	}
	return p
}
