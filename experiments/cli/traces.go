package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2011"
)

func (c *command) traces() *cobra.Command {
	imports := group("import", "Convert a published trace into the canonical form",
		"Convert a published trace into the canonical form: one Parquet file of jobs and,\nwhere the trace has them, one of machines.", c.importGoogle2011(), c.importGoogle2011Hybrid(), c.importGoogle1(), c.importAlibabaPAI(), c.importAlibabaGPU2023())
	c.importMapped(imports)
	return group("traces", "Import, describe, generate and sample workloads",
		"Import, describe, generate and sample workloads. A workload is a Parquet file of jobs:\nid, submission time, number of tasks, duration of a task, requests.",
		imports, c.describe(), c.generate(), c.sample())
}

// google2011Flags are the flags of the import of the Google 2011 trace.
type google2011Flags struct {
	out, machines, report string
	from, to, machinesAt  time.Duration
	first                 int
	zero                  string
}

func (c *command) importGoogle2011() *cobra.Command {
	f := google2011Flags{}
	cmd := &cobra.Command{
		Use:   "google2011 DIR",
		Short: "Import the Google 2011 trace (clusterdata-2011-2)",
		Long: `Import the Google 2011 trace (clusterdata-2011-2). DIR holds the folders
job_events, task_events and, for --machines, machine_events with the official
parts (part-00000-of-00500.csv.gz, or unpacked). Where task_constraints and
machine_attributes are there too, jobs have placement constraints and machines
the attributes that these look at. Any subset of the parts will do; jobs without task rows in the parts at hand are left out and counted, as is
every other row that can not be used. Nothing is repaired. The report of what
was left out and why goes to standard output.`,
		Example: `  leontief traces import google2011 clusterdata-2011-2 --first 1000 --out jobs.parquet
  leontief traces import google2011 clusterdata-2011-2 --from 0s --to 1h --out hour.parquet --machines machines.parquet`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.runImport(args[0], f) },
	}
	defaults := google2011.DefaultOptions()
	cmd.Flags().StringVar(&f.out, "out", "", "Parquet file of jobs to write (required)")
	cmd.Flags().StringVar(&f.machines, "machines", "", "Parquet file of machines to write")
	cmd.Flags().StringVar(&f.report, "report", "", "JSON file for the report of what was left out")
	cmd.Flags().DurationVar(&f.from, "from", micros(defaults.FromUS), "first submission time; the trace begins at 10m0s, jobs of 0s were submitted before it")
	cmd.Flags().DurationVar(&f.to, "to", micros(defaults.ToUS), "submission time to stop before; 0s: no limit")
	cmd.Flags().IntVar(&f.first, "first", defaults.First, "only this many submissions; 0: no limit")
	cmd.Flags().StringVar(&f.zero, "zero-requests", defaults.ZeroRequests.String(), "tasks that request no cpu or no memory: drop or keep; those that request neither are always left out")
	cmd.Flags().DurationVar(&f.machinesAt, "machines-at", micros(defaults.MachinesAtUS), "time at which machines must be present")
	require(cmd, "out")
	return cmd
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// require marks a flag as required. An unknown flag is a programming error.
func require(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err)
	}
}

func (c *command) runImport(dir string, f google2011Flags) error {
	options := google2011.Options{
		FromUS: f.from.Microseconds(), ToUS: f.to.Microseconds(), First: f.first, MachinesAtUS: f.machinesAt.Microseconds(),
	}
	if err := options.ZeroRequests.UnmarshalText([]byte(f.zero)); err != nil {
		return fmt.Errorf("--zero-requests: %w", err)
	}
	i := imported{out: f.out, machinesOut: f.machines, reportOut: f.report, noMachines: dir + " has no machine_events"}
	result, err := google2011.Import(dir, options)
	if i.err = err; result != nil {
		i.jobs, i.machines, i.meta, i.report = result.Jobs, result.Machines, result.Meta, result.Report
	}
	return c.writeImported(i)
}

// writing classifies an error of writing a file: a path that can not be
// written to is bad input.
func writing(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return err
	}
	return internal(err)
}

func (c *command) describe() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "describe FILE",
		Short: "Show what a Parquet file of jobs holds",
		Long: `Show where the jobs of a Parquet file come from and how their sizes, durations
and requests are distributed.`,
		Example: "  leontief traces describe jobs.parquet\n  leontief traces describe jobs.parquet --format json",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("format", format, "text", "json"); err != nil {
				return err
			}
			return c.runDescribe(args[0], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "text or json")
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
	_, err = fmt.Fprintf(c.Out, "label     %s\nsource    %s\nchecksum  %s\noptions   %s\nunits     %s\n\n%s",
		meta.Label, meta.Source, orNone(meta.Checksum), orNone(meta.Options), meta.Units, d)
	return internal(err)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
