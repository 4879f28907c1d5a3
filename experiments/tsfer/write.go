package tsfer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/traces/seed"
)

// drawings are the figures and how each is drawn from its table.
var drawings = []struct {
	item string
	draw func([]plots.Row, []plots.Cell) (plots.Figure, error)
}{
	{"fig3", func(_ []plots.Row, c []plots.Cell) (plots.Figure, error) {
		return plots.TSFERFigure3(c, plots.OneColumn)
	}},
	{"fig4", func(_ []plots.Row, c []plots.Cell) (plots.Figure, error) {
		return plots.TSFERFigure4(c, plots.OneColumn)
	}},
	{"fig5", series("fig5")},
	{"fig6", series("fig6")},
	{"fig7", series("fig7")},
	{"fig8", againstSlot("fig8")},
	{"fig9", againstSlot("fig9")},
	{"fig10", againstSlot("fig10")},
}

// series draws a figure over time.
func series(item string) func([]plots.Row, []plots.Cell) (plots.Figure, error) {
	return func(rows []plots.Row, _ []plots.Cell) (plots.Figure, error) {
		return plots.TSFERSeries(item, rows, plots.OneColumn)
	}
}

// againstSlot draws a figure against the reallocation slot.
func againstSlot(item string) func([]plots.Row, []plots.Cell) (plots.Figure, error) {
	return func(_ []plots.Row, cells []plots.Cell) (plots.Figure, error) {
		return plots.TSFERSlots(item, cells, plots.OneColumn)
	}
}

// Write writes the output folder: a table an item, the figures that are made
// from them, the ledger and the manifest. All but [experiments.TimingFile] has
// the same bytes for the same plan.
func (out *Results) Write(path string, p *Plan, timing experiments.Timing) error {
	manifest := experiments.NewManifest("reproduce "+Paper, p.Seed, p.spec(), p.Workload.Workload)
	folder, err := experiments.OpenFolder(path, manifest)
	if err != nil {
		return err
	}
	for _, item := range slices.Sorted(maps.Keys(out.Rows)) {
		rows := out.Rows[item]
		if err := plots.WriteTable(folder.Claim(item+".parquet"), rows, plots.Meta{"seed": fmt.Sprint(p.Seed)}); err != nil {
			return err
		}
	}
	if err := out.writeFigures(folder, p.Seed); err != nil {
		return err
	}
	ledger, err := experiments.NewLedger(out.Entries).JSON()
	if err != nil {
		return err
	}
	if err := folder.Write(experiments.LedgerFile, ledger); err != nil {
		return err
	}
	if err := folder.WriteJSON(experiments.TimingFile, timing); err != nil {
		return err
	}
	return folder.Close(manifest)
}

// spec is the description of the plan in the manifest: with the workloads of
// the items that have one of their own.
func (p *Plan) spec() any {
	s := struct {
		*Plan
		Table4 *experiments.Workload `json:"table4_workload,omitempty"`
		Cloud  *experiments.Workload `json:"cloud_workload,omitempty"`
	}{Plan: p}
	if p.wants("table4") {
		s.Table4 = &p.Whole.Workload
	}
	if p.wants(cloudItems...) {
		s.Cloud = &p.Cloud.Workload
	}
	return s
}

// writeFigures draws the figures whose tables were written, from the files.
func (out *Results) writeFigures(folder *experiments.Folder, runSeed uint64) error {
	for _, d := range drawings {
		if _, ok := out.Rows[d.item]; !ok {
			continue
		}
		rows, err := plots.ReadTable(folder.Path(d.item + ".parquet"))
		if err != nil {
			return err
		}
		var cells []plots.Cell
		if rows[0].TimeS == 0 {
			if cells, err = plots.Summarize(rows, interval(runSeed)); err != nil {
				return err
			}
		}
		figure, err := d.draw(rows, cells)
		if err != nil {
			return err
		}
		for _, format := range plots.Formats {
			data, err := figure.Encode(format)
			if err != nil {
				return err
			}
			if err := folder.Write(figure.Name+"."+format, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// interval returns the 95% bootstrap interval of a cell's mean.
func interval(runSeed uint64) plots.Interval {
	return func(k plots.Key, values []float64) (low, high float64) {
		rng := seed.Stream(Paper, runSeed, "bootstrap", k.Item, k.Metric, k.Policy, int(k.N), fmt.Sprint(k.Rho), fmt.Sprint(k.BandwidthMHz), fmt.Sprint(k.SlotS))
		iv := metrics.MeanInterval(rng, values)
		return iv.Low, iv.High
	}
}
