package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
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

// BenchmarkTotals says how well the totals of Nash welfare are known in random
// environments with every feature: how many are without a certified answer,
// known to less than 1e-8, and to less than the search asks, and the largest
// bound.
func BenchmarkTotals(b *testing.B) {
	var s solve.Nash
	failed, loose, vague, worst := 0, 0, 0, 0.0
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range b.N {
		a, err := s.Solve(Draw{Size: sizes[i%len(sizes)]}.Environment(rng))
		if err != nil {
			failed++
			continue
		}
		worst = max(worst, a.Certificate.Totals)
		if a.Certificate.Totals > 1e-8 {
			loose++
		}
		if a.Certificate.Totals > known {
			vague++
		}
	}
	b.ReportMetric(float64(failed), "failed")
	b.ReportMetric(float64(loose), "loose")
	b.ReportMetric(float64(vague), "vague")
	b.ReportMetric(worst, "worst")
}
