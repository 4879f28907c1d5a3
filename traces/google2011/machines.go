package google2011

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// The event types of machine_events.
const (
	machineAdd event = iota
	machineRemove
	machineUpdate
)

// machine is what a machine is at the time of interest.
type machine struct {
	platform   string
	cpu, mem   float64
	attributes string
}

// machines returns the machines that are present at the time that the options
// name, in order of their ids. Events of that very time count.
func (im *importer) machines(dir string) ([]traces.Machine, error) {
	parts, err := im.optional(dir, machineEvents, "no machines")
	if err != nil || len(parts.parts) == 0 {
		return nil, err
	}
	present := map[int64]machine{}
	platforms := map[string]bool{}
	if err := im.scan(parts, func(r row) { im.machineRow(r, present, platforms) }); err != nil {
		return nil, err
	}
	if err := im.attributes(dir, present); err != nil {
		return nil, err
	}
	list := named(present, slices.Sorted(maps.Keys(platforms)))
	im.report.AddKept("machines", "machines", int64(len(list)))
	return list, nil
}

// machineRow takes in one row.
func (im *importer) machineRow(r row, present map[int64]machine, platforms map[string]bool) {
	t, id, e := r.Integer(0), r.Integer(1), r.event(2, int64(machineUpdate))
	cpu, hasCPU := r.Amount(4)
	mem, hasMem := r.Amount(5)
	if r.Err() != nil {
		return
	}
	platform := r.Own(3)
	platforms[platform] = true
	_, here := present[id]
	switch {
	case t > im.options.MachinesAtUS:
	case e == machineRemove:
		delete(present, id)
	case e == machineUpdate && !here:
		im.report.LeaveOut("rows", "machine_events: update of a machine that is not present", 1)
	case !hasCPU || !hasMem:
		im.report.LeaveOut("rows", "machine_events: no capacity", 1)
	case cpu == 0 || mem == 0:
		im.report.LeaveOut("rows", "machine_events: zero capacity", 1)
	default:
		present[id] = machine{platform: platform, cpu: cpu, mem: mem}
	}
}

// named lists the machines with their classes: the number of the platform in
// the order of the platforms' codes, and the capacity.
func named(present map[int64]machine, platforms []string) []traces.Machine {
	number := make(map[string]int, len(platforms))
	for i, p := range platforms {
		number[p] = i + 1
	}
	ids := slices.SortedFunc(maps.Keys(present), cmp.Compare)
	list := make([]traces.Machine, len(ids))
	for i, id := range ids {
		m := present[id]
		list[i] = traces.Machine{ID: idText(id), CPU: m.cpu, Mem: m.mem,
			Class: fmt.Sprintf("platform%d-cpu%v-mem%v", number[m.platform], m.cpu, m.mem), Attributes: m.attributes}
	}
	return list
}

// attributes fills in the attributes that the machines present have at the time
// that the options name. Events of that very time count. Without the table there
// are none, which the report says.
func (im *importer) attributes(dir string, present map[int64]machine) error {
	parts, err := im.optional(dir, machineAttributes, "no attributes")
	if err != nil {
		return err
	}
	of := map[int64]map[string]string{}
	if err := im.scan(parts, func(r row) { im.attributeRow(r, present, of) }); err != nil {
		return err
	}
	for id, m := range present {
		m.attributes = constraints.FormatAttributes(of[id])
		present[id] = m
	}
	return nil
}

// attributeRow takes in one row.
func (im *importer) attributeRow(r row, present map[int64]machine, of map[int64]map[string]string) {
	t, id, deleted := r.Integer(0), r.Integer(1), r.event(4, 1)
	if r.Err() == nil && r.Text(2) == "" {
		r.Fail(2, errors.New("an attribute without a name"))
	}
	if r.Err() != nil || t > im.options.MachinesAtUS {
		return
	}
	if _, here := present[id]; !here {
		im.report.LeaveOut("rows", "machine_attributes: of a machine that is not present", 1)
		return
	}
	if deleted == 1 {
		delete(of[id], r.Text(2))
		return
	}
	if of[id] == nil {
		of[id] = map[string]string{}
	}
	of[id][r.Own(2)] = r.Own(3)
}
