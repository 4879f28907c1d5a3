package tsfer

import (
	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// Workload is the population that every instance draws its jobs from.
type Workload struct {
	*experiments.Population
	// FittedTo is set for the workload that was fitted to table 3.
	FittedTo bool
	// Known is what is known of the workload where its numbers differ from the
	// paper's, for the ledger; "" if nothing is.
	Known string
}

// submissions is the number of submissions that the paper samples from.
const submissions = 1000

// fittedName is the workload that was fitted to the value of [Central].
const fittedName = "fitted"

// known is what is known of the embedded workloads.
var known = map[string]string{
	fittedName: "the workload was fitted to one value of table 3 alone, and the paper does not describe its selection of jobs further",
	"google":   "jobs like the trace's first 1,000 submissions hardly overlap when so few are drawn, and the paper does not describe its selection further",
}

// NamedWorkload returns an embedded workload.
func NamedWorkload(name string) (*Workload, error) {
	p, err := experiments.NamedWorkload(name)
	if err != nil {
		return nil, err
	}
	return &Workload{p, name == fittedName, known[name]}, nil
}

// FittedWith returns the fitted workload with another median of the tasks'
// durations, in seconds.
func FittedWith(medianS float64) (*Workload, error) {
	options := synthetic.Fitted()
	options.Durations.Median = medianS
	p, err := experiments.SyntheticWorkload(options)
	if err != nil {
		return nil, err
	}
	return &Workload{p, true, known[fittedName]}, nil
}

// TraceWorkload reads a Parquet file of jobs and keeps its first 1,000
// submissions, as the paper does.
func TraceWorkload(path string) (*Workload, error) {
	p, err := experiments.TraceWorkload(path)
	if err != nil {
		return nil, err
	}
	experiments.FirstSubmissions(p, submissions)
	return &Workload{p, false, "the jobs are taken as the trace has them; the paper's first 1,000 submissions span 48 hours, a selection that it does not describe further"}, nil
}
