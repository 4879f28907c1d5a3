package plots_test

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// A form of figure of one's own: the range of the values at each value of the axis, as
// error bars around the middle.
func ExampleRegisterForm() {
	plots.RegisterForm(plots.Form{
		Name: "range", Title: "the range of the values, around its middle",
		Axis: []plots.Kind{plots.Texts, plots.Numbers},
		Draw: func(d plots.Data) (plots.Panel, string, error) {
			type place struct{ policy, at string }
			var places []place
			ends := map[place][2]float64{}
			for i := range d.Rows {
				r := &d.Rows[i]
				at := place{r.Policy, r.Is(d.X)}
				v, there := ends[at]
				if !there {
					places, v = append(places, at), [2]float64{r.Value, r.Value}
				}
				ends[at] = [2]float64{min(v[0], r.Value), max(v[1], r.Value)}
			}
			p := &plots.Points{XLabel: d.X, YLabel: d.Label}
			for _, at := range places {
				low, high := ends[at][0], ends[at][1]
				if err := p.Add(at.policy, at.at, results.Summary{Mean: (low + high) / 2, Low: low, High: high, N: 2}); err != nil {
					return nil, "", err
				}
			}
			return p, "Bars: the range of the values.", nil
		},
	})

	var rows []results.Row
	for instance, value := range []float64{3, 1, 2} {
		for _, user := range []string{"ann", "bob"} {
			rows = append(rows, results.Row{Policy: "mine", User: user, Instance: int64(instance), Metric: "waiting_tasks", Value: value, Unit: "tasks", Workload: "made up"})
		}
	}
	figure, err := plots.Against(rows, plots.View{Name: "waiting", Form: "range", X: "user"})
	if err != nil {
		fmt.Println(err)
		return
	}
	points := figure.Panels[0].(*plots.Points)
	fmt.Println(points.YLabel, points.Groups, points.Series[0].Points[0])
	fmt.Println(figure.Note)
	pdf, err := figure.Encode("pdf")
	fmt.Println(string(pdf[:4]), err)
	// Output:
	// waiting tasks (tasks) [ann bob] {2 1 3 2}
	// Workload: made up. Bars: the range of the values.
	// %PDF <nil>
}
