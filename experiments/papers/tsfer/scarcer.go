package tsfer

import (
	"fmt"
	"math"
	"slices"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
)

// Table3 says how a table 3 lies to the printed one: what a workload is compared by.
type Table3 struct {
	RMS       float64 // of the relative differences of the 20 values that no workload is fitted to
	Drop      float64 // of TSF-ER compared with CRU, the largest, by the paper's definition: CRU/TSF-ER − 1
	Below     float64 // the same as 1 − TSF-ER/CRU
	Bandwidth float64 // relative change of TSF-ER's mean from 1 to 3 MHz
	Rho       float64 // and from ρ = 0.5 to 0.9
}

// String writes the numbers in percent.
func (t Table3) String() string {
	return fmt.Sprintf("RMS %.1f%%, drop %.1f%% (1 − TSF-ER/CRU: %.1f%%), 1 to 3 MHz %+.0f%%, ρ = 0.5 to 0.9 %+.1f%%",
		100*t.RMS, 100*t.Drop, 100*t.Below, 100*t.Bandwidth, 100*t.Rho)
}

// Table3Of sums up the rows of the spec tsf-er-table3. It panics if they are not those
// of all its scenarios.
func Table3Of(rows []results.Row) Table3 {
	all := papers.SamplesOf(slices.Values(rows), func(r *results.Row) (cell, bool) {
		return cell{settingOf(r.Point), r.Policy}, r.Metric == results.MetricJCTFactor
	})
	return table3Of(func(s Setting, rule string) float64 { return mean(all.Of(cell{s, rule})) })
}

// Table3Printed sums up the printed table; its RMS is 0.
func Table3Printed() Table3 {
	return table3Of(func(s Setting, rule string) float64 {
		for k := range rules3 {
			if rules3[k] == rule {
				return printed(s, k)
			}
		}
		panic("tsfer: " + rule + " is not in table 3")
	})
}

func table3Of(m means) Table3 {
	sum, n := 0.0, 0
	for _, c := range table3 {
		for k, rule := range rules3 {
			if !c.repeats && !(c.Setting == Central && rule == rules3[0]) {
				off := m(c.Setting, rule)/c.values[k] - 1
				sum, n = sum+off*off, n+1
			}
		}
	}
	change := func(from, to Setting) float64 { return m(to, rules3[0])/m(from, rules3[0]) - 1 }
	return Table3{
		RMS:       math.Sqrt(sum / float64(n)),
		Drop:      overColumns(func(s Setting) float64 { return gap(m, s) }, math.Max),
		Below:     overColumns(func(s Setting) float64 { return below(m, s) }, math.Max),
		Bandwidth: change(atMHz(1), atMHz(3)),
		Rho:       change(fluid(Central.N, 0.5, Central.Bandwidth), fluid(Central.N, 0.9, Central.Bandwidth)),
	}
}
