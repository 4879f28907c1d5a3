package sim

import (
	"math"
	"strings"
	"testing"
)

// While both are present b has a quarter of the server and a a half: b would
// run twice as many tasks in a's place.
func TestEnviousnessByHand(t *testing.T) {
	f := twoJobs(split{func(n int) []float64 { return []float64{[]float64{0, 1, 0.5}[n], 0.25}[:n] }})
	e, err := NewEnviousness(f.Env)
	if err != nil {
		t.Fatal(err)
	}
	e.Series.Period = int64(second)
	f.Observers = []Observer{e}
	run(t, f)
	// 0–1 s: a alone. 1–3 s: both, and a is done. 3– : b alone.
	low, high, _ := e.Max.Range()
	if low != 0 || math.Abs(high-100) > 1e-9 || e.Worst.User != 1 || e.Worst.Of != 0 {
		t.Errorf("from %g to %g%%: %s", low, high, e.Worst)
	}
	if all, free := e.Free.Span(); all-free != 2e6 {
		t.Errorf("envy for %d of %d µs, want 2 s", all-free, all)
	}
	for k, want := range []float64{0, 100, 100, 0} {
		if mean, ok := e.Series.At(k).Mean(); !ok || math.Abs(mean-want) > 1e-9 {
			t.Errorf("second %d: %g%%, want %g", k, mean, want)
		}
	}
}

func TestEnviousnessWithoutANumber(t *testing.T) {
	f := twoJobs(firstOnly)
	e, err := NewEnviousness(f.Env)
	if err != nil {
		t.Fatal(err)
	}
	f.Observers = []Observer{e}
	if _, err := users(f).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "0 with its own") {
		t.Errorf("error %v", err)
	}
}
