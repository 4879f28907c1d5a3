package google2019

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// machineChange is a row of machine_events.
type machineChange struct {
	timeUS, id int64
	kind       int // 1 ADD, 2 REMOVE, 3 UPDATE
	cpu, mem   float64
	whole      bool // both capacities are there and not 0
	platform   string
}

// machineOrder is that of events of one time, by their kind: a machine that is removed and
// added is there.
var machineOrder = [...]int{0: 0, 2: 1, 1: 2, 3: 3}

// machines returns those present at the time that the options name, by their ids.
func (im *importer) machines(dir string) ([]traces.Machine, error) {
	var changes []machineChange
	n, err := machineEvents.each(dir, &im.sum, func(r row) {
		cpu, hasCPU := r.amount(3)
		mem, hasMem := r.amount(4)
		changes = append(changes, machineChange{r.time(0), r.integer(2), r.enum(1, machineNames), cpu, mem, hasCPU && hasMem && cpu > 0 && mem > 0, r.Shared(5)})
	})
	if errors.Is(err, ErrNoFiles) {
		im.report.Note("tables", machineEvents.name+" is not at hand: no machines", 1)
		return nil, nil
	}
	im.report.AddRead(machineEvents.name, n)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(changes, func(a, b machineChange) int {
		return cmp.Or(cmp.Compare(a.timeUS, b.timeUS), cmp.Compare(machineOrder[a.kind], machineOrder[b.kind]))
	})
	present := map[int64]traces.Machine{}
	for _, c := range changes {
		_, here := present[c.id]
		switch {
		case c.timeUS > im.options.MachinesAtUS:
		case c.kind == 2: // REMOVE
			delete(present, c.id)
		case c.kind == 3 && !here:
			im.report.LeaveOut("rows", machineEvents.name+": update of a machine that is not present", 1)
		case !c.whole:
			im.report.LeaveOut("rows", machineEvents.name+": no capacity, or one of 0", 1)
		default:
			present[c.id] = traces.Machine{ID: strconv.FormatInt(c.id, 10), CPU: c.cpu, Mem: c.mem, Class: fmt.Sprintf("%s-cpu%v-mem%v", cmp.Or(c.platform, "machine"), c.cpu, c.mem)}
		}
	}
	if err := im.attributes(dir, present); err != nil {
		return nil, err
	}
	list := slices.SortedFunc(maps.Values(present), func(a, b traces.Machine) int { return cmp.Or(len(a.ID)-len(b.ID), cmp.Compare(a.ID, b.ID)) })
	im.report.AddKept("machines", "machines", int64(len(list)))
	return list, nil
}

// attributeChange is a row of machine_attributes.
type attributeChange struct {
	timeUS, id  int64
	name, value string
	deleted     bool
}

// attributes gives the machines those that they have at the time that the options name;
// events of that very time count, a value after a deletion. Without the table there are none.
func (im *importer) attributes(dir string, present map[int64]traces.Machine) error {
	var changes []attributeChange
	n, err := machineAttributes.each(dir, &im.sum, func(r row) {
		c := attributeChange{r.time(0), r.integer(1), r.Shared(2), r.Shared(3), r.flag(4)}
		if r.Err() == nil && c.name == "" {
			r.Fail(2, errors.New("an attribute without a name"))
		}
		switch _, here := present[c.id]; {
		case r.Err() != nil || c.timeUS > im.options.MachinesAtUS:
		case !here:
			im.report.LeaveOut("rows", machineAttributes.name+": of a machine that is not present", 1)
		default:
			changes = append(changes, c)
		}
	})
	if errors.Is(err, ErrNoFiles) {
		im.report.Note("tables", machineAttributes.name+" is not at hand: no attributes", 1)
		return nil
	}
	im.report.AddRead(machineAttributes.name, n)
	if err != nil {
		return err
	}
	slices.SortStableFunc(changes, func(a, b attributeChange) int {
		return cmp.Or(cmp.Compare(a.timeUS, b.timeUS), cmp.Compare(a.order(), b.order()), cmp.Compare(a.value, b.value))
	})
	of := map[int64]map[string]string{}
	for _, c := range changes {
		if of[c.id] == nil {
			of[c.id] = map[string]string{}
		}
		if of[c.id][c.name] = c.value; c.deleted {
			delete(of[c.id], c.name)
		}
	}
	for id, m := range present {
		m.Attributes = constraints.FormatAttributes(of[id])
		present[id] = m
	}
	return nil
}

// order is that of changes of one time: a deletion before a value.
func (c attributeChange) order() int {
	if c.deleted {
		return 0
	}
	return 1
}
