package alibaba

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// The TSF-ER paper's sample: 4% of the submissions of the first two weeks.
const (
	PaperFraction = 0.04
	PaperSpanUS   = 14 * 86400 * 1_000_000
)

// PaperWorkload returns a workload like the one of figures 5–10 of the TSF-ER
// paper: where the file at path is, the hybrid workload's submissions of the
// first two weeks (it is a sample of about 4% already); where it is not, or
// path is empty, as many synthetic jobs as 4% of two weeks of the trace's task
// rows. The label of the result's Meta says which: "hybrid" or "pai
// (synthetic)".
func PaperWorkload(path string, o HybridOptions) (*traces.Imported, error) {
	if path == "" {
		return syntheticPaper(o.Seed)
	}
	res, err := Hybrid(path, o)
	if errors.Is(err, ErrNoTable) {
		return syntheticPaper(o.Seed)
	}
	if err != nil {
		return nil, err
	}
	s := Selection{Window: Window{ToUS: PaperSpanUS}, Fraction: 1}
	all := len(res.Jobs)
	if res.Jobs, err = s.Draw(stream.New("traces/alibaba/paper", o.Seed), res.Jobs); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	res.Report.LeaveOut("jobs", "submitted after the first two weeks", int64(all-len(res.Jobs)))
	res.Meta.Options = s.Note(o.Seed, res.Meta.Options)
	return res, nil
}

// syntheticPaper generates the workload that stands in for the sample.
func syntheticPaper(seedNumber int64) (*traces.Imported, error) {
	whole := synthetic.DefaultPAI()
	const spanS = PaperSpanUS / 1e6
	o := synthetic.PAI{Jobs: int(math.Round(PaperFraction * float64(whole.Jobs) * spanS / whole.SpanS)), SpanS: spanS}
	jobs, err := o.Generate(seedNumber)
	if err != nil {
		return nil, err
	}
	res := &traces.Imported{Jobs: slices.Collect(jobs), Report: &traces.Report{}, Meta: o.Meta(seedNumber)}
	res.Report.AddKept("jobs", "jobs", int64(len(res.Jobs)))
	return res, nil
}
