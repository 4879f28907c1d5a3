package cli

import (
	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces/google1"
)

// google1Flags are the flags of the import of the first Google trace.
type google1Flags struct {
	out, report         string
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
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return c.runImportGoogle1(args[0], f) },
	}
	cmd.Flags().StringVar(&f.out, "out", "", "Parquet file of jobs to write (required)")
	cmd.Flags().StringVar(&f.report, "report", "", "JSON file for the report of what was left out")
	cmd.Flags().BoolVar(&f.keepZero, "keep-zero", false, "keep tasks that used no cpu or no memory; those that used neither are always left out")
	cmd.Flags().BoolVar(&f.keepFirst, "keep-first", false, "keep jobs that ran in the first period, which began before it at an unknown time")
	require(cmd, "out")
	return cmd
}

func (c *command) runImportGoogle1(path string, f google1Flags) error {
	i := imported{out: f.out, reportOut: f.report}
	result, err := google1.Import(path, google1.Options{KeepZero: f.keepZero, KeepFirst: f.keepFirst})
	if i.err = err; result != nil {
		i.jobs, i.meta, i.report = result.Jobs, result.Meta, result.Report
	}
	return c.writeImported(i)
}
