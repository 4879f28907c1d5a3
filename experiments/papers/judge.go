package papers

import (
	"fmt"
	"iter"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Samples hold one value an instance for each of what was measured, K. Instance i drew
// the same workload for all, so that differences between them are paired.
type Samples[K comparable] map[K][]float64

// SamplesOf collects rows, which are in order of instance: of says what a row is of, and
// whether it is one of the samples.
func SamplesOf[K comparable](rows iter.Seq[results.Row], of func(*results.Row) (K, bool)) Samples[K] {
	s := Samples[K]{}
	for r := range rows {
		if k, ok := of(&r); ok {
			s[k] = append(s[k], r.Value)
		}
	}
	return s
}

// Estimate returns a statistic of means over instances with its 95% interval, which is
// paired. It panics if the statistic asks for what not all instances have.
func (s Samples[K]) Estimate(statistic func(mean func(K) float64) float64) ledger.Estimate {
	instances := 0
	for _, values := range s {
		instances = max(instances, len(values))
	}
	return ledger.Sampled(metrics.Statistic(instances, func(mean func([]float64) float64) float64 {
		return statistic(func(k K) float64 { return mean(s.Of(k)) })
	}))
}

// Of returns the values of one. It panics if there are none.
func (s Samples[K]) Of(k K) []float64 {
	if len(s[k]) == 0 {
		panic(fmt.Sprintf("papers: nothing was measured of %+v", k))
	}
	return s[k]
}

// Part makes the entries of an item of a paper.
type Part struct {
	Item string
	Make func() ([]ledger.Entry, error)
}

// Ready is [Part.Make] of entries that can not fail.
func Ready(entries func() []ledger.Entry) func() ([]ledger.Entry, error) {
	return func() ([]ledger.Entry, error) { return entries(), nil }
}

// Entries makes the ledger of a request: the parts of the items that are wanted.
func (r *Request) Entries(parts ...Part) ([]ledger.Entry, error) {
	var all []ledger.Entry
	for _, part := range parts {
		if !r.Wants(part.Item) {
			continue
		}
		more, err := part.Make()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Item, err)
		}
		all = append(all, more...)
	}
	return all, nil
}

// Tables are result tables by item.
type Tables map[string]*results.Packed

// Add adds a row to the table of an item.
func (t Tables) Add(item string, r results.Row) {
	if t[item] == nil {
		t[item] = &results.Packed{}
	}
	t[item].Add(r)
}

// Table copies rows for the table of an item.
func Table(item string, rows iter.Seq[results.Row]) *results.Packed {
	out := &results.Packed{}
	for r := range rows {
		r.Item = item
		out.Add(r)
	}
	return out
}

// Total sums a metric over rows.
func Total(rows iter.Seq[results.Row], metric string) float64 {
	sum := 0.0
	for r := range rows {
		if r.Metric == metric {
			sum += r.Value
		}
	}
	return sum
}
