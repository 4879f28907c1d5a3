//go:build unix

package tsf

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkSimulation runs one simulation of the paper's size under each policy:
// the synthetic hour, or the Parquet files of TSF_TRACE and TSF_MACHINES, on
// 1,000 constrained machines. Placements are counted by second of processor time;
// the peak of the process's memory is that of all policies run so far.
func BenchmarkSimulation(b *testing.B) {
	w, err := LoadWorkload(os.Getenv("TSF_TRACE"), os.Getenv("TSF_MACHINES"), nil)
	if err != nil {
		b.Fatal(err)
	}
	world, err := w.draw(Setting{Machines: 1000, Times: Traced, Capacity: 1}, 1, 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, policy := range Rules {
		b.Run(policy, func(b *testing.B) {
			begin, placements := processorTime(b), 0
			for b.Loop() {
				outcome, err := replayed(context.Background(), world.env, world.jobs, policy, nil)
				if err != nil {
					b.Fatal(err)
				}
				for i := range outcome {
					placements += len(outcome[i].starts)
				}
			}
			spent := processorTime(b) - begin
			b.ReportMetric(float64(placements)/spent, "placements/cpu-s")
			b.ReportMetric(spent/float64(b.N), "cpu-s/op")
			b.ReportMetric(peakMB(), "peak-MB")
		})
	}
}

// processorTime is the user time of the process in seconds.
func processorTime(b *testing.B) float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return float64(use.Utime.Sec) + float64(use.Utime.Usec)/1e6
}

// peakMB is the peak of the resident memory of the process (VmHWM); 0 where the
// system does not tell.
func peakMB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			total := 0.0
			for _, d := range kb {
				if d >= '0' && d <= '9' {
					total = 10*total + float64(d-'0')
				}
			}
			return total / 1024
		}
	}
	return 0
}
