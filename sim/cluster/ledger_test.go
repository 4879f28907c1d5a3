package cluster

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAGridCountsDecimalsExactly(t *testing.T) {
	for _, c := range []struct {
		total, value float64
		places       int
		up           int64
		exact        bool
	}{
		{1, 0.1, 18, 1e17, true},
		{3, 1, 18, 1e18, true},
		{5, 0.3, 17, 3e16, true},
		{1.5e9, 1234567.25, 9, 1234567250000000, true},
		{1.5e9, 1.0000000001, 9, 1000000001, false},
		{4e18, 7, 0, 7, true},
		{4e19, 7, -1, 1, false},
		{1, 1e-30, 18, 1, false},
		{1, 1e30, 18, math.MaxInt64, false},
		{0, 0, 0, 0, true},
	} {
		g := NewGrid(c.total)
		up, exact := g.Up(c.value)
		if g.Places() != c.places || up != c.up || exact != c.exact {
			t.Errorf("total %g, value %g: %d places, %d units, exact %v", c.total, c.value, g.Places(), up, exact)
		}
	}
}

// The twin reads the shortest decimal with rationals.
func TestAGridRoundsDemandsUpAndCapacitiesDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Float64Range(1e-9, 1e15).Draw(t, "total")
		v := rapid.Float64Range(0, total).Draw(t, "value")
		g := NewGrid(total)
		exactly, _ := new(big.Rat).SetString(fmt.Sprint(v))
		one := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(g.k, -g.k))), nil))
		if g.k >= 0 {
			exactly.Mul(exactly, one)
		} else {
			exactly.Quo(exactly, one)
		}
		up, upExact := g.Up(v)
		down, downExact := g.Down(v)
		if upExact != exactly.IsInt() || downExact != exactly.IsInt() {
			t.Fatalf("exact %v, %v; want %v", upExact, downExact, exactly.IsInt())
		}
		whole := new(big.Int).Quo(exactly.Num(), exactly.Denom()).Int64()
		if down != whole || !upExact && up != whole+1 || upExact && up != whole || up > GridLimit+1 {
			t.Fatalf("%g of %g: up %d, down %d, want %v", v, total, up, down, exactly)
		}
	})
}

func TestTenTasksOfATenthFillAServer(t *testing.T) {
	env := &Environment{
		Resources: []string{"cpu"},
		Servers:   []Server{{Name: "s", Capacity: []float64{1}, Count: 2}},
		Links:     []Link{{Name: "l", Capacity: 4, Servers: NewSet(1, 0)}},
	}
	l := NewLedger(env)
	u := NewUser("u", []float64{0.1}, 0.3)
	n := l.Need(&u)
	for i := range 10 {
		if !l.Fits(n, 0) {
			t.Fatalf("task %d does not fit", i)
		}
		l.Take(n, 0)
	}
	if l.Fits(n, 0) || l.Free(0)[0] != 0 || l.LinkFree()[0] != l.LinkCapacity()[0]/4 {
		t.Errorf("free %v, link %v", l.Free(0), l.LinkFree())
	}
	for range 3 {
		l.Take(n, 1)
	}
	if l.Fits(n, 1) {
		t.Error("a fourteenth task fits on a link for 13")
	}
	for range 10 {
		l.Give(n, 0)
	}
	for range 3 {
		l.Give(n, 1)
	}
	if !slices.Equal(l.free, l.capacity) || !slices.Equal(l.linkFree, l.linkAll) || l.Inexact+n.Inexact > 0 {
		t.Errorf("after all left: %v of %v, links %v", l.free, l.capacity, l.linkFree)
	}
}

func TestTheLedgerRefusesWhatCannotBe(t *testing.T) {
	env := &Environment{Resources: []string{"cpu"}, Servers: []Server{{Name: "s", Capacity: []float64{1}, Count: 1}}}
	u := NewUser("u", []float64{2})
	for name, book := range map[string]func(*Ledger, *Need, int){"take": (*Ledger).Take, "give": (*Ledger).Give} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			l := NewLedger(env)
			book(l, l.Need(&u), 0)
		}()
	}
}

// TakeSome and GiveSome are as many calls of Take and Give, where zero demands and links are among what is needed.
func TestSomeTasksAreSingleOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	limited := 0
	for range 500 {
		env := &Environment{
			Resources: []string{"cpu", "mem"},
			Servers:   []Server{{Name: "s", Capacity: []float64{float64(rng.IntN(30)), float64(rng.IntN(30))}, Count: 2}},
			Links:     []Link{{Name: "l", Capacity: float64(1 + rng.IntN(60))}},
		}
		u := NewUser("u", []float64{float64(rng.IntN(4)), float64(rng.IntN(4))}, 1)
		u.LinkDemand = []float64{float64(rng.IntN(4))}
		some, single := NewLedger(env), NewLedger(env)
		need := some.Need(&u)
		for server := range 2 {
			most, want := int64(rng.IntN(12)), int64(0)
			for want < most && single.Fits(need, server) {
				single.Take(need, server)
				want++
			}
			if got := some.TakeSome(need, server, most); got != want {
				t.Fatalf("%d tasks of %v on %v, want %d", got, u, env, want)
			}
			if want < most {
				limited++
			}
			if back := want / 2; back > 0 {
				some.GiveSome(need, server, back)
				for range back {
					single.Give(need, server)
				}
			}
			if !slices.Equal(some.Free(server), single.Free(server)) || !slices.Equal(some.LinkFree(), single.LinkFree()) {
				t.Fatalf("free %v and %v, want %v and %v", some.Free(server), some.LinkFree(), single.Free(server), single.LinkFree())
			}
		}
	}
	if limited < 100 {
		t.Errorf("%d draws were limited by room", limited)
	}
}
