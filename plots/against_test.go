package plots

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// sweepRows are rows of a made-up sweep: values are 10·rho + n + instance/4,
// 1 more for mnw.
func sweepRows() []results.Row {
	var rows []results.Row
	for p, policy := range []string{"tsf-er", "mnw"} {
		for _, rho := range []float64{.9, .5} {
			for _, n := range []int64{10, 20} {
				for i := range int64(3) {
					rows = append(rows, results.Row{Policy: policy, Point: resulttest.Point(fmt.Sprintf("n=%d,rho=%g,h=5,l=4", n, rho)), Instance: i, Metric: "jct_factor",
						Value: 10*rho + float64(n) + float64(i)/4 + float64(p), Unit: results.UnitRatio, Workload: "made up (synthetic)"})
				}
			}
		}
	}
	return rows
}

// threeApart is half of the interval of a, a + 0.25 and a + 0.5: Student's at
// n = 3, 4.3026527·0.25/√3, times 1 - 1/18.
const threeApart = 0.5865328

func TestAgainstAnAxis(t *testing.T) {
	rows, err := results.Select(sweepRows(), map[string]string{"n": "20", "l": "4"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Against(rows, View{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0].(*Points)
	if !slices.Equal(p.Groups, []string{"0.5", "0.9"}) || p.XLabel != "rho" || p.YLabel != "jct factor" {
		t.Errorf("panel %+v", p)
	}
	if got := p.Series[1]; got.Policy != "mnw" || got.Points[0].Mean != 26.25 || got.Points[0].N != 3 || math.Abs(got.Points[0].High-26.25-threeApart) > 1e-6 {
		t.Errorf("series %+v", got)
	}
	if want := "Workload: made up (synthetic). Error bars: 95% intervals over 3 instances."; f.Note != want {
		t.Errorf("note %q, want %q", f.Note, want)
	}
	if _, err := f.Encode("svg"); err != nil {
		t.Error(err)
	}
}

func TestAgainstAsksForAChoice(t *testing.T) {
	for want, view := range map[string]View{
		"which horizontal axis? (the rows differ in n, rho)": {},
		"the rows differ in n as well (10, 20): choose one":  {X: "rho"},
		"unknown metric \"colour\" (known: jct_factor)":      {Metric: "colour", X: "rho"},
	} {
		if _, err := Against(sweepRows(), view); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	rows, _ := results.Select(sweepRows(), map[string]string{"n": "20"})
	if _, err := Against(rows, View{X: "l"}); err == nil || !strings.Contains(err.Error(), "as well (0.9, 0.5)") {
		t.Errorf("error %v", err)
	}
	if _, err := results.Select(sweepRows(), map[string]string{"rho": "0.7"}); err == nil || err.Error() != "rho=0.7: no such row (known: 0.9, 0.5)" {
		t.Errorf("error %v", err)
	}
	if _, err := Against(nil, View{}); err == nil {
		t.Error("a table without rows is drawn")
	}
}

func TestDistributionAndTime(t *testing.T) {
	var rows []results.Row
	for i := range 5000 {
		rows = append(rows, results.Row{Policy: "tsf", User: string(rune('a' + i%3)), Instance: int64(i), Timed: true, TimeS: float64(i) * 60, Metric: "delay", Unit: "s", Value: float64((i * 37) % 5000)})
	}
	f, err := Against(rows, View{X: "cdf"})
	if err != nil {
		t.Fatal(err)
	}
	c := f.Panels[0].(*Lines).Curves[0]
	if n := len(c.X); n != 2*MostSteps || c.X[n-1] != 4999 || c.Y[n-1] != 1 || !slices.IsSorted(c.X) || !slices.IsSorted(c.Y) {
		t.Errorf("%d points that end at %v, %v", n, c.X[n-1], c.Y[n-1])
	}
	// Half of the values 0 … 4999 are at most 2499.
	if at := slices.Index(c.Y, .5); c.X[at] != 2499 {
		t.Errorf("the median is %v, want 2499", c.X[at])
	}
	rows, _ = results.Select(rows, map[string]string{"user": "a"})
	f, err = Against(rows, View{})
	if err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0].(*Lines)
	if p.XLabel != "Time (days)" || p.YLabel != "delay (s)" || p.Curves[0].X[1] != 180./86400 {
		t.Errorf("panel %s %s %v", p.XLabel, p.YLabel, p.Curves[0].X[:2])
	}
}

func TestPivotAndItsForms(t *testing.T) {
	cells, err := results.Summarize(sweepRows())
	if err != nil {
		t.Fatal(err)
	}
	table := Pivot(cells)
	if !slices.Equal(table.Header, []string{"metric", "n", "rho", "mnw", "tsf-er"}) || len(table.Rows) != 4 {
		t.Fatalf("table %+v", table)
	}
	if got := table.Rows[0]; !slices.Equal(got, []string{"jct_factor", "10", "0.5", "16.25 [15.66, 16.84]", "15.25 [14.66, 15.84]"}) {
		t.Errorf("first row %q", got)
	}
	var b bytes.Buffer
	if err := table.WriteLaTeX(&b, "made up,\nfor tests"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"% made up, for tests\n\\begin{tabular}{@{}lllrr@{}}\n\\toprule\n", `jct\_factor & 10 & 0.5 & 16.25 [15.66, 16.84] & 15.25 [14.66, 15.84] \\`, "\\bottomrule\n\\end{tabular}\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("LaTeX lacks %q:\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := results.WriteCells(&b, cells[:1]); err != nil {
		t.Fatal(err)
	}
	want := "item,policy,h,l,n,rho,user,workload,metric,mean,low,high,instances,unit\n" +
		",mnw,5,4,10,0.5,,made up (synthetic),jct_factor,16.25," + fmt.Sprint(cells[0].Low, ",", cells[0].High) + ",3,1\n"
	if b.String() != want || math.Abs(16.25-cells[0].Low-threeApart) > 1e-6 {
		t.Errorf("CSV\n%swant\n%s", b.String(), want)
	}
}

// One instance has no interval: its ends are empty.
func TestOneInstanceIsWrittenWithoutAnInterval(t *testing.T) {
	cells, err := results.Summarize(sweepRows()[:1])
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := results.WriteCells(&b, cells); err != nil {
		t.Fatal(err)
	}
	if line := strings.Split(b.String(), "\n")[1]; !strings.HasSuffix(line, ",,,1,1") {
		t.Errorf("CSV %q", line)
	}
	if text := Pivot(cells).Rows[0][1]; strings.Contains(text, "[") {
		t.Errorf("cell %q", text)
	}
}
