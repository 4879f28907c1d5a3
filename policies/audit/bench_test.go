package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies"
)

// BenchmarkSP judges environments of ten users and three servers: a dozen lies
// and the search for the best reply in each.
func BenchmarkSP(b *testing.B) {
	for _, name := range []string{"tsf-er", "drf-er", "cru", "mnw", "magiks-rim"} {
		b.Run(name, func(b *testing.B) {
			r, err := Named(name)
			if err != nil {
				b.Fatal(err)
			}
			w := Search{Rule: r, Property: policies.SP, Seed: 1}.walk(0)
			draw := Draw{Size: Size{10, 3}, Without: r.Without(policies.SP)}
			rng := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				if _, err := w.visit(draw.Environment(rng)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(w.tally.Changes)/float64(b.N), "lies/op")
		})
	}
}
