package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2011"
)

// google2011Flags are the flags of the import of the Google 2011 trace.
type google2011Flags struct {
	importFlags
	from, to, machinesAt time.Duration
	first                int
	zero                 string
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
		Args: takes(argument{name: "DIR", what: "the folder that holds job_events and task_events"}),
		RunE: func(_ *cobra.Command, args []string) error { return c.runImportGoogle2011(args[0], f) },
	}
	defaults := google2011.DefaultOptions()
	f.register(cmd)
	f.registerMachines(cmd)
	cmd.Flags().DurationVar(&f.from, "from", micros(defaults.FromUS), "first submission time; the trace begins at 10m0s, jobs of 0s were submitted before it")
	cmd.Flags().DurationVar(&f.to, "to", micros(defaults.ToUS), "submission time to stop before; 0s: no limit")
	cmd.Flags().IntVar(&f.first, "first", defaults.First, "only this many submissions; 0: no limit")
	choose(cmd, &f.zero, "zero-requests", "tasks that request no cpu or no memory (those that request neither are always left out)", "drop", "keep")
	cmd.ValidArgsFunction = oneArgument(folders)
	cmd.Flags().DurationVar(&f.machinesAt, "machines-at", micros(defaults.MachinesAtUS), "time at which machines must be present")
	return cmd
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

func (c *command) runImportGoogle2011(dir string, f google2011Flags) error {
	options := google2011.Options{
		FromUS: f.from.Microseconds(), ToUS: f.to.Microseconds(), First: f.first, MachinesAtUS: f.machinesAt.Microseconds(),
	}
	if err := options.ZeroRequests.UnmarshalText([]byte(f.zero)); err != nil {
		return fmt.Errorf("--zero-requests: %w", err)
	}
	return c.runImport(f.importFlags, dir+" has no machine_events", func() (*traces.Imported, error) {
		return google2011.Import(dir, options)
	})
}
