package mtp

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/plots"
)

// mtpRows are made-up rows of the multi-AP paper's figures: series of two
// metrics and completion times of 3 and 1,500 jobs.
func mtpRows() []results.Row {
	var rows []results.Row
	for k, policy := range []string{"mtp", "tsf", "eq"} {
		base := results.Row{Experiment: "mtp", Policy: policy, Point: resulttest.Point("bandwidth_mhz=20,hours=7"), Workload: "made up (synthetic)", Unit: results.UnitRatio}
		add := func(item, metric string, at, value float64) {
			r := base
			r.Item, r.Metric, r.Value = item, metric, value
			r.At(at)
			rows = append(rows, r)
		}
		for t := range 20 {
			for _, pool := range []string{"cpu", "mem", "bandwidth"} {
				add("fig3", results.MetricUtilization+":"+pool, float64(300*t), 0.5+0.1*float64(k))
			}
			add("fig4", results.MetricEnviousness, float64(300*t), float64(k*t))
		}
		add("fig3", results.MetricMeanUtilization+":cpu", 0, 0.5)
		for j := range []int{3, 1500, 3}[k] {
			add("fig5", results.MetricCompletion, 0, float64(60*(j+1)))
		}
	}
	return rows
}

func drawn(t *testing.T, item string, rows []results.Row) plots.Figure {
	t.Helper()
	figures, err := draw(item, rows)
	if err != nil || len(figures) != 1 {
		t.Fatalf("%s: %v, %d figures", item, err, len(figures))
	}
	return figures[0]
}

func TestMTPFigures(t *testing.T) {
	rows := mtpRows()
	fig3, fig4, fig5 := drawn(t, "fig3", rows), drawn(t, "fig4", rows), drawn(t, "fig5", rows)
	if len(fig3.Panels) != 3 || fig3.Name != "mtp-fig3" || len(fig4.Panels) != 1 {
		t.Fatalf("%+v, %+v", fig3, fig4)
	}
	if c := fig4.Panels[0].(*plots.Lines).Curves[1]; c.Policy != "tsf" || len(c.X) != 20 || c.X[12] != 1 || c.Y[12] != 12 {
		t.Errorf("the second curve is %+v", c)
	}
	for _, f := range []plots.Figure{fig3, fig4, fig5} {
		if !slices.Equal(f.Panels[0].Policies(), []string{"mtp", "tsf", "eq"}) || !strings.Contains(f.Note, "made up (synthetic)") || !strings.Contains(f.Note, "one instance (hours=7)") {
			t.Errorf("%s: %v, %s", f.Name, f.Panels[0].Policies(), f.Note)
		}
	}
}

// The distribution function of 1, 2, 3 minutes rises by a third at each; of many
// values it has a bounded number of points and still ends at the largest.
func TestMTPDistribution(t *testing.T) {
	curves := drawn(t, "fig5", mtpRows()).Panels[0].(*plots.Lines).Curves
	few, many := curves[0], curves[1]
	if !slices.Equal(few.X, []float64{1, 1, 2, 2, 3, 3}) || math.Abs(few.Y[1]-1./3) > 1e-12 || few.Y[0] != 0 || few.Y[5] != 1 {
		t.Errorf("three jobs: %+v", few)
	}
	if len(many.X) != 2*(plots.MostSteps-9) || many.X[len(many.X)-1] != 1500 || many.Y[len(many.Y)-1] != 1 {
		t.Errorf("1,500 jobs: %d points to %g, %g", len(many.X), many.X[len(many.X)-1], many.Y[len(many.Y)-1])
	}
	for i, x := range many.X {
		if share := x / 1500; i%2 == 1 && math.Abs(share-many.Y[i]) > 1e-3 {
			t.Fatalf("at %g min the share is %g", x, many.Y[i])
		}
	}
}

func TestMTPFiguresNeedOneRun(t *testing.T) {
	for name, change := range map[string]func(*results.Row){
		"workload":  func(r *results.Row) { r.Workload = "another" },
		"bandwidth": func(r *results.Row) { r.Point = r.Point.With("bandwidth_mhz", results.OfInt(5)) },
		"hours":     func(r *results.Row) { r.Point = r.Point.With("hours", results.OfInt(1)) },
	} {
		rows := mtpRows()
		for i := range rows {
			if rows[i].Policy == "eq" {
				change(&rows[i])
			}
		}
		if _, err := draw("fig3", rows); err == nil || !strings.Contains(err.Error(), "two runs") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := draw("fig5", nil); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Errorf("no rows: %v", err)
	}
}
