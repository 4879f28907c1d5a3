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

// The plain tableau of package twin on the same instances, for the ratio.
func BenchmarkMaxMinTwin(b *testing.B) {
	for _, size := range sizes[:1] {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			env := twin.Benchmark(size[0], size[1], 1)
			for b.Loop() {
				if _, err := twin.MaxMin(env, env.Etas(nil)); err != nil {
					b.Fatal(err)
				}
			}
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

// What a restart costs when nothing has happened: the certificate, and writing the
// allocation out.
func BenchmarkMaxMinUnchanged(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			env := twin.Benchmark(size[0], size[1], 1)
			var s MaxMin
			s.Load(env, env.Etas(nil))
			for j := range env.Users {
				s.Add(j)
			}
			for b.Loop() {
				if _, err := s.Solve(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNash(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			env := twin.Benchmark(size[0], size[1], 1)
			var s Nash
			for b.Loop() {
				if _, err := s.Solve(env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNashRestart(b *testing.B) {
	for _, size := range sizes[:3] {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			env := twin.Benchmark(size[0], size[1], 1)
			var s Nash
			s.Load(env)
			for j := range env.Users {
				s.Add(j)
			}
			if _, err := s.Allocate(); err != nil {
				b.Fatal(err)
			}
			steps, j := 0, 0
			for b.Loop() {
				for _, change := range []func(int){s.Remove, s.Add} {
					change(j)
					if _, err := s.Allocate(); err != nil {
						b.Fatal(err)
					}
					steps += s.steps
				}
				j = (j + 1) % len(env.Users)
			}
			b.ReportMetric(float64(steps)/float64(2*b.N), "steps")
		})
	}
}

// The envy-free program of cru: value 1/η, lower bound ψ.
func BenchmarkEnvyFree(b *testing.B) {
	for _, size := range [][2]int{{20, 3}, {100, 20}, {1000, 20}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			env := twin.Benchmark(size[0], size[1], 1)
			var s Linear
			rows, pivots, rounds := 0, 0, 0
			for b.Loop() {
				value := env.Etas(nil)
				for j, eta := range value {
					value[j] = 1 / eta
				}
				a, err := s.Solve(env, LinearProblem{Value: value, Lower: env.EqualShares(nil), EnvyFree: true})
				if err != nil {
					b.Fatal(err)
				}
				rows, pivots, rounds = len(s.extra), a.Certificate.Pivots, a.Certificate.Rounds
			}
			b.ReportMetric(float64(rows), "envyrows")
			b.ReportMetric(float64(rounds), "rounds")
			b.ReportMetric(float64(pivots), "pivots")
		})
	}
}

func BenchmarkDomination(b *testing.B) {
	env := twin.Benchmark(100, 3, 1)
	a, err := solveMaxMin(env, env.Etas(nil))
	if err != nil {
		b.Fatal(err)
	}
	for _, part := range []float64{1, 0.8} {
		b.Run(fmt.Sprintf("100x3/%g", part), func(b *testing.B) {
			tasks := append([]float64(nil), a.Tasks...)
			for j := range tasks {
				tasks[j] *= part
			}
			d := NewDominator(env)
			for b.Loop() {
				if _, err := d.Factor(nil, tasks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
