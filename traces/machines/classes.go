package machines

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// resources are what machines have, in the order of an environment.
var resources = []string{"cpu", "mem", "gpu"}

// View says for which jobs machines become classes.
type View struct {
	// Memory is the unit of memory of a source that counts bytes, one of [MemoryUnits];
	// empty for the first.
	Memory string
	// Constraints are the constraints of the jobs, each text once. Those that can not be
	// read ([constraints.Parse]) tell no machines apart.
	Constraints []string
	// Attributes are kept with their values whatever the jobs ask for.
	Attributes []string
}

// Classes are machines that are the same to the jobs of a [View], as an environment.
type Classes struct {
	*cluster.Environment
	// Machines are the names of those of each class, in the order of the list; nil
	// for an environment file.
	Machines [][]string
}

// class is what the machines of a class have in common.
type class struct {
	capacity   [3]float64
	taints     []cluster.Taint
	taintsText string            // a line each
	attributes map[string]string // nil: not stated
	text       string            // of the attributes
	machines   []string
}

func (c *class) compare(d *class) int {
	return cmp.Or(slices.Compare(c.capacity[:], d.capacity[:]), cmp.Compare(c.taintsText, d.taintsText), cmp.Compare(c.text, d.text))
}

// Classes returns the environment. Its resources are those of which some machine has
// something. Servers have attributes if the view names any, by its constraints or
// itself; an environment file is returned as it is.
func (inv *Inventory) Classes(v View) (*Classes, error) {
	if inv.Environment != nil {
		return &Classes{Environment: inv.Environment}, nil
	}
	unit := cmp.Or(v.Memory, MemoryUnits()[0])
	if memoryUnits[unit] == nil {
		return nil, fmt.Errorf("unit of memory %q is not one of %s", unit, strings.Join(MemoryUnits(), ", "))
	}
	seen := inv.project(v)
	known := map[string]*class{}
	var list []*class
	for i := range inv.Machines {
		c, err := inv.class(&inv.Machines[i], unit, seen)
		if err != nil {
			return nil, err
		}
		key := fmt.Sprint(c.capacity, c.taintsText, "\x00", c.text)
		if known[key] == nil {
			known[key] = c
			list = append(list, c)
		}
		known[key].machines = append(known[key].machines, inv.Machines[i].Name)
	}
	slices.SortFunc(list, (*class).compare)
	return inv.environment(list, unit), nil
}

// class returns the class of a machine, empty.
func (inv *Inventory) class(m *Machine, unit string, seen map[string]projection) (*class, error) {
	c := &class{capacity: [3]float64{m.CPU, m.Mem, m.GPU}}
	if m.Bytes != nil {
		mem, err := amount(new(big.Rat).Quo(m.Bytes, memoryUnits[unit]))
		if err != nil {
			return nil, fmt.Errorf("machine %q: memory: %w", m.Name, err)
		}
		c.capacity[1] = mem
	}
	c.taints = slices.Clone(m.Taints)
	slices.SortFunc(c.taints, func(a, b cluster.Taint) int { return cmp.Compare(a.String(), b.String()) })
	for _, t := range c.taints {
		c.taintsText += t.String() + "\n"
	}
	if seen == nil {
		return c, nil
	}
	c.attributes = map[string]string{}
	for name, of := range seen {
		if value, ok := of.see(m.Attributes, name); ok {
			c.attributes[name] = value
		}
	}
	c.text = constraints.FormatAttributes(c.attributes)
	return c, nil
}

// environment makes servers of classes.
func (inv *Inventory) environment(list []*class, unit string) *Classes {
	all := &Classes{Environment: &cluster.Environment{Units: map[string]string{}}}
	var columns []int
	for r, name := range resources {
		if !slices.ContainsFunc(list, func(c *class) bool { return c.capacity[r] > 0 }) {
			continue
		}
		columns = append(columns, r)
		all.Resources = append(all.Resources, name)
		if text := inv.Units[name]; text != "" {
			all.Units[name] = text
		} else if name == "mem" && inv.Machines[0].Bytes != nil {
			all.Units[name] = unit
		}
	}
	taken := map[string]int{}
	for _, c := range list {
		s := cluster.Server{Count: len(c.machines), Attributes: c.attributes, Taints: c.taints}
		for _, r := range columns {
			s.Capacity = append(s.Capacity, c.capacity[r])
		}
		s.Name = className(columns, c.capacity)
		if taken[s.Name]++; taken[s.Name] > 1 {
			s.Name += "#" + strconv.Itoa(taken[s.Name])
		}
		all.Servers = append(all.Servers, s)
		all.Machines = append(all.Machines, c.machines)
	}
	return all
}

// className names a class by its capacities, to four digits.
func className(columns []int, capacity [3]float64) string {
	var parts []string
	for _, r := range columns {
		if r == 2 && capacity[r] == 0 {
			continue // most machines have no GPUs
		}
		parts = append(parts, resources[r][:1]+digits(capacity[r]))
	}
	return strings.Join(parts, "-")
}

// digits writes a number with four significant digits, or those before the point.
func digits(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if v >= 1000 || err != nil {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}
