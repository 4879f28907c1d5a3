package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// figure2 is the environment of the TSF-ER paper's figure 2.
func figure2() *Environment {
	return &Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []Server{{Name: "s1", Capacity: []float64{5, 10}, Count: 1}, {Name: "s2", Capacity: []float64{10, 5}, Count: 1}},
		Links:     []Link{{"bw", 15, nil}},
		Users:     []User{NewUser("u1", []float64{2, 1}, 2.5), NewUser("u2", []float64{1, 2}, 0.5)},
	}
}

func near(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-12*math.Max(math.Abs(got), math.Abs(want))
}

func TestGammaAndEtaOfFigure2(t *testing.T) {
	env := figure2()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"γ[1,1]", env.Gamma(0, 0), 2.5}, {"γ[1,2]", env.Gamma(0, 1), 5},
		{"γ[2,1]", env.Gamma(1, 0), 5}, {"γ[2,2]", env.Gamma(1, 1), 2.5},
		{"η[1], bound by the link", env.Eta(0), 6}, {"η[2], bound by the servers", env.Eta(1), 7.5},
		{"ψ[1]", env.EqualShare(0), 3}, {"ψ[2]", env.EqualShare(1), 3.75},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// The TSF paper's figure 4: h = 14, 7, 7 although no user may run everywhere.
func TestEtaIgnoresEligibilityAndEqualSharesDoNot(t *testing.T) {
	env := &Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []Server{{Name: "m1", Capacity: []float64{9, 12}, Count: 1}, {Name: "m2", Capacity: []float64{3, 4}, Count: 1}, {Name: "m3", Capacity: []float64{9, 12}, Count: 1}},
		Users:     []User{NewUser("u1", []float64{1, 2}), NewUser("u2", []float64{3, 1}), NewUser("u3", []float64{1, 4})},
	}
	env.Users[0].Eligible = NewSet(3, 0, 1)
	env.Users[1].Eligible = NewSet(3, 1)
	want := map[string][3]float64{"η": {14, 7, 7}, "η'": {8, 1, 7}, "ψ": {8. / 3, 1. / 3, 7. / 3}}
	for j := range env.Users {
		got := map[string]float64{"η": env.Eta(j), "η'": env.EtaEligible(j), "ψ": env.EqualShare(j)}
		for name, v := range got {
			if !near(v, want[name][j]) {
				t.Errorf("%s[%d] = %v, want %v", name, j, v, want[name][j])
			}
		}
	}
}

// The multi-AP paper's figure 2: two access points, bandwidth only, and users
// whose rate differs between them.
func TestEtaWithDemandsThatDifferByServer(t *testing.T) {
	env := &Environment{
		Resources: []string{"bw"},
		Servers:   []Server{{Name: "a", Capacity: []float64{1}, Count: 1}, {Name: "b", Capacity: []float64{1}, Count: 1}},
	}
	for j, d := range [][2]float64{{1, 1. / 160}, {6. / 20, 3. / 20}, {13. / 20, 7. / 20}} {
		u := NewUser(fmt.Sprint(j), []float64{d[0]})
		u.DemandOn = map[int][]float64{1: {d[1]}}
		env.Users = append(env.Users, u)
	}
	for j, want := range []float64{161, 10, 20./13 + 20./7} {
		if got := env.Eta(j); !near(got, want) {
			t.Errorf("η[%d] = %v, want %v", j, got, want)
		}
	}
}

func TestEqualSharesFollowWeightsAndCaps(t *testing.T) {
	env := figure2()
	env.Users[0].Weight = 2
	env.Users[1].Tasks = 2
	env.Users[0].Tasks = 5
	for j, want := range []float64{4, 2} {
		if got := env.EqualShare(j); !near(got, want) {
			t.Errorf("ψ[%d] = %v, want %v", j, got, want)
		}
	}
}

func TestAClassCountsAsItsServers(t *testing.T) {
	one, many := figure2(), figure2()
	one.Servers = append(one.Servers, one.Servers[0], one.Servers[0])
	many.Servers[0].Count = 3
	one.Links[0].Capacity, many.Links[0].Capacity = 21, 21
	for j := range one.Users {
		if a, b := one.Eta(j), many.Eta(j); !near(a, b) {
			t.Errorf("η[%d] is %v of three servers and %v of a class of three", j, a, b)
		}
	}
}

func TestZeroDemandsNeverConstrain(t *testing.T) {
	env := figure2()
	env.Servers[0].Capacity[0] = 0 // no cpu on s1
	env.Links[0].Capacity = 0
	env.Users = []User{
		NewUser("memory only", []float64{0, 2}, 0),
		NewUser("needs the link", []float64{1, 1}, 1),
		NewUser("link only", []float64{0, 0}, 1),
		NewUser("needs nothing", []float64{0, 0}),
	}
	for j, want := range []float64{7.5, 0, 0, Inf} {
		if got := env.Eta(j); got != want {
			t.Errorf("η of %q = %v, want %v", env.Users[j].Name, got, want)
		}
	}
}

// nested holds a link over all servers, one over some of them, the same set
// again, one inside it, one beside it and one over nothing.
func TestNestedLinksByHand(t *testing.T) {
	env := &Environment{Resources: []string{"cpu"}}
	for s := range 6 {
		env.Servers = append(env.Servers, Server{Name: fmt.Sprint("s", s), Capacity: []float64{10}, Count: 1})
	}
	env.Links = []Link{
		{"inner", 4, NewSet(6, 0, 1)}, {"all", 38, nil}, {"outer", 25, NewSet(6, 0, 1, 2)},
		{"again", 13, NewSet(6, 0, 1, 2)}, {"beside", 7, NewSet(6, 3)}, {"nothing", 0, NewSet(6)},
	}
	env.Users = []User{
		NewUser("all", []float64{1}, 1, 1, 1, 1, 1, 1),         // min(38, min(13, 4+10) + 7 + 10 + 10)
		NewUser("not again", []float64{1}, 1, 1, 1, 0, 1, 1),   // min(38, min(25, 4+10) + 7 + 20) = 38
		NewUser("not all", []float64{1}, 1, 0, 1, 1, .5, 1),    // 13 + 10 + 20
		NewUser("only inner", []float64{1}, .5, 0, 0, 0, 0, 0), // 8 + 40
	}
	for j, want := range []float64{38, 38, 43, 48} {
		if got := env.Eta(j); got != want {
			t.Errorf("η of %q = %v, want %v", env.Users[j].Name, got, want)
		}
	}
	env.Links[1].Capacity = 1000
	if got := env.Eta(0); got != 40 {
		t.Errorf("with a wide outer link η = %v, want 40", got)
	}
}

// Three servers of 10, links {1,2}, {2,3}, {1,3} of 6 each: halves on every
// server are optimal, 9 in total, where greedy filling stops at 6.
func TestOverlappingLinksByHand(t *testing.T) {
	env := &Environment{Resources: []string{"cpu"}}
	for s := range 3 {
		env.Servers = append(env.Servers, Server{Name: fmt.Sprint("s", s), Capacity: []float64{10}, Count: 1})
	}
	env.Links = []Link{{"a", 6, NewSet(3, 0, 1)}, {"b", 6, NewSet(3, 1, 2)}, {"c", 6, NewSet(3, 0, 2)}}
	env.Users = []User{NewUser("u", []float64{1}, 1, 1, 1), NewUser("v", []float64{1}, 1, 1, 0)}
	if got := env.Eta(0); !near(got, 9) {
		t.Errorf("η = %v, want 9", got)
	}
	if got := env.Eta(1); !near(got, 12) { // 6 and 0 and 6
		t.Errorf("without link c η = %v, want 12", got)
	}
}

// benchmarkInstance is that of the specification's section 9.
func benchmarkInstance(users, servers int, seed uint64) *Environment {
	rng := rand.New(rand.NewPCG(seed, 1))
	logUniform := func(low, high float64) float64 {
		return low * math.Exp(rng.Float64()*math.Log(high/low))
	}
	env := &Environment{Resources: []string{"cpu", "mem"}, Links: []Link{{"bw", 1, nil}}}
	for s := range servers {
		c := []float64{1, 1}
		if s > 0 {
			c = []float64{logUniform(.25, 1), logUniform(.25, 1)}
		}
		env.Servers = append(env.Servers, Server{Name: fmt.Sprint("s", s), Capacity: c, Count: 1})
	}
	for j := range users {
		d := []float64{logUniform(.001, .5), logUniform(.001, .5)}
		env.Users = append(env.Users, NewUser(fmt.Sprint("u", j), d, logUniform(.001, .5)/env.TotalCapacity(0)))
	}
	return env
}

func TestEtasEqualEtaOfEachUser(t *testing.T) {
	env := benchmarkInstance(40, 7, 3)
	env.Users[3].Eligible = NewSet(7, 2, 5)
	env.Users[4].DemandOn = map[int][]float64{1: {1, 0}}
	env.Users[5].Demand[0] = 0
	for j := 6; j < 40; j += 2 {
		env.Users[j].Eligible = NewSet(7, j%7, j%5, j%3)
	}
	alone := func(of func(*Environment, []float64) []float64) []float64 {
		return each(env, func(j int) float64 { return of(env.With(env.Users[j:j+1]), nil)[0] })
	}
	for name, pair := range map[string][2][]float64{
		"η":                 {env.Etas(nil), each(env, env.Eta)},
		"η'":                {env.EtasEligible(make([]float64, 100)), each(env, env.EtaEligible)},
		"η, the only user":  {env.Etas(nil), alone((*Environment).Etas)},
		"η', the only user": {env.EtasEligible(nil), alone((*Environment).EtasEligible)},
		"ψ":                 {env.EqualShares(nil), each(env, env.EqualShare)},
	} {
		for j := range env.Users {
			if pair[0][j] != pair[1][j] || len(pair[0]) != 40 {
				t.Errorf("%s[%d] = %v for all, %v for one", name, j, pair[0][j], pair[1][j])
			}
		}
	}
}

func each(env *Environment, f func(int) float64) []float64 {
	all := make([]float64, len(env.Users))
	for j := range all {
		all[j] = f(j)
	}
	return all
}

// The closed form of one link over all servers, from the definition.
func TestEtasOfOneGlobalLinkEqualTheClosedForm(t *testing.T) {
	env := benchmarkInstance(200, 30, 4)
	for j, eta := range env.Etas(nil) {
		sum := 0.0
		for s := range env.Servers {
			sum += env.Gamma(j, s)
		}
		if want := math.Min(sum, 1/env.LinkDemand(j, 0)); !near(eta, want) {
			t.Errorf("η[%d] = %v, want %v", j, eta, want)
		}
	}
}

func TestEtasAllocateNothingPerUser(t *testing.T) {
	count := func(users int) float64 {
		env := benchmarkInstance(users, 10, 5)
		dst := make([]float64, users)
		return testing.AllocsPerRun(20, func() { env.Etas(dst) })
	}
	if few, many := count(10), count(1000); few != many {
		t.Errorf("%v allocations for 10 users, %v for 1000", few, many)
	}
}

func BenchmarkEtas(b *testing.B) {
	for _, size := range [][2]int{{20, 3}, {100, 20}, {1000, 20}, {1000, 100}} {
		b.Run(fmt.Sprintf("users=%d/servers=%d", size[0], size[1]), func(b *testing.B) {
			env := benchmarkInstance(size[0], size[1], 1)
			dst := make([]float64, size[0])
			b.ReportAllocs()
			for b.Loop() {
				env.Etas(dst)
			}
		})
	}
}
