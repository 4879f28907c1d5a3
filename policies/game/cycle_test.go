package game_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// circular is an environment of three users and three servers that differ, in
// which users who improve can come back to where they were.
func circular() *cluster.Environment {
	env := identical(3, []float64{3.5058371678632322, 0.7850234557095155}, []float64{0.8891164057651342, 3.980979991892351},
		[]float64{0.934242471858296, 0.7298955581764315})
	env.Servers[0].Capacity = []float64{0.5446351722693071, 0.7590960939698949}
	env.Servers[1].Capacity = []float64{0.4182363204793383, 0.4761330348968293}
	env.Servers[2].Capacity = []float64{1.0275902031552056, 1.0398803509894967}
	return env
}

// On servers that differ lemma 1 fails: improving moves can go round. The game
// still has an equilibrium, and plays find it.
func TestImprovementsCanGoRound(t *testing.T) {
	env := circular()
	table := game.NewTable(3, 3, game.KS(env))
	if cyclic, err := table.Cyclic(1e-9); err != nil || !cyclic {
		t.Fatalf("cyclic %v, %v", cyclic, err)
	}
	if all, err := table.Equilibria(1e-9); err != nil || len(all) == 0 {
		t.Errorf("no equilibrium, %v", err)
	}
	g, err := game.Of(env)
	if err != nil || g.Sure {
		t.Fatalf("sure %v, %v", g.Sure, err)
	}
	rng := rand.New(rand.NewPCG(1, 8))
	var p game.Play
	at := make([]int, 3)
	for range 300 {
		g.Random(rng, at)
		p.Start(g, at)
		if out := p.Run(game.Rule{Limit: 1000}, rng); !out.Equilibrium {
			t.Errorf("%+v", out)
		}
	}
}

// On identical servers nothing goes round, and the two ways of finding that
// out agree.
func TestNothingGoesRoundOnIdenticalServers(t *testing.T) {
	for seed := range uint64(30) {
		env := draw(rand.New(rand.NewPCG(seed, 9)), 5, 3, 3, 20, true)
		if cyclic, err := game.NewTable(5, 3, game.KS(env)).Cyclic(1e-9); err != nil || cyclic {
			t.Errorf("seed %d: cyclic %v, %v", seed, cyclic, err)
		}
	}
}

// Where there is no equilibrium, there is a cycle.
func TestWithoutEquilibriumImprovementsGoRound(t *testing.T) {
	if cyclic, err := game.NewTable(4, 2, game.Nash(section4C(), nil)).Cyclic(1e-6); err != nil || !cyclic {
		t.Errorf("cyclic %v, %v", cyclic, err)
	}
}

// restless is an environment of five users and three servers that differ in
// which no association is an equilibrium.
func restless() *cluster.Environment {
	env := identical(3, []float64{1, 116, 10}, []float64{1, 55, 1}, []float64{3, 5, 1}, []float64{160, 9, 81}, []float64{1, 13, 21})
	for s, capacity := range [][]float64{{40, 4, 7}, {1, 8, 1}, {2, 6, 4}} {
		env.Servers[s].Capacity = capacity
	}
	return env
}

// Section VII of the paper leaves open whether servers that differ always admit
// an equilibrium. They do not: in each of the 243 associations some user gains
// 2% or more.
func TestNoEquilibriumOnUnlikeServers(t *testing.T) {
	env := restless()
	table := game.NewTable(5, 3, game.KS(env))
	calm, least, err := table.Calm(1)
	if err != nil || math.Abs(least-50./49) > 1e-12 {
		t.Errorf("least gain %.15g, %v; want 50/49", least, err)
	}
	if all, err := table.Equilibria(1e-9); err != nil || len(all) > 0 {
		t.Errorf("equilibria %v, %v", all, err)
	}
	if calm != 0 {
		t.Errorf("calm %g", calm)
	}
	g, err := game.Of(env)
	if err != nil {
		t.Fatal(err)
	}
	var p game.Play
	rng := rand.New(rand.NewPCG(1, 10))
	for start := range 243 {
		from := []int{start % 3, start / 3 % 3, start / 9 % 3, start / 27 % 3, start / 81}
		for _, gain := range []game.Gain{game.ByShare, game.ByRatio, game.ByTasks} {
			p.Start(g, from)
			if out := p.Run(game.Rule{Gain: gain}, nil); out.Equilibrium || out.Cycle == 0 {
				t.Errorf("from %v, gain by %s: %+v", from, gain, out)
			}
		}
		p.Start(g, from)
		if out := p.Run(game.Rule{Limit: 200}, rng); out.Equilibrium || out.Moves != 200 {
			t.Errorf("from %v: %+v", from, out)
		}
	}
}

// The same in exact fractions, from the definitions: of 243 associations none
// is such that nobody has more elsewhere.
func TestNoEquilibriumInExactFractions(t *testing.T) {
	env := restless()
	// tasks returns ψ[j,s]/load of the users of s together with j.
	tasks := func(at []int, j, s int) *big.Rat {
		alone := func(i int) *big.Rat {
			least := new(big.Rat)
			for r, d := range env.Users[i].Demand {
				q := big.NewRat(int64(env.Servers[s].Capacity[r]), int64(d))
				if r == 0 || q.Cmp(least) < 0 {
					least = q
				}
			}
			return least
		}
		load := new(big.Rat)
		for r := range env.Resources {
			sum := new(big.Rat)
			for i, on := range at {
				if on == s || i == j {
					part := big.NewRat(int64(env.Users[i].Demand[r]), int64(env.Servers[s].Capacity[r]))
					sum.Add(sum, part.Mul(part, alone(i)))
				}
			}
			if sum.Cmp(load) > 0 {
				load = sum
			}
		}
		return new(big.Rat).Quo(alone(j), load)
	}
	least := big.NewRat(1000, 1)
	for state := range 243 {
		at := []int{state % 3, state / 3 % 3, state / 9 % 3, state / 27 % 3, state / 81}
		most := new(big.Rat)
		for j := range at {
			for s := range 3 {
				if s != at[j] {
					if gain := new(big.Rat).Quo(tasks(at, j, s), tasks(at, j, at[j])); gain.Cmp(most) > 0 {
						most = gain
					}
				}
			}
		}
		if most.Cmp(least) < 0 {
			least = most
		}
	}
	if least.Cmp(big.NewRat(50, 49)) != 0 {
		t.Errorf("the least of the largest gains is %v, want 50/49", least)
	}
}
