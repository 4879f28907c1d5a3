package sim

import (
	"math"
	"strings"
	"testing"
)

func TestUtilizationIsTimeWeighted(t *testing.T) {
	// A rule that leaves half of the server free while two are present.
	f := twoJobs(split{func(n int) []float64 { return []float64{[]float64{0, 1, 0.25}[n], 0.25}[:n] }})
	// 0–1 s: a at 10, 10 left. 1–5 s: a at 2.5 is done; b at 1.25, 5 left.
	// 5–6 s: b at 5. Busy (1 + 0.5·4 + 1)/6.
	u := &Utilization{}
	f.Observers = []Observer{u}
	run(t, f)
	if got, ok := u.Rows[0].Mean(); !ok || math.Abs(got-4.0/6) > 1e-12 {
		t.Errorf("mean utilization %g, want 4/6", got)
	}
	if span := u.Rows[0].Span(); span != 6e6 {
		t.Errorf("observed %d µs, want 6 s", span)
	}
}

func TestIdleTimeIsNotObserved(t *testing.T) {
	f := twoJobs(equally)
	f.Jobs[1].Arrival = 100 * second
	u := &Utilization{}
	f.Observers = []Observer{u}
	run(t, f)
	if got, _ := u.Rows[0].Mean(); math.Abs(got-1) > 1e-12 || u.Rows[0].Span() != 4e6 {
		t.Errorf("mean %g over %d µs, want 1 over 4 s", got, u.Rows[0].Span())
	}
}

func TestTaskRatioByHand(t *testing.T) {
	// FIFO: 0–1 s a alone, ratio 1. 1–2 s a has all, b nothing: 0. 2–4 s b
	// alone: 1.
	f := twoJobs(firstOnly)
	r := NewTaskRatio(f.Env)
	f.Observers = []Observer{r}
	run(t, f)
	if got, _ := r.Min.Mean(); math.Abs(got-0.75) > 1e-12 {
		t.Errorf("mean of the minimum %g, want 3/4", got)
	}
	if got, _ := r.Violation.Fraction(); math.Abs(got-0.25) > 1e-12 {
		t.Errorf("share of time %g, want 1/4", got)
	}
}

func TestTaskRatioHonoursWeights(t *testing.T) {
	// Equal halves for users of weights 3 and 1: the first is due 3/4 and has
	// 2/3 of it while both are present (1–3 s).
	f := twoJobs(equally)
	f.Env.Users[0].Weight = 3
	r := NewTaskRatio(f.Env)
	f.Observers = []Observer{r}
	run(t, f)
	if got, want := r.Min.Integral(), (1+2*2.0/3+1)*1e6; math.Abs(got-want) > 1e-3 {
		t.Errorf("integral %g, want %g", got, want)
	}
}

func TestEnvyByHand(t *testing.T) {
	// FIFO: while both are present (1–2 s) b has nothing and a everything. The
	// rest of the time nobody is there to envy.
	f := twoJobs(firstOnly)
	e := &Envy{}
	f.Observers = []Observer{e}
	run(t, f)
	if got, _ := e.Min.Mean(); math.Abs(got-0.75) > 1e-12 {
		t.Errorf("mean of the minimum %g, want 3/4", got)
	}
	// A quarter for b against half for a: b is worth half of a's bundle.
	f = twoJobs(split{func(n int) []float64 { return []float64{[]float64{0, 1, 0.5}[n], 0.25}[:n] }})
	e = &Envy{}
	f.Observers = []Observer{e}
	run(t, f)
	if low, _, _ := e.Min.Range(); math.Abs(low-0.5) > 1e-12 {
		t.Errorf("smallest EF-SAT %g, want 1/2", low)
	}
}

func TestDominationByHand(t *testing.T) {
	// While both are present half of the server is free: a holds 2.5 tasks of
	// demand 1, b 1.25 of demand 2. Given to a, it makes 7.5 of 2.5: 8.75/3.75.
	f := twoJobs(split{func(n int) []float64 { return []float64{[]float64{0, 1, 0.25}[n], 0.25}[:n] }})
	d := &Domination{}
	f.Observers = []Observer{d}
	run(t, f)
	if got, want := d.Factor.Integral(), (1+4*8.75/3.75+1)*1e6; math.Abs(got-want) > 1e-3 {
		t.Errorf("integral %g, want %g", got, want)
	}
	f = twoJobs(nobody)
	f.Observers = []Observer{&Domination{}}
	if _, err := users(f).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "at 0 µs: nobody holds anything") {
		t.Errorf("error %v", err)
	}
}
