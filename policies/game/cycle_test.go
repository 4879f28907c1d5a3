package game_test

import (
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
		if out := p.Run(game.Rule{Anywhere: true, Limit: 1000}, rng); !out.Equilibrium {
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
