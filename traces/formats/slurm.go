package formats

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/slurm"
)

func init() {
	Register(Format{
		Name: "slurm", Title: "Import the jobs of Slurm's accounting (sacct -P)",
		About: `Import the jobs of Slurm's accounting: the output of sacct --parsable2, with the
names of the columns. Ask for the jobs of all users, without their steps:

  TZ=UTC sacct --allusers --allocations --parsable2 --starttime 2026-10-01 --endtime 2026-11-01 \
    --format JobID,User,Account,QOS,Partition,Priority,Submit,Start,End,ElapsedRaw,State,NNodes,ReqTRES,AllocTRES > october.txt

A job becomes a task for each of its nodes. Memory is in GiB. Elements of an array are
jobs of their own. Jobs that never started are left out; those that run on are
censored. Nothing is repaired; the report of what was left out and why goes to
standard output.`,
		Example: `  leontief traces import slurm october.txt --tenant account --out october.parquet`,
		Input:   "FILE", What: "the output of sacct --parsable2, also packed as .gz", Endings: []string{"txt", "csv", "gz"},
		New: func() ([]Option, Import) {
			o := slurm.Options{Resources: slurm.Resources[0], Memory: slurm.Memories[0], Task: slurm.Grains[0], Tenant: slurm.Tenants[0], Zone: "UTC"}
			return []Option{
				{Name: "resources", Value: &o.Resources, Choices: slurm.Resources,
					Usage: "what a job had: what it requested, or what was allocated (more where a node is not shared)"},
				{Name: "memory", Value: &o.Memory, Choices: slurm.Memories,
					Usage: "memory of a job: jobs without are left out, or none: processors and GPUs alone"},
				{Name: "task", Value: &o.Task, Choices: slurm.Grains,
					Usage: "what is a task: an equal part of a job for each node or for each processor, or the job"},
				{Name: "tenant", Value: &o.Tenant, Choices: slurm.Tenants, Usage: "what is the user of a job"},
				{Name: "time-zone", Value: &o.Zone, Usage: "time `ZONE` of times that state none, as Europe/Berlin"},
			}, func(path string) (*traces.Imported, error) { return slurm.Import(path, o) }
		},
	})
}
