package run

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
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
	Jobs []traces.Job // nil where they are not held, see [StreamWorkload]

	path   string          // of the file, as it was named; "" for none
	file   *traces.JobFile // that Jobs are read from; nil where they are held
	looked *looked         // in the file; nil where they are held
}

// looked is what was found in going through the jobs of a workload.
type looked struct {
	requested   map[string]int // jobs that request something of a resource
	constraints map[string]int // jobs, by the text of their constraints
}

func newLooked() *looked { return &looked{map[string]int{}, map[string]int{}} }

func (s *looked) add(j *traces.Job) {
	for name, of := range requests {
		if of(j) > 0 {
			s.requested[name]++
		}
	}
	s.constraints[j.Constraints]++
}

// look goes through the jobs.
func (p *Population) look() *looked {
	if p.looked != nil {
		return p.looked
	}
	s := newLooked()
	for i := range p.Jobs {
		s.add(&p.Jobs[i])
	}
	return s
}

// Len returns the number of jobs.
func (p *Population) Len() int {
	if p.file != nil {
		return p.file.Len()
	}
	return len(p.Jobs)
}

// All iterates over the jobs. After an error it ends.
func (p *Population) All() iter.Seq2[*traces.Job, error] {
	return func(yield func(*traces.Job, error) bool) {
		if p.file == nil {
			for i := range p.Jobs {
				if !yield(&p.Jobs[i], nil) {
					return
				}
			}
			return
		}
		for j, err := range p.file.All() {
			if err != nil {
				err = spec.OfInput(err)
			}
			if !yield(&j, err) || err != nil {
				return
			}
		}
	}
}

// Close closes the file of jobs that are not held.
func (p *Population) Close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
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

// StreamWorkload is [TraceWorkload] of jobs that are not held but read from the file, which
// stays open, whenever they are gone through. Jobs that do not stand in order of submission
// are held.
func StreamWorkload(path string) (*Population, error) {
	file, err := traces.OpenJobs(path)
	if err != nil {
		return nil, spec.OfInput(err)
	}
	sum, err := input.Checksum(path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	p := population(nil, file.Meta, sum)
	p.File, p.path, p.file, p.Workload.Jobs = filepath.Base(path), path, file, file.Len()
	last, found := int64(0), newLooked()
	for j, err := range p.All() {
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if j.SubmitUS < last {
			if err := file.Close(); err != nil {
				return nil, err
			}
			return TraceWorkload(path)
		}
		last = j.SubmitUS
		found.add(j)
	}
	p.looked = found
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
