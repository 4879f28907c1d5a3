package google2011

import (
	"errors"

	"github.com/leontief-sim/leontief/traces/constraints"
)

var machineAttributes = table{"machine_attributes", []string{"time", "machine ID", "attribute name", "attribute value", "attribute deleted"}}

// attributes fills in the attributes that the machines present have at the time
// that the options name. Events of that very time count. Without the table there
// are none, which the report says.
func (im *importer) attributes(dir string, present map[int64]machine) error {
	parts, err := findParts(dir, machineAttributes)
	if errors.Is(err, ErrNoParts) {
		im.report.Note("tables", "machine_attributes is not at hand: no attributes", 1)
		return nil
	}
	if err != nil {
		return err
	}
	of := map[int64]map[string]string{}
	for _, p := range parts.parts {
		n, err := parts.each(p, &im.sum, func(r row) { im.attributeRow(r, present, of) })
		im.report.AddRead(parts.name, n)
		if err != nil {
			return err
		}
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
