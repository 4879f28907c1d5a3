package plots

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Flat ends of the curves are cut off: what is left is where something happens.
func TestScaledAxesAreTrimmed(t *testing.T) {
	l := &Lines{Curves: []Curve{
		{"a", []float64{-1, 0, 1, 2, 3, 4, 5}, []float64{0, 0, 0, 0.5, 1, 1, 1}},
		{"b", []float64{-1, 0, 1, 2, 3, 4, 5}, []float64{0, 0, 0, 0.2, 0.7, 1, 1}},
	}}
	p := &Scaled{Lines: l, Of: math.Log10}
	styles, err := madeUpStyles.For([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	out := p.Plot(styles)
	if out.X.Min != 1 || out.X.Max != 4 || out.Y.Max != 1 {
		t.Errorf("axes [%g, %g], to %g", out.X.Min, out.X.Max, out.Y.Max)
	}
	var labels []string
	for _, tick := range out.X.Tick.Marker.Ticks(out.X.Min, out.X.Max) {
		labels = append(labels, tick.Label)
	}
	if d := cmp.Diff([]string{"1e1", "1e2", "1e3", "1e4"}, labels); d != "" {
		t.Errorf("ticks (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]float64{1, 2, 3, 4}, p.Curves[1].X); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
}
