package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// alibabaFlags are the flags of both imports of Alibaba's traces.
type alibabaFlags struct {
	importFlags
	from, to    time.Duration
	pods, nodes string
}

func (f *alibabaFlags) register(cmd *cobra.Command) {
	f.importFlags.register(cmd)
	f.registerMachines(cmd)
	registerWindow(cmd, &f.from, &f.to)
}

// registerWindow adds the flags of a window of submission times.
func registerWindow(cmd *cobra.Command, from, to *time.Duration) {
	cmd.Flags().DurationVar(from, "from", 0, "first submission time, on the clock of the trace")
	cmd.Flags().DurationVar(to, "to", 0, "submission time to stop before; 0s: no limit")
}

func (f *alibabaFlags) window() alibaba.Window {
	return alibaba.Window{FromUS: f.from.Microseconds(), ToUS: f.to.Microseconds()}
}

// noTable is why there may be no machines.
const noTable = "no table of machines is at hand"

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
		Args:    takes(argument{name: "DIR", what: "the folder with the tables of the trace"}),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.runImport(f.importFlags, noTable, func() (*traces.Imported, error) {
				return alibaba.ImportPAI(args[0], f.window())
			})
		},
	}
	f.register(cmd)
	cmd.ValidArgsFunction = oneArgument(folders)
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
		Args:    takes(argument{name: "DIR", what: "the folder with the tables of the trace"}),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.runImport(f.importFlags, noTable, func() (*traces.Imported, error) {
				return alibaba.ImportGPU2023(args[0], alibaba.GPU2023Options{Window: f.window(), Pods: f.pods, Nodes: f.nodes})
			})
		},
	}
	f.register(cmd)
	cmd.ValidArgsFunction = oneArgument(folders)
	cmd.Flags().StringVar(&f.pods, "pods", defaults.Pods, "`NAME` of the list of pods, without .csv")
	cmd.Flags().StringVar(&f.nodes, "nodes", defaults.Nodes, "`NAME` of the list of nodes, without .csv")
	return cmd
}
