package magiks

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/plots"
)

// magiksRows are a table of two rules, n = 50 and 150, m = 5 and 10.
func magiksRows() []results.Row {
	var rows []results.Row
	for _, s := range []struct{ n, m int }{{50, 10}, {150, 10}, {150, 5}} {
		for _, policy := range []string{"magiks-bim", "magiks-rim"} {
			r := results.Row{Experiment: "magiks", Policy: policy, Workload: "made up (synthetic)"}
			for moves := 10; moves < 14; moves++ {
				r.Metric, r.Value, r.Unit = MetricMovesHistogram, float64(moves), UnitRealisations
				r.Point = resulttest.Point(fmt.Sprintf("n=%d,l=4,m=%d,moves=%d", s.n, s.m, moves))
				rows = append(rows, r)
			}
			r.Metric, r.Unit, r.Point = MetricNUSF, results.UnitRatio, resulttest.Point(fmt.Sprintf("n=%d,l=4,m=%d", s.n, s.m))
			for r.Instance = range int64(2) {
				r.Value = float64(s.n) + float64(r.Instance)
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func TestMAGIKSFigures(t *testing.T) {
	drawn := func(item string) plots.Figure {
		figures, err := draw(item, magiksRows())
		if err != nil || len(figures) != 1 {
			t.Fatalf("%s: %v, %d figures", item, err, len(figures))
		}
		return figures[0]
	}
	f := drawn("fig2")
	users, servers := f.Panels[0].(*plots.Boxes), f.Panels[1].(*plots.Boxes)
	if !reflect.DeepEqual(users.Groups, []string{"50", "150"}) || !reflect.DeepEqual(servers.Groups, []string{"5", "10"}) {
		t.Errorf("groups %v and %v", users.Groups, servers.Groups)
	}
	if !reflect.DeepEqual(users.Policies(), []string{"magiks-rim", "magiks-bim"}) {
		t.Errorf("policies %v", users.Policies())
	}
	if b := users.Box("magiks-rim", "150"); b.N != 46 || math.Abs(b.Mean-(100+121+144+169)/46.) > 1e-12 {
		t.Errorf("box %+v", b)
	}
	g := drawn("fig4")
	if p := g.Panels[0].(*plots.Points).Series[0].Points[0]; p.Mean != 50.5 || math.Abs(p.High-50.5-12.7062047/2) > 1e-6 || p.N != 2 {
		t.Errorf("point %+v", p)
	}
	for _, figure := range []plots.Figure{f, g} {
		first, err := figure.Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := figure.Encode("svg"); err != nil || string(first) != string(again) || !strings.Contains(string(first), "made up") {
			t.Errorf("%s: %v, other bytes or no workload", figure.Name, err)
		}
	}
}

func TestMAGIKSFiguresThatCannotBe(t *testing.T) {
	rows := magiksRows()
	lacking := append([]results.Row(nil), rows[6:]...)
	mixed := append([]results.Row(nil), rows...)
	mixed[3].Workload = "another"
	for what, of := range map[string]struct {
		item string
		rows []results.Row
	}{
		"no rows":              {"fig2", nil},
		"a box missing":        {"fig2", lacking},
		"a point missing":      {"fig4", lacking},
		"two workloads":        {"fig4", mixed},
		"a panel without rows": {"fig3", rows},
	} {
		if _, err := draw(of.item, of.rows); err == nil {
			t.Errorf("%s: drawn", what)
		}
	}
	if figures, err := draw("fig9", rows); err != nil || figures != nil {
		t.Errorf("another item: %v, %v", err, figures)
	}
}
