package results

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/leontief-sim/leontief/sim/metrics"
)

// Summary is the mean of N values, one an instance, with its 95% interval. One
// value has none: Low and High are the value.
type Summary struct {
	Mean, Low, High float64
	N               int
}

// Bounded reports whether the mean has an interval.
func (s Summary) Bounded() bool { return s.N > 1 }

// Cell is one cell of an experiment with its summary.
type Cell struct {
	Key
	Summary
}

// Summarize returns the mean over instances of each cell with its 95% interval
// ([metrics.Mean]), ordered by key. The order of rows does not matter. It
// returns an error where a cell holds the same instance twice.
func Summarize(rows []Row) ([]Cell, error) { return SummarizeAll(slices.Values(rows)) }

// SummarizeAll is [Summarize] of rows that need not be held.
func SummarizeAll(rows iter.Seq[Row]) ([]Cell, error) {
	groups, err := grouped(rows)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for _, g := range groups {
		cells = append(cells, Cell{g.Key, summary(metrics.Mean(g.values))})
	}
	return cells, nil
}

// group is a cell with its values, one an instance, in order of instance.
type group struct {
	Key
	samples   []sample
	instances []int64
	values    []float64
}

// sample is the value of an instance.
type sample struct {
	instance int64
	value    float64
}

// grouped collects the values of each cell, ordered by key.
func grouped(rows iter.Seq[Row]) ([]group, error) {
	var groups []group
	at := map[Key]int{}
	for r := range rows {
		key := r.Key()
		k, known := at[key]
		if !known {
			k = len(groups)
			at[key], groups = k, append(groups, group{Key: key})
		}
		groups[k].samples = append(groups[k].samples, sample{r.Instance, r.Value})
	}
	slices.SortStableFunc(groups, func(a, b group) int { return a.Compare(&b.Key) })
	for k := range groups {
		if err := groups[k].inOrder(); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// inOrder puts the values in order of instance.
func (g *group) inOrder() error {
	slices.SortStableFunc(g.samples, func(a, b sample) int { return cmp.Compare(a.instance, b.instance) })
	g.instances, g.values = make([]int64, len(g.samples)), make([]float64, len(g.samples))
	for i, s := range g.samples {
		if i > 0 && s.instance == g.samples[i-1].instance {
			return fmt.Errorf("%s, policy %s: %s is given twice for instance %d", g.Key, g.Policy, g.Metric, s.instance)
		}
		g.instances[i], g.values[i] = s.instance, s.value
	}
	g.samples = nil
	return nil
}

func summary(iv metrics.Interval) Summary { return Summary{iv.Value, iv.Low, iv.High, iv.Units} }
