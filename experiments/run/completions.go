package run

import (
	"iter"
	"slices"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// Completion is a row of the table of completions: what became of a job under a
// rule. Times are on the clock of the trace.
type Completion struct {
	Policy       string   `parquet:"policy"`            // the rule, in its text form
	JobID        string   `parquet:"job_id"`            // the job's name in the trace
	User         string   `parquet:"user"`              // the user that the rule sees; each job is one
	Weight       float64  `parquet:"weight"`            // of the user
	SubmitUS     int64    `parquet:"submit_us"`         // submission
	Tasks        int64    `parquet:"tasks"`             // number of tasks submitted
	DurationUS   int64    `parquet:"duration_us"`       // how long one task runs once it has its demand
	CPU          *float64 `parquet:"cpu"`               // what one task requests, in the unit of the trace, which the file's metadata names (leontief.units); null if the trace does not say
	Mem          *float64 `parquet:"mem"`               // likewise
	GPU          *float64 `parquet:"gpu"`               // likewise
	BandwidthMHz *float64 `parquet:"bandwidth_mhz"`     // what one task demands of each link; null without a link
	FirstStartUS *int64   `parquet:"first_start_us"`    // when its first task starts (fluid: when it is first served at all); null if it is refused
	CompletionUS *int64   `parquet:"completion_us"`     // when its last task ends; null if it is refused
	StandaloneUS *float64 `parquet:"standalone_us"`     // how long it would take alone in the cluster; null if it is refused
	JCTFactor    *float64 `parquet:"jct_factor"`        // standalone_us / (completion_us − submit_us); null if it is refused
	Refused      bool     `parquet:"refused"`           // whether nothing in the cluster can host it, or it could not be done on the clock
	Workload     string   `parquet:"workload"`          // label of the workload, with what of it was ignored; synthetic ones say so
	Tenant       string   `parquet:"tenant,later"`      // whose job it is: the user that the trace states; job_id where it states none
	Priority     int64    `parquet:"priority,later"`    // as the trace states it, the larger the more important; 0 where it states none
	Constraints  string   `parquet:"constraints,later"` // its placement constraints and tolerations, as in jobs.parquet; empty for none
}

// CompletionColumns returns the columns of the table of completions, in their order.
func CompletionColumns() []parquet.Column { return parquet.LayoutOf[Completion]().Columns }

// WriteCompletions writes what became of every job in every case; outcomes[i] is
// that of cases[i]. The jobs are of the workload.
func WriteCompletions(path string, workload *Workload, cases []Case, outcomes []*Outcome) error {
	return parquet.WriteRows(path, func(yield func(Completion, error) bool) {
		for i := range cases {
			for row, err := range completions(workload, &cases[i], outcomes[i]) {
				if !yield(row, err) {
					return
				}
			}
		}
	}, []parquet.KeyValue{{Key: "leontief.kind", Value: "completions"}, {Key: "leontief.units", Value: workload.Units}})
}

// completions are the rows of one case.
func completions(workload *Workload, c *Case, o *Outcome) iter.Seq2[Completion, error] {
	return func(yield func(Completion, error) bool) {
		known := c.stated(workload.Units)
		for f, err := range c.fates(o) {
			if err != nil {
				yield(Completion{}, err)
				return
			}
			job, result := f.Job, f.JobResult
			row := Completion{
				Policy: c.Policy, JobID: job.ID, User: job.ID, Weight: job.Weighs(),
				SubmitUS: job.SubmitUS, Tasks: job.Tasks, DurationUS: job.DurationUS,
				CPU: where(known["cpu"], job.CPU), Mem: where(known["mem"], job.Mem), GPU: where(known["gpu"], job.GPU), BandwidthMHz: f.mhz,
				FirstStartUS: where(!result.Refused, int64(result.FirstStart)),
				CompletionUS: where(!result.Refused, int64(result.Completion)),
				StandaloneUS: where(!result.Refused, result.Standalone),
				JCTFactor:    where(!result.Refused, result.Factor()),
				Refused:      result.Refused, Workload: workload.Mark(), Priority: job.Priority, Constraints: job.Constraints,
			}
			row.Tenant, _ = job.Tenant()
			if !yield(row, nil) {
				return
			}
		}
	}
}

// where returns a value that is known under a condition; nil is a missing one.
func where[T any](known bool, value T) *T {
	if !known {
		return nil
	}
	return &value
}

// stated says of which resources a trace knows the requests: those of which it has
// a unit, and those that any job of the case requests.
func (c *Case) stated(units string) map[string]bool {
	known := map[string]bool{}
	for name, of := range requests {
		known[name] = traces.UnitOf(units, name) != "" || c.Stream != nil && c.Stream.requested[name] ||
			slices.ContainsFunc(c.Jobs, func(j traces.Job) bool { return of(&j) > 0 })
	}
	return known
}
