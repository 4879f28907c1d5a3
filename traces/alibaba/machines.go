package alibaba

import (
	"cmp"
	"fmt"

	"github.com/leontief-sim/leontief/traces"
)

// noTable is why there may be no machines.
const noTable = "no table of machines is at hand"

// machineRow takes in a row of pai_machine_spec.
func (im *paiImport) machineRow(r row) {
	id := r.name(0, "a machine")
	cpu, _ := r.Amount(2)
	mem, _ := r.Amount(3)
	gpu, _ := r.Amount(4)
	if r.Err() != nil {
		return
	}
	switch {
	case im.seen[id]:
		im.report.LeaveOut("rows", "pai_machine_spec: a machine a second time: the first row counts", 1)
		return
	case cpu == 0 || mem == 0:
		im.report.LeaveOut("rows", "pai_machine_spec: no cpu or no memory", 1)
		return
	}
	im.seen[id] = true
	im.machines = append(im.machines, machine(id, r.Text(1), cpu, mem, gpu))
}

// machine names the class after the type of GPU and the capacity. A machine
// without a GPU has the type CPU.
func machine(id, gpuType string, cpu, mem, gpu float64) traces.Machine {
	if gpuType == "" {
		gpuType = "CPU"
	}
	return traces.Machine{ID: id, CPU: cpu, Mem: mem, GPU: gpu,
		Class: fmt.Sprintf("%s-cpu%v-mem%v-gpu%v", gpuType, cpu, mem, gpu)}
}

// bySubmission compares jobs by the time of submission.
func bySubmission(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) }
