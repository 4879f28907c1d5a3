package cli

import (
	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google1"
)

// google1Flags are the flags of the import of the first Google trace.
type google1Flags struct {
	importFlags
	keepZero, keepFirst bool
}

func (c *command) importGoogle1() *cobra.Command {
	f := google1Flags{}
	cmd := &cobra.Command{
		Use:   "google1 FILE",
		Short: "Import the first Google trace (version 1, 7 hours, 2010)",
		Long: `Import the first Google trace: google-cluster-data-1.csv, also as .csv.gz, or a
folder that holds it. The file says what each task used in periods of five
minutes: a job is submitted when its first task first runs, and a task lasts from
the beginning of its first period to the end of its last one. Nothing is repaired;
the report of what was left out and why goes to standard output.`,
		Example: `  leontief traces import google1 google-cluster-data-1.csv.gz --out google1.parquet`,
		Args:    takes(argument{name: "FILE", what: "google-cluster-data-1.csv, also as .csv.gz, or the folder that holds it"}),
		RunE:    func(_ *cobra.Command, args []string) error { return c.runImportGoogle1(args[0], f) },
	}
	f.register(cmd)
	cmd.ValidArgsFunction = oneArgument(files("csv", "gz"))
	cmd.Flags().BoolVar(&f.keepZero, "keep-zero", false, "keep tasks that used no cpu or no memory; those that used neither are always left out")
	cmd.Flags().BoolVar(&f.keepFirst, "keep-first", false, "keep jobs that ran in the first period, which began before it at an unknown time")
	return cmd
}

func (c *command) runImportGoogle1(path string, f google1Flags) error {
	return c.runImport(f.importFlags, "", func() (*traces.Imported, error) {
		return google1.Import(path, google1.Options{KeepZero: f.keepZero, KeepFirst: f.keepFirst})
	})
}
