package psdsf

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// draw6 draws figure 6 of the PS-DSF paper, the cpu utilization of classes C (a) and D
// (b) over time, from the first instance of each policy in the rows of item fig6, with
// our reading of the cpu demand of user 2. It returns an error where a rule has no rows
// of a class.
//
// Reference: PS-DSF paper, section V, figure 6.
func draw6(item string, rows []results.Row) ([]plots.Figure, error) {
	if item != "fig6" {
		return nil, nil
	}
	f := plots.Figure{Name: "ps-dsf-fig6"}
	for _, class := range []string{"C", "D"} {
		var of []results.Row
		for _, policy := range []string{"ps-dsf", "tsf", "drfh"} {
			before := len(of)
			for _, r := range rows {
				if r.Point.Text("cpu2") == readings[0] && r.Policy == policy && r.User == class && r.Metric == results.MetricUtilization+":cpu" && r.Instance == 0 {
					of = append(of, r)
				}
			}
			if len(of) == before {
				return nil, fmt.Errorf("figure %s: no rows of %s for class %s", f.Name, policy, class)
			}
		}
		panel, err := plots.TimePanel(of, plots.Seconds, "CPU utilization, class "+class)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.Name, err)
		}
		f.Panels = append(f.Panels, panel)
	}
	f.Note = "Workload: " + rows[0].Workload + ". PS-DSF: servers that act by themselves once a second."
	return []plots.Figure{f}, nil
}
