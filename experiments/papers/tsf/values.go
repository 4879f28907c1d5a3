package tsf

import (
	"fmt"
	"iter"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// measured holds what the instances of a scenario measured: one number an instance
// for each of what a row can be of.
type measured = papers.Samples[of]

// of says what a value is of.
type of struct{ policy, metric, parameters, user string }

// valuesOf collects the rows of a scenario, which are in order of instance.
// Distributions and time series stay out.
func valuesOf(rows iter.Seq[results.Row]) measured {
	return papers.SamplesOf(rows, func(r *results.Row) (of, bool) {
		return of{r.Policy, r.Metric, within(r.Point), r.User}, !r.Timed && !strings.HasPrefix(r.Metric, metricCDF+":")
	})
}

// within is what tells values of one scenario apart: the run, the phase, the size
// of jobs or the level that a row is of, as name=value.
func within(p results.Point) string {
	for _, name := range []string{"run", "phase", "tasks", "level"} {
		if v := p.At(name); !v.IsNull() {
			return name + "=" + v.String()
		}
	}
	return ""
}

// each combines the values of several in each instance.
func each(v measured, combine func(numbers []float64) float64, at ...of) []float64 {
	n := 0
	for k, a := range at {
		if k == 0 || len(v[a]) < n {
			n = len(v[a])
		}
	}
	out := make([]float64, n)
	for i := range out {
		numbers := make([]float64, len(at))
		for k, a := range at {
			numbers[k] = v[a][i]
		}
		out[i] = combine(numbers)
	}
	return out
}

// judge is a published value or a claim in words with the numbers behind it.
type judge struct {
	item, id, claim string
	says            string       // the paper, with the section; "" where the claim says it
	published       *float64     // nil: a claim in words
	bound           ledger.Bound // of a claim in words
	numbers         []float64    // one an instance
	known           []string
	workload        string
	fitted          bool // the workload was made to have it
}

// published is the value of a judge.
func published(v float64) *float64 { return &v }

// entries judges a list.
func entries(list []judge) []ledger.Entry {
	var all []ledger.Entry
	for _, j := range list {
		if j.says != "" {
			j.claim += ": " + j.says
		}
		e := entry(j.item, j.id, j.claim)
		e.Workload, e.FittedTo = j.workload, j.fitted
		if len(j.numbers) == 0 {
			all = append(all, e.Skip("no instance of this size has the value"))
			continue
		}
		ours := ledger.Sampled(metrics.Mean(j.numbers))
		if j.published != nil {
			all = append(all, e.Value(*j.published, ours, j.known...))
		} else {
			all = append(all, e.Words(ours, j.bound, j.known...))
		}
	}
	return all
}

// again marks the id of another reading of what was judged before.
func again(id, reading string) string { return fmt.Sprintf("%s#%s", id, reading) }
