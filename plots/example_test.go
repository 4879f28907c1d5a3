package plots_test

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// A form of figure of one's own: the range of the values at each value of the axis, as
// a line without its middle.
func ExampleRegisterForm() {
	plots.RegisterForm(plots.Form{
		Name: "range", Title: "the range of the values",
		Axis: []plots.Kind{plots.Texts}, Raw: true,
		Draw: func(d plots.Data, p *plots.Panel) (string, error) {
			for x, name := range p.X.Names {
				s := results.Summary{Low: math.Inf(1), High: math.Inf(-1)}
				for i := range d.Rows {
					if d.Rows[i].Is(d.X) == name {
						v, _ := d.Value(&d.Rows[i])
						s.Low, s.High, s.N = min(s.Low, v), max(s.High, v), s.N+1
					}
				}
				s.Mean = (s.Low + s.High) / 2
				p.Add(d.Names[0], float64(x), s)
			}
			p.Marks = func(c *plots.Canvas) {
				for _, pt := range c.Panel.Series[0].Points {
					low, high := c.At(pt.X, pt.Low), c.At(pt.X, pt.High)
					c.StrokeLine2(draw.LineStyle{Color: c.Styles["mine"].Color, Width: 2}, low.X, low.Y, high.X, high.Y)
				}
			}
			return "Lines: the range of the values.", nil
		},
	})

	var rows []results.Row
	for instance, value := range []float64{3, 1, 2} {
		for _, user := range []string{"ann", "bob"} {
			rows = append(rows, results.Row{Policy: "mine", User: user, Instance: int64(instance), Metric: "waiting_tasks", Value: value, Unit: "tasks", Workload: "made up"})
		}
	}
	figure, err := plots.Draw(rows, plots.View{Name: "waiting", Form: "range", X: "user"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	panel := figure.Panels[0]
	fmt.Println(panel.Y.Label, panel.X.Names, panel.Series[0].Points[0].Summary)
	fmt.Println(figure.Note)
	pdf, err := figure.Encode("pdf")
	fmt.Println(string(pdf[:4]), err)
	// Output:
	// Waiting tasks [ann bob] {2 1 3 3}
	// Workload: made up. Lines: the range of the values.
	// %PDF <nil>
}
