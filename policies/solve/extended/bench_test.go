package extended

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
)

// Environments that package solve cannot do in doubles.
func BenchmarkMaxMin(b *testing.B) {
	for _, size := range [][2]int{{10, 4}, {100, 20}, {1000, 20}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			opt := twin.Options{
				Users: size[0], Servers: size[1], Resources: 2, Links: 3, Decades: 12,
				Weights: true, ZeroDemands: true, Eligibility: true,
			}
			env := twin.Random(rand.New(rand.NewPCG(1, 7000)), opt)
			norm, all, pivots := norms(env), everyone(env), 0
			for b.Loop() {
				r, err := MaxMin(env, norm, all, nothing)
				if err != nil {
					b.Fatal(err)
				}
				pivots = r.Pivots
			}
			b.ReportMetric(float64(pivots), "pivots")
		})
	}
}
