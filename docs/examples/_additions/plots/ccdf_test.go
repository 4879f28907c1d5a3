package plots

import (
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

func TestAddedForm(t *testing.T) {
	var rows []results.Row
	for i, v := range []float64{3, 1} {
		rows = append(rows, results.Row{Policy: "mine", Instance: int64(i), Metric: "jct_factor", Value: v, Unit: "1", Workload: "made up"})
	}
	figure, err := Draw(rows, View{Name: "f", Form: "ccdf"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Of 1 and 3, all are above x up to 1, half up to 3, none then.
	points := figure.Panels[0].Series[0].Points
	for k, want := range []float64{1, 0.5, 0.5, 0} {
		if points[k].Mean != want {
			t.Errorf("step %d: %g, want %g", k, points[k].Mean, want)
		}
	}
	if _, err := figure.Encode("pdf"); err != nil {
		t.Fatal(err)
	}
}
