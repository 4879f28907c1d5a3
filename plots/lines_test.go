package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// colouredLines returns the paths that a panel draws in the colour of a policy.
func colouredLines(t *testing.T, l *Lines, policy string) [][]vg.Point {
	t.Helper()
	chosen, err := madeUpStyles.For(l.Policies())
	if err != nil {
		t.Fatal(err)
	}
	rec := new(recorder.Canvas)
	(&linesPlotter{l, chosen}).Plot(draw.NewCanvas(rec, 200, 100), l.Plot(chosen))
	var paths [][]vg.Point
	own := false
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			own = a.Color == chosen[policy].Color
		case *recorder.Stroke:
			if !own {
				continue
			}
			var path []vg.Point
			for _, c := range a.Path {
				path = append(path, c.Pos)
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// Every value of a curve is a corner of one line, at its place between the ends
// of the axes: time from its least to its largest, values from 0.
func TestACurveGoesThroughItsValues(t *testing.T) {
	l := &Lines{XLabel: "Time (days)", YLabel: "Waiting tasks", Curves: []Curve{
		{"tsf-er", []float64{1, 2, 5}, []float64{0, 50, 100}},
		{"drf-er", []float64{1, 3}, []float64{200, 100}},
	}}
	top := 200 * (1 + headroom)
	for policy, want := range map[string][]vg.Point{
		"tsf-er": {{X: 0, Y: 0}, {X: 50, Y: vg.Length(50 / top * 100)}, {X: 200, Y: vg.Length(100 / top * 100)}},
		"drf-er": {{X: 0, Y: vg.Length(200 / top * 100)}, {X: 100, Y: vg.Length(100 / top * 100)}},
	} {
		paths := colouredLines(t, l, policy)
		if len(paths) != 1 || len(paths[0]) != len(want) {
			t.Errorf("%s: %d lines %v, want one through %v", policy, len(paths), paths, want)
			continue
		}
		for i, at := range paths[0] {
			if math.Abs(float64(at.X-want[i].X)) > 1e-9 || math.Abs(float64(at.Y-want[i].Y)) > 1e-9 {
				t.Errorf("%s: corner %d at %v, want %v", policy, i, at, want[i])
			}
		}
	}
}

func TestLinesSayWhatTheyShow(t *testing.T) {
	l := &Lines{XLabel: "Time (days)", YLabel: "Utilization", Curves: []Curve{
		{"drf-er", []float64{0, 14}, []float64{0.2, 1}}, {"tsf-er", []float64{0, 14}, []float64{0.5, 0.6}}}}
	if got := l.Policies(); !slices.Equal(got, []string{"drf-er", "tsf-er"}) {
		t.Errorf("policies %v", got)
	}
	chosen, err := madeUpStyles.For(l.Policies())
	if err != nil {
		t.Fatal(err)
	}
	p := l.Plot(chosen)
	if p.X.Label.Text != l.XLabel || p.Y.Label.Text != l.YLabel {
		t.Errorf("labels %q, %q", p.X.Label.Text, p.Y.Label.Text)
	}
	if p.X.Min != 0 || p.X.Max != 14 || p.Y.Min != 0 || math.Abs(p.Y.Max-1-headroom) > 1e-12 {
		t.Errorf("axes [%g, %g], [%g, %g]", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	for axis, want := range map[*plot.Axis][]string{&p.X: {"0", "2", "4", "6", "8", "10", "12", "14"}, &p.Y: {"0.00", "0.25", "0.50", "0.75", "1.00"}} {
		var got []string
		for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
			got = append(got, tick.Label)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: ticks %q, want %q", axis.Label.Text, got, want)
		}
	}
}

// Axes are never of width 0, and a single value is no line.
func TestLinesOfLittle(t *testing.T) {
	for name, l := range map[string]*Lines{
		"nothing":   {},
		"one value": {Curves: []Curve{{"tsf-er", []float64{3}, []float64{7}}}},
		"constant":  {Curves: []Curve{{"tsf-er", []float64{3, 4}, []float64{7, 7}}}},
	} {
		chosen, err := madeUpStyles.For(l.Policies())
		if err != nil {
			t.Fatal(err)
		}
		if p := l.Plot(chosen); !(p.X.Max > p.X.Min) || !(p.Y.Max > p.Y.Min) || p.Y.Min != 0 {
			t.Errorf("%s: axes [%g, %g], [%g, %g]", name, p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
		}
		if want := map[string]int{"constant": 1}[name]; len(colouredLines(t, l, "tsf-er")) != want {
			t.Errorf("%s: %d lines, want %d", name, len(colouredLines(t, l, "tsf-er")), want)
		}
	}
}

func TestDecades(t *testing.T) {
	var labels []string
	for _, tick := range decades(0.05, 1200) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, " "); got != "0.1 1 10 100 1000" {
		t.Error(got)
	}
}
