package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// cells makes rows of a metric: for each "policy point" the values of the instances.
func cellsOf(metric string, of map[string][]float64) []results.Row {
	var rows []results.Row
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		policy, point, _ := strings.Cut(key, " ")
		for i, v := range of[key] {
			r := results.Row{Policy: policy, Instance: int64(i), Metric: metric, Value: v, Unit: results.UnitOf(metric)}
			if point != "" {
				r.Point = resulttest.Point(point)
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func compared(t *testing.T, rows ...results.Row) comparisons {
	t.Helper()
	return newBuilder(testStyles(t)).compare(&folderView{ID: "f"}, []Table{{"t", results.Pack(rows)}})
}

// The best rule is that of the best mean, and its lead is paired: here always exactly 1,
// whatever the instance.
func TestTheBestRuleIsPaired(t *testing.T) {
	c := compared(t, cellsOf("mean_completion_time", map[string][]float64{"mnw": {11, 51, 101}, "tsf-er": {10, 50, 100}, "cru": {12, 60, 130}})...)
	want := bestLine{"Mean completion time (s)", "lower is better", "TSF-ER", "53.3", "MNW", "+1 [1, 1]", "ahead"}
	if len(c.Best) != 1 || c.Best[0] != want {
		t.Errorf("got %+v, want %+v", c.Best, want)
	}
	if len(c.Turns) != 1 || !strings.Contains(c.Turns[0], "one setting alone") {
		t.Errorf("turns %q", c.Turns)
	}
}

func TestRulesThatAreLevelAreNamedTogether(t *testing.T) {
	c := compared(t, cellsOf("jct_factor", map[string][]float64{"mnw": {.5, .7}, "tsf-er": {.7, .5}, "cru": {.2, .9}})...)
	if b := c.Best[0]; b.Best != "MNW, TSF-ER" || b.Next != "cru" || b.Verdict != "not told apart" {
		t.Errorf("%+v", b)
	}
	c = compared(t, cellsOf("jobs_refused", map[string][]float64{"mnw": {0, 0}, "tsf-er": {0, 0}})...)
	if b := c.Best[0]; b.Metric != "Jobs refused" || b.Verdict != "the same under all rules" {
		t.Errorf("%+v", b)
	}
	c = compared(t, cellsOf("jct_factor", map[string][]float64{"mnw": {.5}, "tsf-er": {.7}})...)
	if b := c.Best[0]; b.Gap != "-0.2" || b.Verdict != "one instance, no interval" {
		t.Errorf("%+v", b)
	}
}

// Two rules change places along ρ: each is ahead by exactly 0.1 at one end.
func TestWhereTheOrderChanges(t *testing.T) {
	c := compared(t, cellsOf("jct_factor", map[string][]float64{
		"mnw n=5,rho=0.5": {.5, .7}, "tsf-er n=5,rho=0.5": {.4, .6},
		"mnw n=5,rho=0.9": {.3, .8}, "tsf-er n=5,rho=0.9": {.4, .9},
	})...)
	want := "Mean JCT factor along Server heterogeneity ρ: MNW is ahead of TSF-ER at 0.5 by +0.1 [0.1, 0.1], and behind it at 0.9 by -0.1 [-0.1, -0.1]."
	if !slices.Equal(c.Turns, []string{want}) {
		t.Errorf("got %q, want %q", c.Turns, want)
	}
	// Where the interval reaches 0 nothing is said to change.
	c = compared(t, cellsOf("jct_factor", map[string][]float64{
		"mnw rho=0.5": {.5, .7}, "tsf-er rho=0.5": {.4, .6},
		"mnw rho=0.9": {.3, .8}, "tsf-er rho=0.9": {.5, .7},
	})...)
	if len(c.Turns) != 1 || !strings.HasPrefix(c.Turns[0], "Along no axis") {
		t.Errorf("%q", c.Turns)
	}
}

func TestWhatIsFair(t *testing.T) {
	rows := cellsOf("min_restricted_task_ratio", map[string][]float64{"mnw": {1, 1 - 1e-9}, "tsf-er": {.9, 1}})
	c := compared(t, rows...)
	want := "Sharing incentive (Mean MIN-SI-SAT = 1) holds in all runs under MNW; it is violated under TSF-ER (in 1 of 2 runs, at worst 0.9)."
	if !slices.Equal(c.Fair, []string{want}) {
		t.Errorf("got %q", c.Fair)
	}
	c = compared(t, cellsOf("jct_factor", map[string][]float64{"mnw": {1}, "tsf-er": {.5}})...)
	if !slices.Equal(c.Fair, []string{"The tables hold no metric of fairness."}) {
		t.Errorf("got %q", c.Fair)
	}
}

// Rules that ran in other settings are not compared: their means are of other things.
func TestWhatIsNotComparable(t *testing.T) {
	c := compared(t, cellsOf("jct_factor", map[string][]float64{"mnw rho=0.5": {.5, .7}, "tsf-er rho=0.9": {.4, .6}, "tsf-er rho=0.5": {.4, .6}})...)
	if len(c.Best) != 0 || c.Turns != nil {
		t.Errorf("%+v", c)
	}
}

// A sweep without figure files has a figure of each metric that one direction is better
// of, over three axes too, and of nothing where there is nothing to draw.
func TestASweepIsDrawn(t *testing.T) {
	of := map[string][]float64{}
	for _, policy := range []string{"mnw", "tsf-er"} {
		for n := range 3 {
			for rho := range 3 {
				for bw := range 2 {
					of[fmt.Sprintf("%s n=%d,rho=%g,bandwidth_mhz=%d", policy, n+5, float64(rho)/4, bw+1)] = []float64{float64(n+rho) / 7, .5}
				}
			}
		}
	}
	rows := slices.Concat(cellsOf("jct_factor", of), cellsOf("jobs_refused", map[string][]float64{"mnw": {0, 0}, "tsf-er": {0, 0}}))
	v, b := &folderView{ID: "f"}, newBuilder(testStyles(t))
	if err := v.takeTable(Table{"factors", results.Pack(rows)}, false, b); err != nil {
		t.Fatal(err)
	}
	figures := v.Items[0].Figures
	if len(figures) != 1 || figures[0].Caption != "Mean JCT factor, at Bandwidth = 1" || !strings.Contains(string(figures[0].SVG), `role="img"`) {
		t.Fatalf("%d figures: %+v", len(figures), figures)
	}
	if figures[0].Wide == "" || figures[0].Wide == figures[0].SVG {
		t.Error("a figure of several panels is not drawn for a phone and for a wide page")
	}
}

// What no form can draw has no figure, also where a column has no value in some rows.
func TestWhatCanNotBeDrawn(t *testing.T) {
	var rows []results.Row
	for k, point := range []string{"a=1", "b=x", "c=2,a=3", "d=y,b=z", "a=x,b=y,c=z,d=0"} {
		for i := range 3 {
			for u := range 3 {
				rows = append(rows, results.Row{Policy: "mnw", Point: resulttest.Point(point), Item: fmt.Sprint(u), Metric: "jct_factor", Unit: "1", Value: float64(k + i + u), Instance: int64(i)})
			}
		}
	}
	v, b := &folderView{ID: "f"}, newBuilder(testStyles(t))
	if err := v.takeTable(Table{"factors", results.Pack(rows)}, false, b); err != nil {
		t.Fatal(err)
	}
}
