package twin

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

func TestLPTextbook(t *testing.T) {
	// max 3x+5y, x<=4, 2y<=12, 3x+2y<=18: x=2, y=6, prices 0, 3/2, 1.
	p := &LP{C: []float64{3, 5}}
	p.Add([]float64{1, 0}, LE, 4)
	p.Add([]float64{0, 2}, LE, 12)
	p.Add([]float64{3, 2}, LE, 18)
	sol, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2, 6} {
		near(t, "x", sol.X[i], want, 1e-12)
	}
	for i, want := range []float64{0, 1.5, 1} {
		near(t, "price", sol.Dual[i], want, 1e-12)
	}
	near(t, "value", sol.Value, 36, 1e-12)
}

func TestLPAllSenses(t *testing.T) {
	// max -x-2y-3z, x+y+z = 10, x <= 4, y - z >= 2 (written twice, once from
	// below): x=4, y=6, z=0. Prices: equality -2, cap 1, 0.
	p := &LP{C: []float64{-1, -2, -3}}
	p.Add([]float64{1, 1, 1}, EQ, 10)
	p.Add([]float64{1, 0, 0}, LE, 4)
	p.Add([]float64{0, 1, -1}, GE, 2)
	p.Add([]float64{0, -1, 1}, LE, -2)
	sol, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{4, 6, 0} {
		near(t, "x", sol.X[i], want, 1e-12)
	}
	for i, want := range []float64{-2, 1, 0, 0} {
		near(t, "price", sol.Dual[i], want, 1e-12)
	}
	// With z bound from below the GE row carries a price: max -y, y >= 3.
	q := &LP{C: []float64{-1}}
	q.Add([]float64{2}, GE, 6)
	sol, err = q.Solve()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "y", sol.X[0], 3, 1e-12)
	near(t, "price of >=", sol.Dual[0], -0.5, 1e-12)
}

func TestLPRedundantEqualities(t *testing.T) {
	p := &LP{C: []float64{1, 0}}
	p.Add([]float64{1, 1}, EQ, 2)
	p.Add([]float64{2, 2}, EQ, 4)
	p.Add([]float64{1, -1}, LE, 1)
	sol, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x", sol.X[0], 1.5, 1e-12)
	near(t, "y", sol.X[1], 0.5, 1e-12)
}

func TestLPWithoutOptimum(t *testing.T) {
	p := &LP{C: []float64{1}}
	p.Add([]float64{1}, LE, 1)
	p.Add([]float64{1}, GE, 2)
	if _, err := p.Solve(); !errors.Is(err, ErrInfeasible) {
		t.Errorf("x<=1, x>=2: got %v", err)
	}
	q := &LP{C: []float64{1, 0}}
	q.Add([]float64{1, -1}, LE, 1)
	if _, err := q.Solve(); !errors.Is(err, ErrUnbounded) {
		t.Errorf("max x, x-y<=1: got %v", err)
	}
	zero := &LP{C: []float64{0}}
	zero.Add([]float64{0}, EQ, 1)
	if _, err := zero.Solve(); !errors.Is(err, ErrInfeasible) {
		t.Errorf("0x = 1: got %v", err)
	}
}

// Beale's example cycles under Dantzig's rule with the smallest index among
// equal ratios.
func TestLPBealeEnds(t *testing.T) {
	p := &LP{C: []float64{0.75, -150, 0.02, -6}}
	p.Add([]float64{0.25, -60, -0.04, 9}, LE, 0)
	p.Add([]float64{0.5, -90, -0.02, 3}, LE, 0)
	p.Add([]float64{0, 0, 1, 0}, LE, 1)
	sol, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "value", sol.Value, 0.05, 1e-12)
}

// Bland's rule alone must reach the same values as the usual path.
func TestLPBlandAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		p := randomLP(rng)
		want, err := p.Solve()
		if err != nil {
			t.Fatal(err)
		}
		tab := newTableau(p)
		tab.least = leastPivots[0]
		if err := tab.phase1(); err != nil {
			t.Fatal(err)
		}
		full := make([]float64, tab.width)
		copy(full, p.C)
		tab.price(full)
		for col := tab.entering(true); col >= 0; col = tab.entering(true) {
			tab.pivot(tab.leaving(col, true), col)
		}
		near(t, "value under Bland's rule", -tab.cost[tab.width], want.Value, 1e-9)
	}
}

// randomLP is feasible at a known point and bounded by a box.
func randomLP(rng *rand.Rand) *LP {
	n := 2 + rng.IntN(6)
	p := &LP{}
	point := make([]float64, n)
	for j := range n {
		p.C = append(p.C, rng.NormFloat64())
		point[j] = rng.Float64()
		box := make([]float64, n)
		box[j] = 1
		p.Add(box, LE, 1)
	}
	for i := range 1 + rng.IntN(2*n) {
		a := make([]float64, n)
		for j := range a {
			a[j] = rng.NormFloat64()
		}
		at := dot(a, point)
		switch i % 3 {
		case 0:
			p.Add(a, LE, at+rng.Float64())
		case 1:
			p.Add(a, GE, at-rng.Float64())
		case 2:
			if i == 2 {
				p.Add(a, EQ, at)
			}
		}
	}
	return p
}

// A price or an answer that is off must not pass the check.
func TestLPCheckCatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		p := randomLP(rng)
		sol, err := p.Solve()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.check(sol); err != nil {
			t.Fatal(err)
		}
		worse := *sol
		worse.Value *= 1 + 1e-6
		if sol.Value != 0 && p.check(&worse) == nil {
			t.Error("a value off by 1e-6 passes")
		}
		for i, y := range sol.Dual {
			if y != 0 && p.Rows[i].B != 0 {
				worse := *sol
				worse.Dual = append([]float64(nil), sol.Dual...)
				worse.Dual[i] = y * 1.001
				if p.check(&worse) == nil && math.Abs(y*p.Rows[i].B) > 1e-4*math.Abs(sol.Value) {
					t.Errorf("price %d off by 1e-3 passes", i)
				}
			}
		}
	}
}
