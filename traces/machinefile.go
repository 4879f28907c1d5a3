package traces

import (
	"errors"
	"fmt"
	"io"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// machineColumns is the layout of machines.parquet; cpu, mem and gpu are in
// the units of the file's metadata.
var machineColumns = []parquet.Column{
	{Name: "machine_id", Kind: parquet.String},
	{Name: "cpu", Kind: parquet.Float64},
	{Name: "mem", Kind: parquet.Float64},
	{Name: "gpu", Kind: parquet.Float64},
	{Name: "class", Kind: parquet.String},
	{Name: "attributes", Kind: parquet.String},
}

// WriteMachines writes machines.parquet. The file appears under its name only
// when it is complete.
func WriteMachines(path string, machines []Machine, meta Meta) error {
	w, err := parquet.Create(path, machineColumns, meta.pairs("machines"))
	if err != nil {
		return err
	}
	for rest := machines; len(rest) > 0; {
		n := min(len(rest), parquet.RowGroup)
		batch, err := machineBatch(rest[:n])
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", path, err), w.Abort())
		}
		if err := w.Write(batch); err != nil {
			return errors.Join(err, w.Abort())
		}
		rest = rest[n:]
	}
	return w.Close()
}

// machineBatch returns the columns of the machines.
func machineBatch(machines []Machine) ([]parquet.Values, error) {
	b := make([]parquet.Values, len(machineColumns))
	for i := range machines {
		m := &machines[i]
		if err := m.Validate(); err != nil {
			return nil, err
		}
		b[0].Strings = append(b[0].Strings, m.ID)
		b[1].Floats = append(b[1].Floats, m.CPU)
		b[2].Floats = append(b[2].Floats, m.Mem)
		b[3].Floats = append(b[3].Floats, m.GPU)
		b[4].Strings = append(b[4].Strings, m.Class)
		b[5].Strings = append(b[5].Strings, m.Attributes)
	}
	return b, nil
}

// ReadMachines reads machines.parquet. A file without machines is no error
// here: a cluster can also be described in a scenario.
func ReadMachines(path string) (machines []Machine, meta Meta, err error) {
	in, err := parquet.Open(path, machineColumns)
	if err != nil {
		return nil, Meta{}, mistaken(path, "machines", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if meta, err = parseMeta("machines", in.Meta()); err != nil {
		return nil, Meta{}, fmt.Errorf("%s: %w", path, err)
	}
	for {
		b, err := in.Next()
		if err == io.EOF {
			return machines, meta, nil
		}
		if err != nil {
			return nil, Meta{}, err
		}
		for i, id := range b[0].Strings {
			m := Machine{ID: id, CPU: b[1].Floats[i], Mem: b[2].Floats[i], GPU: b[3].Floats[i],
				Class: b[4].Strings[i], Attributes: b[5].Strings[i]}
			if err := m.Validate(); err != nil {
				return nil, Meta{}, fmt.Errorf("%s: row %d: %w", path, len(machines)+1, err)
			}
			machines = append(machines, m)
		}
	}
}
