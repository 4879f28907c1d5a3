package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/formats"
)

func (c *command) traces() *cobra.Command {
	imports := group("import", "Convert a published trace into the canonical form",
		"Convert a published trace into the canonical form: one Parquet file of jobs and,\nwhere the trace has them, one of machines.")
	for _, format := range formats.All() {
		imports.AddCommand(c.importFormat(format))
	}
	c.importMapped(imports)
	return group("traces", "Import, describe, generate and sample workloads",
		"Import, describe, generate and sample workloads. A workload is a Parquet file of jobs:\nid, submission time, number of tasks, duration of a task, requests.",
		imports, c.describe(), c.generate(), c.sample())
}

func (c *command) describe() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "describe FILE",
		Short: "Show what a Parquet file of jobs holds",
		Long: `Show where the jobs of a Parquet file come from and how their sizes, durations
and requests are distributed.`,
		Example: "  leontief traces describe jobs.parquet\n  leontief traces describe jobs.parquet --format json",
		Args:    takes(argument{name: "FILE", what: "a Parquet file of jobs, from traces import or generate"}),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.runDescribe(args[0], format)
		},
	}
	choose(cmd, &format, "format", "how to print", "text", "json")
	cmd.ValidArgsFunction = oneArgument(files("parquet"))
	return cmd
}

func (c *command) runDescribe(path, format string) error {
	jobs, meta, err := traces.ReadJobs(path)
	if err != nil {
		return err
	}
	d := traces.Describe(jobs)
	if format == "json" {
		return c.printJSON(struct {
			Meta        traces.Meta        `json:"meta"`
			Description traces.Description `json:"description"`
		}{meta, d})
	}
	return c.say("label     %s\nsource    %s\nchecksum  %s\noptions   %s\nunits     %s\n\n%s",
		meta.Label, meta.Source, cmp.Or(meta.Checksum, "none"), cmp.Or(meta.Options, "none"), meta.Units, d)
}

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
		Args:    takes(argument{name: "FILE", what: "a Parquet file of jobs, from traces import or generate"}),
		RunE:    func(_ *cobra.Command, args []string) error { return c.runSample(args[0], f) },
	}
	outputFile(cmd, &f.out, "out", "Parquet `FILE` of jobs to write (required)", "parquet")
	cmd.Flags().DurationVar(&f.from, "from", 0, "first submission time, on the clock of the trace")
	cmd.Flags().DurationVar(&f.to, "to", 0, "submission time to stop before; 0s: no limit")
	cmd.Flags().Float64Var(&f.fraction, "fraction", 0.04, "share of the submissions to draw")
	cmd.Flags().Int64Var(&f.seed, "seed", 1, "seed of the draw")
	require(cmd, "out")
	cmd.ValidArgsFunction = oneArgument(files("parquet"))
	return cmd
}

func (c *command) runSample(path string, f sampleFlags) error {
	jobs, meta, err := traces.ReadJobs(path)
	if err != nil {
		return err
	}
	s := alibaba.Selection{Window: alibaba.Window{FromUS: f.from.Microseconds(), ToUS: f.to.Microseconds()}, Fraction: f.fraction}
	drawn, err := s.Draw(stream.New("traces/sample", f.seed), jobs)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	meta.Options = s.Note(f.seed, meta.Options)
	if err := traces.WriteJobs(f.out, drawn, meta); err != nil {
		return writing(err)
	}
	return c.say("%d of %d jobs, %s\n", len(drawn), len(jobs), meta.Label)
}
