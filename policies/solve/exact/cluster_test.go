package exact

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// manyAlike is a random cluster with classes that are alike, links that nest or
// overlap, and one user, all in tenths.
func manyAlike(rng *rand.Rand) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}[:1+rng.IntN(3)]}
	for s := range 1 + rng.IntN(6) {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: tenths(rng, len(env.Resources), 1), Count: 1 + rng.IntN(3)})
		if s > 0 && rng.IntN(2) == 0 {
			env.Servers[s].Capacity = env.Servers[s-1].Capacity
		}
	}
	n := len(env.Servers)
	for e := range rng.IntN(5) {
		link := cluster.Link{Name: fmt.Sprint("l", e), Capacity: float64(rng.IntN(30)) / 10}
		if rng.IntN(4) > 0 {
			link.Servers = cluster.NewSet(n, rng.IntN(n), rng.IntN(n), rng.IntN(n))
		}
		env.Links = append(env.Links, link)
	}
	env.Users = []cluster.User{manyAlikeUser(rng, env)}
	return env
}

// tenths returns random amounts, of which the smallest is low.
func tenths(rng *rand.Rand, n, low int) []float64 {
	v := make([]float64, n)
	for r := range v {
		v[r] = float64(low+rng.IntN(4)) / 10
	}
	return v
}

// manyAlikeUser is a random user.
func manyAlikeUser(rng *rand.Rand, env *cluster.Environment) cluster.User {
	n := len(env.Servers)
	u := cluster.NewUser("u", tenths(rng, len(env.Resources), 0), tenths(rng, len(env.Links), 0)...)
	if rng.IntN(2) == 0 {
		u.Eligible = cluster.NewSet(n, rng.IntN(n), rng.IntN(n))
	}
	for range rng.IntN(3) {
		if u.DemandOn == nil {
			u.DemandOn = map[int][]float64{}
		}
		u.DemandOn[rng.IntN(n)] = tenths(rng, len(env.Resources), 0)
	}
	return u
}

// The closed form of η is the optimum of the program that defines it.
func TestEtaIsTheOptimumOfItsProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	finite, infinite, overlap := 0, 0, 0
	for k := range 3000 {
		env := manyAlike(rng)
		for _, eligible := range []bool{false, true} {
			want, err := New(env).Alone(0, eligible)
			if errors.Is(err, ErrUnbounded) {
				want, err = nil, nil
				infinite++
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := NewCluster(env).Eta(&env.Users[0], eligible)
			if err != nil {
				t.Fatal(err)
			}
			if (got == nil) != (want == nil) || got != nil && got.Cmp(want) != 0 {
				t.Fatalf("environment %d, eligible %v: η is %v, the program's optimum %v", k, eligible, got, want)
			}
			if want != nil {
				finite++
			}
		}
		if len(env.Links) > 1 && !env.LinksNest() {
			overlap++
		}
	}
	if finite < 1000 || infinite < 300 || overlap < 500 {
		t.Errorf("only %d finite and %d infinite optima, %d environments with links that overlap", finite, infinite, overlap)
	}
}

func TestDominantAndSingleByHand(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "a", Capacity: []float64{0.1, 0.4}, Count: 2}, {Name: "b", Capacity: []float64{0.7, 0}, Count: 1}},
		Links:     []cluster.Link{{Name: "l", Capacity: 0.6}},
	}
	c, u := NewCluster(env), cluster.NewUser("u", []float64{0.3, 0}, 0.4)
	u.DemandOn = map[int][]float64{1: {0.2, 1}}
	is(t, "1/max(0.3/0.9, 0.4/0.6)", c.Dominant(&u, true), 3, 2)
	is(t, "1/(0.3/0.9)", c.Dominant(&u, false), 3, 1)
	is(t, "0.2/0.3 + 0.7/0.2", c.Single(&u, 0), 25, 6)
	for what, got := range map[string]*big.Rat{
		"Σ c/d of a resource that is not needed on a server": c.Single(&u, 1),
		"1/max over nothing": c.Dominant(&cluster.User{Demand: []float64{0, 0}}, true),
	} {
		if got != nil {
			t.Errorf("%s is %v, not infinite", what, got)
		}
	}
	empty := cluster.NewUser("e", []float64{0.1, 0.1}, 0.1)
	env.Links[0].Capacity = 0
	is(t, "with a link of nothing, which only closes servers", NewCluster(env).Dominant(&empty, true), 8, 1)
	env.Servers[0].Capacity[1] = 0
	is(t, "with nothing of a resource", NewCluster(env).Dominant(&empty, true), 0, 1)
	empty.LinkDemand, empty.DemandOn = nil, map[int][]float64{1: {0.1, 0}}
	is(t, "0.9/0.1, of what it needs where it does without", NewCluster(env).Dominant(&empty, true), 9, 1)
}

// What a cluster keeps of the users that it was asked for does not change what others get:
// users of whom the same demands bind while the others differ, also those of links.
func TestEtaOfOneUserIsThatOfItsProgramAfterOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 66))
	known, asked := 0, 0
	for k := range 60 {
		env := manyAlike(rng)
		c := NewCluster(env)
		for range 50 {
			env.Users[0] = manyAlikeUser(rng, env)
			kept := len(c.parts)
			got, err := c.Eta(&env.Users[0], false)
			if err != nil {
				t.Fatal(err)
			}
			want, err := New(env).Alone(0, false)
			if errors.Is(err, ErrUnbounded) {
				want, err = nil, nil
			}
			if err != nil || (got == nil) != (want == nil) || got != nil && got.Cmp(want) != 0 {
				t.Fatalf("environment %d, user %v: η is %v, the program's optimum %v (%v)", k, env.Users[0], got, want, err)
			}
			if asked++; len(c.parts) == kept && env.Users[0].DemandOn == nil {
				known++
			}
		}
	}
	if known < 500 {
		t.Errorf("%d of %d users were known", known, asked)
	}
}
