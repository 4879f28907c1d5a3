package tsfer

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
)

// Nor does it depend on whether its invariants are checked.
func TestTable4IsWholeAndDoesNotDependOnTheWorkers(t *testing.T) {
	r := papers.Request{Items: []string{"table4"}, Seed: 1, Instances: 1}
	one := reproduce(t, r, 1)
	r.Options = map[string]string{"verify": "yes"}
	two := reproduce(t, r, 2)
	if len(one.Notes) != 0 || len(two.Notes) != 1 || !strings.HasPrefix(two.Notes[0], "Every invariant of whole tasks was checked after ") {
		t.Errorf("notes %q and, checked, %q", one.Notes, two.Notes)
	}
	two.Notes = nil
	if d := same(one, two); d != "" {
		t.Error(d)
	}
	if _, err := one.Ledger.JSON(); err != nil {
		t.Error(err)
	}
	count := map[string]int{}
	for _, e := range one.Ledger.Entries {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e.ID, e.Item+"/"), "/")
		count[e.Item+" "+kind]++
		if fitted := strings.HasPrefix(e.ID, "table4/tsf-er/n=15,rho=0.7,bw=2,slot=256"); e.FittedTo != fitted {
			t.Errorf("%s: fitted to: %v, want %v", e.ID, e.FittedTo, fitted)
		}
	}
	want := map[string]int{"table4 tsf-er": 12, "table4 mnw": 12, "table4 cru": 12, "table4 claim": 7, "table4 regularity": 2,
		"table4-options mnw": 12, "table4-options cru": 12, "table4-options rounding": 1, "table4-options rule": 2,
		"table4-options nearest": 2, "table4-options all-present": 6}
	if d := cmp.Diff(want, count); d != "" {
		t.Errorf("entries by kind (-want +got):\n%s", d)
	}
	// 9 settings of 3 rules and 29 variants, a row a measure; 9 shares an instance.
	if measures := 4; len(one.Tables["table4"]) != 9*3*measures || len(one.Tables["table4-options"]) != 29*measures+9 {
		t.Errorf("%d and %d rows", len(one.Tables["table4"]), len(one.Tables["table4-options"]))
	}
	for item, rows := range one.Tables {
		if _, err := results.Summarize(rows); err != nil {
			t.Errorf("the rows of %s can not be told apart: %v", item, err)
		}
	}
}

// TestFIFOIsNotTSFER fails when the share order of TSF-ER is replaced by that
// of arrival.
func TestFIFOIsNotTSFER(t *testing.T) {
	w, err := Table4Workload()
	if err != nil {
		t.Fatal(err)
	}
	d := &direct{workload: w, bandwidth: traces.DefaultBandwidth(), seed: 1, workers: 2}
	factors, err := d.run(context.Background(), d.whole, []Setting{Central4}, []string{rules3[0], run.FIFO}, 6, results.MetricJCTFactor)
	if err != nil {
		t.Fatal(err)
	}
	if ahead := mean(factors[cell{Central4, rules3[0]}]) - mean(factors[cell{Central4, run.FIFO}]); ahead < 0.02 {
		t.Errorf("TSF-ER is ahead by %g, and should be so clearly", ahead)
	}
}
