package fair

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

func random(rng *rand.Rand, users, servers, links int, plain bool) (*cluster.Environment, *cluster.Allocation) {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}}
	some := func() float64 { return rng.Float64() * float64(rng.IntN(3)) }
	for s := range servers {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: []float64{some(), some(), some()}, Count: 1 + rng.IntN(2)})
	}
	set := func() cluster.Set {
		if plain || rng.IntN(2) == 0 {
			return nil
		}
		return cluster.NewSet(servers, rng.IntN(servers), rng.IntN(servers), rng.IntN(servers))
	}
	for e := range links {
		env.Links = append(env.Links, cluster.Link{Name: fmt.Sprint("l", e), Capacity: 1, Servers: set()})
	}
	var x [][]float64
	for j := range users {
		u := cluster.NewUser(fmt.Sprint("u", j), []float64{0.1 + rng.Float64(), some(), some()})
		for range links {
			u.LinkDemand = append(u.LinkDemand, some())
		}
		u.Eligible = set()
		if !plain {
			u.Weight = 0.5 + rng.Float64()
		}
		if !plain && rng.IntN(3) == 0 {
			u.Tasks = 2 * rng.Float64()
			u.DemandOn = map[int][]float64{rng.IntN(servers): {1, some(), some()}}
		}
		held := make([]float64, servers)
		for s := range held {
			if u.Eligible.Has(s) {
				held[s] = some()
			}
		}
		env.Users, x = append(env.Users, u), append(x, held)
	}
	return env, allocate(env, x...)
}

// utility is the obvious twin of Judge.Utility: the definition, word by word.
func utility(env *cluster.Environment, j, i int, a *cluster.Allocation) float64 {
	total := 0.0
	for s := range env.Servers {
		if !env.MayRun(j, s) || a.On(i)[s] == 0 {
			continue
		}
		least := math.Inf(1)
		for r := range env.Resources {
			if env.Demand(j, s)[r] > 0 {
				least = math.Min(least, env.Demand(i, s)[r]/env.Demand(j, s)[r])
			}
		}
		for e := range env.Links {
			if env.Reaches(e, s) && env.LinkDemand(j, e) > 0 {
				least = math.Min(least, env.LinkDemand(i, e)/env.LinkDemand(j, e))
			}
		}
		total += a.On(i)[s] * least
	}
	return math.Min(total*env.Users[j].Weight/env.Users[i].Weight, env.Users[j].Tasks)
}

func minEFSat(env *cluster.Environment, a *cluster.Allocation, present []int) float64 {
	sat := 1.0
	for _, j := range present {
		for _, i := range present {
			own, other := utility(env, j, j, a), utility(env, j, i, a)
			if own != 0 || other != 0 {
				sat = math.Min(sat, own/other)
			}
		}
	}
	return sat
}

func minSISat(env *cluster.Environment, a *cluster.Allocation, present []int) float64 {
	sat := 1.0
	shares := env.Subset(present).EqualShares(nil)
	for k, j := range present {
		if shares[k] > 0 {
			sat = math.Min(sat, a.Tasks[j]/shares[k])
		}
	}
	return sat
}

func TestJudgeAgreesWithTheDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	envied, deprived := 0, 0
	for k := range 600 {
		env, a := random(rng, 2+rng.IntN(8), 1+rng.IntN(5), rng.IntN(4), k%3 == 0)
		g := NewJudge(env)
		var present []int
		for j := range env.Users {
			if rng.IntN(4) > 0 {
				present = append(present, j)
			}
			for i := range env.Users {
				got, want := g.Utility(j, i, a), utility(env, j, i, a)
				if math.Abs(got-want) > 1e-12*want {
					t.Fatalf("u[%d](%d) = %v, want %v", j, i, got, want)
				}
			}
		}
		if present == nil {
			continue
		}
		e, s := g.MinEFSat(a, present), g.MinSISat(a, present)
		k := 0
		g.EachSISat(a, present, func(each Sharing) {
			if want := g.SISat(present[k], a, present); each != want {
				t.Fatalf("%v, want %v", each, want)
			}
			k++
		})
		if k != len(present) {
			t.Fatalf("%d of %d users are shown", k, len(present))
		}
		if want := minEFSat(env, a, present); math.Abs(e.Sat-want) > 1e-12 {
			t.Fatalf("MIN-EF-SAT %v, want %v", e.Sat, want)
		}
		if want := minSISat(env, a, present); math.Abs(s.Sat-want) > 1e-12 {
			t.Fatalf("MIN-SI-SAT %v, want %v", s.Sat, want)
		}
		if e.Sat < 1 {
			envied++
			if own, other := utility(env, e.User, e.User, a), utility(env, e.User, e.Of, a); math.Abs(own/other-e.Sat) > 1e-12 {
				t.Fatalf("the witness %s has EF-SAT %v", e, own/other)
			}
			if len(g.Envies(a, present, 0)) == 0 {
				t.Fatalf("%s, but no pair is listed", e)
			}
		}
		if s.Sat < 1 {
			deprived++
		}
	}
	if envied < 100 || deprived < 100 {
		t.Errorf("only %d cases with envy and %d below the equal share", envied, deprived)
	}
}

// Dividing every server equally is envy-free and gives everybody exactly its
// equal share, whatever the demands, if there are no links.
func TestEqualDivisionIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for range 100 {
		env, a := random(rng, 2+rng.IntN(6), 1+rng.IntN(5), 0, true)
		for j := range env.Users {
			a.Tasks[j] = 0
			for s := range env.Servers {
				a.On(j)[s] = env.Gamma(j, s) / float64(len(env.Users))
				a.Tasks[j] += a.On(j)[s]
			}
		}
		g := NewJudge(env)
		if e := g.MinEFSat(a, nil); e.Sat < 1-1e-12 {
			t.Fatal(e)
		}
		for j := range env.Users {
			if s := g.SISat(j, a, nil); math.Abs(s.Ratio-1) > 1e-12 {
				t.Fatal(s)
			}
		}
	}
}

func TestAskingAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	for _, plain := range []bool{true, false} {
		env, a := random(rng, 30, 4, 2, plain)
		g, present := NewJudge(env), []int{0, 3, 5, 6, 12, 20, 29}
		if n := testing.AllocsPerRun(50, func() { g.MinEFSat(a, present); g.MinSISat(a, nil) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func BenchmarkMinEFSat(b *testing.B) {
	for _, size := range []struct {
		users, servers, links int
		plain                 bool
	}{{100, 3, 1, true}, {100, 3, 2, false}, {100, 20, 3, false}} {
		b.Run(fmt.Sprintf("users=%d/servers=%d/plain=%v", size.users, size.servers, size.plain), func(b *testing.B) {
			env, a := random(rand.New(rand.NewPCG(1, 1)), size.users, size.servers, size.links, size.plain)
			g := NewJudge(env)
			b.ReportAllocs()
			for b.Loop() {
				g.MinEFSat(a, nil)
			}
		})
	}
}

func BenchmarkMinSISat(b *testing.B) {
	env, a := random(rand.New(rand.NewPCG(1, 1)), 100, 3, 1, true)
	g := NewJudge(env)
	b.ReportAllocs()
	for b.Loop() {
		g.MinSISat(a, nil)
	}
}
