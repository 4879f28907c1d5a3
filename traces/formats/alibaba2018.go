package formats

import (
	"path/filepath"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/mapped"
)

func init() {
	Register(Format{
		Name: "alibaba2018", Title: "Import batch_task of the Alibaba trace of 2018 (cluster-trace-v2018)",
		About: `Import the table batch_task of the Alibaba trace of 2018 (cluster-trace-v2018), which has
no line of names. A task of a batch job becomes a job, JOB/TASK, of instance_num tasks,
from its start to its end; the batch job is its user. Tasks that wait or were
cancelled are left out, and those that run on, since they have no end. The machines are
those of machine_meta.csv (.csv.gz, .tar.gz), where it stands beside the table. Nothing is
repaired; the report of what was left out and why goes to standard output.`,
		Example:  `  leontief traces import alibaba2018 batch_task.csv --out jobs.parquet --machines machines.parquet`,
		Machines: true,
		Input:    "FILE", What: "batch_task.csv, also packed as .csv.gz", Endings: []string{"csv", "gz"},
		New: func() ([]Option, Import) {
			return nil, func(path string) (*traces.Imported, error) {
				res, err := shipped("alibaba2018", path, nil, alibaba.Machines2018(filepath.Dir(path)))
				if res != nil {
					res.NoMachines = "no machine_meta.csv beside the table"
				}
				return res, err
			}
		},
	})
	Register(Format{
		Name: "alibaba2017", Title: "Import batch_task of the Alibaba trace of 2017 (cluster-trace-v2017)",
		About: `Import the table batch_task of the Alibaba trace of 2017 (cluster-trace-v2017), which has
no line of names. A task of a batch job becomes a job, JOB/TASK, of instance_num tasks,
from its creation to its last change; the batch job is its user. Only tasks that
terminated or failed count. Nothing is repaired; the report of what was left out and
why goes to standard output.`,
		Example: `  leontief traces import alibaba2017 batch_task.csv --out jobs.parquet`,
		Input:   "FILE", What: "batch_task.csv, also packed as .csv.gz", Endings: []string{"csv", "gz"},
		New: func() ([]Option, Import) {
			cpu := "percent"
			return []Option{{Name: "cpu", Value: &cpu, Choices: []string{"percent", "cores"},
					Usage: "unit of plan_cpu: percent of a core as first published, cores where the file has 0.5 and 1 instead of 50 and 100"}},
				func(path string) (*traces.Imported, error) {
					return shipped("alibaba2017", path, func(m *mapped.Mapping) { m.Columns["cpu"] = mapped.Column{Column: "plan_cpu", Unit: cpu} }, nil)
				}
		},
	})
}
