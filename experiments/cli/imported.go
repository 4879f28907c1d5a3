package cli

import (
	"fmt"

	"github.com/leontief-sim/leontief/traces"
)

// imported is what an import of any trace returned, and where it goes.
type imported struct {
	jobs     []traces.Job
	machines []traces.Machine // nil where the trace has none
	meta     traces.Meta
	report   *traces.Report // nil if the import got nowhere
	err      error

	out, machinesOut, reportOut string // files; "" for not wanted
	noMachines                  string // why there may be no machines
}

// writeImported writes what an import returned, and prints its report: on
// standard error if it failed.
func (c *command) writeImported(i imported) error {
	if i.err != nil {
		if i.report != nil {
			fmt.Fprint(c.Err, i.report)
		}
		return i.err
	}
	if i.machinesOut != "" && len(i.machines) == 0 {
		return fmt.Errorf("--machines: %s", i.noMachines)
	}
	if err := traces.WriteJobs(i.out, i.jobs, i.meta); err != nil {
		return writing(err)
	}
	if i.machinesOut != "" {
		if err := traces.WriteMachines(i.machinesOut, i.machines, i.meta); err != nil {
			return writing(err)
		}
	}
	if err := writeReport(i.reportOut, i.report); err != nil {
		return err
	}
	_, err := fmt.Fprint(c.Out, i.report)
	return internal(err)
}
