package magiks

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/papertest"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// All items, one block a setting: what is proven holds in each realisation,
// and the results are the same on any number of workers.
func TestPaperInSmall(t *testing.T) {
	one, two := papertest.Reproduce(t, Paper, papers.Request{Seed: 3, Instances: 1}, 1), papertest.Reproduce(t, Paper, papers.Request{Seed: 3, Instances: 1}, 2)
	a, err := one.Ledger.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := two.Ledger.JSON(); err != nil || !bytes.Equal(a, b) {
		t.Errorf("other bytes on two workers (%v)", err)
	}
	proven, items := 0, map[string]bool{}
	for _, e := range one.Ledger.Entries {
		items[e.Item] = true
		if e.Item == examples || e.Item == equilibria || strings.Contains(e.ID, "at-most-2") || strings.Contains(e.ID, "beq") {
			proven++
			if e.Verdict != ledger.Reproduced {
				t.Errorf("%s: %s: %g, %s", e.ID, e.Claim, *e.Ours, e.Verdict)
			}
		}
	}
	if proven < 30 || len(items) != 10 {
		t.Errorf("%d proven claims, items %v", proven, items)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := one.Write(dir, store.Timing{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"magiks-fig2.pdf", "magiks-fig3.svg", "magiks-fig4.png", "magiks-fig7.svg", "readings.parquet", "heterogeneous.parquet"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// A histogram in the table has every realisation of its setting, and its mean
// is the mean of the blocks.
func TestTablesAddUp(t *testing.T) {
	found := papertest.Reproduce(t, Paper, papers.Request{Seed: 4, Instances: 3, Items: []string{"fig3"}}, 2)
	const blocks, realisations = 3, 20
	count, sum, mean := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for r := range found.Tables["fig3"].All() {
		key := r.Point.With("moves", results.Value{}).String() + r.Policy
		switch r.Metric {
		case MetricMovesHistogram:
			count[key] += r.Value
			sum[key] += r.Value * r.Point.Number("moves")
		case MetricMoves:
			mean[key] += r.Value / blocks
		}
	}
	if len(count) != 2*12 { // two rules, 7 + 6 settings, of which one is on both axes
		t.Errorf("%d cells", len(count))
	}
	for key, n := range count {
		if n != blocks*realisations {
			t.Errorf("%s: %g realisations, want %d", key, n, blocks*realisations)
		}
		if d := sum[key]/n - mean[key]; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: mean %g of the histogram, %g of the blocks", key, sum[key]/n, mean[key])
		}
	}
}

// Of the pods of 2023 those with GPUs are drawn. Needs the real files.
func TestPodsOf2023(t *testing.T) {
	dir := tracetest.AtHand(t, "alibaba/gpu2023")
	found := papertest.Reproduce(t, Paper, papers.Request{Seed: 3, Instances: 1, Items: []string{"fig4", "fig6", equilibria}, Options: map[string]string{"alibaba": dir}}, 2)
	for _, e := range found.Ledger.Entries {
		if e.Item == "fig4" && e.Workload != gpu2023Label {
			t.Errorf("%s: workload %q", e.ID, e.Workload)
		}
		if e.Item == equilibria && e.Verdict != ledger.Reproduced {
			t.Errorf("%s: %g, %s", e.ID, *e.Ours, e.Verdict)
		}
	}
}

func TestPodsNeedTheirFiles(t *testing.T) {
	s, err := spec.NewScenario(KindName, map[string]string{"workload": gpu2023}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(context.Background()); err == nil {
		t.Error("opened without a folder")
	}
	_, err = spec.NewScenario(KindName, map[string]string{"workload": gpu2023, "alibaba": t.TempDir()}, 1, 1)
	if err == nil || !strings.Contains(err.Error(), "it holds no openb_pod_list_default.* and no openb_node_list_all_node.*") {
		t.Errorf("a folder without the lists: %v", err)
	}
}
