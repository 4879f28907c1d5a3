// Package traces holds workloads in their canonical form: jobs and machines,
// their Parquet files ([ReadJobs], [WriteJobs]), and what is done to a workload
// before it is simulated ([Sample], [Bandwidth], [Describe]).
//
// Package formats lists the published traces, each of which an importer below
// this folder (google1, google2011, alibaba, swf) turns into the canonical form with a
// [Report] of every row that was left out. Package mapped does so for a table of a
// user's own, package synthetic generates workloads from published statistics.
package traces

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/input"
)

// ErrEmpty is the error of a trace without a single job where a workload is
// wanted.
var ErrEmpty = errors.New("the trace holds no jobs")

// Job is one job of a trace: identical tasks, submitted together. The tags are the
// columns of jobs.parquet; files of version 1 end with the constraints.
type Job struct {
	ID         string `parquet:"job_id"`
	SubmitUS   int64  `parquet:"submit_us"`   // submission, µs since the start of the trace's clock; >= 0
	Tasks      int64  `parquet:"tasks"`       // >= 1
	DurationUS int64  `parquet:"duration_us"` // execution time of one task, µs; >= 1
	// CPU, Mem and GPU are what one task requests, in the units that the
	// trace's [Meta] names; 0 or from [cluster.LeastNumber] to [cluster.MostNumber],
	// not all zero.
	CPU float64 `parquet:"cpu"`
	Mem float64 `parquet:"mem"`
	GPU float64 `parquet:"gpu"`
	// Censored says that the trace ended before the job did: DurationUS is a
	// lower bound.
	Censored bool `parquet:"censored"`
	// Constraints is the placement constraint as package constraints writes it;
	// empty for none.
	Constraints string `parquet:"constraints"`
	// User is who submitted the job: a user, group, account or queue, whatever the
	// trace has. Empty: none stated, and the job is a tenant of its own.
	User string `parquet:"user,later"`
	// Weight is what the job, or its user, weighs in a division; see [Job.Weighs].
	// 0, which is null in the file: none stated.
	Weight float64 `parquet:"weight,null,later"`
	// Priority orders jobs where a rule asks for it: the larger, the more important.
	// 0 where none is stated.
	Priority int64 `parquet:"priority,later"`
}

// Weighs returns the weight of the job: 1 where none is stated.
func (j *Job) Weighs() float64 {
	if j.Weight == 0 {
		return 1
	}
	return j.Weight
}

// Tenant returns whose job it is: its user, or its id where no user is stated.
// stated says which.
func (j *Job) Tenant() (name string, stated bool) {
	if j.User == "" {
		return j.ID, false
	}
	return j.User, true
}

// Machine is one machine of a trace. The tags are the columns of machines.parquet.
type Machine struct {
	ID string `parquet:"machine_id"`
	// CPU, Mem and GPU are capacities, in the units that the trace's [Meta] names.
	CPU   float64 `parquet:"cpu"`
	Mem   float64 `parquet:"mem"`
	GPU   float64 `parquet:"gpu"`
	Class string  `parquet:"class"` // machines of one class have the same capacities
	// Attributes are what placement constraints look at, as package constraints
	// writes them; empty for none.
	Attributes string `parquet:"attributes"`
}

// Validate returns what is wrong with the job, or nil.
func (j *Job) Validate() error {
	switch {
	case j.ID == "":
		return errors.New("a job without an id")
	case !utf8.ValidString(j.ID + j.Constraints + j.User):
		return fmt.Errorf("job %s: an id, a constraint or a user that is not UTF-8", input.Quote(j.ID))
	case !cluster.InRange(j.Weight):
		return fmt.Errorf("job %s: weight %v (must be from %g to %g)", input.Quote(j.ID), j.Weight, cluster.LeastNumber, cluster.MostNumber)
	case j.SubmitUS < 0:
		return fmt.Errorf("job %s: negative submission time %d", input.Quote(j.ID), j.SubmitUS)
	case j.Tasks < 1:
		return fmt.Errorf("job %s: %d tasks", input.Quote(j.ID), j.Tasks)
	case j.DurationUS < 1:
		return fmt.Errorf("job %s: duration of %d µs", input.Quote(j.ID), j.DurationUS)
	case j.CPU == 0 && j.Mem == 0 && j.GPU == 0:
		return fmt.Errorf("job %s: requests nothing", input.Quote(j.ID))
	}
	return checkAmounts("job", j.ID, j.CPU, j.Mem, j.GPU)
}

// Validate returns what is wrong with the machine, or nil.
func (m *Machine) Validate() error {
	if m.ID == "" {
		return errors.New("a machine without an id")
	}
	if !utf8.ValidString(m.ID + m.Class + m.Attributes) {
		return fmt.Errorf("machine %s: an id, a class or an attribute that is not UTF-8", input.Quote(m.ID))
	}
	return checkAmounts("machine", m.ID, m.CPU, m.Mem, m.GPU)
}

// checkAmounts requires amounts that are 0 or in the range of numbers.
func checkAmounts(what, id string, cpu, mem, gpu float64) error {
	for i, v := range [...]float64{cpu, mem, gpu} {
		if !cluster.InRange(v) {
			return fmt.Errorf("%s %s: %s %v (must be 0 or from %g to %g)", what, input.Quote(id), [...]string{"cpu", "mem", "gpu"}[i], v, cluster.LeastNumber, cluster.MostNumber)
		}
	}
	return nil
}
