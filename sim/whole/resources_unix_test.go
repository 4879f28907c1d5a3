//go:build unix

package whole

import (
	"syscall"
	"testing"
)

// processorTime returns the processor time that the process has used, in s: on
// a machine with others, wall time says little.
func processorTime(tb testing.TB) float64 {
	seconds, _ := resources(tb)
	return seconds
}

// resources returns the processor time so far and the peak memory in kB.
func resources(tb testing.TB) (seconds float64, peakKB int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, u.Maxrss
}
