package results_test

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Values of two rules at one point of an experiment, three instances each, are
// summarised by cell: mean and 95% interval over the instances.
func ExampleSummarize() {
	at := results.NewPoint(map[string]results.Value{"n": results.OfInt(15), "rho": results.OfFloat(0.7)})
	var rows []results.Row
	for policy, values := range map[string][]float64{"tsf-er": {0.50, 0.48, 0.52}, "mnw": {0.51, 0.50, 0.52}} {
		for i, v := range values {
			rows = append(rows, results.Row{Policy: policy, Point: at, Instance: int64(i),
				Metric: results.MetricJCTFactor, Value: v, Unit: results.UnitRatio, Workload: "made up (synthetic)"})
		}
	}
	cells, err := results.Summarize(rows)
	if err != nil {
		panic(err)
	}
	for _, c := range cells {
		fmt.Printf("%s at %s: %s %.2f [%.2f, %.2f]\n", c.Policy, c.Point, c.Metric, c.Mean, c.Low, c.High)
	}
	// Output:
	// mnw at n=15,rho=0.7: jct_factor 0.51 [0.49, 0.53]
	// tsf-er at n=15,rho=0.7: jct_factor 0.50 [0.45, 0.55]
}
