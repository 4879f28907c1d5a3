package solve

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// smallKinds are environments that the twin in many digits solves in moments.
var smallKinds = []twin.Options{
	{Users: 3, Servers: 2, Resources: 2, Links: 1},
	{Users: 4, Servers: 2, Resources: 2, Weights: true, Eligibility: true},
	{Users: 3, Servers: 2, Resources: 2, Links: 2, ZeroDemands: true},
	{Users: 4, Servers: 2, Resources: 2, Links: 1, Caps: true, Weights: true},
	{Users: 3, Servers: 2, Resources: 2, Links: 2, DemandOn: true, Caps: true, Eligibility: true, Weights: true, ZeroDemands: true, ZeroCapacities: true},
	{Users: 3, Servers: 2, Resources: 2, Links: 1, Decades: 12},
}

// whole rounds the numbers of an environment to small integers, so that much
// binds at once: prices of 0 on capacities that are used up, servers that are
// as cheap as those in use, caps that bind and do not matter.
func whole(rng *rand.Rand, env *cluster.Environment) {
	draw := func(v []float64) {
		for i := range v {
			if v[i] > 0 {
				v[i] = float64(1 + rng.IntN(3))
			}
		}
	}
	for s := range env.Servers {
		env.Servers[s].Count = 1
		draw(env.Servers[s].Capacity)
		for r := range env.Servers[s].Capacity {
			env.Servers[s].Capacity[r] *= 2
		}
	}
	for e := range env.Links {
		env.Links[e].Capacity = math.Ceil(4 * env.Links[e].Capacity)
	}
	for j := range env.Users {
		u := &env.Users[j]
		draw(u.Demand)
		draw(u.LinkDemand)
		u.Weight = 1
		for s := range u.DemandOn {
			draw(u.DemandOn[s])
		}
		if !math.IsInf(u.Tasks, 1) {
			u.Tasks = float64(1+rng.IntN(4)) / 2
		}
	}
}

// eachSmall calls test with small random environments and their totals in many
// digits.
func eachSmall(t *testing.T, seeds uint64, test func(what string, env *cluster.Environment, want []*big.Float)) {
	for k, opt := range smallKinds {
		for seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+900))
			env := twin.Random(rng, opt)
			if seed%2 == 1 && opt.Decades == 0 {
				whole(rng, env)
			}
			what := fmt.Sprintf("kind %d seed %d", k, seed)
			want, err := nashDigits(env)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			test(what, env, want)
		}
	}
}

// farFrom returns the relative error of a total.
func farFrom(x float64, want *big.Float) float64 {
	if want.Sign() == 0 {
		return math.Abs(x)
	}
	off := new(big.Float).SetPrec(400).SetFloat64(x)
	off.Quo(off.Sub(off, want), want)
	v, _ := off.Float64()
	return math.Abs(v)
}

// The totals are those of a method in 77 digits, to what their certificate
// says, and that is 1e-8 at most.
func TestNashTotalsInManyDigits(t *testing.T) {
	var s Nash
	eachSmall(t, longOr(14, 6), func(what string, env *cluster.Environment, want []*big.Float) {
		a, err := s.Solve(env)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		if a.Certificate.Totals > 1e-8 {
			t.Errorf("%s: totals are certified to %.3g only", what, a.Certificate.Totals)
		}
		if worst := a.Worst(); worst.Excess > 1e-14 {
			t.Errorf("%s: %v", what, &worst)
		}
		if len(a.Prices) > 0 && slices.Min(a.Prices) < 0 {
			t.Errorf("%s: a price below 0 in %v", what, a.Prices)
		}
		for j, x := range a.Tasks {
			if off := farFrom(x, want[j]); off > a.Certificate.Totals {
				t.Errorf("%s: user %d has %v tasks, off by %.3g, certified to %.3g", what, j, x, off, a.Certificate.Totals)
			}
		}
	})
}

// Every point on the way is a feasible one, and the bound of its totals holds.
func TestNashTotalsBoundOnTheWay(t *testing.T) {
	points := 0
	eachSmall(t, 4, func(what string, env *cluster.Environment, want []*big.Float) {
		var s Nash
		s.Load(env)
		for j := range env.Users {
			s.Add(j)
		}
		s.start()
		if len(s.users) == 0 {
			return
		}
		for range 10 {
			s.residuals()
			s.keep(s.gap())
			for i := range s.users {
				j, sum := s.users[i].j, 0.0
				for v := range s.prog.servers {
					sum += s.result.X[j*s.prog.servers+v]
				}
				if off := farFrom(sum, want[j]); off > s.off {
					t.Errorf("%s: user %d is off by %.3g, the bound is %.3g", what, j, off, s.off)
				}
			}
			points++
			if !s.advance() {
				break
			}
		}
	})
	if points < 100 {
		t.Errorf("only %d points", points)
	}
}

// Totals that the papers print, as fractions.
func TestNashKnownTotals(t *testing.T) {
	env := func(servers [][]float64, link float64, users [][]float64) *cluster.Environment {
		env := &cluster.Environment{Resources: []string{"cpu", "mem"}[:len(servers[0])]}
		for s, c := range servers {
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: c, Count: 1})
		}
		if link > 0 {
			env.Links = []cluster.Link{{Name: "bw", Capacity: link}}
		}
		for j, d := range users {
			env.Users = append(env.Users, cluster.NewUser(fmt.Sprint("u", j), d[:len(servers[0])], d[len(servers[0]):]...))
		}
		return env
	}
	for _, c := range []struct {
		what string
		env  *cluster.Environment
		want []float64
	}{
		{"TSF-ER, figure 2", env([][]float64{{5, 10}, {10, 5}}, 15, [][]float64{{2, 1, 2.5}, {1, 2, .5}}), []float64{5, 5}},
		{"TSF-ER, appendix 9.1", env([][]float64{{10}}, 10, [][]float64{{6, 3}, {2, 9}}), []float64{35. / 24, 5. / 8}},
		{"TSF-ER, appendix 9.1, the lie", env([][]float64{{10}}, 10, [][]float64{{6, 3}, {4, 7}}), []float64{1, 1}},
		{"all of the memory is used up and has no price", env([][]float64{{6, 4}, {6, 4}}, 0, [][]float64{{4, 2}, {2, 2}}), []float64{2, 2}},
		{"servers that are as cheap as those in use", env([][]float64{{3, 1}, {1, 1}}, 0, [][]float64{{2, 2}, {1, 2}}), []float64{1. / 2, 1. / 2}},
		{"users that are alike", env([][]float64{{5, 10}, {10, 5}}, 15, [][]float64{{2, 1, 2.5}, {2, 1, 2.5}, {2, 1, 2.5}}), []float64{2, 2, 2}},
	} {
		a, err := new(Nash).Solve(c.env)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		for j, x := range a.Tasks {
			if math.Abs(x/c.want[j]-1) > 1e-10 {
				t.Errorf("%s: user %d has %v tasks, want %v", c.what, j, x, c.want[j])
			}
		}
	}
}

// A point with work or a price below 0 is never taken for a certified one: the
// gap is no bound there.
func TestNashPointBelowZeroIsNoBound(t *testing.T) {
	env := twin.Benchmark(5, 3, 1)
	for _, spoil := range []func(s *Nash){
		func(s *Nash) { s.fine.work[s.users[0].key].hi *= -1 },
		func(s *Nash) { s.fine.price[len(s.fine.price)-1] = double{-1e-9, 0} },
	} {
		var s Nash
		if _, err := s.Solve(env); err != nil {
			t.Fatal(err)
		}
		if s.measure(); s.fine.negative || s.fine.off > polishTarget {
			t.Fatal("the polished point is not what was kept")
		}
		spoil(&s)
		if s.measure(); !s.fine.negative {
			t.Error("what is below 0 was not seen")
		}
	}
}
