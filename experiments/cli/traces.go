package cli

import (
	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
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
		meta.Label, meta.Source, orNone(meta.Checksum), orNone(meta.Options), meta.Units, d)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
