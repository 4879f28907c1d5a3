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
	draw func([]plots.Cell, plots.Width) (plots.Figure, error)
}{
	{"fig3", plots.TSFERFigure3},
	{"fig4", plots.TSFERFigure4},
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
	}{Plan: p}
	if p.wants("table4") {
		s.Table4 = &p.Whole.Workload
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
		cells, err := plots.Summarize(rows, interval(runSeed))
		if err != nil {
			return err
		}
		figure, err := d.draw(cells, plots.OneColumn)
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
		rng := seed.Stream(Paper, runSeed, "bootstrap", k.Item, k.Metric, k.Policy, int(k.N), fmt.Sprint(k.Rho), fmt.Sprint(k.BandwidthMHz))
		iv := metrics.MeanInterval(rng, values)
		return iv.Low, iv.High
	}
}
