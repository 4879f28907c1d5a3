package plots

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// extremes is an interval that shows what it was given.
func extremes(_ Key, v []float64) (float64, float64) { return slices.Min(v), slices.Max(v) }

func TestSummarizeKnownAnswer(t *testing.T) {
	row := func(policy string, instance int64, v float64) Row {
		return Row{Experiment: "e", Item: "i", Policy: policy, Instance: instance, Metric: "m", Value: v}
	}
	cells, err := Summarize([]Row{row("b", 0, 7), row("a", 2, 3), row("a", 0, 1), row("a", 1, 5)}, extremes)
	if err != nil {
		t.Fatal(err)
	}
	want := []Summary{{3, 1, 5, 3}, {7, 7, 7, 1}}
	if len(cells) != 2 || cells[0].Policy != "a" || cells[0].Summary != want[0] || cells[1].Summary != want[1] {
		t.Errorf("got %+v, want %+v", cells, want)
	}
}

// The mean of a sum of floats depends on the order; the order of rows must not
// show, and the interval sees the values by instance.
func TestSummarizeIgnoresTheOrderOfRows(t *testing.T) {
	rows := madeUpRows(9)
	weighted := func(_ Key, v []float64) (low, high float64) {
		for i, x := range v {
			low += float64(i) * x
		}
		return low, math.Sqrt(low)
	}
	want, err := Summarize(rows, weighted)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != 8*3*3 {
		t.Fatalf("%d cells", len(want))
	}
	slices.Reverse(rows)
	got, err := Summarize(rows, weighted)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("reversed rows gave other cells (%v)", err)
	}
}

func TestSummarizeRefusesAnInstanceTwice(t *testing.T) {
	rows := madeUpRows(2)
	rows = append(rows, rows[5])
	if _, err := Summarize(rows, extremes); err == nil || !strings.Contains(err.Error(), "given twice for instance") {
		t.Errorf("error %v", err)
	}
}
