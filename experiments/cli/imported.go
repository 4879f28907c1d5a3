package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
)

// importFlags are the files that an import writes; "" for not wanted.
type importFlags struct{ out, machines, report string }

// register adds the flags of a format that has jobs only; see
// [importFlags.registerMachines].
func (f *importFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "", "Parquet `FILE` of jobs to write (required)")
	cmd.Flags().StringVar(&f.report, "report", "", "JSON `FILE` for the report of what was left out")
	outputFiles(cmd, "out", "report")
	require(cmd, "out")
	suggest(cmd, "out", files("parquet"))
	suggest(cmd, "report", files("json"))
}

func (f *importFlags) registerMachines(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.machines, "machines", "", "Parquet `FILE` of machines to write")
	outputFiles(cmd, "machines")
	suggest(cmd, "machines", files("parquet"))
}

// require marks a flag as required. An unknown flag is a programming error.
func require(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err)
	}
}

// runImport imports, writes what was found, and prints the report: on standard
// error if the import failed. noMachines says why there may be no machines.
func (c *command) runImport(f importFlags, noMachines string, read func() (*traces.Imported, error)) error {
	if err := checkFiles(namedFile{"out", f.out}, namedFile{"machines", f.machines}, namedFile{"report", f.report}); err != nil {
		return err
	}
	found, err := read()
	if err != nil {
		if found != nil {
			fmt.Fprint(c.Err, found.Report)
		}
		return err
	}
	if err := found.Validate(); err != nil { // before anything is written
		return err
	}
	if f.machines != "" && len(found.Machines) == 0 {
		return fmt.Errorf("--machines: %s", noMachines)
	}
	if err := traces.WriteJobs(f.out, found.Jobs, found.Meta); err != nil {
		return writing(err)
	}
	if f.machines != "" {
		if err := traces.WriteMachines(f.machines, found.Machines, found.Meta); err != nil {
			return writing(err)
		}
	}
	if err := writeReport(f.report, found.Report); err != nil {
		return err
	}
	_, err = fmt.Fprint(c.Out, found.Report)
	return internal(err)
}
