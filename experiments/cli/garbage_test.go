package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// In a process of its own, as what the heap was used for before counts: with the ballast
// garbage is collected at 64 MB, the pages of it are never touched, and it gives way to what
// the user says.
func TestBallastIsCountedAndNotTouched(t *testing.T) {
	if os.Getenv("LEONTIEF_TEST_BALLAST") != "" {
		before := resident()
		size := len(ballast())
		after := resident()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Printf("ballast %d next %d touched %t\n", size, m.NextGC>>20, after-before > ballastSize/4)
		return
	}
	for _, c := range []struct{ set, want string }{
		{"", fmt.Sprint("ballast ", 32<<20, " next ")},
		{"GOGC=100", "ballast 0 next "},
		{"GOMEMLIMIT=1GiB", "ballast 0 next "},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestBallastIsCountedAndNotTouched$")
		for _, entry := range os.Environ() {
			if !strings.HasPrefix(entry, "GOGC=") && !strings.HasPrefix(entry, "GOMEMLIMIT=") {
				cmd.Env = append(cmd.Env, entry)
			}
		}
		cmd.Env = append(cmd.Env, "LEONTIEF_TEST_BALLAST=1", c.set)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) || !strings.Contains(string(out), "touched false") {
			t.Errorf("%s: %v, %s, want %s", c.set, err, out, c.want)
		}
		var size, next int
		if _, err := fmt.Sscanf(string(out), "ballast %d next %d", &size, &next); err != nil || c.set == "" && (next < 64 || next > 96) || c.set != "" && next > 16 {
			t.Errorf("%s: %v, collected at %d MB", c.set, err, next)
		}
	}
}

// resident is the memory of this process, in bytes; 0 where that is not known.
func resident() int {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	if _, err := fmt.Fscan(bytes.NewReader(data), &size, &pages); err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}
