package game_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// draw returns n users on m servers of l resources: identical ones, or of all
// kinds. Small whole demands make ties; large ones have none.
func draw(rng *rand.Rand, n, m, l, levels int, alike bool) *cluster.Environment {
	env := identical(m, slices.Repeat([][]float64{make([]float64, l)}, n)...)
	for j := range env.Users {
		d := make([]float64, l)
		for r := range d {
			d[r] = 1 + float64(rng.IntN(levels))
		}
		env.Users[j].Demand = d
	}
	for s := range env.Servers {
		c := make([]float64, l)
		for r := range c {
			c[r] = 1 + float64(rng.IntN(levels))
		}
		if alike && s > 0 {
			c = env.Servers[0].Capacity
		}
		env.Servers[s].Capacity = c
	}
	return env
}

// slow is the same game from the definitions: all is computed anew whenever it
// is asked for.
type slow struct {
	g  *game.Game
	at []int
}

// cost is load·p of j on s, with j there.
func (x *slow) cost(j, s int) float64 {
	load := int64(0)
	for r := range x.g.Resources {
		sum := int64(0)
		for i, on := range x.at {
			if on == s || i == j {
				sum += x.g.Need(i, s)[r]
			}
		}
		load = max(load, sum)
	}
	return float64(load) * x.g.Price(j, s)
}

// share is what a unit of the grid makes of it: the largest need of a user of
// weight 1.
func (x *slow) share(j, s int) float64 { return float64(slices.Max(x.g.Need(j, s))) / x.cost(j, s) }

// best returns the first of the best servers of j, and who is unhappy.
func (x *slow) best(j int) (int, bool) {
	best := 0
	for s := range x.g.Servers {
		if x.cost(j, s) < x.cost(j, best) {
			best = s
		}
	}
	return best, x.cost(j, best) < x.cost(j, x.at[j])
}

// bim returns the next move of MAGIKS-BIM.
func (x *slow) bim() (who, to int) {
	most := 0.0
	who = -1
	for j := range x.at {
		if s, wants := x.best(j); wants {
			if gain := 1/x.cost(j, s) - 1/x.cost(j, x.at[j]); who < 0 || gain > most {
				most, who, to = gain, j, s
			}
		}
	}
	return who, to
}

// Every move of a play is the one that the definitions give, and what it keeps
// up to date is what they give anew, to the last bit.
func TestPlayIsItsSlowTwin(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n, m, l := 2+rng.IntN(12), 1+rng.IntN(5), 1+rng.IntN(4)
		env := draw(rng, n, m, l, []int{3, 50000}[seed%2], seed%3 > 0)
		g, err := game.Of(env)
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int, n)
		g.Random(rng, at)
		var p game.Play
		p.Start(g, at)
		x := &slow{g, slices.Clone(at)}
		for moves := 0; ; moves++ {
			who, to := x.bim()
			if (who < 0) != (p.Unhappy() == 0) {
				t.Fatalf("seed %d, after %d moves: %d are unhappy, the twin's next move is %d", seed, moves, p.Unhappy(), who)
			}
			for j := range x.at {
				if p.Share(j) != x.share(j, x.at[j]) {
					t.Fatalf("seed %d, after %d moves: user %d has %v, the twin %v", seed, moves, j, p.Share(j), x.share(j, x.at[j]))
				}
			}
			if who < 0 || moves == 200 {
				break
			}
			p.Step(game.Rule{Gain: game.ByShare}, nil)
			x.at[who] = to
			if !slices.Equal(p.At, x.at) {
				t.Fatalf("seed %d: after %d moves %v, the twin %v", seed, moves+1, p.At, x.at)
			}
		}
	}
}

// Lemma 1: on identical servers each move makes the sorted loads
// lexicographically smaller, whoever moves and wherever to.
func TestEachMoveReducesTheSortedLoads(t *testing.T) {
	moves := 0
	for seed := range uint64(160) {
		rng := rand.New(rand.NewPCG(seed, 3))
		env := draw(rng, 4+rng.IntN(30), 2+rng.IntN(5), 1+rng.IntN(4), []int{3, 50000}[seed%2], true)
		for j := range env.Users { // theorem and lemma hold with weights too
			if seed%5 == 0 {
				env.Users[j].Weight = 1 + rng.Float64()
			}
		}
		g, err := game.Of(env)
		if err != nil || !g.Sure {
			t.Fatalf("seed %d: %v, sure %v", seed, err, g.Sure)
		}
		at := make([]int, len(env.Users))
		g.Random(rng, at)
		var p game.Play
		p.Start(g, at)
		before := sorted(&p, g.Servers)
		for p.Step(game.Rule{To: []game.To{"", game.ToBest, game.ToPair}[seed%3]}, rng) {
			after := sorted(&p, g.Servers)
			if slices.Compare(after, before) >= 0 {
				t.Fatalf("seed %d: %v follows %v", seed, after, before)
			}
			before = after
			moves++
		}
	}
	if moves < 500 {
		t.Errorf("only %d moves were looked at", moves)
	}
}

// sorted returns the loads, the largest first.
func sorted(p *game.Play, servers int) []float64 {
	var v []float64
	for s := range servers {
		v = append(v, p.Load(s))
	}
	slices.Sort(v)
	slices.Reverse(v)
	return v
}

// Where plays end, enumeration finds an equilibrium, and the definitions of
// package fair hold: no deviation pays, LEF, LSI, LPO, 2EF and MMS.
func TestEquilibriaAreFair(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n, m := 2+rng.IntN(6), 1+rng.IntN(3)
		env := draw(rng, n, m, 1+rng.IntN(4), []int{3, 50000}[seed%2], true)
		g, err := game.Of(env)
		if err != nil {
			t.Fatal(err)
		}
		all, err := game.NewTable(n, m, game.KS(env)).Equilibria(1e-9)
		if err != nil || len(all) == 0 {
			t.Fatalf("seed %d: no equilibrium, %v", seed, err)
		}
		at := make([]int, n)
		g.Random(rng, at)
		var p game.Play
		p.Start(g, at)
		if out := p.Run(game.Rule{}, rng); !out.Equilibrium {
			t.Fatalf("seed %d: %+v", seed, out)
		}
		if !slices.ContainsFunc(all, func(e []int) bool { return slices.Equal(e, p.At) }) {
			t.Errorf("seed %d: ends at %v, which is not among %v", seed, p.At, all)
		}
		for _, at := range all {
			fairAt(t, env, at, seed)
		}
	}
}

const tolerance = 1e-9

func fairAt(t *testing.T, env *cluster.Environment, at []int, seed uint64) {
	t.Helper()
	c := outcome(t, env, at, game.KS(env))
	d, err := c.BestDeviation(game.KS(env))
	if err != nil {
		t.Fatal(err)
	}
	if d.Ratio > 1+tolerance {
		t.Errorf("seed %d, %v: %v", seed, at, d)
	}
	if e := c.LocalEnvy(); e.Sat < 1-tolerance {
		t.Errorf("seed %d, %v: LEF: %v", seed, at, e)
	}
	if e := c.Envy(); e.Sat < 0.5-tolerance {
		t.Errorf("seed %d, %v: 2EF: %v", seed, at, e)
	}
	if s := c.LocalSharing(); s.Ratio < 1-tolerance {
		t.Errorf("seed %d, %v: LSI: %v", seed, at, s)
	}
	if s := c.MaximinShare(); s.Ratio < 1-tolerance {
		t.Errorf("seed %d, %v: MMS: %v", seed, at, s)
	}
	if s := c.LocalSlack(); s.Relative > tolerance {
		t.Errorf("seed %d, %v: LPO: %v", seed, at, s)
	}
	if err := c.Feasible(tolerance); err != nil {
		t.Errorf("seed %d, %v: %v", seed, at, err)
	}
}

// A play allocates nothing once it has been played.
func TestPlaysAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var g game.Game
	g.Alike(150, 10, 4)
	demand, capacity, at := make([]float64, 4), []float64{1, 2, 3, 4}, make([]int, 150)
	var p game.Play
	play := func() {
		g.Alike(150, 10, 4)
		for j := range at {
			for r := range demand {
				demand[r] = 1 + float64(rng.IntN(50000))
			}
			g.Set(j, demand, capacity)
		}
		g.Random(rng, at)
		for _, rule := range []game.Rule{{}, {Gain: game.ByShare}} {
			p.Start(&g, at)
			if !p.Run(rule, rng).Equilibrium {
				t.Error("no equilibrium")
			}
		}
	}
	play()
	if allocs := testing.AllocsPerRun(20, play); allocs > 0 {
		t.Errorf("%g allocations a play", allocs)
	}
}

// Scaled reports change nothing: the needs are the same up to one step of the
// grid, the association is the same.
func TestScaleInvariance(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 6))
		env := draw(rng, 12, 3, 3, 50000, true)
		end := func() []int {
			g, err := game.Of(env)
			if err != nil {
				t.Fatal(err)
			}
			at, draws := make([]int, 12), rand.New(rand.NewPCG(seed, 7))
			g.Random(draws, at)
			var p game.Play
			p.Start(g, at)
			p.Run(game.Rule{Gain: []game.Gain{"", game.ByShare, game.ByRatio}[seed%3]}, draws)
			return p.At
		}
		before := end()
		liar := rng.IntN(12)
		alpha := math.Exp(6 * rng.NormFloat64())
		env.Users[liar].Demand = slices.Clone(env.Users[liar].Demand)
		for r := range env.Users[liar].Demand {
			env.Users[liar].Demand[r] *= alpha
		}
		if after := end(); !slices.Equal(before, after) {
			t.Errorf("seed %d: user %d reports %g times its demand, and %v becomes %v", seed, liar, alpha, before, after)
		}
	}
}
