// Package traces holds workloads in their canonical form: jobs and machines,
// their Parquet files, and what is done to a workload before it is simulated
// (sampling, bandwidth synthesis, description).
//
// The importers of the packages below it (google2011 and others) turn a
// published trace into the canonical form and report every row that they left
// out; package synthetic generates workloads from published statistics.
package traces

import (
	"errors"
	"fmt"
	"math"
)

// ErrEmpty is the error of a trace without a single job where a workload is
// wanted.
var ErrEmpty = errors.New("the trace holds no jobs")

// Job is one job of a trace: identical tasks, submitted together. One job is
// one user of the simulated cluster.
type Job struct {
	ID         string
	SubmitUS   int64 // submission, µs since the start of the trace's clock; >= 0
	Tasks      int64 // >= 1
	DurationUS int64 // execution time of one task, µs; >= 1
	// CPU, Mem and GPU are what one task requests, in the units that the
	// trace's [Meta] names; finite, >= 0, not all zero.
	CPU, Mem, GPU float64
	// Censored says that the trace ended before the job did: DurationUS is a
	// lower bound.
	Censored bool
	// Constraints is the placement constraint as package constraints writes it;
	// empty for none.
	Constraints string
}

// Machine is one machine of a trace.
type Machine struct {
	ID            string
	CPU, Mem, GPU float64 // capacities, in the units that the trace's [Meta] names
	Class         string  // machines of one class have the same capacities
	// Attributes are what placement constraints look at, as package constraints
	// writes them; empty for none.
	Attributes string
}

// Validate returns what is wrong with the job, or nil.
func (j *Job) Validate() error {
	switch {
	case j.ID == "":
		return errors.New("a job without an id")
	case j.SubmitUS < 0:
		return fmt.Errorf("job %s: negative submission time %d", j.ID, j.SubmitUS)
	case j.Tasks < 1:
		return fmt.Errorf("job %s: %d tasks", j.ID, j.Tasks)
	case j.DurationUS < 1:
		return fmt.Errorf("job %s: duration of %d µs", j.ID, j.DurationUS)
	case j.CPU == 0 && j.Mem == 0 && j.GPU == 0:
		return fmt.Errorf("job %s: requests nothing", j.ID)
	}
	return checkAmounts("job", j.ID, j.CPU, j.Mem, j.GPU)
}

// Validate returns what is wrong with the machine, or nil.
func (m *Machine) Validate() error {
	if m.ID == "" {
		return errors.New("a machine without an id")
	}
	return checkAmounts("machine", m.ID, m.CPU, m.Mem, m.GPU)
}

// checkAmounts requires finite amounts that are not negative.
func checkAmounts(what, id string, cpu, mem, gpu float64) error {
	for i, v := range [...]float64{cpu, mem, gpu} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s %s: %s %v", what, id, [...]string{"cpu", "mem", "gpu"}[i], v)
		}
	}
	return nil
}
