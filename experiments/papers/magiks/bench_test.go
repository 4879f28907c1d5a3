package magiks

import (
	"math/rand/v2"
	"testing"
)

// A realisation of the default setting under all rules.
func BenchmarkRealisation(b *testing.B) {
	for name, src := range map[string]source{integers: whole{4, 50000}, pai: paiSource()} {
		b.Run(name, func(b *testing.B) {
			stream := func(k uint64) *rand.Rand { return rand.New(rand.NewPCG(k, 1)) }
			in := &streams{stream(1), stream(2), stream(3), stream(6), map[string]*rand.Rand{rim: stream(4), bim: stream(5)}}
			bench, t := newBench(150, 10, src, false), &tally{}
			for b.Loop() {
				if err := bench.realise(in, t); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "realisations/s")
		})
	}
}
