//go:build unix

package psdsf

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// processor returns the processor time of this process so far.
func processor(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Solve and how it went before, in turn on the same instances. The metrics are
// processor time in milliseconds per instance, the ratio of the two, and sweeps
// per instance.
func BenchmarkSolve(b *testing.B) {
	ways := []func(*cluster.Environment) (sweeps int, ok bool){
		func(env *cluster.Environment) (int, bool) {
			w, ok := before(env)
			_, err := w.allocation(env)
			return w.sweeps, ok && err == nil
		},
		func(env *cluster.Environment) (int, bool) {
			r, err := Solve(env)
			return r.Sweeps, err == nil
		},
	}
	for _, size := range [][2]int{{20, 3}, {100, 20}, {1000, 20}, {1000, 100}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			var used [2]time.Duration
			var sweeps [2]int
			seed := uint64(0)
			for b.Loop() {
				seed++
				env := benchmark(size[0], size[1], seed)
				for k, solve := range ways {
					start := processor(b)
					made, ok := solve(env)
					used[k] += processor(b) - start
					sweeps[k] += made
					if !ok {
						b.Fatalf("seed %d: no fixed point", seed)
					}
				}
			}
			for k, name := range []string{"before", "now"} {
				b.ReportMetric(float64(used[k].Microseconds())/1e3/float64(b.N), name+"-ms")
				b.ReportMetric(float64(sweeps[k])/float64(b.N), name+"-sweeps")
			}
			b.ReportMetric(float64(used[0])/float64(used[1]), "ratio")
		})
	}
}
