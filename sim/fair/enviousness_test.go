package fair

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// airtime builds access points that have bandwidth only, 1 each, with one
// server behind each; needs[j][e] is d[j,e].
func airtime(needs ...[]float64) *cluster.Environment {
	points := len(needs[0])
	env := &cluster.Environment{Resources: []string{"cpu"}}
	for e := range points {
		name := string(rune('a' + e))
		env.Servers = append(env.Servers, cluster.Server{Name: name, Capacity: []float64{1}, Count: 1})
		env.Links = append(env.Links, cluster.Link{Name: "bw-" + name, Capacity: 1, Servers: cluster.NewSet(points, e)})
	}
	for j, d := range needs {
		env.Users = append(env.Users, cluster.NewUser(string(rune('i'+j)), []float64{0}, d...))
	}
	return env
}

func accessPoints(t *testing.T, env *cluster.Environment) *AccessPoints {
	t.Helper()
	p, err := NewAccessPoints(env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// MTP, section 4.2: i needs (1, 1/10) of a and b, j (1/10, 1). Both divisions
// give each user one of the two links, half of all bandwidth. Where i has a
// and j has b, both would run ten times as many tasks after swapping.
func TestMTPSection42(t *testing.T) {
	env := airtime([]float64{1, 0.1}, []float64{0.1, 1})
	p := accessPoints(t, env)
	bad, good := allocate(env, []float64{1, 0}, []float64{0, 1}), allocate(env, []float64{0, 10}, []float64{10, 0})
	for name, a := range map[string]*cluster.Allocation{"first": bad, "second": good} {
		if err := a.Feasible(1e-15); err != nil {
			t.Fatal(err)
		}
		for e, used := range a.Utilization(nil)[env.LinkRow(0):] {
			near(t, fmt.Sprintf("%s division, utilization of link %d", name, e), used, 1)
		}
	}
	worst := p.Max(bad, nil)
	near(t, "enviousness of the first division", worst.Percent, 900)
	const sentence = `user "i" would run 10 tasks with the bundle of user "j", 1 with its own (enviousness 900%)`
	if worst.User != 0 || worst.Of != 1 || worst.String() != sentence {
		t.Errorf("witness: %s", worst)
	}
	if e := p.Max(good, nil); e.Percent != 0 || e.User != -1 || e.String() != "nobody envies anybody (enviousness 0%)" {
		t.Errorf("the second division: %s", e)
	}
	near(t, "i's worth of j's bundle in the second division", p.Utility(0, 1, good), 1)
	near(t, "factor", dominates(t, bad, good), 10)
}

// MTP, figure 2: under TSF all have the share σ = (20/13)/(161/160+3/2+20/13),
// i and j on b, k on a and on what is left of b. i would run
// 10σ·(3/20)·160 = 240σ tasks with what j has, and has 161σ.
func TestMTPFigure2(t *testing.T) {
	env := airtime([]float64{1, 1. / 160}, []float64{6. / 20, 3. / 20}, []float64{13. / 20, 7. / 20})
	share := (20. / 13) / (161./160 + 3./2 + 20./13)
	tsf := allocate(env, []float64{0, 161 * share}, []float64{0, 10 * share}, []float64{20. / 13, 400./91*share - 20./13})
	if err := tsf.Feasible(1e-12); err != nil {
		t.Fatal(err)
	}
	worst := accessPoints(t, env).Max(tsf, nil)
	near(t, "enviousness", worst.Percent, 100*(240./161-1))
	if worst.User != 0 || worst.Of != 1 {
		t.Errorf("i should envy j: %s", worst)
	}
}

// The bandwidth of an access point serves any of its servers, so that a bundle
// is worth more than server by server where demands differ among them: the
// holder's task on s1 brings all cpu and no bandwidth, that on s2 the reverse.
func TestBandwidthIsSharedWithinAnAccessPoint(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers: []cluster.Server{{Name: "s1", Capacity: []float64{9}, Count: 1}, {Name: "s2", Capacity: []float64{9}, Count: 1},
			{Name: "far", Capacity: []float64{9}, Count: 1}, {Name: "open", Capacity: []float64{9}, Count: 1}},
		Links: []cluster.Link{{Name: "l", Capacity: 9, Servers: cluster.NewSet(4, 0, 1)}, {Name: "m", Capacity: 9, Servers: cluster.NewSet(4, 2)}},
	}
	holder, judge := cluster.NewUser("holder", []float64{0}, 1, 1), cluster.NewUser("judge", []float64{1}, 1, 2)
	holder.DemandOn = map[int][]float64{0: {2}, 2: {4}, 3: {1}}
	env.Users = []cluster.User{holder, judge}
	a := allocate(env, []float64{1, 1, 1, 0.5}, []float64{0.25, 0, 0, 0})
	p := accessPoints(t, env)
	// l: min(2 cpu, 2 of the link); m: min(4 cpu, 1/2); open: 0.5.
	near(t, "at the access points", p.Utility(1, 0, a), 2+0.5+0.5)
	near(t, "server by server", NewJudge(env).Utility(1, 0, a), 1+0+0.5+0.5)
	near(t, "enviousness", p.Between(1, 0, a).Percent, 100*(3/0.25-1))
	near(t, "of the empty-handed", p.Between(0, 1, allocate(env, []float64{0, 0, 0, 0}, []float64{1, 0, 0, 0})).Percent, math.Inf(1))
	near(t, "of nothing", p.Between(0, 1, allocate(env, []float64{0, 0, 0, 0}, []float64{0, 0, 0, 0})).Percent, 0)
}

func TestOverlappingLinksHaveNoAccessPoints(t *testing.T) {
	env := airtime([]float64{1, 1})
	env.Links[1].Servers = nil
	_, err := NewAccessPoints(env)
	var overlap *OverlapError
	if !errors.As(err, &overlap) || *overlap != (OverlapError{"a", "bw-a", "bw-b"}) {
		t.Errorf("%v", err)
	}
}

// disjoint returns a random environment whose links reach disjoint sets of
// servers, some none, and a random allocation.
func disjoint(rng *rand.Rand, plain bool) (*cluster.Environment, *cluster.Allocation) {
	servers, links := 1+rng.IntN(6), rng.IntN(4)
	env, a := random(rng, 2+rng.IntN(7), servers, links, plain)
	for e := range env.Links {
		env.Links[e].Servers = cluster.NewSet(servers)
	}
	for s := range servers {
		if e := rng.IntN(links + 1); e < links {
			env.Links[e].Servers.Add(s)
		}
	}
	return env, a
}

// swapped is the obvious twin of Utility: the definition with the bundle as a
// table of amounts, one sum after the other.
func swapped(env *cluster.Environment, j, i int, a *cluster.Allocation) float64 {
	served := make([]float64, len(env.Servers)) // min_r A[s,r]/d[j,r]
	for s, x := range a.On(i) {
		served[s] = math.Inf(1)
		for r := range env.Resources {
			if amount, need := x*env.Demand(i, s)[r], env.Demand(j, s)[r]; need > 0 {
				served[s] = math.Min(served[s], amount/need)
			}
		}
		if !env.MayRun(j, s) {
			served[s] = 0
		}
	}
	total, behind := 0.0, make([]bool, len(env.Servers))
	for e := range env.Links {
		sum, amount := 0.0, 0.0
		for s, x := range a.On(i) {
			if env.Reaches(e, s) {
				behind[s] = true
				sum, amount = sum+served[s], amount+x*env.LinkDemand(i, e)
			}
		}
		if need := env.LinkDemand(j, e); need > 0 {
			sum = math.Min(sum, amount/need)
		}
		total += sum
	}
	for s := range env.Servers {
		if !behind[s] {
			total += served[s]
		}
	}
	return math.Min(total*env.Users[j].Weight/env.Users[i].Weight, env.Users[j].Tasks)
}

func TestEnviousnessAgreesWithTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	envious, spared := 0, 0
	for k := range 600 {
		env, a := disjoint(rng, k%2 == 0)
		p := accessPoints(t, env)
		want := Enviousness{Pair: nobody(env)}
		for j := range env.Users {
			own := math.Min(a.Tasks[j], env.Users[j].Tasks)
			for i := range env.Users {
				other := swapped(env, j, i, a)
				if i == j {
					continue
				}
				if got := p.Utility(j, i, a); math.Abs(got-other) > 1e-12*other {
					t.Fatalf("u[%d](%d) = %v, want %v", j, i, got, other)
				}
				if own == 0 && other == 0 {
					continue
				}
				if percent := 100 * (other/own - 1); percent > want.Percent*(1+1e-9) {
					want = Enviousness{Pair: Pair{User: j, Of: i}, Percent: percent}
				}
			}
		}
		got := p.Max(a, nil)
		if math.Abs(got.Percent-want.Percent) > 1e-9*want.Percent {
			t.Fatalf("maximum %s, want user %d over %d with %v%%", got, want.User, want.Of, want.Percent)
		}
		if got.User >= 0 {
			envious++
			if again := p.Between(got.User, got.Of, a); math.Abs(again.Percent-got.Percent) > 1e-9*got.Percent {
				t.Fatalf("the witness %s has %v%%", got, again.Percent)
			}
		}
		alone := p.Max(a, []int{0})
		if alone.User != -1 || alone.Percent != 0 {
			t.Fatalf("a user alone: %s", alone)
		}
		// A pair apart envies as it does among all.
		pair := p.Max(a, []int{0, 1})
		if most := math.Max(p.Between(0, 1, a).Percent, p.Between(1, 0, a).Percent); math.Abs(pair.Percent-most) > 1e-9*most {
			t.Fatalf("of two users: %s, want %v%%", pair, most)
		}
		if got.User < 0 {
			spared++
		}
	}
	if envious < 200 || spared < 5 {
		t.Errorf("only %d cases with enviousness and %d without", envious, spared)
	}
}

// Where demands are the same on all servers, enviousness is EF-SAT in another
// unit.
func TestEnviousnessAndEFSat(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for range 200 {
		env, a := disjoint(rng, true)
		p, g := accessPoints(t, env), NewJudge(env)
		for j := range env.Users {
			for i := range env.Users {
				if got, want := p.Utility(j, i, a), g.Utility(j, i, a); math.Abs(got-want) > 1e-12*want {
					t.Fatalf("u[%d](%d) = %v at the access points, %v server by server", j, i, got, want)
				}
			}
		}
		worst, sat := p.Max(a, nil), g.MinEFSat(a, nil).Sat
		if want := 100 * (1/sat - 1); math.Abs(worst.Percent-want) > 1e-9*want {
			t.Fatalf("%s, and MIN-EF-SAT is %v", worst, sat)
		}
	}
}

func TestAskingForEnviousnessAllocatesNothing(t *testing.T) {
	env, a := disjoint(rand.New(rand.NewPCG(45, 46)), true)
	p := accessPoints(t, env)
	p.Max(a, nil)
	if n := testing.AllocsPerRun(50, func() { p.Max(a, nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMaxEnviousness(b *testing.B) {
	for _, users := range []int{30, 100, 300} {
		b.Run(fmt.Sprint("users=", users), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			env, a := random(rng, users, 9, 5, true)
			for e := range env.Links {
				env.Links[e].Servers = cluster.NewSet(9, e, e+4)
			}
			env.Links[4].Servers = cluster.NewSet(9, 8)
			p, err := NewAccessPoints(env)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p.Max(a, nil)
			}
		})
	}
}
