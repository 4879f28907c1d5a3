package alibaba

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// noTable is why there may be no machines.
const noTable = "no table of machines is at hand"

// machineTable collects the machines of a table. It says in which columns cpu, mem,
// gpu and the type of GPU stand, and how many of the table's units of cpu and of mem
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
	gpu, _ := r.Amount(m.gpu)
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
	if kind := r.Own(m.kind); kind != "" {
		attributes[m.attribute] = kind
	}
	m.list = append(m.list, traces.Machine{ID: id, CPU: cpu, Mem: mem, GPU: gpu, Attributes: constraints.FormatAttributes(attributes),
		Class: fmt.Sprintf("%s-cpu%v-mem%v-gpu%v", cmp.Or(r.Text(m.kind), "CPU"), cpu, mem, gpu)})
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
