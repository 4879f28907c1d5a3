package constraints

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"

	"github.com/leontief-sim/leontief/sim/stream"
)

// The two published points of the distribution over jobs of the number of
// machines on which a job may run, of 1,000 (TSF paper, figure 8a): fewer than
// EverywhereBelow of the jobs run on all, and at least HalfOnFew of them on at
// most FewMachines of all.
const (
	EverywhereBelow = 0.2
	HalfOnFew       = 0.5
	FewMachines     = 0.2
)

// class is a class of machines: its share of all, and the share of its machines
// that have an attribute, by the group of the attribute.
type class struct {
	share float64
	has   [len(groups)]float64
}

// group is a group of attributes: how many, and how likely a job is to ask for
// one of them, relative to the other groups' attributes.
type group struct {
	attributes int
	weight     float64
}

// groups are the 21 attributes: one group that most machines have, and one that
// each class is known by.
var groups = [...]group{{5, 1.6}, {4, 1.6}, {4, 1.4}, {4, 1}, {4, 0.8}}

// classes are the 4 classes of machines.
var classes = [...]class{
	{0.4, [...]float64{0.9, 0.5, 0.1, 0.05, 0.05}},
	{0.3, [...]float64{0.8, 0.1, 0.4, 0.1, 0.05}},
	{0.2, [...]float64{0.6, 0.05, 0.1, 0.6, 0.15}},
	{0.1, [...]float64{0.4, 0.05, 0.05, 0.15, 0.7}},
}

// required are the shares of jobs that ask for 0, 1, 2 and 3 attributes.
var required = [...]float64{0.17, 0.42, 0.27, 0.14}

// Synthesize returns copies of machines and jobs with synthetic attributes and
// constraints in place of their own. It is decided by the lists and by the
// stream parts (see [stream.New]).
//
// Each machine is of one of 4 classes, drawn by their shares whatever its
// capacities, and has each of 21 attributes (with the value 1) with the
// probability of its class, independently. Each job asks for 0 to 3 distinct
// attributes, drawn by their weights whatever its demands. A job for which no
// machine has them all and room for one of its tasks asks for the first ones
// only, as many as some machine satisfies. So a job is left without a machine
// only where none is large enough.
//
// What is published of such constraints is how many classes and attributes there
// are, and two points of the distribution of a job's eligible machines
// ([EverywhereBelow], [HalfOnFew]). The tables of this file are ours, chosen to
// meet those; with 1,000 machines about 17% of jobs may run on all, and 53% on at
// most 200.
//
// Reference: TSF paper, section VI-B and figure 8a. Deviations: the measured
// distributions of attributes that the paper takes from its reference 22 are not
// published there as tables.
func Synthesize(machines []traces.Machine, jobs []traces.Job, parts ...any) ([]traces.Machine, []traces.Job) {
	source := func(name string) *rand.Rand {
		return stream.New(append(append([]any{"traces/constraints"}, parts...), name)...)
	}
	equipped := equip(machines, source("classes"), source("attributes"))
	matcher, err := NewMatcher(equipped)
	if err != nil {
		panic(err) // the attributes are ours
	}
	asking := slices.Clone(jobs)
	rng := source("requirements")
	for i := range asking {
		asking[i].Constraints = fulfillable(&asking[i], equipped, matcher, ask(rng))
	}
	return equipped, asking
}

// equip gives the machines their attributes.
func equip(machines []traces.Machine, classRNG, rng *rand.Rand) []traces.Machine {
	equipped := slices.Clone(machines)
	for i := range equipped {
		of := &classes[pick(classRNG, len(classes), func(c int) float64 { return classes[c].share })]
		attributes := map[string]string{}
		for k := range attributeCount {
			if rng.Float64() < of.has[groupOf(k)] {
				attributes[attributeName(k)] = "1"
			}
		}
		equipped[i].Attributes = FormatAttributes(attributes)
	}
	return equipped
}

// ask draws the attributes that a job asks for.
func ask(rng *rand.Rand) []Constraint {
	n := pick(rng, len(required), func(n int) float64 { return required[n] })
	var list []Constraint
	taken := [attributeCount]bool{}
	for range n {
		k := pick(rng, attributeCount, func(k int) float64 {
			if taken[k] {
				return 0
			}
			return groups[groupOf(k)].weight
		})
		taken[k] = true
		list = append(list, Constraint{attributeName(k), Equal, "1"})
	}
	return list
}

// fulfillable returns the text of the longest start of the list that some
// machine with room for one task satisfies; of none if there is no such machine.
func fulfillable(j *traces.Job, machines []traces.Machine, m *Matcher, list []Constraint) string {
	for ; len(list) > 0; list = list[:len(list)-1] {
		text := Format(list)
		set, err := m.Eligible(text)
		if err != nil {
			panic(err) // Format wrote it
		}
		if hosted(j, machines, set) {
			return text
		}
	}
	return ""
}

// hosted reports whether one task of a job fits on an eligible machine.
func hosted(j *traces.Job, machines []traces.Machine, may cluster.Set) bool {
	for i := range machines {
		m := &machines[i]
		if may.Has(i) && j.CPU <= m.CPU && j.Mem <= m.Mem && j.GPU <= m.GPU {
			return true
		}
	}
	return false
}

// attributeCount is the number of attributes in all groups.
const attributeCount = 21

// attributeName returns the name of attribute k.
func attributeName(k int) string { return fmt.Sprintf("a%02d", k+1) }

// groupOf returns the group of attribute k.
func groupOf(k int) int {
	for g := range groups {
		if k -= groups[g].attributes; k < 0 {
			return g
		}
	}
	panic("constraints: an attribute beyond the groups")
}

// pick draws one of n by weight, with a single number of rng.
func pick(rng *rand.Rand, n int, weight func(int) float64) int {
	total := 0.0
	for i := range n {
		total += weight(i)
	}
	u, last := rng.Float64()*total, 0
	for i := range n {
		if w := weight(i); w > 0 {
			if u -= w; u < 0 {
				return i
			}
			last = i
		}
	}
	return last // rounding left nothing of u
}

// Label returns the label of a workload to which synthetic constraints were
// added: a real one becomes hybrid, any other keeps its own.
func Label(jobs string) string {
	if jobs == "real" {
		return "hybrid (real jobs, synthetic constraints)"
	}
	if !strings.Contains(jobs, "synthetic") && !strings.Contains(jobs, "hybrid") {
		return jobs + ", synthetic constraints"
	}
	return jobs
}
