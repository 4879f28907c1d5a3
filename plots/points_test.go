package plots

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"github.com/leontief-sim/leontief/experiments/results"
)

func TestNewStyleKnowsItsWordsAlone(t *testing.T) {
	for _, words := range [][3]string{{"mauve", "solid", "●"}, {"blue", "wavy", "●"}, {"blue", "solid", "★"}, {}} {
		if _, err := NewStyle("x", words[0], words[1], words[2]); err == nil {
			t.Errorf("%q make a style", words)
		}
	}
	s, err := NewStyle("x", "blue", "solid", "○")
	if want := (Style{"x", colors["blue"], nil, Marker{Circle, false}}); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%v, %+v", err, s)
	}
}

// A policy has its style in every figure; a second variant of it, one without a style
// and one with a label alone take spare ones.
func TestStylesOfVariantsAndOthers(t *testing.T) {
	all := Styles{"drf": madeUpStyles["drf-er"], "own": {Label: "Own rule"}}
	chosen, err := all.For([]string{"drf[x=1]", "drf", "own", "foreign"})
	if err != nil {
		t.Fatal(err)
	}
	own := all["drf"]
	for policy, want := range map[string]Style{
		"drf[x=1]": {"drf[x=1]", own.Color, own.Dashes, own.Marker},
		"drf":      {"drf", spares[0].Color, spares[0].Dashes, spares[0].Marker},
		"own":      {"Own rule", spares[1].Color, spares[1].Dashes, spares[1].Marker},
		"foreign":  {"foreign", spares[2].Color, spares[2].Dashes, spares[2].Marker},
	} {
		if !reflect.DeepEqual(chosen[policy], want) {
			t.Errorf("%s: %+v, want %+v", policy, chosen[policy], want)
		}
	}
}

func TestStylesRunOutOfSpares(t *testing.T) {
	foreign := []string{"a", "b", "c", "d"}
	chosen, err := madeUpStyles.For(append(slices.Clone(foreign), "a"))
	if err != nil || len(chosen) != len(foreign) {
		t.Fatalf("%v, %v", chosen, err)
	}
	if _, err := madeUpStyles.For(append(foreign, "e")); err == nil {
		t.Error("five foreign policies were given styles")
	}
}

func TestNiceTicksKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []string
	}{
		{0, 1, []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{-.03, .51, []string{"0.0", "0.2", "0.4"}},
		{.99, 1.2, []string{"1.00", "1.05", "1.10", "1.15", "1.20"}},
		{0, 1200, []string{"0", "250", "500", "750", "1000"}},
		{.95, 1.05, []string{"0.96", "0.98", "1.00", "1.02", "1.04"}},
	} {
		var got []string
		for _, tick := range niceTicks(c.low, c.high, 5) {
			got = append(got, tick.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("[%g, %g]: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

// Ticks lie inside the range, rise evenly, and their labels say their values.
func TestNiceTicksOnAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e3, 1e3).Draw(t, "low")
		width := math.Pow(10, rapid.Float64Range(-2, 4).Draw(t, "log width"))
		ticks := niceTicks(low, low+width, 5)
		if len(ticks) < 2 || len(ticks) > 6 {
			t.Fatalf("%d ticks", len(ticks))
		}
		for i, tick := range ticks {
			if tick.Value < low-1e-6*width || tick.Value > low+width+1e-6*width {
				t.Fatalf("tick %v outside [%v, %v]", tick.Value, low, low+width)
			}
			var says float64
			if _, err := fmt.Sscan(tick.Label, &says); err != nil || math.Abs(says-tick.Value) > 1e-6*width {
				t.Fatalf("label %q of %v (%v)", tick.Label, tick.Value, err)
			}
			if i > 0 && tick.Value <= ticks[i-1].Value {
				t.Fatalf("ticks do not rise: %v", ticks)
			}
		}
	})
}

func TestExtentHoldsAllIntervals(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []results.Summary
		most   float64 // width of the range
	}{
		{"intervals", []results.Summary{{Mean: .5, Low: .2, High: .9, N: 3}, {Mean: .6, Low: .55, High: .61, N: 3}}, 0.8},
		{"all equal", []results.Summary{{Mean: 1, Low: 1, High: 1, N: 3}, {Mean: 1, Low: 1, High: 1, N: 3}}, 0.11},
		{"equal to rounding", []results.Summary{{Mean: 1, Low: 1 - 1e-15, High: 1 + 1e-15, N: 3}}, 0.11},
		{"small but real", []results.Summary{{Mean: 1.0004, Low: 1.0002, High: 1.0006, N: 3}, {Mean: 1, Low: 1, High: 1, N: 3}}, 0.0007},
		{"zero", []results.Summary{{Mean: 0, Low: 0, High: 0, N: 3}}, 0.11},
		{"nothing", []results.Summary{{}}, 1},
	} {
		p := &Points{Groups: []string{"g"}, Series: []Series{{"tsf-er", c.points}}}
		low, high := p.extent()
		if !(high-low >= 6e-4) || high-low > c.most {
			t.Errorf("%s: range [%g, %g]", c.name, low, high)
		}
		for _, v := range c.points {
			if v.N > 0 && (v.Low <= low || v.High >= high) {
				t.Errorf("%s: [%g, %g] is not inside [%g, %g]", c.name, v.Low, v.High, low, high)
			}
		}
	}
}

// Points of one group stand side by side in the order of the series and never
// in another group's place.
func TestPointsStandSideBySide(t *testing.T) {
	p := &Points{Groups: []string{"a", "b", "c"}}
	for _, name := range madeUpPolicies {
		p.Series = append(p.Series, Series{name, []results.Summary{{Mean: 1, Low: .9, High: 1.1, N: 2}, {Mean: 2, Low: 1.9, High: 2.1, N: 2}, {Mean: 3, Low: 2.9, High: 3.1, N: 2}}})
	}
	chosen, err := madeUpStyles.For(madeUpPolicies)
	if err != nil {
		t.Fatal(err)
	}
	canvas := draw.NewCanvas(new(recorder.Canvas), 3*vg.Inch, vg.Inch)
	plt, pts := p.Plot(chosen), &pointsPlotter{p, chosen}
	last := canvas.Min.X
	for g := range p.Groups {
		for i := range p.Series {
			at := pts.at(canvas, plt, i, g, float64(g+1))
			if gap := at.X - last; gap < 2*markerRadius {
				t.Errorf("series %d, group %d: %v pt from its neighbour", i, g, gap)
			}
			last = at.X
		}
	}
}

// A gap in the data is a gap in the line: 3 groups, the middle one absent,
// leave two single points and no line.
func TestGapBreaksTheLine(t *testing.T) {
	lines := func(middle results.Summary) (n int) {
		p := &Points{Groups: []string{"a", "b", "c"},
			Series: []Series{{"tsf-er", []results.Summary{{Mean: 1, Low: 1, High: 1, N: 2}, middle, {Mean: 3, Low: 3, High: 3, N: 2}}}}}
		chosen, err := madeUpStyles.For([]string{"tsf-er"})
		if err != nil {
			t.Fatal(err)
		}
		rec := new(recorder.Canvas)
		(&pointsPlotter{p, chosen}).join(draw.NewCanvas(rec, 100, 100), p.Plot(chosen), 0, p.Series[0])
		for _, a := range rec.Actions {
			if _, ok := a.(*recorder.Stroke); ok {
				n++
			}
		}
		return n
	}
	if n := lines(results.Summary{Mean: 2, Low: 2, High: 2, N: 2}); n != 1 {
		t.Errorf("%d lines through three points", n)
	}
	if n := lines(results.Summary{}); n != 0 {
		t.Errorf("%d lines across a gap", n)
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
		total := -l.gap
		for _, w := range l.columns {
			total += w + l.gap
		}
		if n > 0 && (total > width || len(l.columns) == 0 || l.height() < legendRow) {
			t.Errorf("%d entries: %v pt in %v, height %v", n, total, width, l.height())
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

var _ plot.Plotter = (*pointsPlotter)(nil)
