package plots

import (
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
)

func init() {
	RegisterForm(Form{
		Name: "ccdf", Title: "the share of the values that are above x",
		Pooled: []string{"user"}, Draw: drawCCDF,
	})
}

func drawCCDF(d Data) (Panel, string, error) {
	p := &Lines{XLabel: d.Label, YLabel: "Share of values above"}
	for _, policy := range results.PoliciesOf(d.Rows) {
		var values []float64
		for i := range d.Rows {
			if d.Rows[i].Policy == policy {
				values = append(values, d.Rows[i].Value)
			}
		}
		slices.Sort(values)
		for k, x := range values {
			p.Add(policy, x, 1-float64(k)/float64(len(values)))
			p.Add(policy, x, 1-float64(k+1)/float64(len(values)))
		}
	}
	return p, "", nil
}
