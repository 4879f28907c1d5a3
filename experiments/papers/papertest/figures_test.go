package papertest_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/papers"
	_ "github.com/leontief-sim/leontief/experiments/papers/magiks"
	_ "github.com/leontief-sim/leontief/experiments/papers/mtp"
	_ "github.com/leontief-sim/leontief/experiments/papers/psdsf"
	_ "github.com/leontief-sim/leontief/experiments/papers/tsf"
	_ "github.com/leontief-sim/leontief/experiments/papers/tsfer"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/plots"
)

// row is a made-up row, a result of nothing.
func row(policy, metric, point string, instance int, value float64) results.Row {
	return results.Row{Policy: policy, Metric: metric, Point: resulttest.Point(point), Instance: int64(instance), Value: value, Unit: results.UnitOf(metric), Workload: "made up (synthetic)"}
}

func draw(t *testing.T, paper, item string, rows []results.Row) plots.Figure {
	t.Helper()
	view, ok := papers.FigureOf(paper, item)
	if !ok {
		t.Fatalf("%s has no figure %s", paper, item)
	}
	f, err := plots.Draw(rows, view, papers.Styles())
	if err != nil {
		t.Fatalf("%s/%s: %v", paper, item, err)
	}
	if f.Name != paper+"-"+item || !strings.Contains(f.Note, "made up (synthetic)") && !strings.Contains(f.Note, "No trace") {
		t.Errorf("%s: note %q", f.Name, f.Note)
	}
	for _, format := range plots.Formats {
		if _, err := f.Encode(format); err != nil {
			t.Error(err)
		}
	}
	return f
}

func names(p *plots.Panel) (all []string) {
	for _, s := range p.Series {
		all = append(all, s.Name)
	}
	return all
}

// Every figure is of an item of its paper, and of that item's table.
func TestShippedFiguresAreOfItems(t *testing.T) {
	all := papers.ShippedFigures()
	if len(all) != 25 {
		t.Errorf("%d figures: %v", len(all), all)
	}
	for _, p := range papers.Papers() {
		for _, name := range all {
			item, ours := strings.CutPrefix(name, p.Name+"/")
			if view, _ := papers.FigureOf(p.Name, item); ours && (!slices.Contains(p.Items, item) || view.Table != item || len(view.Caption) < 20) {
				t.Errorf("%s: of table %q, items %v, caption %q", name, view.Table, p.Items, view.Caption)
			}
		}
	}
	if _, ok := papers.FigureOf("tsf", "fig9-hour"); !ok {
		t.Error("a reading of figure 9 has no figure")
	}
	if _, ok := papers.FigureOf("tsf-er", "table3"); ok {
		t.Error("a table has a figure")
	}
}

func TestTSFERFigures(t *testing.T) {
	rules := []string{"drf-er", "tsf-er", "tsf-cpu"}
	var rows []results.Row
	for k, rule := range rules {
		for _, rho := range []float64{.9, .5} {
			for i := range 5 {
				at := fmt.Sprintf("n=100,rho=%g,bandwidth_mhz=2", rho)
				rows = append(rows, row(rule, results.MetricMinTaskRatio, at, i, 1-rho*float64(k)/4), row(rule, results.MetricSIViolation, at, i, rho*float64(k+i)/10))
			}
		}
	}
	f := draw(t, "tsf-er", "fig3", rows)
	if p := f.Panels[1]; len(f.Panels) != 2 || !slices.Equal(names(p), []string{"tsf-er", "tsf-cpu", "drf-er"}) || p.Series[0].Points[0].X != 0.5 || math.Abs(p.Series[0].Points[0].Mean-.15) > 1e-12 {
		t.Errorf("%+v", f.Panels[1])
	}
	if want := "Workload: made up (synthetic); 100 jobs, 2 MHz. Error bars: 95% intervals over 5 instances."; f.Note != want {
		t.Errorf("note %q", f.Note)
	}
	mixed := slices.Clone(rows)
	mixed[0].Point = mixed[0].Point.With("n", results.OfInt(3))
	view, _ := papers.FigureOf("tsf-er", "fig3")
	if _, err := plots.Draw(mixed, view, nil); err == nil {
		t.Error("rows of two numbers of jobs are drawn")
	}

	rows = nil
	for _, slot := range []int{3600, 1209600, 86400} {
		rows = append(rows, row("tsf-er", results.MetricJCTFactor, fmt.Sprintf("slot_s=%d,bandwidth_mhz=1500", slot), 0, 1/float64(slot)))
	}
	if p := draw(t, "tsf-er", "fig8", rows).Panels[0]; p.X.Scale != plots.Log || p.X.Text(p.X.Ticks[0]) != "1 h" || p.X.Text(p.X.Ticks[2]) != "2 wk" {
		t.Errorf("%+v", p.X)
	}
}

// 10, 11, 12, 13 moves, found 10, 11, 12 and 13 times.
func TestMAGIKSFigures(t *testing.T) {
	var rows []results.Row
	for _, s := range []struct{ n, m int }{{50, 10}, {150, 10}, {150, 5}} {
		for _, policy := range []string{"magiks-bim", "magiks-rim"} {
			for moves := 10; moves < 14; moves++ {
				rows = append(rows, row(policy, "moves_histogram", fmt.Sprintf("n=%d,l=4,m=%d,moves=%d", s.n, s.m, moves), 0, float64(moves)))
			}
		}
	}
	f := draw(t, "magiks", "fig2", rows)
	users, servers := f.Panels[0], f.Panels[1]
	if !slices.Equal(users.X.Ticks, []float64{50, 150}) || !slices.Equal(servers.X.Ticks, []float64{5, 10}) || !slices.Equal(names(users), []string{"magiks-rim", "magiks-bim"}) {
		t.Errorf("ticks %v and %v, %v", users.X.Ticks, servers.X.Ticks, names(users))
	}
	if b := users.Series[0].Points[1].Box; b.N != 46 || math.Abs(b.Mean-(100+121+144+169)/46.) > 1e-12 {
		t.Errorf("box %+v", b)
	}
	view, _ := papers.FigureOf("magiks", "fig3")
	if _, err := plots.Draw(rows, view, nil); err == nil {
		t.Error("a panel without rows is drawn")
	}
}

func TestMTPFigures(t *testing.T) {
	const point = "bandwidth_mhz=20,hours=7,fraction=0.1,longest_h=2"
	var rows []results.Row
	for k, policy := range []string{"eq", "mtp", "tsf"} {
		for at := range 40 {
			r := row(policy, results.MetricEnviousness, point, 0, float64(k*at))
			r.At(300 * float64(at))
			rows = append(rows, r)
		}
	}
	p := draw(t, "mtp", "fig4", rows).Panels[0]
	if !slices.Equal(names(p), []string{"mtp", "tsf", "eq"}) || p.X.Label != "Time (h)" || p.Series[1].Points[12].X != 1 || p.Series[1].Points[12].Mean != 24 {
		t.Errorf("%v, %+v", names(p), p.Series[1].Points[12])
	}
	rows = nil
	for j := range 3 {
		r := row("mtp", results.MetricCompletion, point, 0, float64(60*(j+1)))
		r.User = fmt.Sprint(j)
		rows = append(rows, r)
	}
	p = draw(t, "mtp", "fig5", rows).Panels[0]
	var xs, ys []float64
	for _, pt := range p.Series[0].Points {
		xs, ys = append(xs, pt.X), append(ys, pt.Mean)
	}
	if !slices.Equal(xs, []float64{60, 60, 120, 120, 180, 180}) || math.Abs(ys[1]-1./3) > 1e-12 || ys[0] != 0 || ys[5] != 1 {
		t.Errorf("three jobs: %v, %v", xs, ys)
	}
}

func TestTSFFigures(t *testing.T) {
	var rows []results.Row
	for instance, shift := range []float64{0, 0.2} {
		for k, x := range []string{"0", "1", "10", "100"} {
			for _, m := range []string{"cdf:job_queueing_delay", "cdf:job_completion_time"} {
				rows = append(rows, row("tsf", m, "x="+x, instance, 0.1*float64(k)+shift))
			}
		}
	}
	f := draw(t, "tsf", "fig9", rows)
	if pt := f.Panels[1].Series[0].Points[2]; len(f.Panels) != 2 || pt.X != 10 || math.Abs(pt.Mean-0.3) > 1e-12 || f.Panels[0].X.Least != 0.1 || !strings.Contains(f.Note, "2 simulations") {
		t.Errorf("%+v: %s", pt, f.Note)
	}

	rows = nil
	for run, s := range map[string][]float64{"static": {600, 1200}, "TSF": {300, 600}} {
		for k, job := range []string{"job 1", "job 2"} {
			for i := range 2 {
				r := row("tsf", results.MetricCompletion, "run="+run, i, s[k])
				r.User = job
				rows = append(rows, r)
			}
		}
	}
	p := draw(t, "tsf", "fig6", rows).Panels[0]
	if p.Kind != "bars" || !slices.Equal(p.X.Names, []string{"job 1", "job 2"}) || len(p.Series) != 2 {
		t.Fatalf("%s of %v, %v", p.Kind, p.X.Names, names(p))
	}
	for _, s := range p.Series {
		if want := map[string]float64{"static": 20, "TSF": 10}[s.Name]; s.Points[1].Mean != want {
			t.Errorf("%s: %+v", s.Name, s.Points)
		}
	}

	rows = nil
	for s := range 200 {
		for _, m := range []string{"task_share", "cpu_share", "mem_share"} {
			r := row("tsf", m, "scene=shares", 0, float64(s)/200)
			r.User = "job 1"
			r.At(float64(s))
			rows = append(rows, r)
		}
	}
	if f = draw(t, "tsf", "fig5", rows); len(f.Panels) != 3 || f.Panels[2].Series[0].Name != "job 1" || f.Panels[2].Series[0].Points[100].Mean != .5 {
		t.Errorf("%d panels, %+v", len(f.Panels), f.Panels[2].Series[0].Name)
	}
}
