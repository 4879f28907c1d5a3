package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/leontief-sim/leontief/experiments/results"
)

// composed measures a figure and gives its panels their places.
func composed(t *testing.T, f Figure) *page {
	t.Helper()
	pg, err := f.compose()
	if err != nil {
		t.Fatal(err)
	}
	pg.panels.place(vg.Point{X: margin, Y: pg.height - margin - pg.head()})
	return pg
}

// grids are figures of panels that share axes, of ones that do not, and of names that are
// longer than a panel, at both widths.
func grids(t *testing.T) map[string]Figure {
	t.Helper()
	all := map[string]Figure{}
	long := selected(t, nil)
	for i := range long {
		long[i].Point = long[i].Point.With("rho", results.OfText(fmt.Sprint("a name that is much longer than a panel is wide, ", long[i].Is("rho"))))
	}
	for name, rows := range map[string][]results.Row{"numbers": selected(t, nil), "names": long} {
		for _, v := range []View{{X: "rho", Panels: "n"}, {X: "rho", Panels: "n", Baseline: "mnw"}, {X: "n", Panels: "rho", Form: "bars"}, {Form: "heat"}} {
			for _, w := range []Length{OneColumn, TwoColumns} {
				v.Width = w
				all[fmt.Sprint(name, v.X, v.Form, v.Baseline, float64(w))] = drawn(t, rows, v)
			}
		}
	}
	return all
}

// Whatever stands beside them, the data of all panels are equally large, inside the page,
// and apart from each other by what each panel needs.
func TestPanelsAreEquallyLargeAndApart(t *testing.T) {
	for name, f := range grids(t) {
		pg := composed(t, f)
		g := pg.panels
		for i, fr := range g.frames {
			size := fr.data.Size()
			if !close(size.X, g.width) || !close(size.Y, panelHeight) {
				t.Errorf("%s: panel %d is %v", name, i, size)
			}
			if fr.data.Min.X-fr.room.left < margin-1e-6 || fr.data.Max.X+fr.room.right > pg.width-margin+1e-6 || fr.data.Min.Y-fr.room.bottom < margin-1e-6 {
				t.Errorf("%s: panel %d at %v with %v around it leaves the page of %v by %v", name, i, fr.data, fr.room, pg.width, pg.height)
			}
			if i%g.columns > 0 && g.frames[i-1].data.Max.X+g.frames[i-1].room.right > fr.data.Min.X-fr.room.left {
				t.Errorf("%s: panel %d touches the one beside it", name, i)
			}
			if i >= g.columns && g.frames[i-g.columns].data.Min.Y-g.frames[i-g.columns].room.bottom < fr.data.Max.Y+fr.room.top {
				t.Errorf("%s: panel %d touches the one above it", name, i)
			}
		}
	}
}

// Panels of the same axes name their ticks once, at the edges, and their labels once.
func TestPanelsShareTheirAxes(t *testing.T) {
	f := drawn(t, sweepRows(), View{X: "rho", Panels: "n", Width: TwoColumns})
	g := composed(t, f).panels
	if g.columns != 2 || g.frames[0].bareY || !g.frames[1].bareY || g.xLabel != "Server heterogeneity ρ" || g.frames[0].xLabel+g.frames[1].yLabel != "" {
		t.Errorf("%d columns, %+v", g.columns, g.frames[1])
	}
	f.columns = 1
	if g = composed(t, f).panels; !g.frames[0].bareX || g.frames[1].bareX || g.frames[1].bareY {
		t.Errorf("below one another: %+v", g.frames[0])
	}
	f.Panels[1].Y.high *= 2
	if g = composed(t, f).panels; g.frames[1].bareY {
		t.Error("an axis of its own has no names")
	}
}

// No name of a horizontal axis touches the next, however many there are and however long.
func TestNamesDoNotTouch(t *testing.T) {
	for _, n := range []int{2, 5, 12, 17, 25} {
		for _, word := range []string{"EQ", "CMMF-mem", strings.Repeat("long ", 8)} {
			a := Axis{Scale: Categories}
			for k := range n {
				a.Names = append(a.Names, fmt.Sprint(word, k))
			}
			a.fit(newExtent())
			const length = 220
			_, turned := a.named(length)
			apart := length / float64(n)
			if turned == 0 && !a.fits(a.ticks(), length) || turned != 0 && apart*math.Sin(turned) < 0.99*smallText {
				t.Errorf("%d names as %q, turned by %.2f, %.1f pt apart", n, word, turned, apart)
			}
		}
	}
}

// 0 and the least other value of a logarithmic axis have places of their own, to both
// sides of 0 where there are negative values.
func TestZeroOnALogarithmicAxis(t *testing.T) {
	for _, values := range [][]float64{{0, 60, 256, 14400}, {-1000, -1, 0, 1, 1000}, {0, 1e-3, 1e7}} {
		var a Axis
		a.scaled(values, 0)
		a.fit(extent{a.at(values[0]), a.at(values[len(values)-1])})
		for k := 1; k < len(values); k++ {
			if a.at(values[k])-a.at(values[k-1]) < 0.25 {
				t.Errorf("%g at %g, %g at %g", values[k-1], a.at(values[k-1]), values[k], a.at(values[k]))
			}
		}
		zero := false
		for _, tick := range a.ticks() {
			zero = zero || tick.Label == "0" && tick.Value == a.at(0)
		}
		if !zero {
			t.Errorf("%g: no tick at 0", values)
		}
	}
}

// The label of a ramp that is too long to stand beside it stands above it.
func TestRampFitsThePage(t *testing.T) {
	r := &Ramp{Label: "Mean minimum restricted task ratio, less that of TSF-ER", Low: -0.02431, High: 0.00243}
	if one, two := r.height(vg.Length(TwoColumns)), r.height(vg.Length(OneColumn)); one != legendRow || two != 2*legendRow {
		t.Errorf("heights %v and %v", one, two)
	}
}

// What the others are compared with has no place among them.
func TestNoPlaceForTheBaseline(t *testing.T) {
	p := drawn(t, selected(t, map[string]string{"n": "20", "rho": "0.5"}), View{Baseline: "mnw"}).Panels[0]
	if len(p.X.Names) != 1 || p.X.Names[0] != "TSF-ER" {
		t.Errorf("%q", p.X.Names)
	}
}

// The legend shows what the panels show: lines only where there are lines.
func TestLegendShowsWhatIsDrawn(t *testing.T) {
	for want, v := range map[sample]View{lineSample: {X: "rho"}, markSample: {X: "rho", Form: "boxes"}, fillSample: {X: "rho", Form: "bars"}} {
		f := drawn(t, selected(t, map[string]string{"n": "20"}), v)
		if l := f.newLegend(mustFor(t, f), 300, false); l.sample != want {
			t.Errorf("%+v: sample %d", v, l.sample)
		}
	}
}
