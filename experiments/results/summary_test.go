package results

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSummarizeKnownAnswer(t *testing.T) {
	row := func(policy string, instance int64, v float64) Row {
		return Row{Experiment: "e", Item: "i", Policy: policy, Instance: instance, Metric: "m", Value: v}
	}
	cells, err := Summarize([]Row{row("b", 0, 7), row("a", 2, 3), row("a", 0, 1), row("a", 1, 5)})
	if err != nil {
		t.Fatal(err)
	}
	half := 17.0 / 18 * 4.302652730 * 2 / math.Sqrt(3) // Student's at n = 3; s = 2
	if len(cells) != 2 || cells[0].Policy != "a" || cells[0].Mean != 3 || cells[0].Summary.N != 3 ||
		math.Abs(cells[0].High-3-half) > 1e-6 || math.Abs(3-cells[0].Low-half) > 1e-6 || !cells[0].Bounded() {
		t.Errorf("got %+v, want 3 ± %v of 3", cells, half)
	}
	if cells[1].Summary != (Summary{7, 7, 7, 1}) {
		t.Errorf("one value: %+v", cells[1].Summary)
	}
}

// The mean of a sum of floats depends on the order; the order of rows must not
// show.
func TestSummarizeIgnoresTheOrderOfRows(t *testing.T) {
	rows := madeUpRows(9)
	want, err := Summarize(rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != 8*3*3 {
		t.Fatalf("%d cells", len(want))
	}
	slices.Reverse(rows)
	got, err := Summarize(rows)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("reversed rows gave other cells (%v)", err)
	}
}

func TestSummarizeRefusesAnInstanceTwice(t *testing.T) {
	rows := madeUpRows(2)
	rows = append(rows, rows[5])
	if _, err := Summarize(rows); err == nil || !strings.Contains(err.Error(), "given twice for instance") {
		t.Errorf("error %v", err)
	}
}
