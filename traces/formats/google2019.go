package formats

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2019"
)

func init() {
	Register(Format{
		Name: "google2019", Title: "Import the Google traces of 2019 (Borg, version 3)",
		About: `Import one cell of the Google traces of 2019 (Borg, version 3). DIR holds exports of the
tables collection_events, instance_events and, for --machines, machine_events and
machine_attributes: JSON with an object a line, as published
(collection_events-000000000000.json.gz) or as BigQuery exports it, or CSV with the names
of the columns; any number of files of each, rows in any order. A job collection becomes a
job of as many tasks as it has instances that were submitted with a request, with their
placement constraints; alloc sets are left out. A cell is large: export, or choose with
--from and --to, a part of it. Nothing is repaired; the report of what was left out and
why goes to standard output.`,
		Example: `  leontief traces import google2019 clusterdata_2019_a --from 10m --to 1h10m --out hour.parquet --machines machines.parquet`,
		Input:   "DIR", What: "the folder with the exported tables", Machines: true,
		New: func() ([]Option, Import) {
			o := google2019.DefaultOptions()
			from, to, machinesAt := micros(o.FromUS), micros(o.ToUS), micros(o.MachinesAtUS)
			zero := "drop"
			return []Option{
					{Name: "from", Value: &from, Usage: "first submission time; the trace begins at 10m0s, jobs of 0s were submitted before it"},
					{Name: "to", Value: &to, Usage: "submission time to stop before; 0s: no limit"},
					{Name: "zero-requests", Value: &zero, Choices: []string{"drop", "keep"},
						Usage: "tasks that request no cpu or no memory (those that request neither are always left out)"},
					{Name: "machines-at", Value: &machinesAt, Usage: "time at which machines must be present"},
				}, func(dir string) (*traces.Imported, error) {
					o.FromUS, o.ToUS, o.MachinesAtUS = from.Microseconds(), to.Microseconds(), machinesAt.Microseconds()
					o.KeepZero = zero == "keep"
					return google2019.Import(dir, o)
				}
		},
	})
}
