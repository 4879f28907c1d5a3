package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/formats"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/mapped"
)

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
	if err := c.say("%s", found.Report); err != nil {
		return err
	}
	c.next(f)
	return nil
}

// next says on standard error what an import is usually followed by.
func (c *command) next(f importFlags) {
	cluster := "CLUSTER"
	if f.machines != "" {
		cluster = input.Path(f.machines)
	}
	fmt.Fprintf(c.Err, "leontief: next: leontief traces describe %s; leontief simulate --trace %[1]s --cluster %s --policies drf,tsf --out RUN\n",
		input.Path(f.out), cluster)
	if f.machines == "" {
		fmt.Fprintln(c.Err, "leontief: a CLUSTER is an environment file, or a list of machines: leontief cluster --help")
	} else {
		fmt.Fprintf(c.Err, "leontief: leontief cluster %s shows what these machines are\n", cluster)
	}
}

type mappedFlags struct {
	importFlags
	mapping string
}

// importMapped makes a command that has subcommands import a table of its own
// as well, where --map is given.
func (c *command) importMapped(cmd *cobra.Command) {
	f := &mappedFlags{}
	cmd.Use = "import"
	cmd.Long += `

A trace of your own, CSV (.csv, .csv.gz) or Parquet, is imported by a mapping: a
YAML file that says which column means what, and in which unit.

  columns:
    id:       {column: job}
    submit:   {column: submitted, unit: rfc3339}
    duration: {column: seconds, unit: s}
    tasks:    {column: replicas}
    cpu:      {column: mcpu, unit: millicores}
    mem:      {column: mem_bytes, unit: B}

docs/your-trace.md goes from a table to figures.`
	cmd.Example = "  leontief traces import --map mapping.yaml our-jobs.csv --out jobs.parquet"
	cmd.Args = f.args
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.mapping == "" {
			return cmd.Help()
		}
		return c.runMapped(args[0], *f)
	}
	cmd.Flags().StringVar(&f.mapping, "map", "", "`FILE` that says which column of a table of your own means what")
	f.register(cmd, "with --map: ", "")
	suggest(cmd, "map", files("yaml", "yml"))
	cmd.ValidArgsFunction = oneArgument(files("csv", "gz", "parquet"))
}

func (f *mappedFlags) args(cmd *cobra.Command, args []string) error {
	switch {
	case f.mapping == "" && cmd.Flags().Changed("map"):
		return checkValues(cmd, args) // the value is empty
	case f.mapping == "" && len(args) == 0 && (cmd.Flags().Changed("out") || cmd.Flags().Changed("report")):
		return errors.New("nothing to import is named: --map MAPPING.yaml TABLE for a table of your own, or a format, as in leontief traces import google2011 DIR")
	case f.mapping == "":
		err := noSubcommand(cmd, args)
		if err != nil {
			err = fmt.Errorf("%w; a table of your own needs --map", err)
		}
		return err
	case len(args) == 1 && f.out == "":
		return fmt.Errorf("traces import: --out is missing: Parquet file of jobs to write\nfor example: %s", example(cmd))
	}
	return takes(argument{name: "TABLE", what: "the CSV or Parquet table that --map describes"})(cmd, args)
}

func (c *command) runMapped(path string, f mappedFlags) error {
	mapping, err := mapped.ReadMapping(f.mapping)
	if err != nil {
		return err
	}
	return c.runImport(f.importFlags, func() (*traces.Imported, error) { return mapped.Import(path, mapping) })
}
