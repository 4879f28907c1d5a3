package plots

import (
	"cmp"
	"fmt"
	"slices"
)

// Key is what tells one cell of an experiment from another: all of a [Row]
// but its instance and its value.
type Key struct {
	Experiment   string
	Item         string
	Policy       string
	N            int64
	Rho          float64
	BandwidthMHz float64
	SlotS        float64
	Parameters   string
	User         string
	TimeS        float64
	Metric       string
	Unit         string
	Workload     string
}

// Key returns the cell that r belongs to.
func (r Row) Key() Key {
	return Key{r.Experiment, r.Item, r.Policy, r.N, r.Rho, r.BandwidthMHz, r.SlotS, r.Parameters, r.User, r.TimeS, r.Metric, r.Unit, r.Workload}
}

// Compare orders keys by their fields in turn.
func (k Key) Compare(o Key) int {
	return cmp.Or(
		cmp.Compare(k.Experiment, o.Experiment),
		cmp.Compare(k.Item, o.Item),
		cmp.Compare(k.Metric, o.Metric),
		cmp.Compare(k.N, o.N),
		cmp.Compare(k.Rho, o.Rho),
		cmp.Compare(k.BandwidthMHz, o.BandwidthMHz),
		cmp.Compare(k.SlotS, o.SlotS),
		cmp.Compare(k.Parameters, o.Parameters),
		cmp.Compare(k.User, o.User),
		cmp.Compare(k.Policy, o.Policy),
		cmp.Compare(k.TimeS, o.TimeS),
		cmp.Compare(k.Unit, o.Unit),
		cmp.Compare(k.Workload, o.Workload),
	)
}

// Summary is the mean of N values, one an instance, with its interval.
type Summary struct {
	Mean, Low, High float64
	N               int
}

// Cell is one cell of an experiment with its summary.
type Cell struct {
	Key
	Summary
}

// Interval returns an interval for the mean of values, which are in order of
// their instance and must not be changed. A method that draws random numbers
// seeds them from k (and a seed of its own), so that a cell's interval does not
// depend on which other cells there are.
type Interval func(k Key, values []float64) (low, high float64)

// Summarize returns the mean over instances of each cell,
// (1/N)·Σ_i value[i], and the interval that the method gives, ordered by key.
// The order of rows does not matter. It returns an error where a cell holds
// the same instance twice.
func Summarize(rows []Row, interval Interval) ([]Cell, error) {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int {
		return cmp.Or(a.Key().Compare(b.Key()), cmp.Compare(a.Instance, b.Instance))
	})
	var cells []Cell
	for start := 0; start < len(sorted); {
		key := sorted[start].Key()
		var values []float64
		end := start
		for ; end < len(sorted) && sorted[end].Key() == key; end++ {
			if end > start && sorted[end].Instance == sorted[end-1].Instance {
				return nil, fmt.Errorf("%s %s, policy %s, n=%d rho=%g bandwidth=%g MHz: %s is given twice for instance %d",
					key.Experiment, key.Item, key.Policy, key.N, key.Rho, key.BandwidthMHz, key.Metric, sorted[end].Instance)
			}
			values = append(values, sorted[end].Value)
		}
		low, high := interval(key, values)
		cells = append(cells, Cell{key, Summary{mean(values), low, high, len(values)}})
		start = end
	}
	return cells, nil
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
