//go:build unix

package cli

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// A reproduction that is killed again and again ends with the bytes of an
// undisturbed one.
func TestKilledReproduction(t *testing.T) {
	dir := t.TempDir()
	args := []string{"reproduce", "tsf-er", "--item", "table3,fig3", "--instances", "2", "--progress", "none", "--out"}
	begin := time.Now()
	cmd, messages := leontief(t, dir, append(args, "alone")...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, messages)
	}
	whole := time.Since(begin)
	rng := rand.New(rand.NewPCG(3, 4))
	for kills := 0; kills < 6; {
		cmd, messages = leontief(t, dir, append(args, "out")...)
		time.Sleep(time.Duration(rng.Int64N(int64(whole))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		switch cmd.ProcessState.ExitCode() {
		case -1:
			kills++
		case statusOK: // it was faster; the next one begins anew
			whole = max(whole/2, 1)
			if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("%v: %s", cmd.ProcessState, messages)
		}
	}
	cmd, messages = leontief(t, dir, append(args, "out")...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, messages)
	}
	resulttest.Same(t, resulttest.Files(t, filepath.Join(dir, "alone")), resulttest.Files(t, filepath.Join(dir, "out")))
}
