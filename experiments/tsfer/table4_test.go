package tsfer

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

func TestTable4IsWholeAndDoesNotDependOnTheWorkers(t *testing.T) {
	p := smallPlan(t, "table4")
	p.Scale.Table4 = 2
	one, two := reproduce(t, p, 1), reproduce(t, p, 2)
	if d := cmp.Diff(one, two); d != "" {
		t.Error(d)
	}
	if _, err := experiments.NewLedger(one.Entries).JSON(); err != nil {
		t.Error(err)
	}
	count := map[string]int{}
	for _, e := range one.Entries {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e.ID, e.Item+"/"), "/")
		count[e.Item+" "+kind]++
		if fitted := strings.HasPrefix(e.ID, "table4/tsf-er/n=15,rho=0.7,bw=2,slot=256"); e.FittedTo != fitted {
			t.Errorf("%s: fitted to: %v, want %v", e.ID, e.FittedTo, fitted)
		}
	}
	want := map[string]int{"table4 tsf-er": 12, "table4 mnw": 12, "table4 cru": 12, "table4 claim": 5, "table4 regularity": 2,
		"table4-options mnw": 12, "table4-options cru": 12, "table4-options rounding": 1, "table4-options rule": 2,
		"table4-options nearest": 2, "table4-options all-present": 6}
	if d := cmp.Diff(want, count); d != "" {
		t.Errorf("entries by kind (-want +got):\n%s", d)
	}
	// 9 settings of 3 rules and 29 variants, a row a measure; 9 shares an instance.
	if measures := 4; len(one.Rows["table4"]) != 2*9*3*measures || len(one.Rows["table4-options"]) != 2*(29*measures+9) {
		t.Errorf("%d and %d rows", len(one.Rows["table4"]), len(one.Rows["table4-options"]))
	}
	for item, rows := range one.Rows {
		if _, err := plots.Summarize(rows, experiments.Bootstrap("test", 1)); err != nil {
			t.Errorf("the rows of %s can not be told apart: %v", item, err)
		}
	}
}

// TestFIFOIsNotTSFER fails when the share order of TSF-ER is replaced by that
// of arrival.
func TestFIFOIsNotTSFER(t *testing.T) {
	r := &runner{ctx: context.Background(), workers: 2, Plan: smallPlan(t, "table4").onWhole()}
	out := map[string]float64{}
	for i := range 6 {
		outcomes, err := r.whole(Central4, i, []variant{{rule: "tsf-er"}, {rule: experiments.FIFO}}, true)
		if err != nil {
			t.Fatal(err)
		}
		out["tsf-er"] += outcomes[0].Measures[0].Value / 6
		out["fifo"] += outcomes[1].Measures[0].Value / 6
	}
	if out["tsf-er"]-out["fifo"] < 0.02 {
		t.Errorf("mean JCT factors %v: TSF-ER should be clearly ahead", out)
	}
}

// onWhole is the plan with the workload of table 4 in the place of the other.
func (p *Plan) onWhole() *Plan {
	other := *p
	other.Workload = p.Whole
	return &other
}

// TestTheMediansOfTable4AreFitted repeats the fit on fewer instances: both
// means must lie within four standard errors of their targets.
func TestTheMediansOfTable4AreFitted(t *testing.T) {
	const instances = 200
	r, err := twoParameterRunner(context.Background(), synthetic.TwoParameterTasks, synthetic.TwoParameterMedianS, 11, 2)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fluidAt(r.ctx, synthetic.TwoParameterTasks, synthetic.TwoParameterMedianS, instances, 11, 2)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := r.every("fit", []Setting{Central4}, instances, func(s Setting, i int) ([]*experiments.Outcome, error) {
		return r.whole(s, i, []variant{{rule: "tsf-er"}}, false)
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Whole, f.WholeError = factorOf(outcomes)
	if math.Abs(f.Fluid-FitTarget) > 4*f.FluidError || math.Abs(f.Whole-FitTarget4) > 4*f.WholeError {
		t.Errorf("%+v is not %g and %g: repeat the fit (go run ./scripts/fit -table4)", f, FitTarget, FitTarget4)
	}
	if max(f.FluidError, f.WholeError) > 0.015 {
		t.Errorf("standard errors %g and %g: this test says nothing", f.FluidError, f.WholeError)
	}
}
