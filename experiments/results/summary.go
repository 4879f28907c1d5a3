package results

import (
	"cmp"
	"fmt"
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
func Summarize(rows []Row) ([]Cell, error) {
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
	instances []int64
	values    []float64
}

// grouped collects the values of each cell, ordered by key.
func grouped(rows []Row) ([]group, error) {
	sorted := make([]*Row, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	slices.SortStableFunc(sorted, func(a, b *Row) int {
		return cmp.Or((*Key)(a).Compare((*Key)(b)), cmp.Compare(a.Instance, b.Instance))
	})
	var groups []group
	for start := 0; start < len(sorted); {
		g := group{Key: sorted[start].Key()}
		end := start
		for ; end < len(sorted) && sorted[end].Key() == g.Key; end++ {
			if end > start && sorted[end].Instance == sorted[end-1].Instance {
				return nil, fmt.Errorf("%s, policy %s: %s is given twice for instance %d", g.Key, g.Policy, g.Metric, sorted[end].Instance)
			}
			g.instances, g.values = append(g.instances, sorted[end].Instance), append(g.values, sorted[end].Value)
		}
		groups = append(groups, g)
		start = end
	}
	return groups, nil
}

func summary(iv metrics.Interval) Summary { return Summary{iv.Value, iv.Low, iv.High, iv.Units} }
