package alibaba

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// noTable is why there may be no machines.
const noTable = "no table of machines is at hand"

// machineTable collects the machines of a table. It says in which columns cpu, mem,
// gpu and the type of GPU stand, the last two -1 where there are none, and how many of the table's units of cpu and of mem
// make one of ours.
type machineTable struct {
	name                string // in the report
	cpu, mem, gpu, kind int
	attribute           string // the name of that for placement, kind's column
	perCPU, perMem      float64

	list []traces.Machine
	seen map[string]bool
}

// row takes in a row. The class of a machine is named after the type of GPU (CPU for
// none) and the capacity.
func (m *machineTable) row(r row, report *traces.Report) {
	id := r.name(0, "a machine")
	cpu, _ := r.Amount(m.cpu)
	mem, _ := r.Amount(m.mem)
	gpu, kind := 0.0, ""
	if m.gpu >= 0 {
		gpu, _ = r.Amount(m.gpu)
		kind = r.Own(m.kind)
	}
	if r.Err() != nil {
		return
	}
	switch {
	case m.seen[id]:
		report.LeaveOut("rows", m.name+": a machine a second time: the first row counts", 1)
		return
	case cpu == 0 || mem == 0:
		report.LeaveOut("rows", m.name+": no cpu or no memory", 1)
		return
	}
	m.seen[id] = true
	cpu, mem = cpu/m.perCPU, mem/m.perMem
	attributes := map[string]string{}
	if kind != "" {
		attributes[m.attribute] = kind
	}
	m.list = append(m.list, traces.Machine{ID: id, CPU: cpu, Mem: mem, GPU: gpu, Attributes: constraints.FormatAttributes(attributes),
		Class: fmt.Sprintf("%s-cpu%v-mem%v-gpu%v", cmp.Or(kind, "CPU"), cpu, mem, gpu)})
}

// machineMeta is the table of the machines of the trace of 2018, a row for each of their
// states.
var machineMeta = table{"machine_meta", []string{"machine_id", "time_stamp", "failure_domain_1", "failure_domain_2", "cpu_num", "mem_size", "status"}}

// Machines2018 reads the machines of the trace of 2018 from machine_meta in a folder, if it
// is there: cores, and memory as a fraction of the largest machine (mem_size is percent).
func Machines2018(dir string) func(*traces.SourceSum, *traces.Report) ([]traces.Machine, error) {
	return func(sum *traces.SourceSum, report *traces.Report) ([]traces.Machine, error) {
		m := machineTable{name: machineMeta.name, cpu: 4, mem: 5, gpu: -1, kind: -1, perCPU: 1, perMem: 100, seen: map[string]bool{}}
		n, err := machineMeta.each(dir, sum, func(r row) { m.row(r, report) })
		if errors.Is(err, ErrNoTable) {
			return nil, nil
		}
		report.AddRead(machineMeta.name, n)
		report.AddKept("machines", "machines", int64(len(m.list)))
		return m.list, err
	}
}

// gpuTypes writes what a column of types of GPU asks for, one or several with | or /
// between them, as a constraint on an attribute of machines; "" for nothing.
func gpuTypes(attribute, spec string) string {
	types := strings.FieldsFunc(spec, func(c rune) bool { return c == '|' || c == '/' || c == ' ' })
	switch len(types) {
	case 0:
		return ""
	case 1:
		return constraints.Format([]constraints.Constraint{{Attribute: attribute, Op: constraints.Equal, Value: types[0]}})
	}
	return constraints.Format([]constraints.Constraint{{Attribute: attribute, Op: constraints.In, Value: constraints.List(types...)}})
}

// bySubmission compares jobs by the time of submission.
func bySubmission(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) }
