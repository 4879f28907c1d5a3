package traces

import (
	"slices"
	"strings"
	"testing"
)

func TestSketchCountsEveryValueOnce(t *testing.T) {
	values := []float64{0, 0, 1, 1, 1, 10, 100, 1000, 1000}
	s := NewSketch(values)
	if s.Zeros != 2 || s.Low != 1 || s.High != 1000 || len(s.Bins) != SketchBins {
		t.Fatalf("sketch %+v", s)
	}
	want := map[int]int{0: 3, SketchBins / 3: 1, 2 * SketchBins / 3: 1, SketchBins - 1: 2}
	for i, n := range s.Bins {
		if n != want[i] {
			t.Errorf("bin %d holds %d, want %d", i, n, want[i])
		}
	}
	text := s.String()
	if !strings.HasPrefix(text, "0: 2  1 █") || !strings.HasSuffix(text, "▆ 1e+03") || strings.Count(text, "▃") != 2 {
		t.Errorf("drawn as %q", text)
	}
}

func TestSketchOfLittle(t *testing.T) {
	for want, values := range map[string][]float64{"": nil, "0: 3": {0, 0, 0}, "5 (all 2)": {5, 5}} {
		if got := NewSketch(values).String(); got != want {
			t.Errorf("%v is drawn as %q, want %q", values, got, want)
		}
	}
}

func TestLinearSketchTakesZeros(t *testing.T) {
	s := NewLinearSketch([]float64{0, 1, 31.9, 32})
	want := make([]int, SketchBins)
	want[0], want[1], want[31] = 1, 1, 2
	if s.Zeros != 0 || !slices.Equal(s.Bins, want) {
		t.Errorf("sketch %+v", s)
	}
}
