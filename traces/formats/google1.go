package formats

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google1"
)

func init() {
	Register(Format{
		Name: "google1", Title: "Import the first Google trace (version 1, 7 hours, 2010)",
		About: `Import the first Google trace: google-cluster-data-1.csv, also as .csv.gz, or a
folder that holds it. The file says what each task used in periods of five
minutes: a job is submitted when its first task first runs, and a task lasts from
the beginning of its first period to the end of its last one. Nothing is repaired;
the report of what was left out and why goes to standard output.`,
		Example: `  leontief traces import google1 google-cluster-data-1.csv.gz --out google1.parquet`,
		Input:   "FILE", What: "google-cluster-data-1.csv, also as .csv.gz, or the folder that holds it", Endings: []string{"csv", "gz"},
		New: func() ([]Option, Import) {
			var o google1.Options
			return []Option{
				{Name: "keep-zero", Value: &o.KeepZero, Usage: "keep tasks that used no cpu or no memory; those that used neither are always left out"},
				{Name: "keep-first", Value: &o.KeepFirst, Usage: "keep jobs that ran in the first period, which began before it at an unknown time"},
			}, func(path string) (*traces.Imported, error) { return google1.Import(path, o) }
		},
	})
}
