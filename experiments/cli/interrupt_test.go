//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const slowSpec = `name: slow
blocks:
  - experiment: fluid
    instances: 2
    set: {n: 70, cluster: three, bandwidth: 2, policy: cru}
    axes: {rho: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]}
`

// leontief starts the program itself, which this test binary is under that
// name.
func leontief(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "leontief")
	if _, err := os.Lstat(name); err != nil {
		if err := os.Symlink(self, name); err != nil {
			t.Fatal(err)
		}
	}
	cmd, messages := exec.Command(name, args...), &bytes.Buffer{}
	cmd.Dir, cmd.Stderr = dir, messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, messages
}

// stored counts the scenarios that are in a folder.
func stored(t *testing.T, folder string) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "scenarios", "????????????", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// waitForMore waits until a sweep has stored more than so many scenarios.
func waitForMore(t *testing.T, folder string, than int) {
	t.Helper()
	for range 3000 {
		if stored(t, folder) > than {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing was stored")
}

func TestInterruptedSweep(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slow.yaml"), []byte(slowSpec), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	args := []string{"sweep", "slow.yaml", "--out", "out", "--workers", "1", "--progress", "none"}

	// Twice: it ends at once, and what was stored stays.
	cmd, _ := leontief(t, dir, args...)
	waitForMore(t, out, 0)
	for range 200 {
		if cmd.Process.Signal(syscall.SIGINT) != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Fatalf("after two interrupts: %v", cmd.ProcessState)
	}
	before := stored(t, out)

	// Once: the scenario under way is finished, and no other is started.
	cmd, messages := leontief(t, dir, args...)
	waitForMore(t, out, before)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	after := stored(t, out)
	if status := cmd.ProcessState.ExitCode(); status != statusInterrupted || after < before || after == 9 {
		t.Fatalf("after one interrupt: status %d, %d then %d stored: %s", status, before, after, messages)
	}
	if !strings.Contains(messages.String(), "of 9 scenarios are done; the same command goes on with the others") {
		t.Errorf("messages %q", messages)
	}
	left, err := os.ReadDir(filepath.Join(out, "scenarios", "unfinished"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}

	// The same command goes on.
	cmd, messages = leontief(t, dir, args...)
	if err := cmd.Wait(); err != nil || stored(t, out) != 9 {
		t.Errorf("%v, %d stored: %s", err, stored(t, out), messages)
	}
}
