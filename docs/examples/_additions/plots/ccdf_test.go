package plots

import (
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

func TestAddedForm(t *testing.T) {
	var rows []results.Row
	for i, v := range []float64{3, 1} {
		rows = append(rows, results.Row{Policy: "mine", Instance: int64(i), Metric: "jct_factor", Value: v, Workload: "made up"})
	}
	figure, err := Against(rows, View{Name: "f", Form: "ccdf"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := figure.Encode("pdf"); err != nil {
		t.Fatal(err)
	}
}
