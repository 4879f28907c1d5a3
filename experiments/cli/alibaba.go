package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/seed"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// alibabaFlags are the flags of both imports of Alibaba's traces.
type alibabaFlags struct {
	out, machines, report string
	from, to              time.Duration
	pods, nodes           string
}

func (f *alibabaFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "", "Parquet file of jobs to write (required)")
	cmd.Flags().StringVar(&f.machines, "machines", "", "Parquet file of machines to write")
	cmd.Flags().StringVar(&f.report, "report", "", "JSON file for the report of what was left out")
	registerWindow(cmd, &f.from, &f.to)
	require(cmd, "out")
}

// registerWindow adds the flags of a window of submission times.
func registerWindow(cmd *cobra.Command, from, to *time.Duration) {
	cmd.Flags().DurationVar(from, "from", 0, "first submission time, on the clock of the trace")
	cmd.Flags().DurationVar(to, "to", 0, "submission time to stop before; 0s: no limit")
}

func (f *alibabaFlags) window() alibaba.Window {
	return alibaba.Window{FromUS: f.from.Microseconds(), ToUS: f.to.Microseconds()}
}

func (c *command) importAlibabaPAI() *cobra.Command {
	f := alibabaFlags{}
	cmd := &cobra.Command{
		Use:   "alibaba-pai DIR",
		Short: "Import the Alibaba PAI trace of 2020 (cluster-trace-gpu-v2020)",
		Long: `Import the Alibaba PAI trace of 2020 (cluster-trace-gpu-v2020). DIR holds the
official tables, as .csv, .csv.gz or .tar.gz: pai_job_table and pai_task_table;
where they are at hand pai_instance_table (durations), pai_group_tag_table
(constraints) and pai_machine_spec (machines). A task row becomes a job with
the id job_name/task_name and inst_num tasks. Nothing is repaired; the report of
what was left out and why goes to standard output.`,
		Example: `  leontief traces import alibaba-pai cluster-trace-gpu-v2020/data --out pai.parquet --machines machines.parquet`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.writeImport(f)(alibaba.ImportPAI(args[0], f.window()))
		},
	}
	f.register(cmd)
	return cmd
}

func (c *command) importAlibabaGPU2023() *cobra.Command {
	f := alibabaFlags{}
	defaults := alibaba.DefaultGPU2023()
	cmd := &cobra.Command{
		Use:   "alibaba-gpu2023 DIR",
		Short: "Import the Alibaba GPU trace of 2023 (cluster-trace-gpu-v2023)",
		Long: `Import the Alibaba GPU trace of 2023 (cluster-trace-gpu-v2023). DIR holds a list
of pods and one of nodes, as .csv or .csv.gz. A pod becomes a job of one task.
Nothing is repaired; the report of what was left out and why goes to standard
output.`,
		Example: `  leontief traces import alibaba-gpu2023 cluster-trace-gpu-v2023/csv --out pods.parquet --machines nodes.parquet`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.writeImport(f)(alibaba.ImportGPU2023(args[0],
				alibaba.GPU2023Options{Window: f.window(), Pods: f.pods, Nodes: f.nodes}))
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.pods, "pods", defaults.Pods, "name of the list of pods, without .csv")
	cmd.Flags().StringVar(&f.nodes, "nodes", defaults.Nodes, "name of the list of nodes, without .csv")
	return cmd
}

// writeImport returns a function that writes what an import returned.
func (c *command) writeImport(f alibabaFlags) func(*alibaba.Result, error) error {
	return func(result *alibaba.Result, err error) error {
		if err != nil {
			if result != nil {
				fmt.Fprint(c.Err, result.Report)
			}
			return err
		}
		if f.machines != "" && len(result.Machines) == 0 {
			return fmt.Errorf("--machines: no table of machines is at hand")
		}
		if err := traces.WriteJobs(f.out, result.Jobs, result.Meta); err != nil {
			return writing(err)
		}
		if f.machines != "" {
			if err := traces.WriteMachines(f.machines, result.Machines, result.Meta); err != nil {
				return writing(err)
			}
		}
		if err := writeReport(f.report, result.Report); err != nil {
			return err
		}
		_, err = fmt.Fprint(c.Out, result.Report)
		return internal(err)
	}
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
	out, err := traces.CreateJobs(f.out, options.Meta(f.seed))
	if err != nil {
		return writing(err)
	}
	for job := range generated {
		if err := out.Write(job); err != nil {
			_ = out.Abort() // the error of writing is the one to report
			return writing(err)
		}
	}
	if err := out.Close(); err != nil {
		return writing(err)
	}
	_, err = fmt.Fprintf(c.Out, "%d jobs, %s\n", options.Jobs, options.Label())
	return internal(err)
}

// generateHybrid writes the hybrid workload.
func (c *command) generateHybrid(f generateFlags) error {
	if f.sample == "" {
		return fmt.Errorf("--workload hybrid: --sample names the file of real submissions; without one, --workload pai is fully synthetic")
	}
	result, err := alibaba.Hybrid(f.sample, alibaba.HybridOptions{GPUs: alibaba.GPUReading(f.gpus), Seed: f.seed})
	return c.writeImport(alibabaFlags{out: f.out})(result, err)
}

// sampleFlags are the flags of traces sample.
type sampleFlags struct {
	out      string
	from, to time.Duration
	fraction float64
	seed     int64
}

func (c *command) sample() *cobra.Command {
	f := sampleFlags{}
	cmd := &cobra.Command{
		Use:   "sample FILE",
		Short: "Draw a share of the submissions of a workload",
		Long: `Draw a share of the submissions of a Parquet file of jobs, uniformly and without
replacement. Jobs of one PAI submission (the part of the id before the slash)
are taken or left together. Times are counted from the start of the window.`,
		Example: `  leontief traces sample pai.parquet --to 336h --fraction 0.04 --out sample.parquet`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return c.runSample(args[0], f) },
	}
	cmd.Flags().StringVar(&f.out, "out", "", "Parquet file of jobs to write (required)")
	registerWindow(cmd, &f.from, &f.to)
	cmd.Flags().Float64Var(&f.fraction, "fraction", 0.04, "share of the submissions to draw")
	cmd.Flags().Int64Var(&f.seed, "seed", 1, "seed of the draw")
	require(cmd, "out")
	return cmd
}

func (c *command) runSample(path string, f sampleFlags) error {
	jobs, meta, err := traces.ReadJobs(path)
	if err != nil {
		return err
	}
	s := alibaba.Selection{Window: alibaba.Window{FromUS: f.from.Microseconds(), ToUS: f.to.Microseconds()}, Fraction: f.fraction}
	drawn, err := s.Draw(seed.Stream("traces/sample", f.seed), jobs)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	meta.Options = s.Note(f.seed, meta.Options)
	if err := traces.WriteJobs(f.out, drawn, meta); err != nil {
		return writing(err)
	}
	_, err = fmt.Fprintf(c.Out, "%d of %d jobs, %s\n", len(drawn), len(jobs), meta.Label)
	return internal(err)
}
