//go:build linux

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces/output"
)

// The tests of survival run this test binary as a process of its own, which is
// told what to do by these variables.
const (
	childFolder  = "LEONTIEF_TEST_FOLDER"   // the output folder: this is a child
	childCrash   = "LEONTIEF_TEST_CRASH_AT" // the step at which it kills itself
	childNoLocks = "LEONTIEF_TEST_NO_LOCKS" // as on a file system without locks
	childWait    = "LEONTIEF_TEST_WAIT"     // how long it waits for the folder
	childLimit   = "LEONTIEF_TEST_LIMIT"    // the largest file that it may write
	childPoints  = "LEONTIEF_TEST_POINTS"   // the number of its scenarios
)

// The exit statuses of a child.
const (
	childFailed = 3
	childBusy   = 4
	childFull   = 5
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		os.Exit(child(folder))
	}
	os.Exit(m.Run())
}

// childMS is what an instance of a child takes, in ms.
const childMS = 1.0

// child runs the sweep in a folder as the environment says.
func child(folder string) int {
	if at, err := strconv.Atoi(os.Getenv(childCrash)); err == nil {
		var step atomic.Int64 // both workers write
		atStep = func(string) {
			if step.Add(1) == int64(at) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
	if os.Getenv(childNoLocks) != "" {
		tryLock = func(*os.File) error { return output.ErrUnlockable }
	}
	if limit, err := strconv.ParseUint(os.Getenv(childLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ) // the write fails instead
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
	wait, _ := time.ParseDuration(os.Getenv(childWait))
	points, err := strconv.Atoi(os.Getenv(childPoints))
	if err != nil {
		panic(err)
	}
	_, err = testSweep(nil, points, childMS).Run(context.Background(), SweepOptions{Folder: folder, Workers: 2, Wait: wait})
	var busy *BusyError
	var write run.WriteError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &busy):
		return childBusy
	case errors.As(err, &write), ofFileSystem(err):
		fmt.Fprintln(os.Stderr, err)
		return childFull
	}
	fmt.Fprintln(os.Stderr, err)
	return childFailed
}

// trial is a sweep of so many scenarios that children run.
type trial int

// start starts a child.
func (n trial) start(t *testing.T, folder string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), childFolder+"="+folder, fmt.Sprintf("%s=%d", childPoints, n)), env...)
	cmd.Stderr = &bytes.Buffer{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// end waits for a child and returns its exit status; -1 if it was killed.
func end(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if status := cmd.ProcessState.ExitCode(); status != childFailed {
		return status
	}
	t.Fatalf("the child failed: %s", cmd.Stderr)
	return 0
}

// undisturbed is the folder of a sweep that nothing happened to.
func (n trial) undisturbed(t *testing.T, env ...string) map[string]string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "undisturbed")
	if status := end(t, n.start(t, folder, env...)); status != 0 {
		t.Fatalf("status %d", status)
	}
	files := bytesOf(t, folder)
	stored := int(n)
	if asLines() && !slices.Contains(env, childNoLocks+"=1") {
		stored = 1
	}
	if _, ok := files["even.parquet"]; !ok || len(files) != 4+stored {
		t.Fatalf("files %v", sortedNames(files))
	}
	return files
}

func sortedNames(files map[string]string) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// check reads a folder in which something was ended: what is there under its
// final name must be whole. It returns the scenarios that are finished.
func (n trial) check(t *testing.T, folder string) []string {
	t.Helper()
	store, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := testSweep(t, int(n), childMS)
	var finished []string
	for _, of := range plan.Scenarios {
		found, err := store.peek(of)
		if err != nil {
			t.Fatalf("half-written: %v", err)
		}
		if found != nil {
			finished = append(finished, of.ID())
		}
	}
	for _, block := range plan.Blocks {
		if _, err := results.ReadTable(filepath.Join(folder, block.Name+".parquet")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("half-written: %v", err)
		}
	}
	if _, err := sealed.Open(folder); err != nil && !errors.Is(err, sealed.ErrUnfinished) && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("complete, but not whole: %v", err)
	}
	return finished
}

// A process that is killed between any two steps of writing loses nothing that
// was finished, and the next one ends with the same bytes.
func TestKilledAtEveryStep(t *testing.T) { inBothForms(t, killedAtEveryStep) }

func killedAtEveryStep(t *testing.T) {
	const n trial = 2
	want := n.undisturbed(t)
	steps, finished := 0, map[int]int{}
	for at := 1; ; at++ {
		folder := filepath.Join(t.TempDir(), "out")
		cmd := n.start(t, folder, fmt.Sprintf("%s=%d", childCrash, at))
		if status := end(t, cmd); status == 0 {
			break
		} else if status != -1 {
			t.Fatalf("step %d: status %d: %s", at, status, cmd.Stderr)
		}
		steps++
		finished[len(n.check(t, folder))]++
		// Every third time the second process is killed as well, at a later step.
		if at%3 == 0 {
			end(t, n.start(t, folder, fmt.Sprintf("%s=%d", childCrash, at/2+3)))
			n.check(t, folder)
		}
		if status := end(t, n.start(t, folder)); status != 0 {
			t.Fatalf("after step %d: status %d", at, status)
		}
		resulttest.Same(t, want, bytesOf(t, folder))
		if t.Failed() {
			t.Fatalf("after step %d", at)
		}
	}
	least := 6 + 3*int(n)
	if asLines() {
		least = 9 + int(n)
	}
	if steps < least || len(finished) < int(n) {
		t.Errorf("only %d steps, with %v scenarios finished", steps, finished)
	}
}

// rounds is how often the random tests are repeated: LEONTIEF_ROUNDS, or a
// number that takes a second or two.
func rounds(t *testing.T, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv("LEONTIEF_ROUNDS")); err == nil {
		return n
	}
	if testing.Short() {
		return otherwise / 4
	}
	return otherwise
}

// Killed at random moments, again and again: nothing finished is lost or run
// again, and the end has the same bytes.
func TestKilledAtRandomMoments(t *testing.T) { inBothForms(t, killedAtRandomMoments) }

func killedAtRandomMoments(t *testing.T) {
	const n trial = 6
	begin := time.Now()
	want := n.undisturbed(t)
	whole := int64(time.Since(begin))
	rng := rand.New(rand.NewPCG(1, 2))
	kills, done := 0, 0
	folder, log := filepath.Join(t.TempDir(), "out-0"), filepath.Join(t.TempDir(), "log")
	for all := rounds(t, 12); kills < all; {
		before := n.check(t, folder)
		if err := os.WriteFile(log, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := n.start(t, folder, notesVariable+"="+log)
		time.Sleep(time.Duration(rng.Int64N(whole)))
		_ = cmd.Process.Kill()
		status := end(t, cmd)
		kills++
		notes, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		after := n.check(t, folder)
		for _, id := range before {
			if !slices.Contains(after, id) {
				t.Fatalf("%s was finished and is lost", id)
			}
			if bytes.Contains(notes, []byte(id)) {
				t.Fatalf("%s was finished and is run again", id)
			}
		}
		if status == 0 {
			resulttest.Same(t, want, bytesOf(t, folder))
			done++
			folder = filepath.Join(t.TempDir(), fmt.Sprintf("out-%d", done))
		}
	}
	if status := end(t, n.start(t, folder)); status != 0 {
		t.Fatalf("status %d", status)
	}
	resulttest.Same(t, want, bytesOf(t, folder))
	t.Logf("%d kills, %d folders came to their end under them", kills, done)
}

// Of two processes on one folder the second is refused, or waits and finds
// everything done.
func TestTwoProcessesOnOneFolder(t *testing.T) { inBothForms(t, twoProcessesOnOneFolder) }

func twoProcessesOnOneFolder(t *testing.T) {
	const n trial = 6
	want := n.undisturbed(t)
	log := filepath.Join(t.TempDir(), "log")
	for round := range rounds(t, 6) {
		folder := filepath.Join(t.TempDir(), "out")
		for _, path := range []string{log} {
			_ = os.Remove(path)
		}
		wait := []string{"", "1m"}[round%2]
		first := n.start(t, folder, notesVariable+"="+log, childWait+"="+wait)
		second := n.start(t, folder, notesVariable+"="+log, childWait+"="+wait)
		statuses := []int{end(t, first), end(t, second)}
		slices.Sort(statuses)
		if wait != "" && !slices.Equal(statuses, []int{0, 0}) || statuses[0] != 0 || statuses[1] != 0 && statuses[1] != childBusy {
			t.Fatalf("statuses %v", statuses)
		}
		resulttest.Same(t, want, bytesOf(t, folder))
		n.once(t, log)
	}
}

// once checks that every instance was run exactly once.
func (n trial) once(t *testing.T, log string) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(notes)
	if different := len(slices.Compact(slices.Clone(notes))); different != len(notes) || different != 3*int(n) {
		t.Errorf("%d instances were run, %d of them different; want %d", len(notes), different, 3*n)
	}
}

// Where there are no locks, two processes may do the same work; the result is
// the same, and nothing is left behind.
func TestTwoProcessesWithoutLocks(t *testing.T) { inBothForms(t, twoProcessesWithoutLocks) }

func twoProcessesWithoutLocks(t *testing.T) {
	const n trial = 6
	want := n.undisturbed(t, childNoLocks+"=1")
	for range rounds(t, 6) {
		folder := filepath.Join(t.TempDir(), "out")
		first, second := n.start(t, folder, childNoLocks+"=1"), n.start(t, folder, childNoLocks+"=1")
		if a, b := end(t, first), end(t, second); a != 0 || b != 0 {
			t.Fatalf("statuses %d, %d: %s %s", a, b, first.Stderr, second.Stderr)
		}
		resulttest.Same(t, want, bytesOf(t, folder))
	}
}

// A full disk ends the run; when there is room, it goes on.
func TestFullDisk(t *testing.T) { inBothForms(t, fullDisk) }

func fullDisk(t *testing.T) {
	const n trial = 2
	want := n.undisturbed(t)
	folder := filepath.Join(t.TempDir(), "out")
	for limit := 1; limit < 4096; limit *= 2 {
		if status := end(t, n.start(t, folder, fmt.Sprintf("%s=%d", childLimit, limit))); status != childFull {
			t.Fatalf("limit of %d bytes: status %d", limit, status)
		}
		n.check(t, folder)
	}
	if status := end(t, n.start(t, folder)); status != 0 {
		t.Fatalf("status %d", status)
	}
	resulttest.Same(t, want, bytesOf(t, folder))
}

// The same on a real file system of a few blocks, where that can be had.
func TestFullFileSystem(t *testing.T) { inBothForms(t, fullFileSystem) }

func fullFileSystem(t *testing.T) {
	const n trial = 2
	want := n.undisturbed(t)
	disk := t.TempDir()
	for kib := 4; ; kib += 4 {
		if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
			t.Skipf("no file system can be mounted here: %v", err)
		}
		status := end(t, n.start(t, filepath.Join(disk, "out")))
		if status != 0 && status != childFull {
			t.Fatalf("%d KiB: status %d", kib, status)
		}
		n.check(t, filepath.Join(disk, "out"))
		if status == childFull { // more room
			if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=10m"); err != nil {
				t.Fatal(err)
			}
			if again := end(t, n.start(t, filepath.Join(disk, "out"))); again != 0 {
				t.Fatalf("%d KiB, then more: status %d", kib, again)
			}
		}
		resulttest.Same(t, want, bytesOf(t, filepath.Join(disk, "out")))
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Fatal(err)
		}
		if t.Failed() || status == 0 {
			t.Logf("%d KiB hold everything", kib)
			return
		}
	}
}
