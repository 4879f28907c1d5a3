// Package spec turns the description of an experiment into scenarios.
//
// A spec names what is to be run. Its blocks expand into scenarios, plain values
// of parameters with a seed and a number of instances. What a parameter means and
// how a scenario is run belongs to the registered [Kind] of its experiment.
package spec

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Spec describes a set of scenarios: blocks of points and axes. Its form on
// disk is YAML:
//
//	name: heterogeneity
//	title: TSF-ER against the heterogeneity of the servers
//	scales: [quick, paper]            # the first is the default; optional
//	seed: 1                           # default 1
//	rules: {mine: python3 mine.py}    # rules that are programs, by name; optional
//	blocks:
//	  - name: fig3                    # for tables and ledgers; optional
//	    experiment: fluid             # a registered kind
//	    instances: {quick: 50, paper: 200}
//	    set: {n: 100, bandwidth: 2}   # the same in all scenarios of the block
//	    points:                       # combinations that go together; optional
//	      - {cluster: three, rho: 0.5}
//	    axes:                         # every combination; the last one varies fastest
//	      policy: [tsf-er, drf-er]
//
// Wherever a value, a list or a number of instances may stand, {quick: …, paper:
// …} with the names of all scales may stand instead. The seed can be given by
// set, points and axes as well, like a parameter. Names of files are relative to
// the folder of the spec's file. "deterministic: true" in the place of
// instances says that nothing is drawn in a block, which then has one instance
// whatever is chosen.
type Spec struct {
	Name, Title string
	Scale       string // that it was read for; "" if it has none
	Seed        uint64
	Blocks      []Block

	File specFile
}

// specFile is the name of a spec's file, "" for a spec without one.
type specFile string

// before is the beginning of a message about the file.
func (f specFile) Before(blank string) string {
	if f == "" {
		return ""
	}
	return string(f) + ":" + blank
}

// Block is a grid of scenarios of one kind. One that no file holds has no place there:
// what is wrong with it is said without.
type Block struct {
	Name, Experiment string
	Instances        int
	// Deterministic says that nothing is drawn: it has one instance, whatever is
	// chosen.
	Deterministic bool
	Set           map[string]string
	Points        []map[string]string
	Axes          []Axis

	At  place
	bad bool // problems were found in it

	expanded *expansion // what it was when it was read
}

// expansion is a block and its scenarios.
type expansion struct {
	of        Block
	seed      uint64
	scenarios []Scenario
}

// remember keeps the scenarios of a block, which are asked for again.
func (b *Block) remember(seed uint64, scenarios []Scenario) {
	of := *b
	of.Set = maps.Clone(b.Set)
	of.Points, of.Axes = slices.Clone(b.Points), slices.Clone(b.Axes)
	for i := range of.Points {
		of.Points[i] = maps.Clone(of.Points[i])
	}
	for i := range of.Axes {
		of.Axes[i].Values = slices.Clone(of.Axes[i].Values)
	}
	b.expanded = &expansion{of, seed, scenarios}
}

// remembered returns the scenarios of a block that was not changed since.
func (b *Block) remembered(seed uint64) []Scenario {
	if b.expanded == nil || seed != b.expanded.seed {
		return nil
	}
	now := *b
	now.Name, now.expanded = b.expanded.of.Name, nil // scenarios do not depend on the name
	if !reflect.DeepEqual(now, b.expanded.of) {
		return nil
	}
	return slices.Clone(b.expanded.scenarios)
}

// Axis is a parameter and the values that it takes.
type Axis struct {
	Name   string
	Values []string
}

// Choice is what is chosen outside a spec's file.
type Choice struct {
	Scale     string  // "": the first of the file
	Seed      *uint64 // nil: the file's
	Instances int     // of every scenario that is not deterministic; 0: the file's
	// Set holds values for all kinds that have the parameter. They take the
	// place of the file's, of axes too.
	Set map[string]string
	// Rule makes a rule of a program that the spec names, which finds its files from
	// the folder of the spec; nil: such a spec is refused.
	Rule func(name, command, folder string) error
}

// Scenarios expands the spec, blocks in their order: each scenario once, where
// it comes first. All problems are reported at once, each with its path in the
// spec.
func (s *Spec) Scenarios() ([]Scenario, error) {
	all, _, err := s.Of(func(string) bool { return true })
	return all, err
}

// Of is [Spec.Scenarios] of the blocks whose names are wanted. It returns the
// scenarios of each of these names, too.
func (s *Spec) Of(wanted func(block string) bool) (all []Scenario, blocks map[string][]Scenario, err error) {
	var problems []error
	seen := map[string]bool{}
	blocks = map[string][]Scenario{}
	for i, b := range s.Blocks {
		if !wanted(b.Name) {
			continue
		}
		of, err := s.Expand(i)
		problems = append(problems, err)
		blocks[b.Name] = append(blocks[b.Name], of...)
		for _, one := range of {
			if id := one.ID(); !seen[id] {
				seen[id] = true
				all = append(all, one)
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, nil, err
	}
	return all, blocks, nil
}

// Expand returns the scenarios of a block.
func (s *Spec) Expand(i int) ([]Scenario, error) {
	b := &s.Blocks[i]
	if all := b.remembered(s.Seed); all != nil {
		return all, nil
	}
	var problems []error
	report := func(path string, err error) {
		if err == nil {
			return
		}
		if b.At == (place{}) {
			problems = append(problems, err)
			return
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			problems = append(problems, fmt.Errorf("%v: blocks[%d]%s: %s", b.At, i, path, line))
		}
	}
	points := b.Points
	if len(points) == 0 {
		points = []map[string]string{{}}
	}
	var all []Scenario
	for _, point := range points {
		for _, values := range combine(b.Axes) {
			maps.Copy(values, point)
			for name, text := range b.Set {
				if _, more := values[name]; more {
					report(".set."+name, errors.New("also given by points or axes"))
				}
				values[name] = text
			}
			one, err := s.scenario(b, values)
			report("", err)
			all = append(all, one)
		}
	}
	return all, joinOnce(problems)
}
