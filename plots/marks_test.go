package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/leontief-sim/leontief/experiments/results"
)

// onCanvas returns a canvas of 200 by 100 pt for a panel, which is fitted, and what is
// recorded of it.
func onCanvas(t *testing.T, p *Panel) (*Canvas, *recorder.Canvas) {
	t.Helper()
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	chosen, err := madeUpStyles.For(names)
	if err != nil {
		t.Fatal(err)
	}
	p.X.From, p.X.To, p.Y.To = math.NaN(), math.NaN(), math.NaN()
	p.fit()
	return fitted(p, chosen)
}

// fitted is onCanvas for a panel whose axes have a range.
func fitted(p *Panel, chosen map[string]Style) (*Canvas, *recorder.Canvas) {
	rec := new(recorder.Canvas)
	return &Canvas{draw.NewCanvas(rec, 200, 100), p, chosen}, rec
}

// paths returns what was stroked in a colour.
func paths(rec *recorder.Canvas, s Style) (all [][]vg.Point) {
	own := false
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			own = a.Color == s.Color
		case *recorder.Stroke:
			if !own {
				continue
			}
			var path []vg.Point
			for _, c := range a.Path {
				path = append(path, c.Pos)
			}
			all = append(all, path)
		}
	}
	return all
}

func close(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 1e-9 }

// Every value of a curve is a corner of one line, at its place between the ends of the
// axes: time from its least to its largest, values with some room around them.
func TestACurveGoesThroughItsValues(t *testing.T) {
	p := &Panel{X: Axis{NoRoom: true}, Y: Axis{From: 0}, Marks: (*Canvas).curves}
	for i, y := range []float64{0, 50, 100} {
		p.Add("tsf-er", []float64{1, 2, 5}[i], results.Summary{Mean: y, Low: y, High: y, N: 1})
	}
	for i, y := range []float64{200, 100} {
		p.Add("drf-er", []float64{1, 3}[i], results.Summary{Mean: y, Low: y, High: y, N: 1})
	}
	c, rec := onCanvas(t, p)
	p.Marks(c)
	at := func(y float64) vg.Length { return vg.Length((y + 200*headroom) / (200 * (1 + 2*headroom)) * 100) }
	for name, want := range map[string][]vg.Point{
		"tsf-er": {{X: 0, Y: at(0)}, {X: 50, Y: at(50)}, {X: 200, Y: at(100)}},
		"drf-er": {{X: 0, Y: at(200)}, {X: 100, Y: at(100)}},
	} {
		line := paths(rec, c.Styles[name])[0]
		if len(line) != len(want) {
			t.Fatalf("%s: %v, want %v", name, line, want)
		}
		for i, pt := range line {
			if !close(pt.X, want[i].X) || !close(pt.Y, want[i].Y) {
				t.Errorf("%s: corner %d at %v, want %v", name, i, pt, want[i])
			}
		}
	}
}

// On an axis of numbers a point stands at its value, or less than a marker from it, and
// equal points of eight series are all at other places; in a category side by side.
func TestWherePointsStand(t *testing.T) {
	for _, scale := range []Scale{Linear, Categories} {
		p := &Panel{X: Axis{Scale: scale, Names: []string{"a", "b"}}, Marks: (*Canvas).points}
		for _, name := range madeUpPolicies {
			for _, x := range []float64{0, 1} {
				p.Add(name, x, results.Summary{Mean: 1, Low: .9, High: 1.1, N: 2})
			}
		}
		c, _ := onCanvas(t, p)
		for _, x := range []float64{0, 1} {
			last := vg.Length(-1)
			for i := range p.Series {
				at := c.beside(i, x, 1)
				if scale == Linear && math.Abs(float64(at.X-c.At(x, 1).X)) >= float64(2*markerRadius) {
					t.Errorf("series %d at %v, its value at %v", i, at.X, c.At(x, 1).X)
				}
				if least := map[Scale]vg.Length{Linear: 0.9, Categories: 2 * markerRadius}[scale]; i > 0 && at.X-last < least {
					t.Errorf("scale %d, series %d: %v pt from its neighbour", scale, i, at.X-last)
				}
				last = at.X
			}
		}
	}
}

// A gap in the data is a gap in the line, and there is none through categories.
func TestWhatIsJoined(t *testing.T) {
	lines := func(scale Scale, n int) (stroked int) {
		p := &Panel{X: Axis{Scale: scale, Names: []string{"a", "b", "c"}}, Marks: (*Canvas).points}
		for x, k := range []int{2, n, 2} {
			p.Add("tsf-er", float64(x), results.Summary{Mean: 1, Low: 1, High: 1, N: k})
		}
		c, rec := onCanvas(t, p)
		c.join(0, p.Series[0])
		return len(paths(rec, c.Styles["tsf-er"]))
	}
	for _, want := range []struct {
		scale    Scale
		n, lines int
	}{{Linear, 2, 1}, {Linear, 0, 0}, {Categories, 2, 0}} {
		if got := lines(want.scale, want.n); got != want.lines {
			t.Errorf("%+v: %d lines", want, got)
		}
	}
}

// A bar reaches from 0 to its mean, on either side.
func TestBarsBeginAtZero(t *testing.T) {
	p := &Panel{X: Axis{Scale: Categories, Names: []string{"a", "b"}}, Y: Axis{From: 0}, Marks: (*Canvas).bars}
	p.Add("tsf-er", 0, results.Summary{Mean: 4, Low: 4, High: 4, N: 1})
	p.Add("tsf-er", 1, results.Summary{Mean: -2, Low: -2, High: -2, N: 1})
	c, rec := onCanvas(t, p)
	p.Marks(c)
	for k, mean := range []float64{4, -2} {
		bar := paths(rec, c.Styles["tsf-er"])[k]
		if !close(min(bar[0].Y, bar[2].Y), c.At(0, min(0, mean)).Y) || !close(max(bar[0].Y, bar[2].Y), c.At(0, max(0, mean)).Y) {
			t.Errorf("a bar of %g from %v to %v", mean, bar[0].Y, bar[2].Y)
		}
	}
}

// A heat map's colours darken with the value; around a middle white is in it.
func TestRampIsMonotone(t *testing.T) {
	r := &Ramp{Low: 1, High: 3, Middle: math.NaN()}
	last := uint32(1 << 20)
	for v := 1.0; v <= 3; v += 0.1 {
		red, _, _, _ := r.color(v).RGBA()
		if red >= last {
			t.Errorf("%g is not darker", v)
		}
		last = red
	}
	r.Middle = 2
	if red, green, blue, _ := r.color(2).RGBA(); red&green&blue != 0xffff {
		t.Errorf("the middle is %d %d %d", red, green, blue)
	}
}

// Flat ends of distributions are cut off: what is left is where something happens.
func TestDistributionsAreTrimmed(t *testing.T) {
	p := &Panel{}
	for x, ys := range [][2]float64{{0, 0}, {0, 0}, {0, 0}, {0.5, 0.2}, {1, 0.7}, {1, 1}, {1, 1}} {
		for i, name := range []string{"a", "b"} {
			p.point(name, single(float64(x), ys[i]))
		}
	}
	if !p.distribution() {
		t.Fatal("no distribution")
	}
	p.trim()
	for _, s := range p.Series {
		if first, last := s.Points[0].X, s.Points[len(s.Points)-1].X; first != 2 || last != 5 {
			t.Errorf("%s: from %g to %g", s.Name, first, last)
		}
	}
}

func TestMarkersEncloseTheSameArea(t *testing.T) {
	for _, s := range []Shape{Circle, Square, Diamond, TriangleUp, TriangleDown} {
		path, area := s.path(vg.Point{X: 5, Y: 7}, 2), vg.Length(0)
		for k := range path[:len(path)-1] {
			a, b := path[k].Pos, path[(k+1)%(len(path)-1)].Pos
			area += (a.X*b.Y - b.X*a.Y) / 2
		}
		if math.Abs(float64(area)-4*math.Pi) > 0.02*4*math.Pi {
			t.Errorf("shape %d: area %v, want %v", s, area, 4*math.Pi)
		}
	}
}

// The legend fits its width whatever it holds, and holds all of it.
func TestLegendFits(t *testing.T) {
	width := vg.Length(OneColumn) - 2*margin
	for n := range len(madeUpPolicies) + 1 {
		var entries []Style
		for _, p := range madeUpPolicies[:n] {
			entries = append(entries, madeUpStyles[p])
		}
		l := newLegend(entries, width)
		if n > 0 && (l.width() > width || len(l.columns) == 0 || l.height() < legendRow) {
			t.Errorf("%d entries: %v pt in %v, height %v", n, l.width(), width, l.height())
		}
		for i, s := range entries {
			if w := l.columns[i%len(l.columns)]; w < sampleWidth+sampleGap+textStyle(smallText).Width(s.Label) {
				t.Errorf("%d entries: %s does not fit in its column of %v pt", n, s.Label, w)
			}
		}
	}
	if l := newLegend([]Style{{Label: string(make([]byte, 300))}}, 10); len(l.columns) != 1 {
		t.Error("an entry that is too wide was dropped")
	}
}

// Labels at the ends of curves never touch, and stand near their curves; where that
// cannot be there is a legend.
func TestDirectLabels(t *testing.T) {
	f := drawn(t, overTime(100, "tsf-er", "drf-er", "tsf-eq"), View{Form: "time"})
	labels := f.direct(mustFor(t, f), 250, panelHeight)
	if len(labels) != 3 {
		t.Fatalf("%d labels", len(labels))
	}
	for k := 1; k < len(labels); k++ {
		if gap := vg.Length(labels[k].at-labels[k-1].at) * panelHeight; gap < 0.9*directGap {
			t.Errorf("labels %v pt apart", gap)
		}
	}
	rows := overTime(100, madeUpPolicies[:6]...)
	for i := range rows {
		rows[i].Value = rows[i].TimeS // all curves end at one point
	}
	f = drawn(t, rows, View{})
	if f.direct(mustFor(t, f), 250, panelHeight) != nil {
		t.Error("six labels at one point")
	}
}

// A page that is drawn leaves the figure as it was: another format shows the same.
func TestAFigureIsDrawnTwice(t *testing.T) {
	f := drawn(t, overTime(100, "tsf-er", "drf-er", "tsf-eq"), View{Form: "time"})
	first := encode(t, f, "svg")
	encode(t, f, "pdf")
	if again := encode(t, f, "svg"); string(first) != string(again) {
		t.Error("another picture the second time")
	}
	if f.direct(mustFor(t, f), 250, panelHeight) == nil {
		t.Error("no direct labels to be drawn twice")
	}
}

func mustFor(t *testing.T, f Figure) map[string]Style {
	t.Helper()
	chosen, err := f.Styles.For(f.names())
	if err != nil {
		t.Fatal(err)
	}
	return chosen
}

// Boxes on an axis of numbers stand inside the panel, the outer ones too.
func TestBoxesStandInside(t *testing.T) {
	for _, log := range []string{"none", "x"} {
		p := drawn(t, selected(t, map[string]string{"n": "20"}), View{Form: "boxes", X: "rho", Log: log}).Panels[0]
		c, _ := fitted(p, mustFor(t, Figure{Panels: []*Panel{p}, Styles: madeUpStyles}))
		half := c.halfBox()
		for _, s := range p.Series {
			for _, pt := range s.Points {
				k := vg.Length(len(p.Series))
				for i := range p.Series {
					x := c.At(pt.X, pt.Mean).X + (vg.Length(i)-(k-1)/2)*half/boxPart*2
					if x-half < c.Min.X-0.5 || x+half > c.Max.X+0.5 {
						t.Errorf("log %s: a box from %v to %v in [%v, %v]", log, x-half, x+half, c.Min.X, c.Max.X)
					}
				}
			}
		}
	}
}
