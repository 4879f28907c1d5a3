package machines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
	"github.com/leontief-sim/leontief/traces/input"
)

// Machine is one machine of a list.
type Machine struct {
	Name string
	// CPU, Mem and GPU are capacities in the units of the list.
	CPU, Mem, GPU float64
	// Bytes takes the place of Mem where the source counts bytes.
	Bytes      *big.Rat
	Attributes map[string]string
	Taints     []cluster.Taint
}

// Inventory is a cluster as a source describes it.
type Inventory struct {
	Source   string // what the source is, for a person
	Machines []Machine
	// Units of cpu, mem and gpu; absent where they are not known, and for memory in bytes.
	Units  map[string]string
	Report traces.Report
	// Environment is that of an environment file, which has classes already; nil for
	// lists of machines.
	Environment *cluster.Environment
}

// IsEnvironment reports whether [Read] takes a content for an environment file: all
// that is not recognised as a list of machines.
func IsEnvironment(data []byte) bool { return sourceOf(data) == nil }

// Read reads a cluster. The name, of a file as a rule, begins every error. Reading is
// strict: a quantity or a taint that can not be read is an error with its path, and so is
// a list without a machine that takes work.
func Read(name string, data []byte) (*Inventory, error) {
	name = input.Path(name)
	text, err := input.TrimMark(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	read := sourceOf(text)
	if read == nil {
		env, err := cluster.ReadCluster(bytes.NewReader(text))
		if err != nil {
			return nil, NamedProblems(name, err)
		}
		return &Inventory{Source: "environment file", Environment: env}, nil
	}
	inv, err := read(name, text)
	if err != nil {
		return nil, err
	}
	if len(inv.Machines) == 0 {
		return nil, fmt.Errorf("%s: no machine that takes work\n%s", name, inv.Report.String())
	}
	return inv, nil
}

// NamedProblems begins an error of an environment with a name, which has a line of its own
// where there are several problems, one a line.
func NamedProblems(name string, err error) error {
	between := " "
	if bytes.ContainsRune([]byte(err.Error()), '\n') {
		between = "\n"
	}
	return fmt.Errorf("%s:%s%w", name, between, err)
}

// Notes say in a line each which machines were left out, and why.
func (inv *Inventory) Notes() (notes []string) {
	for _, c := range inv.Report.LeftOut() {
		notes = append(notes, fmt.Sprintf("%s: %d of %d left out: %s", c.Unit, c.N, int64(len(inv.Machines))+inv.leftOut(), c.What))
	}
	return notes
}

// leftOut is the number of machines that were left out.
func (inv *Inventory) leftOut() (n int64) {
	for _, c := range inv.Report.LeftOut() {
		n += c.N
	}
	return n
}

// reader reads a list of machines.
type reader func(name string, data []byte) (*Inventory, error)

// sourceOf recognises a list of machines by its content; nil for anything else.
func sourceOf(data []byte) reader {
	data, err := input.TrimMark(data)
	if err != nil {
		return nil
	}
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case bytes.HasPrefix(data, []byte("PAR1")):
		return readTable
	case bytes.HasPrefix(trimmed, []byte("NodeName=")):
		return readScontrol
	case !bytes.HasPrefix(trimmed, []byte("{")):
		return nil
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(data, &top) != nil {
		return nil
	}
	has := func(key string) bool { _, there := top[key]; return there }
	switch {
	case has("servers") || has("resources"):
		return nil
	case has("nodes"), has("sinfo"):
		return readSlurm
	case has("items"), has("kind") && has("apiVersion"):
		return readKubernetes
	}
	return nil
}

// readTable reads machines.parquet.
func readTable(name string, data []byte) (*Inventory, error) {
	list, meta, err := traces.MachinesOf(name, data)
	if err != nil {
		return nil, err
	}
	inv := &Inventory{Source: "machines of a trace: " + meta.Source, Units: map[string]string{}}
	for _, resource := range resources {
		if unit := traces.UnitOf(meta.Units, resource); unit != "" {
			inv.Units[resource] = unit
		}
	}
	inv.Report.AddRead(name, int64(len(list)))
	for i := range list {
		m := &list[i]
		attributes, err := constraints.ParseAttributes(m.Attributes)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i+1, err)
		}
		inv.add(Machine{Name: m.ID, CPU: m.CPU, Mem: m.Mem, GPU: m.GPU, Attributes: attributes})
	}
	return inv, nil
}

// add takes in a machine, unless it has nothing.
func (inv *Inventory) add(m Machine) {
	if m.CPU == 0 && m.GPU == 0 && m.Mem == 0 && (m.Bytes == nil || m.Bytes.Sign() == 0) {
		inv.Report.LeaveOut("machines", "no capacity", 1)
		return
	}
	inv.Machines = append(inv.Machines, m)
	inv.Report.AddKept("machines", "machines", 1)
}
