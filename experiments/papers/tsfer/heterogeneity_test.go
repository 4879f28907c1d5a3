package tsfer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
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
				row := results.Row{Experiment: "tsf-er", Policy: policy, N: 100, Rho: rho, BandwidthMHz: 2,
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

func heterogeneousCells(t *testing.T) []results.Cell {
	t.Helper()
	cells, err := results.Summarize(heterogeneousRows(5))
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

func TestHeterogeneityIsDrawn(t *testing.T) {
	for name, of := range map[string]struct {
		build  func([]results.Cell, plots.Width) (plots.Figure, error)
		panels int
	}{"tsf-er-fig3": {figure3, 2}, "tsf-er-fig4": {figure4, 1}} {
		f, err := of.build(heterogeneousCells(t), plots.OneColumn)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name != name || len(f.Panels) != of.panels {
			t.Fatalf("figure %s of %d panels, want %s of %d", f.Name, len(f.Panels), name, of.panels)
		}
		for _, want := range []string{"Workload: made up for tests", "100 jobs", "2 MHz", "95% intervals over 5 instances"} {
			if !strings.Contains(f.Note, want) {
				t.Errorf("%s: %q is not in %q", name, want, f.Note)
			}
		}
		p := f.Panels[0].(*plots.Points)
		if p.XLabel != "Server heterogeneity ρ" || !slices.Equal(p.Groups, []string{"0.5", "0.7", "0.9"}) || !slices.Equal(p.Policies(), figureOrder) {
			t.Errorf("%s: %q, groups %v, policies %v", name, p.XLabel, p.Groups, p.Policies())
		}
	}
}

func TestHeterogeneityRefusesCellsThatDoNotBelongTogether(t *testing.T) {
	for want, change := range map[string]func([]results.Cell) []results.Cell{
		"no rows":                       func(c []results.Cell) []results.Cell { return nil },
		"policy tsf-mem, rho=0.9: no r": func(c []results.Cell) []results.Cell { return c[:len(c)-1] },
		"two workloads":                 func(c []results.Cell) []results.Cell { c[0].Workload = "another"; return c },
		"two settings":                  func(c []results.Cell) []results.Cell { c[0].BandwidthMHz = 3; return c },
		"more than one cell":            func(c []results.Cell) []results.Cell { return append(c, c[0]) },
	} {
		var cells []results.Cell
		for _, c := range heterogeneousCells(t) {
			if c.Item == "fig4" {
				cells = append(cells, c)
			}
		}
		_, err := figure4(change(cells), plots.OneColumn)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
