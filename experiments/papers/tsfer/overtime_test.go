package tsfer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// seriesRows are two policies over three hours, with waiting tasks and the
// utilization of two resources, and a row of another item.
func seriesRows() []results.Row {
	row := func(policy, metric string, hour int, value float64) results.Row {
		return results.Row{Experiment: "tsf-er", Item: "fig6", Policy: policy, BandwidthMHz: 1500, SlotS: 3600,
			TimeS: float64(hour) * 3600, Metric: metric, Value: value, Workload: "made-up (synthetic)"}
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
	f, err := overTime("fig6", seriesRows(), plots.OneColumn)
	if err != nil {
		t.Fatal(err)
	}
	want := plots.Figure{
		Name: "tsf-er-fig6", Width: plots.OneColumn,
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
		"slots of 3600 s and":          func(r *results.Row) { r.SlotS = 60 },
		"\"made-up (synthetic)\" with": func(r *results.Row) { r.Workload = "other" },
	} {
		rows := seriesRows()
		change(&rows[4])
		if _, err := overTime("fig6", rows, plots.OneColumn); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not say %q", err, name)
		}
	}
	if _, err := overTime("fig5", seriesRows(), plots.OneColumn); err == nil {
		t.Error("an item without rows was drawn")
	}
}

// slotCells are three policies with three slots, out of order, and cells that
// belong to other metrics and items.
func slotCells() []results.Cell {
	var cells []results.Cell
	for i, slot := range []float64{86400, 3600, 2 * 604800} {
		for k, policy := range []string{"cru", "tsf-er", "mnw"} {
			key := results.Key{Item: "fig9", Policy: policy, SlotS: slot, BandwidthMHz: 1500, Metric: results.MetricMinEFSat, Workload: "hybrid"}
			v := float64(10*i+k) / 100
			cells = append(cells, results.Cell{Key: key, Summary: results.Summary{Mean: v, Low: v, High: v, N: 1}})
			key.Metric += ":early"
			cells = append(cells, results.Cell{Key: key, Summary: results.Summary{Mean: 9, N: 1}})
			key.Item, key.Metric = "fig8", results.MetricMinEFSat
			cells = append(cells, results.Cell{Key: key, Summary: results.Summary{Mean: 8, N: 1}})
		}
	}
	return cells
}

func TestSlotsAreInOrderWithOnePointAPolicy(t *testing.T) {
	f, err := againstSlots("fig9", slotCells(), plots.TwoColumns)
	if err != nil {
		t.Fatal(err)
	}
	points := func(values ...float64) (all []results.Summary) {
		for _, v := range values {
			all = append(all, results.Summary{Mean: v, Low: v, High: v, N: 1})
		}
		return all
	}
	want := plots.Figure{
		Name: "tsf-er-fig9", Width: plots.TwoColumns,
		Note: "Workload: hybrid; 20 servers, 1500 MHz; one run a point.",
		Panels: []plots.Panel{&plots.Points{XLabel: "Reallocation slot", YLabel: "Mean MIN-EF-SAT", Groups: []string{"1 h", "1 d", "2 wk"}, Series: []plots.Series{
			{Policy: "tsf-er", Points: points(0.11, 0.01, 0.21)}, {Policy: "mnw", Points: points(0.12, 0.02, 0.22)}, {Policy: "cru", Points: points(0.1, 0, 0.2)},
		}}},
	}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
}

func TestSlotsRefuseCellsThatDoNotBelongTogether(t *testing.T) {
	of := func(change func([]results.Cell) []results.Cell) error {
		_, err := againstSlots("fig9", change(slotCells()), plots.OneColumn)
		return err
	}
	for says, err := range map[string]error{
		"policy cru, slot of 1 d: no rows":       of(func(c []results.Cell) []results.Cell { return c[1:] }),
		"policy cru, slot of 1 d: more than one": of(func(c []results.Cell) []results.Cell { return append(c, c[0]) }),
		`two workloads, "hybrid" and "real"`:     of(func(c []results.Cell) []results.Cell { c[3].Workload = "real"; return c }),
		"figure tsf-er-fig9: no rows":            of(func([]results.Cell) []results.Cell { return nil }),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
	if _, err := againstSlots("fig7", slotCells(), plots.OneColumn); err == nil {
		t.Error("figure 7 is not against the slot")
	}
}

func TestSpans(t *testing.T) {
	for s, want := range map[float64]string{1: "1 s", 90: "90 s", 3600: "1 h", 5400: "5400 s", 21600: "6 h", 86400: "1 d", 259200: "3 d", 604800: "1 wk", 1209600: "2 wk", 0.5: "0.5 s"} {
		if got := span(s); got != want {
			t.Errorf("%g s: %q, want %q", s, got, want)
		}
	}
}
