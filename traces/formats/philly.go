package formats

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/philly"
)

func init() {
	Register(Format{
		Name: "philly", Title: "Import the job log of the Microsoft Philly traces (2017)",
		About: `Import the job log of the Microsoft Philly traces: cluster_job_log, a JSON list, and
cluster_machine_list where it stands beside it. A job becomes as many tasks as its
last attempt had GPUs, which last the sum of its attempts: GPUs alone, since the log
has neither processors nor memory. Nothing is repaired; the report of what was left out
and why goes to standard output.`,
		Example: `  leontief traces import philly trace-data --tenant vc --out philly.parquet --machines machines.parquet`,
		Input:   "PATH", What: "cluster_job_log, also packed as .gz, or the folder that holds it", Machines: true, Endings: []string{"gz"},
		New: func() ([]Option, Import) {
			o := philly.Options{Task: philly.Grains[0], Tenant: philly.Tenants[0], Zone: "UTC"}
			return []Option{
				{Name: "task", Value: &o.Task, Choices: philly.Grains,
					Usage: "what is a task: each GPU of a job, an equal part for each of its servers, or the job"},
				{Name: "tenant", Value: &o.Tenant, Choices: philly.Tenants, Usage: "what is the user of a job: its user, or its virtual cluster"},
				{Name: "time-zone", Value: &o.Zone, Usage: "time `ZONE` of the log, as America/Los_Angeles"},
			}, func(path string) (*traces.Imported, error) { return philly.Import(path, o) }
		},
	})
}
