package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// Whatever rows are packed, in one piece or added one by one, they come out as they were.
func TestPackedRowsAreTheRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(name string, kinds int) string {
		if k := rng.IntN(kinds); k > 0 {
			return fmt.Sprint(name, k)
		}
		return ""
	}
	for n := range 400 {
		kinds, timed, users := 1+rng.IntN(4), rng.IntN(2) == 0, rng.IntN(2) == 0
		rows := make([]Row, n)
		for i := range rows {
			r := Row{Experiment: text("e", kinds), Item: text("i", kinds), Policy: text("p", kinds), Instance: rng.Int64N(1 << 40),
				Metric: text("m", kinds), Unit: text("u", kinds), Workload: text("w", kinds), Value: rng.NormFloat64()}
			r.Point = NewPoint(map[string]Value{"n": OfInt(int64(rng.IntN(kinds)))})
			if timed && rng.IntN(2) == 0 {
				r.At(float64(rng.IntN(3)))
			}
			if users && i > n/2 {
				r.User = text("user", 1+n)
			}
			rows[i] = r
		}
		packed, added := Pack(slices.Clone(rows[:n/2]), slices.Clone(rows[n/2:])), Pack(slices.Clone(rows[:n/3]))
		for _, r := range rows[n/3:] {
			added.Add(r)
		}
		if !slices.Equal(packed.Rows(), rows) || !slices.Equal(slices.Collect(packed.All()), rows) || packed.Len() != n {
			t.Fatalf("%d rows are not what they were", n)
		}
		if !slices.Equal(added.Rows(), rows) || !packed.Equal(added) || !added.Equal(packed) {
			t.Fatalf("%d rows added are not what they were", n)
		}
		axes, _ := Varying(rows)
		if packed.SeveralPoints() != slices.Contains(axes, "n") || added.SeveralPoints() != slices.Contains(axes, "n") {
			t.Fatalf("%d rows vary by %v: %t", n, axes, packed.SeveralPoints())
		}
		if n > 0 {
			rows[rng.IntN(n)].Value++
			if packed.Equal(Pack(rows)) {
				t.Fatal("other rows are equal")
			}
		}
	}
	var none *Packed
	if none.Len() != 0 || len(none.Rows()) != 0 || !none.Equal(&Packed{}) {
		t.Error("no rows are some")
	}
}

// A table's columns are what its rows say, one by one.
func TestColumnsOfPackedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := []Value{{}, OfInt(7), OfInt(-1), OfFloat(.5), OfText("a"), OfText("b")}
	for n := range 300 {
		kinds, timed, users := 1+rng.IntN(4), rng.IntN(2) == 0, rng.IntN(2) == 0
		rows := make([]Row, n)
		for i := range rows {
			rows[i] = Row{Experiment: "e", Policy: []string{"", "p", "q"}[rng.IntN(3)], Instance: rng.Int64(), Metric: "m", Unit: UnitRatio, Value: rng.NormFloat64()}
			rows[i].Point = NewPoint(map[string]Value{"a": values[rng.IntN(min(kinds, 3))], "b": values[rng.IntN(4)], "c": values[rng.IntN(len(values))]})
			if timed && rng.IntN(2) == 0 {
				rows[i].At(math.Copysign(float64(rng.IntN(3)), float64(rng.IntN(3)-1)))
			}
			if users && rng.IntN(2) == 0 {
				rows[i].User = fmt.Sprint("u", rng.IntN(3))
			}
		}
		added := Pack(slices.Clone(rows[:n/3]))
		for _, r := range rows[n/3:] {
			added.Add(r)
		}
		from := rng.IntN(n + 1)
		for _, p := range []*Packed{Pack(rows).packed(), added.packed()} {
			for _, c := range layout(p.heads) {
				if got, want := fmt.Sprint(filled(p.column(c, from, n))), fmt.Sprint(filled(columnOf(rows[from:], c))); got != want {
					t.Fatalf("%d rows, column %s: %s, want %s", n, c.Name, got, want)
				}
			}
		}
	}
}

// filled has a value wherever there is none, as nobody sees it.
func filled(v parquet.Values) parquet.Values {
	for i, null := range v.Nulls {
		if null && len(v.Floats) > 0 {
			v.Floats[i] = 0
		}
	}
	return v
}

// columnOf is what rows say in a column, row by row and value by value.
func columnOf(rows []Row, c parquet.Column) (v parquet.Values) {
	for _, r := range rows {
		is := r.Point.At(c.Name)
		switch {
		case c.Name == "instance":
			is = OfInt(r.Instance)
		case c.Name == "value":
			is = OfFloat(r.Value)
		case c.Name == "time_s" && r.Timed:
			is = OfFloat(r.TimeS)
		case c.Name == "time_s":
			is = Value{}
		case Reserved(c.Name):
			is = OfText(r.Is(c.Name))
		}
		if c.Optional {
			v.Nulls = append(v.Nulls, is.IsNull())
		}
		switch number, _ := is.Number(); c.Kind {
		case parquet.Int64:
			v.Ints = append(v.Ints, is.whole)
		case parquet.Float64:
			v.Floats = append(v.Floats, number)
		default:
			v.Strings = append(v.Strings, is.String())
		}
	}
	return v
}

// What many rows take is what their numbers take.
func TestMemoryOfPackedRows(t *testing.T) {
	const n = 200_000
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	p := &Packed{}
	for i := range n {
		p.Add(Row{Experiment: "e", Policy: "p", Metric: []string{"a", "b", "c"}[i%3], Instance: int64(i), Value: float64(i), Unit: "1", Workload: "w"})
	}
	each := float64(held()-before) / n
	if p.Len() != n || each > 40 { // 20, and what append has in reserve
		t.Errorf("%.0f bytes a row", each)
	}
}
