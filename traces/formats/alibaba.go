package formats

import (
	"time"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

func init() {
	Register(Format{
		Name: "alibaba-pai", Title: "Import the Alibaba PAI trace of 2020 (cluster-trace-gpu-v2020)",
		About: `Import the Alibaba PAI trace of 2020 (cluster-trace-gpu-v2020). DIR holds the
official tables, as .csv, .csv.gz or .tar.gz: pai_job_table and pai_task_table;
where they are at hand pai_instance_table (durations), pai_group_tag_table
(constraints) and pai_machine_spec (machines). A task row becomes a job with
the id job_name/task_name and inst_num tasks. Nothing is repaired; the report of
what was left out and why goes to standard output.`,
		Example: `  leontief traces import alibaba-pai cluster-trace-gpu-v2020/data --out pai.parquet --machines machines.parquet`,
		Input:   "DIR", What: "the folder with the tables of the trace", Machines: true,
		New: func() ([]Option, Import) {
			w := window{}
			return w.options(), func(dir string) (*traces.Imported, error) { return alibaba.ImportPAI(dir, w.of()) }
		},
	})
	Register(Format{
		Name: "alibaba-gpu2023", Title: "Import the Alibaba GPU trace of 2023 (cluster-trace-gpu-v2023)",
		About: `Import the Alibaba GPU trace of 2023 (cluster-trace-gpu-v2023). DIR holds a list
of pods and one of nodes, as .csv or .csv.gz. A pod becomes a job of one task.
Nothing is repaired; the report of what was left out and why goes to standard
output.`,
		Example: `  leontief traces import alibaba-gpu2023 cluster-trace-gpu-v2023/csv --out pods.parquet --machines nodes.parquet`,
		Input:   "DIR", What: "the folder with the tables of the trace", Machines: true,
		New: func() ([]Option, Import) {
			w, o := window{}, alibaba.DefaultGPU2023()
			return append(w.options(),
					Option{Name: "pods", Value: &o.Pods, Usage: "`NAME` of the list of pods, without .csv"},
					Option{Name: "nodes", Value: &o.Nodes, Usage: "`NAME` of the list of nodes, without .csv"},
				), func(dir string) (*traces.Imported, error) {
					o.Window = w.of()
					return alibaba.ImportGPU2023(dir, o)
				}
		},
	})
}

// window is one of submission times.
type window struct{ from, to time.Duration }

func (w *window) options() []Option {
	return []Option{
		{Name: "from", Value: &w.from, Usage: "first submission time, on the clock of the trace"},
		{Name: "to", Value: &w.to, Usage: "submission time to stop before; 0s: no limit"},
	}
}

func (w *window) of() alibaba.Window {
	return alibaba.Window{FromUS: w.from.Microseconds(), ToUS: w.to.Microseconds()}
}
