package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/formats"
)

// importFormat is the command that imports a published trace.
func (c *command) importFormat(format formats.Format) *cobra.Command {
	var f importFlags
	options, read := format.New()
	cmd := &cobra.Command{
		Use: format.Name + " " + format.Input, Short: format.Title, Long: format.About, Example: format.Example,
		Args: takes(argument{name: format.Input, what: format.What}),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.runImport(f, func() (*traces.Imported, error) { return read(args[0]) })
		},
	}
	f.register(cmd, "", " (required)")
	require(cmd, "out")
	if format.Machines {
		outputFile(cmd, &f.machines, "machines", "Parquet `FILE` of machines to write", "parquet")
	}
	for _, o := range options {
		registerOption(cmd, o)
	}
	cmd.ValidArgsFunction = oneArgument(folders)
	if format.Endings != nil {
		cmd.ValidArgsFunction = oneArgument(files(format.Endings...))
	}
	return cmd
}

// registerOption adds the flag of an option.
func registerOption(cmd *cobra.Command, o formats.Option) {
	switch v := o.Value.(type) {
	case *bool:
		cmd.Flags().BoolVar(v, o.Name, *v, o.Usage)
	case *int:
		cmd.Flags().IntVar(v, o.Name, *v, o.Usage)
	case *int64:
		cmd.Flags().Int64Var(v, o.Name, *v, o.Usage)
	case *time.Duration:
		cmd.Flags().DurationVar(v, o.Name, *v, o.Usage)
	case *string:
		if o.Choices != nil {
			choose(cmd, v, o.Name, o.Usage, o.Choices...)
		} else {
			cmd.Flags().StringVar(v, o.Name, *v, o.Usage)
		}
	default:
		panic(fmt.Sprintf("cli: --%s of a trace format holds a %T", o.Name, v))
	}
}

// importFlags are the files that an import writes; "" for not wanted.
type importFlags struct{ out, machines, report string }

// register adds the flags that every import has.
func (f *importFlags) register(cmd *cobra.Command, when, required string) {
	outputFile(cmd, &f.out, "out", when+"Parquet `FILE` of jobs to write"+required, "parquet")
	outputFile(cmd, &f.report, "report", when+"JSON `FILE` for the report of what was left out", "json")
}

// require marks a flag as required. An unknown flag is a programming error.
func require(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err)
	}
}

// runImport imports, writes what was found, and prints the report: on standard
// error if the import failed.
func (c *command) runImport(f importFlags, read func() (*traces.Imported, error)) error {
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
		return fmt.Errorf("--machines: %s", found.NoMachines)
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
	return c.say("%s", found.Report)
}
