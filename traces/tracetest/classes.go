package tracetest

import (
	"cmp"
	"slices"

	"github.com/leontief-sim/leontief/traces"
)

// MachineClass counts the machines of one class.
type MachineClass struct {
	Name          string
	CPU, Mem, GPU float64 // of one machine
	Count         int
}

// Classes counts machines by class and capacity, the most frequent first, ties
// by name and then by capacity.
func Classes(machines []traces.Machine) []MachineClass {
	count := map[MachineClass]int{}
	for _, m := range machines {
		count[MachineClass{Name: m.Class, CPU: m.CPU, Mem: m.Mem, GPU: m.GPU}]++
	}
	classes := make([]MachineClass, 0, len(count))
	for c, n := range count {
		c.Count = n
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b MachineClass) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.Mem, b.Mem), cmp.Compare(a.GPU, b.GPU))
	})
	return classes
}
