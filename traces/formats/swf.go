package formats

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/swf"
)

func init() {
	Register(Format{
		Name: "swf", Title: "Import a log in the Standard Workload Format",
		About: `Import a log in the Standard Workload Format (SWF), as the Parallel Workloads
Archive has them. A job of p processors becomes p tasks of one processor, or with
--task job one task of p: tasks are independent of each other, so that only the
latter start together, and only on one machine that has as many processors. The
header's MaxNodes and MaxProcs are the machines, where memory is not looked at.
Most logs do not have the memory of jobs: with --memory none jobs are of
processors alone. Nothing is repaired; the report of what was left out and why
goes to standard output.`,
		Example: `  leontief traces import swf KTH-SP2-1996-2.1-cln.swf.gz --memory none --out jobs.parquet --machines machines.parquet`,
		Input:   "FILE", What: "the log, also as .swf.gz", Endings: []string{"swf", "gz"}, Machines: true,
		New: func() ([]Option, Import) {
			o := swf.Options{Memory: swf.Memories[0], Processors: swf.Counts[0], Task: swf.Grains[0], Tenant: swf.Tenants[0]}
			return []Option{
				{Name: "memory", Value: &o.Memory, Choices: swf.Memories,
					Usage: "memory of a job: that requested or that used (jobs without are left out), or none: processors alone"},
				{Name: "processors", Value: &o.Processors, Choices: swf.Counts,
					Usage: "processors of a job: those requested (where they are not known those allocated), or those allocated"},
				{Name: "task", Value: &o.Task, Choices: swf.Grains,
					Usage: "what is a task: each processor of a job, or the job"},
				{Name: "tenant", Value: &o.Tenant, Choices: swf.Tenants, Usage: "what is the user of a job"},
				{Name: "label", Value: &o.Label, Usage: "`TEXT` that results are marked with; if not given: real where the header names an installation, else unlabelled"},
			}, func(path string) (*traces.Imported, error) { return swf.Import(path, o) }
		},
	})
}
