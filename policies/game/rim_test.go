package game_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/policies/game"
)

// move is a user and where it goes.
type move struct{ who, to int }

// rim returns the moves that MAGIKS-RIM may make and how likely each is, from the
// definitions.
func (x *slow) rim(to game.To) map[move]float64 {
	better := map[int][]int{}
	pairs := 0
	for j := range x.at {
		for s := range x.g.Servers {
			if x.cost(j, s) < x.cost(j, x.at[j]) {
				better[j] = append(better[j], s)
				pairs++
			}
		}
	}
	out := map[move]float64{}
	for j, servers := range better {
		best, _ := x.best(j)
		for _, s := range servers {
			switch p := 1 / float64(len(better)); {
			case to == game.ToPair:
				out[move{j, s}] = 1 / float64(pairs)
			case to == game.ToBetter:
				out[move{j, s}] = p / float64(len(servers))
			case s == best:
				out[move{j, s}] = p
			}
		}
	}
	return out
}

// Each of the moves that a reading of MAGIKS-RIM allows is drawn as often as its
// definition says, and no other is. The three readings differ.
func TestRIMDrawsEachMoveAsOftenAsDefined(t *testing.T) {
	const draws = 20000
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 11))
		g, err := game.Of(draw(rng, 9, 4, 3, []int{4, 50000}[seed%2], seed%3 > 0))
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int, 9)
		g.Random(rng, at)
		x := &slow{g, slices.Clone(at)}
		if len(x.rim(game.ToPair)) < 6 {
			t.Fatalf("seed %d: too few moves to tell the readings apart", seed)
		}
		for _, to := range []game.To{game.ToBetter, game.ToBest, game.ToPair} {
			want, found := x.rim(to), map[move]int{}
			var p game.Play
			for range draws {
				p.Start(g, at)
				p.Step(game.Rule{To: to}, rng)
				for j, s := range p.At {
					if s != at[j] {
						found[move{j, s}]++
					}
				}
			}
			for m, chance := range want {
				if sigma := math.Sqrt(draws * chance * (1 - chance)); math.Abs(float64(found[m])-draws*chance) > 5*sigma+1e-9 {
					t.Errorf("seed %d, to=%s: %+v came up %d times, want %.0f ± %.0f", seed, to, m, found[m], draws*chance, sigma)
				}
				delete(found, m)
			}
			if len(found) > 0 {
				t.Errorf("seed %d, to=%s: moves that do not pay or are not the best: %v", seed, to, found)
			}
		}
	}
}

// All along a play the unhappy are those that gain somewhere, by the definitions.
func TestTheUnhappyAreThoseThatGain(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 12))
		n := 10 + rng.IntN(40)
		g, err := game.Of(draw(rng, n, 2+rng.IntN(6), 1+rng.IntN(4), []int{2, 6, 50000}[seed%3], seed%4 > 0))
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int, n)
		g.Random(rng, at)
		var p game.Play
		p.Start(g, at)
		rule := game.Rule{To: []game.To{game.ToBetter, game.ToBest, game.ToPair}[seed%3]}
		for more := true; more && p.Moves < 200; more = p.Step(rule, rng) {
			users := map[int]bool{}
			for m := range (&slow{g, p.At}).rim(game.ToPair) {
				users[m.who] = true
			}
			if len(users) != p.Unhappy() {
				t.Fatalf("seed %d, after %d moves: %d are unhappy, by the definitions %d", seed, p.Moves, p.Unhappy(), len(users))
			}
		}
	}
}
