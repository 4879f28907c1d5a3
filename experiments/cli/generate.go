package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// generateFlags are the flags of traces generate.
type generateFlags struct {
	workload, out string
	jobs          int
	seed          int64
	median        float64
}

func (c *command) generate() *cobra.Command {
	f := generateFlags{}
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate a synthetic workload",
		Long: `Generate a synthetic workload from published statistics of the Google trace. All
that is made from it is labelled synthetic. With the default seed and number of
jobs the file holds the workload of that name that is embedded in leontief.`,
		Example: `  leontief traces generate --out jobs.parquet
  leontief traces generate --workload google --jobs 5000 --seed 7 --out jobs.parquet`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.runGenerate(f, cmd.Flags().Changed("jobs"), cmd.Flags().Changed("median-duration"))
		},
	}
	cmd.Flags().StringVar(&f.workload, "workload", experiments.WorkloadNames()[0], "kind of workload: "+joinOr(experiments.WorkloadNames()))
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "number of jobs (default: the workload's own, 1000)")
	cmd.Flags().Int64Var(&f.seed, "seed", experiments.PopulationSeed, "seed of the generator")
	cmd.Flags().Float64Var(&f.median, "median-duration", 0, "median of the tasks' durations in seconds, for workloads with lognormal ones (default: the fitted one)")
	cmd.Flags().StringVar(&f.out, "out", "", "Parquet file of jobs to write (required)")
	require(cmd, "out")
	return cmd
}

func (c *command) runGenerate(f generateFlags, jobs, median bool) error {
	options, err := synthetic.Named(f.workload)
	if err != nil {
		return err
	}
	if jobs {
		options.Jobs = f.jobs
	}
	if median {
		if options.Durations == nil {
			return fmt.Errorf("--median-duration: the durations of %s have no such parameter", f.workload)
		}
		options.Durations.Median = f.median
	}
	generated, err := synthetic.Generate(options, f.seed)
	if err != nil {
		return err
	}
	if err := traces.WriteJobs(f.out, generated, synthetic.Meta(options, f.seed)); err != nil {
		return writing(err)
	}
	_, err = fmt.Fprintf(c.Out, "%d jobs, %s\n", len(generated), options.Label())
	return internal(err)
}
