package tsfer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/plots"
)

// heterogeneousRows returns rows in the form that figures 3 and 4 take. Their values
// are invented: they are results of nothing.
func heterogeneousRows(instances int) []results.Row {
	var rows []results.Row
	for p, policy := range figureRules {
		for r, rho := range []float64{.5, .7, .9} {
			for i := range instances {
				wobble := .02 * math.Sin(float64(7*p+3*r+11*i))
				away := (rho - .35) * float64(p) / 12
				if p == 0 {
					wobble, away = 0, 0
				}
				row := results.Row{Experiment: "tsf-er", Policy: policy, Point: resulttest.Point(fmt.Sprintf("n=100,rho=%g,bandwidth_mhz=2", rho)),
					Instance: int64(i), Unit: results.UnitRatio, Workload: "made up for tests"}
				put := func(item, metric string, v float64) {
					row.Item, row.Metric, row.Value = item, metric, v
					rows = append(rows, row)
				}
				put("fig3", results.MetricMinTaskRatio, 1-away-math.Abs(wobble))
				put("fig3", results.MetricSIViolation, math.Min(1, 1.6*away+math.Abs(wobble)))
				put("fig4", results.MetricDomination, 1+away/2+math.Abs(wobble))
			}
		}
	}
	return rows
}

func TestHeterogeneityIsDrawn(t *testing.T) {
	for item, panels := range map[string]int{"fig3": 2, "fig4": 1} {
		f := drawn(t, item, heterogeneousRows(5))
		if f.Name != "tsf-er-"+item || len(f.Panels) != panels {
			t.Fatalf("figure %s of %d panels, want %s of %d", f.Name, len(f.Panels), item, panels)
		}
		for _, want := range []string{"Workload: made up for tests", "100 jobs", "2 MHz", "95% intervals over 5 instances"} {
			if !strings.Contains(f.Note, want) {
				t.Errorf("%s: %q is not in %q", item, want, f.Note)
			}
		}
		p := f.Panels[0].(*plots.Points)
		if p.XLabel != "Server heterogeneity ρ" || !slices.Equal(p.Groups, []string{"0.5", "0.7", "0.9"}) || !slices.Equal(p.Policies(), againstRho.order) {
			t.Errorf("%s: %q, groups %v, policies %v", item, p.XLabel, p.Groups, p.Policies())
		}
	}
}

func drawn(t *testing.T, item string, rows []results.Row) plots.Figure {
	t.Helper()
	figures, err := draw(item, rows)
	if err != nil || len(figures) != 1 {
		t.Fatalf("%s: %v, %d figures", item, err, len(figures))
	}
	return figures[0]
}

func TestTablesAreNotDrawn(t *testing.T) {
	if figures, err := draw("table3", heterogeneousRows(5)); err != nil || figures != nil {
		t.Errorf("%v, %v", err, figures)
	}
}

// A table whose rows do not belong together makes no figure.
func TestHeterogeneityRefusesRowsThatDoNotBelongTogether(t *testing.T) {
	one := func(r results.Row) bool { return r.Policy == "drf-er" && r.Point.Number("rho") == .7 }
	every := func(change func(*results.Row)) func([]results.Row) []results.Row {
		return func(rows []results.Row) []results.Row {
			for i := range rows {
				if one(rows[i]) {
					change(&rows[i])
				}
			}
			return rows
		}
	}
	for want, change := range map[string]func([]results.Row) []results.Row{
		"no rows": func(rows []results.Row) []results.Row { return nil },
		"policy tsf-eq, Server heterogeneity ρ 0.9: no rows": func(rows []results.Row) []results.Row { return rows[:len(rows)-5] },
		"two runs: workload is":                              every(func(r *results.Row) { r.Workload = "another" }),
		"two runs: bandwidth_mhz is":                         every(func(r *results.Row) { r.Point = r.Point.With("bandwidth_mhz", results.OfInt(3)) }),
		"two runs: n is":                                     every(func(r *results.Row) { r.Point = r.Point.With("n", results.OfInt(3)) }),
		"policy drf-er, Server heterogeneity ρ 0.7: more than one cell": func(rows []results.Row) []results.Row {
			again := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return !one(r) })
			return append(rows, every(func(r *results.Row) { r.Unit = "other" })(again)...)
		},
	} {
		rows := slices.DeleteFunc(heterogeneousRows(5), func(r results.Row) bool { return r.Item != "fig4" })
		_, err := draw("fig4", change(rows))
		if err == nil || !strings.Contains(err.Error(), "figure tsf-er-fig4: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// seriesRows are two policies over three hours, with waiting tasks and the
// utilization of two resources, and a row of another item.
func seriesRows() []results.Row {
	row := func(policy, metric string, hour int, value float64) results.Row {
		return results.Row{Experiment: "tsf-er", Item: "fig6", Policy: policy, Point: resulttest.Point("bandwidth_mhz=1500,slot_s=3600"),
			Timed: true, TimeS: float64(hour) * 3600, Metric: metric, Value: value, Workload: "made-up (synthetic)"}
	}
	var rows []results.Row
	for h := range 3 {
		for k, policy := range []string{"tsf-er", "mnw"} {
			rows = append(rows, row(policy, results.MetricUtilization+":gpu", 12*h, float64(h+k)/4),
				row(policy, results.MetricWaitingTasks, 12*h, float64(100*h+k)))
		}
	}
	other := row("cru", results.MetricWaitingTasks, 5, 9)
	other.Item = "fig7"
	return append(rows, other)
}

func TestASeriesHasAPanelAMetricAndACurveAPolicy(t *testing.T) {
	f := drawn(t, "fig6", seriesRows())
	want := plots.Figure{
		Name: "tsf-er-fig6",
		Note: "Workload: made-up (synthetic); 20 servers, 1500 MHz, a slot of 1 h; by the hour.",
		Panels: []plots.Panel{
			&plots.Lines{XLabel: "Time (days)", YLabel: "Utilization,\ngpu", Curves: []plots.Curve{
				{Policy: "tsf-er", X: []float64{0, 0.5, 1}, Y: []float64{0, 0.25, 0.5}},
				{Policy: "mnw", X: []float64{0, 0.5, 1}, Y: []float64{0.25, 0.5, 0.75}},
			}},
			&plots.Lines{XLabel: "Time (days)", YLabel: "Waiting tasks", Curves: []plots.Curve{
				{Policy: "tsf-er", X: []float64{0, 0.5, 1}, Y: []float64{0, 100, 200}},
				{Policy: "mnw", X: []float64{0, 0.5, 1}, Y: []float64{1, 101, 201}},
			}},
		},
	}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
}

func TestASeriesOfTwoRunsIsRefused(t *testing.T) {
	for name, change := range map[string]func(*results.Row){
		`slot_s is "3600" and "60"`:                     func(r *results.Row) { r.Point = r.Point.With("slot_s", results.OfInt(60)) },
		`workload is "made-up (synthetic)" and "other"`: func(r *results.Row) { r.Workload = "other" },
	} {
		rows := seriesRows()
		change(&rows[4])
		if _, err := draw("fig6", rows); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not say %q", err, name)
		}
	}
	if _, err := draw("fig5", seriesRows()); err == nil {
		t.Error("an item without rows was drawn")
	}
}

// slotRows are three policies with three slots, out of order, and rows of other metrics
// and items.
func slotRows() []results.Row {
	var rows []results.Row
	for i, slot := range []float64{86400, 3600, 2 * 604800} {
		for k, policy := range []string{"cru", "tsf-er", "mnw"} {
			r := results.Row{Item: "fig9", Policy: policy, Point: resulttest.Point(fmt.Sprintf("bandwidth_mhz=1500,slot_s=%g", slot)), Metric: results.MetricMinEFSat, Value: float64(10*i+k) / 100, Workload: "hybrid"}
			early, other := r, r
			early.Metric, early.Value = r.Metric+":early", 9
			other.Item, other.Value = "fig8", 8
			rows = append(rows, r, early, other)
		}
	}
	return rows
}

func TestSlotsAreInOrderWithOnePointAPolicy(t *testing.T) {
	points := func(values ...float64) (all []results.Summary) {
		for _, v := range values {
			all = append(all, results.Summary{Mean: v, Low: v, High: v, N: 1})
		}
		return all
	}
	want := plots.Figure{
		Name: "tsf-er-fig9",
		Note: "Workload: hybrid; 20 servers, 1500 MHz; one run a point.",
		Panels: []plots.Panel{&plots.Points{XLabel: "Reallocation slot", YLabel: "Mean MIN-EF-SAT", Groups: []string{"1 h", "1 d", "2 wk"}, Series: []plots.Series{
			{Policy: "tsf-er", Points: points(0.11, 0.01, 0.21)}, {Policy: "mnw", Points: points(0.12, 0.02, 0.22)}, {Policy: "cru", Points: points(0.1, 0, 0.2)},
		}}},
	}
	if d := cmp.Diff(want, drawn(t, "fig9", slotRows())); d != "" {
		t.Error(d)
	}
}

func TestSlotsRefuseRowsThatDoNotBelongTogether(t *testing.T) {
	of := func(change func([]results.Row) []results.Row) error {
		_, err := draw("fig9", change(slotRows()))
		return err
	}
	for says, err := range map[string]error{
		"policy cru, Reallocation slot 1 d: no rows":                  of(func(r []results.Row) []results.Row { return r[1:] }),
		"policy cru, Reallocation slot 1 d: more than one":            of(func(r []results.Row) []results.Row { r[0].Unit = "s"; return append(r, slotRows()[0]) }),
		`workload is "real" and "hybrid"`:                             of(func(r []results.Row) []results.Row { r[12].Workload = "real"; return r }),
		"figure tsf-er-fig9: " + results.MetricMinEFSat + ": no rows": of(func(r []results.Row) []results.Row { return nil }),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
}

func TestSpans(t *testing.T) {
	for s, want := range map[float64]string{1: "1 s", 90: "90 s", 3600: "1 h", 5400: "5400 s", 21600: "6 h", 86400: "1 d", 259200: "3 d", 604800: "1 wk", 1209600: "2 wk", 0.5: "0.5 s"} {
		if got := span(s); got != want {
			t.Errorf("%g s: %q, want %q", s, got, want)
		}
	}
}
