package results

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
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
