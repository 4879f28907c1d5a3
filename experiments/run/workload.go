package run

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// Population is a workload to run, or to sample from.
type Population struct {
	Workload
	Jobs []traces.Job

	path string // of the file, as it was named; "" for none
}

// PopulationSeed is the seed of the embedded workloads. They are fixed files in
// all but form: the seed of a run decides what is sampled from them, not what
// they hold.
const PopulationSeed = 1

// WorkloadNames returns the names of the embedded workloads, the default
// first.
func WorkloadNames() []string { return synthetic.Names() }

// NamedWorkload returns an embedded workload.
func NamedWorkload(name string) (*Population, error) {
	options, err := synthetic.Named(name)
	if err != nil {
		return nil, err
	}
	return SyntheticWorkload(options, PopulationSeed)
}

// SyntheticWorkload returns the workload that the options describe, in the
// realisation of a seed.
func SyntheticWorkload(options synthetic.Options, seed int64) (*Population, error) {
	jobs, err := synthetic.Generate(options, seed)
	if err != nil {
		return nil, err
	}
	return population(jobs, synthetic.Meta(options, seed), ""), nil
}

// TraceWorkload reads a Parquet file of jobs; a damaged one is an [spec.InputError].
func TraceWorkload(path string) (*Population, error) {
	jobs, meta, err := traces.ReadJobs(path)
	if err != nil {
		return nil, spec.OfInput(err)
	}
	sum, err := input.Checksum(path)
	if err != nil {
		return nil, err
	}
	p := population(jobs, meta, sum)
	p.File, p.path = filepath.Base(path), path
	return p, nil
}

func population(jobs []traces.Job, meta traces.Meta, sum string) *Population {
	return &Population{Jobs: jobs, Workload: Workload{
		Label: meta.Label, Source: meta.Source, SourceChecksum: meta.Checksum, Options: meta.Options,
		Checksum: sum, Units: meta.Units, Jobs: len(jobs), LeftOut: map[string]int{},
	}}
}

// FirstSubmissions keeps the first n jobs by submission time, ties in the
// order of the file, and counts the others as left out.
func FirstSubmissions(p *Population, n int) {
	slices.SortStableFunc(p.Jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	if beyond := len(p.Jobs) - n; beyond > 0 {
		p.LeftOut[fmt.Sprintf("after the first %d submissions", n)] = beyond
		p.Jobs = p.Jobs[:n]
	}
}

// NewPopulation returns a population of jobs that were imported or generated.
func NewPopulation(jobs []traces.Job, meta traces.Meta) *Population {
	return population(jobs, meta, "")
}
