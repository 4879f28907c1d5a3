package solve

import (
	"fmt"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/twin"
)

// sizes are the benchmark instances (users, servers); see twin.Benchmark.
var sizes = [][2]int{{20, 3}, {100, 20}, {1000, 20}, {1000, 100}, {100, 100}}

func BenchmarkMaxMinCold(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			env := twin.Benchmark(size[0], size[1], 1)
			var s MaxMin
			pivots := 0
			for b.Loop() {
				s.Load(env, env.Etas(nil))
				for j := range env.Users {
					s.Add(j)
				}
				a, err := s.Solve()
				if err != nil {
					b.Fatal(err)
				}
				pivots = a.Certificate.Pivots
			}
			b.ReportMetric(float64(pivots), "pivots")
		})
	}
}

func BenchmarkMaxMinRestart(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			env := twin.Benchmark(size[0], size[1], 1)
			var s MaxMin
			s.Load(env, env.Etas(nil))
			for j := range env.Users {
				s.Add(j)
			}
			if _, err := s.Solve(); err != nil {
				b.Fatal(err)
			}
			pivots, j := 0, 0
			for b.Loop() {
				s.Remove(j)
				a, err := s.Solve()
				if err != nil {
					b.Fatal(err)
				}
				pivots += a.Certificate.Pivots
				s.Add(j)
				if a, err = s.Solve(); err != nil {
					b.Fatal(err)
				}
				pivots += a.Certificate.Pivots
				j = (j + 1) % len(env.Users)
			}
			b.ReportMetric(float64(pivots)/float64(2*b.N), "pivots")
		})
	}
}
