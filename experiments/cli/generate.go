package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

type generateFlags struct {
	workload, out string
	jobs          int
	seed          int64
	median        float64
	span          time.Duration // of pai
	sample, gpus  string        // of hybrid
}

func (c *command) generate() *cobra.Command {
	f := generateFlags{}
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate a synthetic or hybrid workload",
		Long: `Generate a synthetic workload from published statistics of the Google trace or,
with --workload pai, of the Alibaba PAI trace. All that is made from it is
labelled synthetic. With the default seed and number of jobs the file holds the
workload of that name that is embedded in leontief. The workload pai has any
number of jobs, each standing for a task row of the trace. The workload hybrid
has the real submissions, durations and gangs of --sample; cores and memory are
imputed.`,
		Example: `  leontief traces generate --out jobs.parquet
  leontief traces generate --workload google --jobs 5000 --seed 7 --out jobs.parquet
  leontief traces generate --workload pai --jobs 11034 --span 336h --out pai.parquet
  leontief traces generate --workload hybrid --sample derived_gpu_tasks_sample.csv --out hybrid.parquet`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			switch f.workload {
			case synthetic.PAIName:
				return c.generatePAI(f, cmd.Flags().Changed("jobs"))
			case alibaba.HybridName:
				return c.generateHybrid(f)
			}
			return c.runGenerate(f, cmd.Flags().Changed("jobs"), cmd.Flags().Changed("median-duration"))
		},
	}
	choose(cmd, &f.workload, "workload", "kind of workload", generatedNames()...)
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "number of jobs (default: the workload's own, 1000; of pai 1261050)")
	cmd.Flags().Int64Var(&f.seed, "seed", run.PopulationSeed, "seed of the generator")
	cmd.Flags().Float64Var(&f.median, "median-duration", 0, "median of the tasks' durations in seconds, for workloads with lognormal ones (default: the fitted one)")
	cmd.Flags().DurationVar(&f.span, "span", 0, "time over which pai is submitted (default: 64 days)")
	cmd.Flags().StringVar(&f.sample, "sample", "", "CSV `FILE` of real submissions, for hybrid: job_id,arrival_s,service_sec,gpu_count")
	choose(cmd, &f.gpus, "gpus", "what one GPU of a gang is, for hybrid: one whole GPU, or an instance with an imputed part of a shared one", string(alibaba.WholeGPUs), string(alibaba.SharedGPUs))
	outputFile(cmd, &f.out, "out", "Parquet `FILE` of jobs to write (required)", "parquet")
	require(cmd, "out")
	suggest(cmd, "sample", files("csv"))
	return cmd
}

func generatedNames() []string {
	return append(slices.Clone(run.WorkloadNames()), synthetic.PAIName, alibaba.HybridName)
}

// check refuses flags of other workloads.
func (f *generateFlags) check(cmd *cobra.Command) error {
	for _, only := range []struct {
		flag string
		of   []string
	}{
		{"span", []string{synthetic.PAIName}},
		{"sample", []string{alibaba.HybridName}},
		{"gpus", []string{alibaba.HybridName}},
		{"jobs", append(slices.Clone(run.WorkloadNames()), synthetic.PAIName)},
		{"median-duration", run.WorkloadNames()},
	} {
		if cmd.Flags().Changed(only.flag) && !slices.Contains(only.of, f.workload) {
			return fmt.Errorf("--%s: %s has no such parameter", only.flag, f.workload)
		}
	}
	return nil
}

func (c *command) runGenerate(f generateFlags, jobs, median bool) error {
	options, err := synthetic.Named(f.workload)
	if err != nil {
		return err
	}
	if jobs && f.jobs < 1 {
		return fmt.Errorf("--jobs %d: a number of 1 or more is needed", f.jobs)
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
	return c.say("%d jobs, %s\n", len(generated), options.Label())
}

// generatePAI writes the synthetic workload like the PAI trace, job by job.
func (c *command) generatePAI(f generateFlags, jobs bool) error {
	options := synthetic.DefaultPAI()
	if jobs {
		options.Jobs = f.jobs
	}
	if f.span != 0 {
		options.SpanS = f.span.Seconds()
	}
	generated, err := options.Generate(f.seed)
	if err != nil {
		return err
	}
	if err := traces.WriteJobStream(f.out, generated, options.Meta(f.seed)); err != nil {
		return writing(err)
	}
	return c.say("%d jobs, %s\n", options.Jobs, options.Label())
}

func (c *command) generateHybrid(f generateFlags) error {
	if f.sample == "" {
		return fmt.Errorf("--workload hybrid: --sample names the file of real submissions; without one, --workload pai is fully synthetic")
	}
	return c.runImport(importFlags{out: f.out}, func() (*traces.Imported, error) {
		return alibaba.Hybrid(f.sample, alibaba.HybridOptions{GPUs: alibaba.GPUReading(f.gpus), Seed: f.seed})
	})
}
