package results

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Better says which direction of a metric is the better one.
type Better int

// The directions.
const (
	Neither Better = iota // a fact about the run
	Higher
	Lower
)

// String returns "higher", "lower" or "".
func (b Better) String() string { return [...]string{"", "higher", "lower"}[b] }

// Metric is what the values of a metric mean. A table holds registered metrics only.
type Metric struct {
	// Name is the metric's in tables. What the value is of, where that is not a
	// user, stands behind a colon: utilization:cpu, violations:NE.
	Name      string
	Label     string  // of its axis in figures; "": the name with blanks
	Unit      string  // "1" for a pure number
	Low, High float64 // every value is in [Low, High]; the zero values stand for [0, ∞)
	Better    Better
	// Property is the fairness that the metric tells of, as "sharing incentive": it holds
	// where every value is Holds, up to 1e-6. "" for a metric that tells of none.
	Property   string
	Holds      float64
	Definition string // one or two sentences: what is measured, over which time, users or instances
	Formula    string // in the symbols of package sim; "" for a count
}

var registry = map[string]Metric{}

// RegisterMetrics makes metrics known by their names. It panics if a name is taken
// or empty, has a colon, or if the unit or the definition is missing: all are
// programming errors.
func RegisterMetrics(metrics ...Metric) {
	for _, m := range metrics {
		if m.Name == "" || strings.Contains(m.Name, ":") || m.Unit == "" || m.Definition == "" || m.Low > m.High {
			panic(fmt.Sprintf("results: unusable metric %+v", m))
		}
		if _, dup := registry[m.Name]; dup {
			panic(fmt.Sprintf("results: metric %q is registered twice", m.Name))
		}
		if m.Low == 0 && m.High == 0 {
			m.High = math.Inf(1)
		}
		if m.Property != "" && (m.Holds < m.Low || m.Holds > m.High) {
			panic(fmt.Sprintf("results: %s can not be %g, at which %s would hold", m.Name, m.Holds, m.Property))
		}
		registry[m.Name] = m
	}
}

// Metrics returns what is registered, in order of name.
func Metrics() []Metric {
	return slices.SortedFunc(maps.Values(registry), func(a, b Metric) int { return strings.Compare(a.Name, b.Name) })
}

// MetricNamed returns the metric of a name, with or without a colon and what it
// is of. It is an error if none is registered.
func MetricNamed(name string) (Metric, error) {
	base, _, _ := strings.Cut(name, ":")
	if m, ok := registry[base]; ok {
		return m, nil
	}
	return Metric{}, fmt.Errorf("metric %q is not registered", base)
}

// UnitOf returns the unit of a metric. It panics if the metric is not registered.
func UnitOf(name string) string {
	m, err := MetricNamed(name)
	if err != nil {
		panic("results: " + err.Error())
	}
	return m.Unit
}
