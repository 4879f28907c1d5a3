package tsfer

import (
	"context"
	"fmt"
	"math"
	"slices"
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
		"table4-options mnw": 36, "table4-options cru": 36, "table4-options rounding": 1, "table4-options rule": 2,
		"table4-options all-present": 6}
	if d := cmp.Diff(want, count); d != "" {
		t.Errorf("entries by kind (-want +got):\n%s", d)
	}
	// 9 settings of 3 rules and 77 variants, a row a measure; 9 shares an instance.
	if measures := 4; one.Tables["table4"].Len() != 9*3*measures || one.Tables["table4-options"].Len() != 77*measures+9 {
		t.Errorf("%d and %d rows", one.Tables["table4"].Len(), one.Tables["table4-options"].Len())
	}
	for item, rows := range one.Tables {
		if _, err := results.Summarize(rows.Rows()); err != nil {
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

// mean4 are the printed means of a rule.
func mean4(rule string) func(Setting) float64 {
	return func(s Setting) float64 {
		for _, c := range table4 {
			if c.Setting == s {
				return c.values[slices.Index(rules3, rule)]
			}
		}
		panic("no such column: " + s.String())
	}
}

// The printed table has every trend by which readings are judged, and a table that is
// flat or turned round has none.
func TestThePrintedTableHasItsTrends(t *testing.T) {
	turned := func(rule string) func(Setting) float64 {
		return func(s Setting) float64 { return 1 - mean4(rule)(s) }
	}
	flat := func(Setting) float64 { return 0.2 }
	for _, rule := range rules3[1:] {
		for _, trend := range trends4(rule) {
			if gain := trend.gain(mean4(rule)); gain < 0.004 {
				t.Errorf("%s %s: %g", rule, trend.text, gain)
			}
			if trend.gain(turned(rule)) >= 0 || trend.gain(flat) != 0 {
				t.Errorf("%s %s also where it does not", rule, trend.text)
			}
		}
	}
	if lead := cruLead(mean4("mnw"), mean4("cru")); math.Abs(lead-(0.187/0.183-1)) > 1e-12 {
		t.Errorf("CRU's smallest lead is %g", lead)
	}
}

// What docs/whole-tasks.md says of the printed table: with 15 users, n times MNW's
// factor is 3.06 to 3.11 times TSF-ER's in all columns but that of ρ = .9, and CRU's
// lead over MNW falls with ρ from 27% to 2%.
func TestRegularitiesOfThePrintedTable(t *testing.T) {
	tsfer, mnw, cru := mean4("tsf-er"), mean4("mnw"), mean4("cru")
	got := map[Setting]string{}
	for _, c := range table4 {
		got[c.Setting] = fmt.Sprintf("%.2f %.2f", float64(c.N)*mnw(c.Setting)/tsfer(c.Setting), cru(c.Setting)/mnw(c.Setting))
	}
	want := map[Setting]string{
		n4(10): "2.90 1.16", n4(15): "3.07 1.15", n4(20): "3.21 1.12",
		rho4(0.5): "3.08 1.27", rho4(0.9): "3.22 1.02",
		mhz4(1): "3.09 1.18", mhz4(3): "3.11 1.13", atSlot(64): "3.06 1.19", atSlot(1024): "3.07 1.12",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
