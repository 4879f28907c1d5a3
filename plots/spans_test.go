package plots

import (
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Two users, from 60 to 180 s and from 120 to 600 s: a line each, in the order in which
// they come.
func TestSpans(t *testing.T) {
	var rows []results.Row
	for _, u := range []struct {
		user     string
		from, to float64
	}{{"ann", 60, 180}, {"bob", 120, 600}} {
		for _, at := range []float64{u.from, u.to} {
			r := results.Row{Policy: "tsf-er", User: u.user, Metric: "waiting_tasks", Unit: "tasks", Workload: madeUpWorkload}
			r.At(at)
			rows = append(rows, r)
		}
	}
	f := drawn(t, rows, View{Form: "spans", Panels: Policy, Where: Pairs{Policy: "tsf-er"}, X: OverTime})
	points := f.Panels[0].Series[0].Points
	for k, want := range [][2]float64{{1, 0}, {3, 0}, {2, 1}, {10, 1}} {
		if points[k].X != want[0] || points[k].Mean != want[1] {
			t.Errorf("point %d at %g, %g, want %v", k, points[k].X, points[k].Mean, want)
		}
	}
	encode(t, f, "svg")
}
