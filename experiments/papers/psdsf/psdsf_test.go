package psdsf

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/papertest"
	"github.com/leontief-sim/leontief/plots"
)

// reproduce runs the paper with few instances.
func reproduce(t *testing.T, instances, workers int, items ...string) *papers.Findings {
	t.Helper()
	return papertest.Reproduce(t, Paper, papers.Request{Seed: 1, Instances: instances, Items: items}, workers)
}

// Verdicts that do not depend on how many environments are drawn.
func TestVerdicts(t *testing.T) {
	found := reproduce(t, 40, 2)
	verdicts := map[string]ledger.Verdict{}
	for _, e := range found.Ledger.Entries {
		verdicts[e.ID] = e.Verdict
		exactly := strings.HasPrefix(e.ID, "fig1/") || strings.HasPrefix(e.ID, "fig3/") || strings.HasPrefix(e.ID, "fig4/") ||
			strings.HasPrefix(e.ID, "table3/") || strings.HasPrefix(e.ID, "table4/ps-dsf/") || strings.HasPrefix(e.ID, "fig6/converges/") || strings.HasPrefix(e.ID, "fig6/reaches/")
		if exactly && e.Verdict != ledger.Reproduced {
			t.Errorf("%s: %s, %s", e.ID, e.Verdict, e.Why)
		}
	}
	for id, want := range map[string]ledger.Verdict{
		"table1/ps-dsf/PO/example": ledger.Refuted, "table1/algorithm1/ends": ledger.Refuted, "fig6/full/cpu": ledger.Refuted,
		"table1/ps-dsf/PO": ledger.Refuted, "table1/ps-dsf/EF": ledger.Reproduced, "table1/ps-dsf/SI": ledger.Reproduced,
		"table1/ps-dsf/BF": ledger.Reproduced, "table1/tsf/BF": ledger.Reproduced, "table1/drfh/BF": ledger.Reproduced,
		"table1/tsf/EF": ledger.Reproduced, "table1/tsf/PO": ledger.Reproduced, "table1/drfh/SI": ledger.Reproduced,
		"table1/ps-dsf/theorem1": ledger.Reproduced, "fig6/full/mem": ledger.Reproduced,
		"fig6/tsf/C/99s": ledger.Reproduced, "fig6/drfh/C/249s": ledger.Reproduced,
		"fig6/tsf/D/249s#cpu2=2/15": ledger.Reproduced, "fig6/drfh/D/249s#cpu2=2/15": ledger.Reproduced,
		"distributed/1/central": ledger.Reproduced, "distributed/0/shortfall": ledger.Reproduced,
	} {
		if verdicts[id] != want {
			t.Errorf("%s: %q, want %q", id, verdicts[id], want)
		}
	}
}

func TestSameBytesAtAnyNumberOfWorkers(t *testing.T) {
	one, two := reproduce(t, 6, 1), reproduce(t, 6, 2)
	if diff := cmp.Diff(one.Ledger, two.Ledger); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(one.Tables, two.Tables); diff != "" {
		t.Error(diff)
	}
}

func TestFigure6IsDrawn(t *testing.T) {
	found := reproduce(t, 1, 1, "fig6")
	figures, err := draw6("fig6", found.Tables["fig6"])
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) != 1 || len(figures[0].Panels) != 2 {
		t.Fatalf("%d figures", len(figures))
	}
	for k, class := range []string{"C", "D"} {
		lines := figures[0].Panels[k].(*plots.Lines)
		if len(lines.Curves) != 3 || len(lines.Curves[0].X) != seconds+1 || !strings.Contains(lines.YLabel, class) {
			t.Errorf("panel of class %s: %d curves", class, len(lines.Curves))
		}
	}
	// While user 4 is away class D loses it at once: at 100 s, before any server
	// has acted, its cpu is free.
	d := figures[0].Panels[1].(*plots.Lines).Curves[0]
	if !(d.Y[leaves] < 0.1) || d.Y[leaves-1] < 0.99 {
		t.Errorf("class D: %g at %g s, %g at %g s", d.Y[leaves-1], d.X[leaves-1], d.Y[leaves], d.X[leaves])
	}
	if _, err := draw6("fig6", nil); err == nil {
		t.Error("no rows, but a figure")
	}
	if figures, err := draw6("table1", nil); figures != nil || err != nil {
		t.Errorf("table1: %v, %v", figures, err)
	}
}
