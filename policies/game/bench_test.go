package game_test

import (
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/game"
)

// One realisation of the paper's default setting: 150 users with whole demands
// in [1, 50000] of 4 resources, 10 servers, played from one random start.
func benchmark(b *testing.B, rules ...game.Rule) {
	rng := rand.New(rand.NewPCG(1, 1))
	var g game.Game
	var p game.Play
	demand, capacity, at, moves := make([]float64, 4), []float64{1, 1, 1, 1}, make([]int, 150), 0
	b.ReportAllocs()
	for b.Loop() {
		g.Alike(150, 10, 4)
		for j := range at {
			for r := range demand {
				demand[r] = 1 + float64(rng.IntN(50000))
			}
			g.Set(j, demand, capacity)
		}
		g.Random(rng, at)
		for _, rule := range rules {
			p.Start(&g, at)
			moves += p.Run(rule, rng).Moves
		}
	}
	b.ReportMetric(float64(moves)/float64(b.N), "moves/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "realisations/s")
}

func BenchmarkRIM(b *testing.B) { benchmark(b, game.Rule{}) }
func BenchmarkBIM(b *testing.B) { benchmark(b, game.Rule{Gain: game.ByShare}) }
func BenchmarkRIMAndBIM(b *testing.B) {
	benchmark(b, game.Rule{}, game.Rule{Gain: game.ByShare})
}
func BenchmarkNeither(b *testing.B)  { benchmark(b) }
func BenchmarkRIMBest(b *testing.B)  { benchmark(b, game.Rule{To: game.ToBest}) }
func BenchmarkRIMPair(b *testing.B)  { benchmark(b, game.Rule{To: game.ToPair}) }
func BenchmarkBIMRatio(b *testing.B) { benchmark(b, game.Rule{Gain: game.ByRatio}) }
func BenchmarkBIMTasks(b *testing.B) { benchmark(b, game.Rule{Gain: game.ByTasks}) }
