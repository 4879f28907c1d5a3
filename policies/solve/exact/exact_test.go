package exact

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func is(t *testing.T, what string, got *big.Rat, a, b int64) {
	t.Helper()
	if got == nil || got.Cmp(big.NewRat(a, b)) != 0 {
		t.Errorf("%s is %v, want %d/%d", what, got, a, b)
	}
}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

func TestSmallPrograms(t *testing.T) {
	p := &Program{Columns: 2} // max x+y, 2x+y <= 4, x+3y <= 6: 6/5, 8/5
	p.AtMost(map[int]*big.Rat{0: rat(2, 1), 1: rat(1, 1)}, rat(4, 1))
	p.AtMost(map[int]*big.Rat{0: rat(1, 1), 1: rat(3, 1)}, rat(6, 1))
	v, x, err := p.Maximize(map[int]*big.Rat{0: rat(1, 1), 1: rat(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "the optimum", v, 14, 5)
	is(t, "x", x[0], 6, 5)
	p.AtLeast(map[int]*big.Rat{1: rat(1, 1)}, rat(9, 5)) // y >= 9/5: x = 3/5
	v, _, err = p.Maximize(map[int]*big.Rat{0: rat(1, 1), 1: rat(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "with a lower bound", v, 12, 5)
	p.AtLeast(map[int]*big.Rat{0: rat(1, 1)}, rat(1, 1))
	if _, _, err := p.Maximize(nil); !errors.Is(err, ErrInfeasible) {
		t.Errorf("%v", err)
	}
	free := &Program{Columns: 2}
	free.AtMost(map[int]*big.Rat{0: rat(1, 1)}, rat(1, 1))
	if _, _, err := free.Maximize(map[int]*big.Rat{1: rat(1, 1)}); !errors.Is(err, ErrUnbounded) {
		t.Errorf("%v", err)
	}
}

// Random programs agree with the dense tableau in doubles.
func TestProgramsAgreeWithTheTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	solved, infeasible := 0, 0
	for range 300 {
		n, m := 1+rng.IntN(5), 1+rng.IntN(6)
		p, q := &Program{Columns: n}, &twin.LP{}
		c := map[int]*big.Rat{}
		for j := range n {
			v := int64(rng.IntN(7))
			c[j], q.C = rat(v, 1), append(q.C, float64(v))
		}
		add := func(sense twin.Sense, b int64) {
			a, f := map[int]*big.Rat{}, make([]float64, n)
			for j := range n {
				v := int64(rng.IntN(6))
				a[j], f[j] = rat(v, 1), float64(v)
			}
			q.Add(f, sense, float64(b))
			if sense == twin.GE {
				p.AtLeast(a, rat(b, 1))
			} else {
				p.AtMost(a, rat(b, 1))
			}
		}
		for j := range n {
			p.AtMost(map[int]*big.Rat{j: one}, rat(9, 1))
			f := make([]float64, n)
			f[j] = 1
			q.Add(f, twin.LE, 9)
		}
		for range m {
			add(twin.Sense(rng.IntN(2)), int64(rng.IntN(20)))
		}
		v, _, err := p.Maximize(c)
		s, ferr := q.Solve()
		if errors.Is(err, ErrInfeasible) != errors.Is(ferr, twin.ErrInfeasible) {
			t.Fatalf("%v against %v", err, ferr)
		}
		if err != nil {
			infeasible++
			continue
		}
		solved++
		if f, _ := v.Float64(); math.Abs(f-s.Value) > 1e-9*max(1, s.Value) {
			t.Fatalf("%g against %g", f, s.Value)
		}
	}
	if solved < 50 || infeasible < 50 {
		t.Errorf("%d solved, %d infeasible", solved, infeasible)
	}
}

func appendix91() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{10}, Count: 1}},
		Links: []cluster.Link{{Name: "bw", Capacity: 10}},
		Users: []cluster.User{cluster.NewUser("A", []float64{6}, 3), cluster.NewUser("B", []float64{2}, 9)},
	}
}

// TSF-ER's appendix 9.1: CRU and MNW give 35/24 and 5/8, TSF-ER 10/9 and 20/27.
func TestAppendix91(t *testing.T) {
	e := New(appendix91())
	x := [][]*big.Rat{{rat(35, 24)}, {rat(5, 8)}}
	if err := e.CheckNash(x); err != nil {
		t.Error(err)
	}
	eta := []*big.Rat{nil, nil}
	for j := range eta {
		eta[j], _ = e.Alone(j, false)
	}
	is(t, "η of A", eta[0], 5, 3)
	is(t, "η of B", eta[1], 10, 9)
	shares, err := e.EqualShares()
	if err != nil {
		t.Fatal(err)
	}
	is(t, "ψ of B", shares[1], 5, 9)
	value := []*big.Rat{new(big.Rat).Inv(eta[0]), new(big.Rat).Inv(eta[1])}
	if err := e.CheckLinear(value, shares, true, x); err != nil {
		t.Error(err)
	}
	tsfer := [][]*big.Rat{{rat(10, 9)}, {rat(20, 27)}}
	if err := e.CheckMaxMin(eta, tsfer); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"Nash": e.CheckNash(tsfer), "CRU": e.CheckLinear(value, shares, true, tsfer), "TSF-ER": e.CheckMaxMin(eta, x),
		"too much": e.CheckMaxMin(eta, [][]*big.Rat{{rat(10, 6)}, {rat(1, 9)}}),
	} {
		if err == nil {
			t.Errorf("%s: a wrong allocation passes", name)
		}
	}
	is(t, "A's utility of B's bundle", e.Utility(0, 1, x), 5, 24)
	truth := New(appendix91()).Only(1)
	lied := appendix91()
	lied.Users[1] = cluster.NewUser("B", []float64{4}, 7)
	held, err := New(lied).Held(1, [][]*big.Rat{{rat(1, 1)}, {rat(1, 1)}}, truth)
	if err != nil {
		t.Fatal(err)
	}
	is(t, "what B's lie is worth", held, 7, 9)
	best, _, err := e.Dominated([]*big.Rat{rat(1, 1), rat(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "the best without a loss", best, 25, 12)
}

// Max-min in rational numbers agrees with the twin's in doubles: several rounds
// of freezing, caps, constraints, links.
func TestMaxMinAgreesWithTheTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 60 {
		env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
		number := func() float64 { return float64(1 + rng.IntN(6)) }
		for s := range 1 + rng.IntN(2) {
			env.Servers = append(env.Servers, cluster.Server{Name: string(rune('a' + s)), Capacity: []float64{number(), number()}, Count: 1 + rng.IntN(2)})
		}
		if rng.IntN(2) == 0 {
			env.Links = []cluster.Link{{Name: "l", Capacity: number()}}
		}
		norm, floats := []*big.Rat{}, []float64{}
		for j := range 2 + rng.IntN(2) {
			u := cluster.NewUser(string(rune('A'+j)), []float64{number(), number()})
			if env.Links != nil {
				u.LinkDemand = []float64{number()}
			}
			if rng.IntN(3) == 0 {
				u.Tasks = number() / 4
			}
			if rng.IntN(3) == 0 {
				u.Eligible = cluster.NewSet(len(env.Servers), rng.IntN(len(env.Servers)))
			}
			n := number()
			env.Users, norm, floats = append(env.Users, u), append(norm, rat(int64(n), 1)), append(floats, n)
		}
		want, err := twin.MaxMin(env, floats)
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(env).MaxMin(norm)
		if err != nil {
			t.Fatal(err)
		}
		for j := range want {
			if f, _ := got[j].Float64(); math.Abs(f-want[j]) > 1e-8*max(1, want[j]) {
				t.Fatalf("environment %d: user %d holds %s, the twin says %g", k, j, got[j].RatString(), want[j])
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		v    float64
		a, b int64
	}{{7. / 9, 7, 9}, {0, 0, 1}, {3, 3, 1}, {0.1, 1, 10}, {35. / 24, 35, 24}, {1234.5, 2469, 2}} {
		is(t, "nearest", Nearest(c.v, 1e-12), c.a, c.b)
	}
	is(t, "the decimal", Rational(0.1), 1, 10)
}
