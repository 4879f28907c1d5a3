package results

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is written is read, bit by bit, whatever the rows have in common.
func TestRowsAsText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := []Value{{}, OfInt(3), OfInt(math.MaxInt64), OfFloat(3), OfFloat(.1), OfText("a,\t\"ü\"\n")}
	metric := registeredMetric()
	numbers := []float64{0, math.Copysign(0, -1), .1, 1e-300, -math.MaxFloat64}
	for range 2000 {
		usual := NewPoint(map[string]Value{"a": values[rng.IntN(len(values))]})
		choices := 1 + rng.IntN(3) // of one choice all rows are alike
		var rows []Row
		for range rng.IntN(5) {
			pick := func(n int) int { return (n / 2 * rng.IntN(choices)) % n }
			text := func() string { return []string{"", "x", "\t\n\"<ü"}[pick(3)] }
			r := Row{Experiment: text(), Item: text(), Policy: text(), User: text(), Workload: text(), Metric: metric.Name, Unit: metric.Unit,
				Instance: int64(pick(4)), Timed: pick(2) == 1, TimeS: numbers[pick(5)], Value: numbers[(pick(5)+choices)%5],
				Point: []Point{usual, {}, NewPoint(map[string]Value{"b": OfInt(int64(pick(3)))})}[pick(3)]}
			rows = append(rows, r)
		}
		data, err := MarshalRows(rows, usual)
		if err != nil {
			t.Fatal(err)
		}
		got, err := UnmarshalRows(data, usual)
		if d := cmp.Diff(rows, got, cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })); d != "" || err != nil {
			t.Fatalf("%s: %v\n%s", data, err, d)
		}
	}
}

// What no table may hold is refused in the same words, and columns that do not go
// together are.
func TestRowsThatAreNone(t *testing.T) {
	metric := registeredMetric()
	for _, r := range []Row{{Metric: metric.Name, Unit: metric.Unit, Value: math.NaN()}, {Metric: metric.Name, Unit: "furlong"}, {Metric: "unheard of"},
		{Metric: metric.Name, Unit: metric.Unit, User: "\xff"}} {
		_, as := MarshalRows([]Row{r}, Point{})
		if _, want := encodeTable(Pack([]Row{r}), nil); want == nil || as == nil || as.Error() != want.Error() {
			t.Errorf("%+v: %v, as a table %v", r, as, want)
		}
	}
	for _, text := range []string{"", "{", `{"rows": -1}`, `{"rows": 3, "value": [1, 2]}`, `{"rows": 0, "value": [1, 2]}`, `{"rows": 1}`} {
		if rows, err := UnmarshalRows([]byte(text), Point{}); err == nil {
			t.Errorf("%q is %+v", text, rows)
		}
	}
	many, _ := json.Marshal(rowColumns{Rows: 1, Metric: []string{strings.Repeat("\xff", 2)}})
	if rows, err := UnmarshalRows(many, Point{}); err == nil && rows[0].check(Point{}) != nil {
		t.Errorf("%+v", rows)
	}
}

func registeredMetric() Metric {
	for _, m := range registry {
		return m
	}
	panic("no metric")
}
