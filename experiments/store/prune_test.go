package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces/output"
)

// ran runs a sweep in a folder and returns how many scenarios were missing.
func ran(t *testing.T, p *Sweep, folder string) int {
	t.Helper()
	result, err := p.Run(context.Background(), SweepOptions{Folder: folder, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return result.Run
}

// everything lists what is in a folder, links and empty folders too.
func everything(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	if err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, path)
		all = append(all, name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// mixedFolder is a folder with results of six scenarios, of which the plan has
// two, results of another version, and much that is no result.
func mixedFolder(t *testing.T) (folder, program string, plan *Sweep) {
	t.Helper()
	folder, plan = filepath.Join(t.TempDir(), "out"), testSweep(t, 2, 0)
	ran(t, testSweep(t, 6, 0), folder)
	id, err := ThisProgram()
	if err != nil {
		t.Fatal(err)
	}
	scenarios := filepath.Join(folder, scenariosDir)
	program = id.short()
	ours := filepath.Join(scenarios, program)
	if err := os.CopyFS(filepath.Join(scenarios, "0123456789ab"), os.DirFS(ours)); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.CopyFS(filepath.Join(elsewhere, "fedcba9876543210"), os.DirFS(filepath.Join(ours, plan.Scenarios[0].ID()))); err != nil {
		t.Fatal(err)
	}
	write(t, "mine", filepath.Join(folder, "notes.txt"), filepath.Join(scenarios, "notes.txt"), filepath.Join(ours, "notes.txt"),
		filepath.Join(scenarios, damagedDir, "0123456789abcdef-1", rowsFile), filepath.Join(scenarios, "my-copies", "0123456789abcdef", rowsFile),
		filepath.Join(ours, "0123456789abcdef", rowsFile), filepath.Join(ours, "0123456789abcdef", "why.txt"), filepath.Join(ours, "00000000000000ff"))
	if err := errors.Join(os.Symlink(elsewhere, filepath.Join(scenarios, "ffffffffffff")),
		os.Symlink(filepath.Join(elsewhere, "fedcba9876543210"), filepath.Join(ours, "fedcba9876543210"))); err != nil {
		t.Fatal(err)
	}
	return folder, program, plan
}

// Results of other versions and of scenarios that are not in the plan are removed,
// and nothing else; asked for the counts alone, nothing is.
func TestPruneRemovesWhatNobodyUsesAndNothingElse(t *testing.T) {
	folder, program, plan := mixedFolder(t)
	want := Pruned{Others: 6, Unplanned: 4, Kept: 2, Strange: 4}
	before := everything(t, folder)
	counts, err := plan.Prune(context.Background(), folder, 0, false)
	if err != nil || *counts != want {
		t.Errorf("%v, %+v, want %+v", err, counts, want)
	}
	if d := cmp.Diff(before, everything(t, folder)); d != "" {
		t.Errorf("what would be removed was: %s", d)
	}
	counts, err = plan.Prune(context.Background(), folder, 0, true)
	if err != nil || *counts != want {
		t.Errorf("%v, %+v, want %+v", err, counts, want)
	}
	kept := slices.DeleteFunc(before, func(name string) bool {
		parts := strings.Split(filepath.ToSlash(name), "/")
		switch {
		case len(parts) < 2 || parts[0] != scenariosDir:
			return false
		case parts[1] == "0123456789ab":
			return true
		case parts[1] != program || len(parts) < 3:
			return false
		}
		odd := []string{"notes.txt", "0123456789abcdef", "00000000000000ff", "fedcba9876543210", plan.Scenarios[0].ID(), plan.Scenarios[1].ID()}
		return !slices.Contains(odd, parts[2])
	})
	if d := cmp.Diff(kept, everything(t, folder)); d != "" {
		t.Errorf("left in the folder (-want +got):\n%s", d)
	}
	if again := ran(t, plan, folder); again != 0 {
		t.Errorf("%d scenarios of the plan were run again", again)
	}
	counts, err = plan.Prune(context.Background(), folder, 0, true)
	if want = (Pruned{Kept: 2, Strange: 4}); err != nil || *counts != want {
		t.Errorf("again: %v, %+v, want %+v", err, counts, want)
	}
}

// Ended in the middle it has removed the tables of some results, and goes on.
func TestPruneCanBeEnded(t *testing.T) {
	folder, _, plan := mixedFolder(t)
	before, steps := atStep, 0
	defer func() { atStep = before }()
	atStep = func(name string) {
		if name == "table removed" {
			if steps++; steps == 3 {
				panic("ended")
			}
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, err := plan.Prune(context.Background(), folder, 0, true)
		t.Errorf("it was not ended: %v", err)
	}()
	atStep = before
	counts, err := plan.Prune(context.Background(), folder, 0, true)
	if want := (Pruned{Others: 4, Unplanned: 4, Kept: 2, Strange: 4}); err != nil || *counts != want {
		t.Errorf("%v, %+v, want %+v", err, counts, want)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := plan.Prune(ctx, folder, 0, true); !errors.Is(err, stop) {
		t.Errorf("ended before: %v", err)
	}
}

func TestPruneIsRefused(t *testing.T) {
	plan := testSweep(t, 2, 0)
	absent := filepath.Join(t.TempDir(), "absent")
	if _, err := plan.Prune(context.Background(), absent, 0, true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	foreign := t.TempDir()
	write(t, "mine", filepath.Join(foreign, scenariosDir, "0123456789ab", "0123456789abcdef", rowsFile))
	var notOurs *ForeignFolderError
	if _, err := plan.Prune(context.Background(), foreign, 0, true); !errors.As(err, &notOurs) || len(everything(t, foreign)) != 5 {
		t.Errorf("a folder of somebody else: %v, %q", err, everything(t, foreign))
	}
	folder := filepath.Join(t.TempDir(), "out")
	ran(t, testSweep(t, 4, 0), folder)
	lock, err := LockFolder(context.Background(), folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if _, err := plan.Prune(context.Background(), folder, time.Millisecond, true); !errors.As(err, &busy) {
		t.Errorf("a folder in use: %v", err)
	}
	lock.Close()
	before := tryLock
	defer func() { tryLock = before }()
	tryLock = func(*os.File) error { return output.ErrUnlockable }
	if _, err := plan.Prune(context.Background(), folder, 0, true); err == nil || !strings.Contains(err.Error(), "knows no locks") {
		t.Errorf("no locks: %v", err)
	}
	if again := ran(t, testSweep(t, 4, 0), folder); again != 0 {
		t.Errorf("%d results were removed by what was refused", again)
	}
}

// write writes the text into files of their own folders.
func write(t *testing.T, text string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}
