package run

import (
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// completionColumns is the layout of a table of jobs and what became of them
// under each policy. Where refused is set, completion, standalone and factor
// are 0.
var completionColumns = []parquet.Column{
	{Name: "policy", Kind: parquet.String},
	{Name: "job_id", Kind: parquet.String},
	{Name: "submit_us", Kind: parquet.Int64},
	{Name: "completion_us", Kind: parquet.Int64},
	{Name: "standalone_us", Kind: parquet.Float64},
	{Name: "jct_factor", Kind: parquet.Float64},
	{Name: "refused", Kind: parquet.Bool},
}

// keyMark is the key of what the results are marked with ([Workload.Mark]).
const keyMark = "leontief.workload"

// WriteCompletions writes what became of every job under every policy;
// outcomes[i] is that of policies[i]. The file's metadata holds the mark of the
// workload.
func WriteCompletions(path, mark string, jobs []traces.Job, policies []string, outcomes []*Outcome) error {
	w, err := parquet.Create(path, completionColumns, []parquet.KeyValue{{Key: "leontief.kind", Value: "completions"}, {Key: keyMark, Value: mark}})
	if err != nil {
		return err
	}
	for i, policy := range policies {
		if err := w.Write(completions(policy, jobs, outcomes[i])); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}

func completions(policy string, jobs []traces.Job, o *Outcome) []parquet.Values {
	b := make([]parquet.Values, len(completionColumns))
	for j, r := range o.Jobs {
		b[0].Strings = append(b[0].Strings, policy)
		b[1].Strings = append(b[1].Strings, jobs[j].ID)
		b[2].Ints = append(b[2].Ints, int64(r.Arrival))
		b[3].Ints = append(b[3].Ints, int64(r.Completion))
		b[4].Floats = append(b[4].Floats, r.Standalone)
		b[5].Floats = append(b[5].Floats, r.Factor())
		b[6].Bools = append(b[6].Bools, r.Refused)
	}
	return b
}
