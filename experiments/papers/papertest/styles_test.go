package papertest_test

import (
	"fmt"
	"image/color"
	"testing"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/policies"
)

// figureGroups are policies that papers show together.
var figureGroups = [][]string{
	{"tsf-er", "drf-er", "drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq"},
	{"tsf-er", "mnw", "cru"},
	{"tsf-er", "drf-er", "mnw", "cru", "ru", "egalitarian", "utilitarian"},
	{"mtp", "tsf", "eq"},
	{"ps-dsf", "tsf", "drfh", "cdrf"},
	{"fifo", "drf", "cdrf", "cmmf-cpu", "cmmf-mem", "tsf"},
	{"magiks-rim", "magiks-bim", "bks", "bnbs", "beq", "ubound"},
}

// In each figure colour, dash and marker each tell the policies apart.
func TestStylesInOneFigureDifferInEveryWay(t *testing.T) {
	styles := papers.Styles()
	for _, group := range figureGroups {
		chosen, err := styles.For(group)
		if err != nil {
			t.Fatal(err)
		}
		colours, dashes, markers := map[color.Color]bool{}, map[string]bool{}, map[plots.Marker]bool{}
		for _, p := range group {
			s, ok := styles[p]
			if !ok || fmt.Sprint(chosen[p]) != fmt.Sprint(s) {
				t.Errorf("%s: style %v is not its own", p, chosen[p])
			}
			colours[s.Color], dashes[fmt.Sprint(s.Dashes)], markers[s.Marker] = true, true, true
		}
		if n := len(group); len(colours) != n || len(dashes) != n || len(markers) != n {
			t.Errorf("%v: %d colours, %d dashes, %d markers for %d policies",
				group, len(colours), len(dashes), len(markers), n)
		}
	}
}

// Every word of a look is one that makes a style.
func TestEveryLookIsAStyle(t *testing.T) {
	for _, c := range policies.Colors {
		for _, d := range policies.Dashes {
			for _, m := range policies.Markers {
				if _, err := plots.NewStyle("x", c, d, m); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if s := papers.Styles()["drf-er"]; s.Label != "DRF-ER" {
		t.Errorf("drf-er looks like %+v", s)
	}
}
