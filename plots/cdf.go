package plots

import (
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
)

func init() {
	RegisterForm(Form{
		Name: "cdf", Title: "the share of the values that are not above x",
		Pooled: []string{"user"}, Draw: drawCDF,
	})
}

func drawCDF(d Data) (Panel, string, error) {
	p := &Lines{XLabel: d.Label, YLabel: "Share of values"}
	for _, policy := range results.PoliciesOf(d.Rows) {
		var values []float64
		for i := range d.Rows {
			if d.Rows[i].Policy == policy {
				values = append(values, d.Rows[i].Value)
			}
		}
		p.AddDistribution(policy, values, 0)
	}
	return p, "", nil
}

// MostSteps is the largest number of steps that a distribution is drawn with.
const MostSteps = 1000

// AddDistribution adds the distribution function of values, which it sorts, as a step
// line from the share least on: through all of them or, of more than [MostSteps]
// values, through the quantiles at that many levels at equal distances.
func (l *Lines) AddDistribution(policy string, values []float64, least float64) {
	slices.Sort(values)
	n, before := len(values), 0.0
	steps := min(n, MostSteps)
	for k := 1; k <= steps; k++ {
		x, y := values[k*n/steps-1], float64(k)/float64(steps)
		if y >= least {
			l.Add(policy, x, before)
			l.Add(policy, x, y)
		}
		before = y
	}
}
