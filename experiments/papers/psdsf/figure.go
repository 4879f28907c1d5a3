package psdsf

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// utilization draws figure 6 of the PS-DSF paper, the cpu utilization of
// classes C (a) and D (b) over time, from the first instance of each policy in
// the rows of item fig6. It returns an error where a class has no rows.
//
// Reference: PS-DSF paper, section V, figure 6.
func utilization(rows []results.Row, w plots.Width) (plots.Figure, error) {
	f := plots.Figure{Name: "ps-dsf-fig6", Width: w}
	for _, class := range []string{"C", "D"} {
		panel := &plots.Lines{XLabel: "Time (s)", YLabel: "CPU utilization, class " + class}
		for _, policy := range []string{"ps-dsf", "tsf", "drfh"} {
			c := plots.Curve{Policy: policy}
			for i := range rows {
				r := &rows[i]
				if r.Item == "fig6" && r.Policy == policy && r.User == class && r.Metric == results.MetricUtilization+":cpu" && r.Instance == 0 {
					c.X, c.Y = append(c.X, r.TimeS), append(c.Y, r.Value)
				}
			}
			if len(c.X) == 0 {
				return plots.Figure{}, fmt.Errorf("figure %s: no rows of %s for class %s", f.Name, policy, class)
			}
			if !slices.IsSorted(c.X) {
				return plots.Figure{}, fmt.Errorf("figure %s: the rows of %s are not in order of time", f.Name, policy)
			}
			panel.Curves = append(panel.Curves, c)
		}
		f.Panels = append(f.Panels, panel)
	}
	f.Note = "Workload: " + rows[0].Workload + ". PS-DSF: servers that act by themselves once a second."
	return f, nil
}
