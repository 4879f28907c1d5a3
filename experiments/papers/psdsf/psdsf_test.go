package psdsf

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/papertest"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/policies"
	rational "github.com/leontief-sim/leontief/policies/solve/exact"
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
		exactly := strings.HasPrefix(e.ID, "fig1/") || strings.HasPrefix(e.ID, "fig3/ps-dsf") || strings.HasPrefix(e.ID, "fig4/") ||
			strings.HasPrefix(e.ID, "table3/") || strings.HasPrefix(e.ID, "table4/ps-dsf/") || strings.HasPrefix(e.ID, "fig6/converges")
		if exactly && e.Verdict != ledger.Reproduced {
			t.Errorf("%s: %s, %s", e.ID, e.Verdict, e.Why)
		}
	}
	for id, want := range map[string]ledger.Verdict{
		"table1/ps-dsf/PO#example": ledger.Refuted, "table1/algorithm1/ends": ledger.Refuted, "fig6/full/cpu": ledger.Refuted,
		"table1/ps-dsf/PO": ledger.Refuted, "table1/ps-dsf/EF": ledger.Reproduced, "table1/ps-dsf/SI": ledger.Reproduced,
		"table1/ps-dsf/BF": ledger.Reproduced, "table1/tsf/BF": ledger.Reproduced, "table1/drfh/BF": ledger.Reproduced,
		"table1/tsf/EF": ledger.Reproduced, "table1/tsf/PO": ledger.Reproduced, "table1/drfh/SI": ledger.Reproduced,
		"table1/ps-dsf/theorem1": ledger.Reproduced, "table1/ps-dsf/one-server": ledger.Reproduced, "table1/ps-dsf/EF#literal": ledger.Differs,
		"fig3/share/user1/server1": ledger.Reproduced, "fig3/share/user2/server1": ledger.Reproduced, "fig3/share/user3/server1": ledger.Reproduced,
		"fig3/share/user4/server1": ledger.Refuted, "fig3/share/user3/server2": ledger.Reproduced, "fig3/share/user4/server2": ledger.Reproduced,
		"table4/tsf/user1/A": ledger.Reproduced, "table4/tsf/user2/A": ledger.Reproduced, "table4/tsf/user3/C": ledger.Differs,
		"table4/tsf/user4/C": ledger.Reproduced, "table4/tsf/user4/D": ledger.Reproduced, "table4/tsf/user1#total": ledger.Reproduced, "table4/tsf/user3#total": ledger.Differs,
		"fig6/highest": ledger.Reproduced, "fig6/highest#cpu2=.1": ledger.Differs, "fig6/tsf/D/249s#cpu2=.1": ledger.Differs,
		"fig6/tsf/D/249s#lead": ledger.Reproduced, "fig6/full/mem": ledger.Reproduced,
		"distributed/1/central#unique": ledger.Reproduced, "distributed/0/shortfall#part": ledger.Reproduced,
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
	view, _ := papers.FigureOf(Paper, "fig6")
	f, err := plots.Draw(found.Tables["fig6"].Rows(), view, papers.Styles())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 2 {
		t.Fatalf("%d panels", len(f.Panels))
	}
	for k, class := range []string{"class C", "class D"} {
		if p := f.Panels[k]; len(p.Series) != 3 || len(p.Series[0].Points) != seconds+1 || p.Title != class {
			t.Errorf("panel %q of %s: %d curves", p.Title, class, len(p.Series))
		}
	}
	// While user 4 is away class D loses it at once: at 100 s, before any server
	// has acted, its cpu is free.
	d := f.Panels[1].Series[0].Points
	if !(d[leaves].Mean < 0.1) || d[leaves-1].Mean < 0.99 {
		t.Errorf("class D: %+v, %+v", d[leaves-1], d[leaves])
	}
}

// The rows of ps-dsf in table IV, and what is printed as a fraction or a whole number in
// the examples, agree to 1e-6, not just to the printed digits.
func TestWhatIsExactIsExact(t *testing.T) {
	entries, err := table4Entries()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.ID, "table4/ps-dsf/") && math.Abs(*e.Ours-*e.Published) > exact {
			t.Errorf("%s: %g", e.ID, *e.Ours)
		}
	}
}

// A number is compared at the digits that are printed, and no more loosely.
func TestPrintedPrecision(t *testing.T) {
	for text, want := range map[string]float64{"35": 0.5, "22.5": 0.05, "58.33": 0.005, "0": 0.5} {
		if _, half := printed(text); math.Abs(half-want) > 1e-15 {
			t.Errorf("%s: %g", text, half)
		}
	}
	// Totals of TSF that no split brings to the print, by class.
	other := [][]string{{"36.5", "170", "0", "0"}, {"22.5", "85", "0", "0"}, {"0", "0", "58.33", "0"}, {"0", "0", "8.05", "27.5"}}
	x, err := nearestTSF(rational.New(Figure5(LargestCPU2)), other)
	if err != nil {
		t.Fatal(err)
	}
	far := 0.0
	for j, row := range other {
		for s, text := range row {
			value, half := printed(text)
			far = max(far, math.Abs(x[j][s]-value)/half)
		}
	}
	if far < 1 {
		t.Errorf("a row that TSF does not have is reached within %g of its digits", far)
	}
}

// Figure 6's test of an allocation fails where a server is left as it was when a user
// comes back.
func TestShortfallOfAPeriod(t *testing.T) {
	env := Figure5(LargestCPU2)
	all, err := policies.AllocateBy("ps-dsf", env)
	if err != nil {
		t.Fatal(err)
	}
	if v := shortfall(all, all.Tasks); v > exact {
		t.Errorf("the central allocation falls short by %g", v)
	}
	away, err := policies.AllocateBy("ps-dsf", env.Subset([]int{0, 1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	stale := all.Clone()
	clear(stale.X)
	clear(stale.Tasks)
	copy(stale.X, away.X)
	copy(stale.Tasks, away.Tasks)
	if v := shortfall(stale, append(slices.Clone(away.Tasks), 0)); v > exact {
		t.Errorf("without user 4: %g", v)
	}
	if v := shortfall(stale, all.Tasks); v < 0.1 {
		t.Errorf("user 4 is back and has nothing, shortfall %g", v)
	}
}
