package tsf

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/plots"
)

func drawn(item string, rows []results.Row) (plots.Figure, error) {
	figures, err := draw(item, rows)
	if err != nil {
		return plots.Figure{}, err
	}
	return figures[0], nil
}

// cdfRow is a row of a distribution.
func cdfRow(policy, metric, x string, instance int64, value float64) results.Row {
	return results.Row{Policy: policy, Metric: metric, Point: resulttest.Point("x=" + x), Instance: instance, Value: value, Unit: results.UnitRatio, Workload: "test (synthetic)"}
}

func TestTSFDistributionsAverageOverInstances(t *testing.T) {
	var rows []results.Row
	for instance, shift := range []float64{0, 0.2} {
		for _, p := range []string{"tsf", "fifo"} {
			for k, x := range []string{"0", "1", "10", "100"} {
				rows = append(rows,
					cdfRow(p, MetricJobDelay, x, int64(instance), 0.1*float64(k)+shift),
					cdfRow(p, MetricJobCompletion, x, int64(instance), 0.2*float64(k)+shift))
			}
		}
	}
	f, err := drawn("fig9", rows)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "tsf-fig9" || len(f.Panels) != 2 || !strings.Contains(f.Note, "test (synthetic); 2 simulations") {
		t.Errorf("figure %s of %d panels: %s", f.Name, len(f.Panels), f.Note)
	}
	got := f.Panels[0].(*plots.Scaled).Curves
	want := []plots.Curve{
		{Policy: "tsf", X: []float64{-1, 0, 1, 2}, Y: []float64{0.1, 0.2, 0.3, 0.4}},
		{Policy: "fifo", X: []float64{-1, 0, 1, 2}, Y: []float64{0.1, 0.2, 0.3, 0.4}},
	}
	for k := range want {
		if got[k].Policy != want[k].Policy || !close2(got[k].X, want[k].X) || !close2(got[k].Y, want[k].Y) {
			t.Errorf("curve %+v, want %+v", got[k], want[k])
		}
	}
	for _, format := range plots.Formats {
		if data, err := f.Encode(format); err != nil || len(data) == 0 {
			t.Errorf("%s: %d bytes, %v", format, len(data), err)
		}
	}
}

func close2(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

func TestTSFDistributionsRefuse(t *testing.T) {
	good := []results.Row{cdfRow("tsf", MetricTaskDelay, "1", 0, 1), cdfRow("tsf", MetricTaskGain, "1", 0, 1)}
	other := cdfRow("tsf", MetricTaskGain, "2", 0, 1)
	other.Workload = "real"
	bad := cdfRow("tsf", MetricTaskGain, "", 0, 1)
	for name, rows := range map[string][]results.Row{
		"no rows": nil, "a panel without rows": good[:1], "two workloads": append(slices.Clone(good), other), "no abscissa": append(slices.Clone(good), bad),
	} {
		if _, err := drawn("fig11", rows); err == nil {
			t.Errorf("%s pass", name)
		}
	}
	if _, err := drawn("fig7", good); err == nil {
		t.Error("figure 7 shows distributions")
	}
}

func TestSignedLog(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 0.1: 0, -0.1: 0, 0.01: 0, 1: 1, -1: -1, 1000: 4, -1000: -4} {
		if got := signedLog(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("signedLog(%g) = %g, want %g", x, got, want)
		}
	}
	if got := logSeconds(0); math.Abs(got+1) > 1e-12 {
		t.Errorf("a delay of 0 stands at %g", got)
	}
}

func TestTSFShares(t *testing.T) {
	var rows []results.Row
	for _, m := range []string{MetricTaskShare, MetricCPUShare, MetricMemShare} {
		for s := range 3 {
			rows = append(rows, results.Row{Policy: "tsf", User: "job 1", Metric: m, Timed: true, TimeS: float64(s), Value: float64(s) / 2})
		}
	}
	f, err := drawn("fig5", rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 3 {
		t.Fatalf("%d panels", len(f.Panels))
	}
	if d := cmp.Diff([]plots.Curve{{Policy: "job 1", X: []float64{0, 1, 2}, Y: []float64{0, 0.5, 1}}}, f.Panels[2].(*plots.Lines).Curves); d != "" {
		t.Errorf("curves (-want +got):\n%s", d)
	}
	if _, err := drawn("fig5", rows[:3]); err == nil {
		t.Error("a figure without shares of cpu passes")
	}
}

func TestTSFCompletions(t *testing.T) {
	row := func(run, job string, instance int64, s float64) results.Row {
		return results.Row{Policy: "tsf", User: job, Metric: results.MetricCompletion, Point: resulttest.Point("run=" + run), Instance: instance, Value: s}
	}
	rows := []results.Row{row("static", "a", 0, 10), row("TSF", "a", 0, 8), row("static", "b", 0, 6), row("TSF", "b", 0, 5), row("static", "a", 1, 12)}
	f, err := drawn("fig6", rows)
	if err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0].(*plots.Points)
	want := []plots.Series{
		{Policy: "static", Points: []results.Summary{{Mean: 11, Low: 10, High: 12, N: 2}, {Mean: 6, Low: 6, High: 6, N: 1}}},
		{Policy: "TSF", Points: []results.Summary{{Mean: 8, Low: 8, High: 8, N: 1}, {Mean: 5, Low: 5, High: 5, N: 1}}},
	}
	if d := cmp.Diff(want, p.Series); d != "" || !slices.Equal(p.Groups, []string{"a", "b"}) {
		t.Errorf("groups %v, series (-want +got):\n%s", p.Groups, d)
	}
	if _, err := drawn("fig6", nil); err == nil {
		t.Error("a figure without rows passes")
	}
}

func TestTSFSpeedups(t *testing.T) {
	row := func(policy, metric, bin string, instance int64, v float64) results.Row {
		return results.Row{Policy: policy, Metric: metric, Point: resulttest.Point("tasks=" + bin), Instance: instance, Value: v, Workload: "w"}
	}
	rows := []results.Row{
		row("drf", MetricJobSpeedup, "≤ 10", 0, 0.1), row("drf", MetricJobSpeedupSD, "≤ 10", 0, 0.2),
		row("drf", MetricJobSpeedup, "≤ 10", 1, 0.3), row("drf", MetricJobSpeedupSD, "≤ 10", 1, 0.4),
		row("cdrf", MetricJobSpeedup, "> 500", 0, 0.5), row("cdrf", MetricJobSpeedupSD, "> 500", 0, 0.1),
		row("fifo", MetricJobSpeedup, "≤ 10", 0, 9),
	}
	f, err := drawn("fig10", rows)
	if err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0].(*plots.Points)
	if len(p.Series) != 2 || !slices.Equal(p.Groups, []string{"≤ 10", "> 500"}) {
		t.Fatalf("groups %v, series %+v", p.Groups, p.Series)
	}
	got := p.Series[0].Points[0]
	if math.Abs(got.Mean-0.2) > 1e-12 || math.Abs(got.Low+0.1) > 1e-12 || math.Abs(got.High-0.5) > 1e-12 || got.N != 2 {
		t.Errorf("drf, small: %+v", got)
	}
	if len(p.Series[0].Points) != 1 || p.Series[1].Points[0].N != 0 || p.Series[1].Points[1].N != 1 {
		t.Errorf("a bin without jobs has a point, or one with jobs none: %+v", p.Series)
	}
}
