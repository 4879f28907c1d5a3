package run

import (
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// CompletionColumn is a column of the table of completions, and what it holds.
type CompletionColumn struct {
	parquet.Column
	Meaning string
	of      func(c *completion, to *parquet.Values)
}

// completion is what a row is made of.
type completion struct {
	*Case
	marked  string
	job     *traces.Job
	user    *cluster.User
	index   int // of the job
	stated  map[string]bool
	outcome *Outcome
}

// CompletionColumns returns the columns of the table of completions, in their order.
func CompletionColumns() []CompletionColumn { return completionColumns }

// completionColumns is the layout of the table of what became of every job under
// every policy. Times are on the clock of the trace.
var completionColumns = []CompletionColumn{
	text("policy", "the rule, in its text form", func(c *completion) string { return c.Policy }),
	text("job_id", "the job's name in the trace", func(c *completion) string { return c.job.ID }),
	text("user", "the user that the rule sees; each job is one", func(c *completion) string { return c.user.Name }),
	float("weight", "of the user", func(c *completion) (float64, bool) { return c.user.Weight, true }).required(),
	integer("submit_us", "submission", func(c *completion) (int64, bool) { return c.job.SubmitUS, true }).required(),
	integer("tasks", "number of tasks submitted", func(c *completion) (int64, bool) { return c.job.Tasks, true }).required(),
	integer("duration_us", "how long one task runs once it has its demand", func(c *completion) (int64, bool) { return c.job.DurationUS, true }).required(),
	request("cpu"), request("mem"), request("gpu"),
	float("bandwidth_mhz", "what one task demands of each link; null without a link", (*completion).bandwidth),
	integer("first_start_us", "when its first task starts (fluid: when it is first served at all); null if it is refused", (*completion).start),
	integer("completion_us", "when its last task ends; null if it is refused", (*completion).end),
	float("standalone_us", "how long it would take alone in the cluster; null if it is refused", (*completion).standalone),
	float("jct_factor", "standalone_us / (completion_us − submit_us); null if it is refused", (*completion).factor),
	{parquet.Column{Name: "refused", Kind: parquet.Bool}, "whether nothing in the cluster can host it, or it could not be done on the clock",
		func(c *completion, to *parquet.Values) {
			to.Bools = append(to.Bools, c.outcome.Jobs[c.index].Refused)
		}},
	text("workload", "label of the workload, with what of it was ignored; synthetic ones say so", func(c *completion) string { return c.marked }),
}

func text(name, meaning string, of func(*completion) string) CompletionColumn {
	return CompletionColumn{parquet.Column{Name: name, Kind: parquet.String}, meaning, func(c *completion, to *parquet.Values) {
		to.Strings = append(to.Strings, of(c))
	}}
}

func integer(name, meaning string, of func(*completion) (int64, bool)) CompletionColumn {
	return CompletionColumn{parquet.Column{Name: name, Kind: parquet.Int64, Optional: true}, meaning, func(c *completion, to *parquet.Values) {
		if v, ok := of(c); ok {
			to.Ints = append(to.Ints, v)
		} else {
			to.AppendNull(parquet.Int64)
		}
	}}
}

func float(name, meaning string, of func(*completion) (float64, bool)) CompletionColumn {
	return CompletionColumn{parquet.Column{Name: name, Kind: parquet.Float64, Optional: true}, meaning, func(c *completion, to *parquet.Values) {
		if v, ok := of(c); ok {
			to.Floats = append(to.Floats, v)
		} else {
			to.AppendNull(parquet.Float64)
		}
	}}
}

// required is the column without missing values.
func (c CompletionColumn) required() CompletionColumn {
	c.Optional = false
	return c
}

func request(resource string) CompletionColumn {
	return float(resource, "what one task requests, in the unit of the trace, which the file's metadata names (leontief.units); null if the trace does not say", func(c *completion) (float64, bool) {
		return requests[resource](c.job), c.stated[resource]
	})
}

func (c *completion) bandwidth() (float64, bool) {
	if c.Bandwidth == nil {
		return 0, false
	}
	return c.Bandwidth[c.index], true
}

func (c *completion) start() (int64, bool) {
	r := &c.outcome.Jobs[c.index]
	return int64(r.FirstStart), !r.Refused
}

func (c *completion) end() (int64, bool) {
	r := &c.outcome.Jobs[c.index]
	return int64(r.Completion), !r.Refused
}

func (c *completion) standalone() (float64, bool) {
	r := &c.outcome.Jobs[c.index]
	return r.Standalone, !r.Refused
}

func (c *completion) factor() (float64, bool) {
	r := &c.outcome.Jobs[c.index]
	return r.Factor(), !r.Refused
}

// layout returns the columns as a file has them.
func layout() []parquet.Column {
	var columns []parquet.Column
	for _, c := range completionColumns {
		columns = append(columns, c.Column)
	}
	return columns
}

// WriteCompletions writes what became of every job in every case; outcomes[i] is
// that of cases[i]. The jobs are of the workload.
func WriteCompletions(path string, workload *Workload, cases []Case, outcomes []*Outcome) error {
	w, err := parquet.Create(path, layout(), []parquet.KeyValue{{Key: "leontief.kind", Value: "completions"}, {Key: "leontief.units", Value: workload.Units}})
	if err != nil {
		return err
	}
	for i := range cases {
		batch, err := completionsOf(workload, &cases[i], outcomes[i])
		if err == nil {
			err = w.Write(batch)
		}
		if err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}

func completionsOf(workload *Workload, run *Case, o *Outcome) ([]parquet.Values, error) {
	env, err := run.Environment()
	if err != nil {
		return nil, err
	}
	row := completion{Case: run, marked: workload.Mark(), stated: stated(workload.Units, run.Jobs), outcome: o}
	batch := make([]parquet.Values, len(completionColumns))
	for row.index = range run.Jobs {
		row.job, row.user = &run.Jobs[row.index], &env.Users[row.index]
		for k, c := range completionColumns {
			c.of(&row, &batch[k])
		}
	}
	return batch, nil
}

// stated says of which resources a trace knows the requests: those of which it has
// a unit, and those that any job requests.
func stated(units string, jobs []traces.Job) map[string]bool {
	known := map[string]bool{}
	for name, of := range requests {
		known[name] = traces.UnitOf(units, name) != "" ||
			slices.ContainsFunc(jobs, func(j traces.Job) bool { return of(&j) > 0 })
	}
	return known
}
