package tsfer

import (
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Workload is the population that every instance draws its jobs from.
type Workload struct {
	*run.Population
	// FittedTo is set for the workload that was fitted to table 3.
	FittedTo bool
	// FittedTo4 is set for the workload that was fitted to table 4 as well.
	FittedTo4 bool
	// Busiest takes the days with the most submissions for figures 5–10,
	// instead of the first ones.
	Busiest bool
	// Known is what is known of the workload where its numbers differ from the
	// paper's, for the ledger, a sentence each.
	Known []string
}

// submissions is the number of submissions that the paper samples from.
const submissions = 1000

// fittedName is the workload that was fitted to the value of [Central].
const fittedName = "fitted"

// fitted4Name is the workload that was fitted to that value and to the one of
// [Central4].
const fitted4Name = "two-parameter"

// oneRealisation is what the intervals of the fitted workload leave out. The
// numbers are those of go run ./scripts/fit -populations 8.
const oneRealisation = "all instances draw from one realisation of the workload, 1,000 jobs, and the intervals are those of that realisation: " +
	"over 8 realisations the standard deviation of TSF-ER's factor is 0.012, 0.012 and 0.015 at n = 10, 15 and 20 (ρ = 0.7, 2 MHz), " +
	"and 1 − TSF-ER/CRU at n = 20 is 7.6% with a standard deviation of 0.8 points"

// known is what is known of the embedded workloads.
var known = map[string][]string{
	fittedName: {
		"the workload was fitted to one value of table 3 alone, and the paper does not describe its selection of jobs further",
		oneRealisation,
	},
	fitted4Name: {
		"the medians of task counts and durations were fitted to TSF-ER's two central values, fluid and whole, and the paper does not describe its selection of jobs further",
	},
	"google": {"jobs like the trace's first 1,000 submissions hardly overlap when so few are drawn, and the paper does not describe its selection further"},
}

// NamedWorkload returns an embedded workload.
func NamedWorkload(name string) (*Workload, error) {
	p, err := run.NamedWorkload(name)
	if err != nil {
		return nil, err
	}
	return &Workload{p, name == fittedName || name == fitted4Name, name == fitted4Name, false, known[name]}, nil
}

// Table4Workload returns the embedded workload that table 4 is reproduced on by
// default.
func Table4Workload() (*Workload, error) { return NamedWorkload(fitted4Name) }

// TraceWorkload reads a Parquet file of jobs and keeps its first 1,000
// submissions, as the paper does.
func TraceWorkload(path string) (*Workload, error) {
	p, err := run.TraceWorkload(path)
	if err != nil {
		return nil, err
	}
	run.FirstSubmissions(p, submissions)
	return &Workload{p, false, false, false, []string{"the jobs are taken as the trace has them; the paper's first 1,000 submissions span 48 hours, a selection that it does not describe further"}}, nil
}

// Cluster returns the servers of section 6.2: (1, 1), (1+ρ, 1−ρ) and
// (1−ρ, 1+ρ) of cpu and memory, in units of the largest machine of the Google
// trace, behind one link of the given capacity in MHz. ρ is in [0, 1].
func Cluster(rho, mhz float64) *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Units:     map[string]string{"cpu": cluster.FractionOfLargest, "mem": cluster.FractionOfLargest, "bw": "MHz"},
		Servers: []cluster.Server{
			{Name: "s1", Capacity: []float64{1, 1}, Count: 1},
			{Name: "s2", Capacity: []float64{1 + rho, 1 - rho}, Count: 1},
			{Name: "s3", Capacity: []float64{1 - rho, 1 + rho}, Count: 1},
		},
		Links: []cluster.Link{{Name: "bw", Capacity: mhz}},
	}
}
