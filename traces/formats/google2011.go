package formats

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2011"
)

func init() {
	Register(Format{
		Name: "google2011", Title: "Import the Google 2011 trace (clusterdata-2011-2)",
		About: `Import the Google 2011 trace (clusterdata-2011-2). DIR holds the folders
job_events, task_events and, for --machines, machine_events with the official
parts (part-00000-of-00500.csv.gz, or unpacked). Where task_constraints and
machine_attributes are there too, jobs have placement constraints and machines
the attributes that these look at. Any subset of the parts will do; jobs without task rows in the parts at hand are left out and counted, as is
every other row that can not be used. Nothing is repaired. The report of what
was left out and why goes to standard output.`,
		Example: `  leontief traces import google2011 clusterdata-2011-2 --first 1000 --out jobs.parquet
  leontief traces import google2011 clusterdata-2011-2 --from 0s --to 1h --out hour.parquet --machines machines.parquet`,
		Input: "DIR", What: "the folder that holds job_events and task_events", Machines: true,
		New: google2011Import,
	})
	Register(Format{
		Name: "google2011-hybrid", Title: "Import submissions of the Google 2011 trace beyond the parts of task_events at hand",
		About: `Import submissions of the Google 2011 trace beyond the parts of task_events at
hand. DIR holds the folders job_events and task_events. A job with task rows is
imported as by google2011. Of any other the submission and the duration are real;
its tasks and requests are those of a job with task rows that is drawn from the
nearest ones by duration. The result is labelled hybrid. The defaults are the
seven hours that stand in for the trace of the multi-AP paper.`,
		Example: `  leontief traces import google2011-hybrid clusterdata-2011-2 --out seven-hours.parquet
  leontief traces import google2011-hybrid clusterdata-2011-2 --to 48h10m --longest 0s --out two-days.parquet`,
		Input: "DIR", What: "the folder that holds job_events and task_events",
		New: google2011Hybrid,
	})
}

func google2011Import() ([]Option, Import) {
	o := google2011.DefaultOptions()
	from, to, machinesAt := micros(o.FromUS), micros(o.ToUS), micros(o.MachinesAtUS)
	zero := "drop"
	return []Option{
			{Name: "from", Value: &from, Usage: "first submission time; the trace begins at 10m0s, jobs of 0s were submitted before it"},
			{Name: "to", Value: &to, Usage: "submission time to stop before; 0s: no limit"},
			{Name: "first", Value: &o.First, Usage: "only this many submissions; 0: no limit"},
			{Name: "zero-requests", Value: &zero, Choices: []string{"drop", "keep"},
				Usage: "tasks that request no cpu or no memory (those that request neither are always left out)"},
			{Name: "machines-at", Value: &machinesAt, Usage: "time at which machines must be present"},
		}, func(dir string) (*traces.Imported, error) {
			o.FromUS, o.ToUS, o.MachinesAtUS = from.Microseconds(), to.Microseconds(), machinesAt.Microseconds()
			o.ZeroRequests = zero == "keep"
			return google2011.Import(dir, o)
		}
}

func google2011Hybrid() ([]Option, Import) {
	o := google2011.SevenHours()
	from, to, longest := micros(o.FromUS), micros(o.ToUS), micros(o.LongestUS)
	return []Option{
			{Name: "from", Value: &from, Usage: "first submission time; the trace begins at 10m0s"},
			{Name: "to", Value: &to, Usage: "submission time to stop before"},
			{Name: "longest", Value: &longest, Usage: "leave out jobs that take as long or longer from submission to end; 0s: no limit, jobs without an end run to the end of the trace"},
			{Name: "nearest", Value: &o.Nearest, Usage: "number of jobs of about the same duration that one is drawn from"},
			{Name: "seed", Value: &o.Seed, Usage: "seed of the draws"},
		}, func(dir string) (*traces.Imported, error) {
			o.FromUS, o.ToUS, o.LongestUS = from.Microseconds(), to.Microseconds(), longest.Microseconds()
			return google2011.Hybrid(dir, o)
		}
}
