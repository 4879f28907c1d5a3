package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/mapped"
)

// mappedFlags are the flags of the import of a table by a mapping.
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

// args checks what is to be imported.
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
