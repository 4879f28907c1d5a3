//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
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

// The second scenario of endlessSpec takes longer than any test waits.
const endlessSpec = `name: endless
blocks:
  - experiment: fluid
    instances: 1
    set: {rho: 0.7, cluster: three, bandwidth: 2, policy: cru}
    axes: {n: [5, 1000]}
`

// itself returns the program itself, which this test binary is under that name.
func itself(t *testing.T, dir string) string {
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
	return name
}

// leontief starts the program with the usual treatment of interrupts: what is
// ignored in this process would be in the new one, what is caught is not.
func leontief(t *testing.T, dir string, args ...string) (*exec.Cmd, *messages) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	return start(t, dir, itself(t, dir), args...)
}

func start(t *testing.T, dir, name string, args ...string) (*exec.Cmd, *messages) {
	t.Helper()
	cmd, m := exec.Command(name, args...), &messages{}
	cmd.Dir, cmd.Stderr = dir, m
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }) // what waits for it goes on, and fails
	t.Cleanup(func() { late.Stop(); _ = cmd.Process.Kill() })
	return cmd, m
}

// messages is what a program has written so far.
type messages struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.Write(p)
}

func (m *messages) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.String()
}

// stored counts the scenarios that are in a folder.
func stored(t *testing.T, folder string) int {
	t.Helper()
	all, err := fs.Glob(os.DirFS(folder), "scenarios/????????????/*/rows.parquet")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	journals, err := fs.Glob(os.DirFS(folder), "scenarios/????????????/results.log")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range journals {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(data, []byte("\n"))
	}
	return len(all) + lines
}

// patience is how long a test waits for what should take a moment: only that it
// comes counts, however slow the machine is.
const patience = 4 * time.Minute

// waitUntil waits until something is so.
func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not in %v", what, patience)
		}
	}
}

// interrupt sends a program an interrupt.
func interrupt(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

// After one interrupt the scenario under way is finished and no other is started;
// the same command goes on.
func TestInterruptedSweep(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slow.yaml"), []byte(slowSpec), 0o666); err != nil {
		t.Fatal(err)
	}
	for try := 0; ; try++ {
		out := filepath.Join(dir, fmt.Sprintf("out-%d", try))
		args := []string{"sweep", "slow.yaml", "--out", out, "--workers", "1", "--progress", "none"}
		cmd, m := leontief(t, dir, args...)
		waitUntil(t, "a stored scenario", func() bool { return stored(t, out) > 0 })
		interrupt(t, cmd)
		_ = cmd.Wait()
		done, status := stored(t, out), cmd.ProcessState.ExitCode()
		if status == statusOK && done == 9 && try < 100 {
			continue // it was done before we had seen its first result
		}
		if status != statusInterrupted || !strings.Contains(m.String(), fmt.Sprintf("%d of 9 scenarios are done; the same command goes on with the others", done)) {
			t.Fatalf("after one interrupt: status %d, %d stored: %s", status, done, m)
		}
		left, err := fs.Glob(os.DirFS(out), "scenarios/????????????/*/.*")
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		cmd, m = leontief(t, dir, args...)
		if err := cmd.Wait(); err != nil || stored(t, out) != 9 {
			t.Errorf("%v, %d stored: %s", err, stored(t, out), m)
		}
		return
	}
}

// After two interrupts the program ends at once, also where a shell has it started
// with interrupts ignored, and what was stored stays.
func TestInterruptedTwice(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "endless.yaml"), []byte(endlessSpec), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, begin := range map[string]func(args ...string) (*exec.Cmd, *messages){
		"signal: interrupt": func(args ...string) (*exec.Cmd, *messages) { return leontief(t, dir, args...) },
		"exit status 130": func(args ...string) (*exec.Cmd, *messages) {
			return start(t, dir, "/bin/sh", append([]string{"-c", `trap "" INT; exec "$0" "$@"`, itself(t, dir)}, args...)...)
		},
	} {
		for try := 0; ; try++ {
			out := filepath.Join(dir, fmt.Sprintf("%s %d", want[:4], try))
			cmd, m := begin("sweep", "endless.yaml", "--workers", "1", "--progress", "none", "--out", out)
			waitUntil(t, "a stored scenario", func() bool { return stored(t, out) == 1 })
			interrupt(t, cmd)
			waitUntil(t, "an answer", func() bool { return strings.Contains(m.String(), "interrupt again to stop at once") })
			_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended
			_ = cmd.Wait()
			if strings.Contains(m.String(), "1 of 2 scenarios are done") && try < 100 {
				continue // the endless scenario was not under way yet
			}
			if state := cmd.ProcessState.String(); state != want || stored(t, out) != 1 {
				t.Errorf("%s, want %s; %d stored: %s", state, want, stored(t, out), m)
			}
			break
		}
	}
}

// A stream that waits for its next line ends with the first interrupt, and what it has
// written are whole lines.
func TestInterruptedStream(t *testing.T) {
	in, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	var m, out messages
	cmd := exec.Command(itself(t, t.TempDir()), "allocate", "--stream", "--policy", "tsf")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &m
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	fmt.Fprint(write, strings.Repeat(oneUser+"\n", 3), "{")
	waitUntil(t, "three answers", func() bool { return strings.Count(out.String(), "\n") == 3 })
	interrupt(t, cmd)
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != statusInterrupted || !strings.Contains(m.String(), "interrupted: the answers to the first 3 lines were written") || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("status %d: %s%s", status, &m, &out)
	}
}
