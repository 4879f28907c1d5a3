package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2011"
)

// hybridFlags are the flags of the hybrid import of the Google 2011 trace.
type hybridFlags struct {
	importFlags
	from, to, longest time.Duration
	nearest           int
	seed              int64
}

func (c *command) importGoogle2011Hybrid() *cobra.Command {
	f := hybridFlags{}
	cmd := &cobra.Command{
		Use:   "google2011-hybrid DIR",
		Short: "Import submissions of the Google 2011 trace beyond the parts of task_events at hand",
		Long: `Import submissions of the Google 2011 trace beyond the parts of task_events at
hand. DIR holds the folders job_events and task_events. A job with task rows is
imported as by google2011. Of any other the submission and the duration are real;
its tasks and requests are those of a job with task rows that is drawn from the
nearest ones by duration. The result is labelled hybrid. The defaults are the
seven hours that stand in for the trace of the multi-AP paper.`,
		Example: `  leontief traces import google2011-hybrid clusterdata-2011-2 --out seven-hours.parquet`,
		Args:    takes(argument{name: "DIR", what: "the folder that holds job_events and task_events"}),
		RunE:    func(_ *cobra.Command, args []string) error { return c.runImportHybrid(args[0], f) },
	}
	defaults := google2011.SevenHours()
	f.register(cmd)
	cmd.Flags().DurationVar(&f.from, "from", micros(defaults.FromUS), "first submission time; the trace begins at 10m0s")
	cmd.Flags().DurationVar(&f.to, "to", micros(defaults.ToUS), "submission time to stop before")
	cmd.Flags().DurationVar(&f.longest, "longest", micros(defaults.LongestUS), "leave out jobs that take as long or longer from submission to end")
	cmd.Flags().IntVar(&f.nearest, "nearest", defaults.Nearest, "number of jobs of about the same duration that one is drawn from")
	cmd.Flags().Int64Var(&f.seed, "seed", defaults.Seed, "seed of the draws")
	cmd.ValidArgsFunction = oneArgument(folders)
	return cmd
}

func (c *command) runImportHybrid(dir string, f hybridFlags) error {
	return c.runImport(f.importFlags, "", func() (*traces.Imported, error) {
		return google2011.Hybrid(dir, google2011.HybridOptions{
			FromUS: f.from.Microseconds(), ToUS: f.to.Microseconds(), LongestUS: f.longest.Microseconds(), Nearest: f.nearest, Seed: f.seed,
		})
	})
}
