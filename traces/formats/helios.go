package formats

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/mapped"
)

func init() {
	Register(Format{
		Name: "helios", Title: "Import a cluster of the SenseTime Helios traces (2020)",
		About: `Import cluster_log.csv of one of the clusters of the SenseTime Helios traces (Earth,
Saturn, Uranus, Venus). A job becomes a task for each of its nodes, with an equal part
of its processors and GPUs; the trace has no memory. Jobs of no duration are left out,
which are those that never started. Nothing is repaired; the report of what was left
out and why goes to standard output.`,
		Example: `  leontief traces import helios Venus/cluster_log.csv --tenant vc --out venus.parquet`,
		Input:   "FILE", What: "cluster_log.csv, also packed as .csv.gz", Endings: []string{"csv", "gz"},
		New: func() ([]Option, Import) {
			tenant := "user"
			return []Option{{Name: "tenant", Value: &tenant, Choices: []string{"user", "vc"}, Usage: "what is the user of a job: its user, or its virtual cluster"}},
				func(path string) (*traces.Imported, error) {
					return shipped("helios", path, func(m *mapped.Mapping) { m.Columns["user"] = mapped.Column{Column: tenant} }, nil)
				}
		},
	})
}
