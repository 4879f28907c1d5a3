package machines

import (
	"slices"

	"github.com/leontief-sim/leontief/traces/constraints"
)

// projection says as what a value of an attribute is seen by the jobs: as the smallest
// value that their constraints do not tell from it. Nil: as it is.
type projection map[string]string

// see returns what is seen of an attribute of a machine; false where it is absent, or
// seen as absent.
func (p projection) see(attributes map[string]string, name string) (string, bool) {
	value, there := attributes[name]
	if p != nil {
		value = p[value]
		there = value != ""
	}
	return value, there
}

// project returns the attributes that a view names, each with how it is seen; nil if it
// names none.
//
// Constraints compare an absent attribute as the empty text. Two values are alike if
// each constraint on the attribute matches both or neither. So a class of machines that
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
	seen := map[string]projection{}
	for name, list := range asked {
		seen[name] = inv.alike(name, list)
	}
	for _, name := range v.Attributes {
		seen[name] = nil
	}
	return seen
}

// alike groups the values of an attribute by what the constraints on it say of them.
func (inv *Inventory) alike(name string, asked []constraints.Constraint) projection {
	p, smallest := projection{}, map[string]string{}
	values := map[string]bool{}
	for i := range inv.Machines {
		values[inv.Machines[i].Attributes[name]] = true
	}
	answers := func(value string) string {
		text := make([]byte, len(asked))
		for k, c := range asked {
			text[k] = '0'
			if c.Match(value) {
				text[k] = '1'
			}
		}
		return string(text)
	}
	for value := range values {
		key := answers(value)
		if first, ok := smallest[key]; !ok || value < first {
			smallest[key] = value
		}
	}
	for value := range values {
		p[value] = smallest[answers(value)]
	}
	return p
}
