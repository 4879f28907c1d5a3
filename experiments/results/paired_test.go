package results

import (
	"math"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/metrics"
)

// pairedRows are two policies whose values differ from instance to instance by
// much more than from each other: mnw less tsf-er is 0.1, 0.2, 0.3.
func pairedRows() []Row {
	var rows []Row
	for i, v := range []float64{10, 20, 60} {
		for policy, more := range map[string]float64{"tsf-er": 0, "mnw": 0.1 * float64(i+1)} {
			rows = append(rows, Row{Policy: policy, Instance: int64(i), Metric: "m", Value: v + more, Unit: "s"})
		}
	}
	return rows
}

func TestVersusIsPaired(t *testing.T) {
	rows := pairedRows()
	cells, err := Summarize(rows)
	if err != nil {
		t.Fatal(err)
	}
	if cells[0].Low > cells[1].Mean || cells[1].High < cells[0].Mean {
		t.Fatalf("the intervals of the means do not overlap: %+v", cells)
	}
	got, err := Versus(rows, "tsf-er", false)
	if err != nil {
		t.Fatal(err)
	}
	want := metrics.Mean([]float64{0.1, 0.2, 0.3})
	if len(got) != 1 || got[0].Policy != "mnw" || got[0].Unit != "s" || got[0].Summary.N != 3 || math.Abs(got[0].Mean-0.2) > 1e-12 ||
		math.Abs(got[0].Low-want.Low) > 1e-9 || math.Abs(got[0].High-want.High) > 1e-9 || !got[0].Bounded() {
		t.Errorf("%+v, want %+v", got, want)
	}
	ratio, err := Versus(rows, "tsf-er", true)
	if err != nil {
		t.Fatal(err)
	}
	if one := ratio[0]; math.Abs(one.Mean-90.6/90) > 1e-12 || one.Unit != UnitRatio || one.Low >= one.Mean || one.High <= one.Mean || one.High > 1.05 {
		t.Errorf("ratio %+v", one)
	}
}

func TestVersusRefusesWhatIsNotPaired(t *testing.T) {
	zero := pairedRows()
	for i := range zero {
		if zero[i].Policy == "tsf-er" {
			zero[i].Value = 0
		}
	}
	lonely := append(pairedRows(), Row{Policy: "mnw", Instance: 3, Metric: "m", Unit: "s"})
	other := append(pairedRows(), Row{Policy: "mnw", Metric: "other"})
	for want, f := range map[string]func() ([]Cell, error){
		"no policy cru (there are":                   func() ([]Cell, error) { return Versus(pairedRows(), "cru", false) },
		"m of mnw has not the same instances as":     func() ([]Cell, error) { return Versus(lonely, "tsf-er", false) },
		"other of mnw has not the same instances as": func() ([]Cell, error) { return Versus(other, "tsf-er", false) },
		"m of tsf-er is 0: there is no ratio":        func() ([]Cell, error) { return Versus(zero, "tsf-er", true) },
		"no policy but mnw":                          func() ([]Cell, error) { return Versus([]Row{{Policy: "mnw", Metric: "m"}}, "mnw", false) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
