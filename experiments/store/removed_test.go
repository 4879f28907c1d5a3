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

	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// at calls what is given at the first steps of a name, until the test ends, and
// returns how often it did.
func at(t *testing.T, step string, times int, do func()) *int {
	t.Helper()
	before, called := atStep, 0
	t.Cleanup(func() { atStep = before })
	atStep = func(name string) {
		if name == step && called < times {
			called++
			do()
		}
	}
	return &called
}

// A folder that is removed, and made again by somebody else, before its lock is
// taken is locked as it is then: two processes never have one folder.
func TestFolderRemovedBeforeItsLockIsTaken(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	real, tried := tryLock, 0
	defer func() { tryLock = real }()
	tryLock = func(f *os.File) error {
		if tried++; tried == 1 {
			if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o777)); err != nil {
				t.Error(err)
			}
		}
		return real(f)
	}
	lock, err := LockFolder(context.Background(), folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if !lock.held {
		t.Skip("no locks here")
	}
	var busy *BusyError
	if again, err := LockFolder(context.Background(), folder, 0); !errors.As(err, &busy) {
		t.Errorf("the folder is given twice: %+v, %v", again, err)
	}
}

// Whoever removes the folder of a run ends it: the folder is not made anew
// without its lock, nothing is computed that has no place, and the next run
// starts afresh.
func TestFolderRemovedDuringARun(t *testing.T) {
	for name, spoil := range map[string]func(folder string) error{
		"folder":   os.RemoveAll,
		"lock":     func(folder string) error { return os.Remove(filepath.Join(folder, lockFile)) },
		"replaced": func(folder string) error { return errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			plan, folder := testSweep(t, 6, 0), filepath.Join(t.TempDir(), "out")
			instances := 0
			_, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1, Progress: func(done, total int) {
				if instances++; done == 4 { // the first instance of the second scenario
					if err := spoil(folder); err != nil {
						t.Error(err)
					}
				}
			}})
			var write WriteError
			if !errors.As(err, &write) || !errors.Is(err, errRemoved) || !strings.Contains(err.Error(), folder) {
				t.Errorf("error %v", err)
			}
			if instances != 6 {
				t.Errorf("%d instances were run, want those of two scenarios", instances)
			}
			if left, _ := fs.Glob(os.DirFS(folder), "*"); name != "lock" && len(left) > 0 {
				t.Errorf("made anew: %v", left)
			}
			want := map[string]int{"folder": 6, "lock": 5, "replaced": 6}[name]
			if result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1}); err != nil || result.Run != want {
				t.Errorf("again: %+v, %v", result, err)
			}
		})
	}
}

// Where there are no locks, two processes may find the same damage. The slower
// one does not take the faster one's new result away.
func TestDamageThatAnotherProcessHasMended(t *testing.T) {
	plan, folder := testSweep(t, 2, 0), filepath.Join(t.TempDir(), "out")
	run := func() *SweepResult {
		result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	run()
	want := bytesOf(t, folder)
	store, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	home := store.home(plan.Scenarios[0].ID())
	rows := filepath.Join(home, rowsFile)
	if err := os.Truncate(rows, 100); err != nil {
		t.Fatal(err)
	}
	// The other process sets it aside and computes it again.
	called := at(t, "damage found", 1, func() {
		err := os.Rename(home, home+"-damaged")
		data := []byte(want[filepath.Join(scenariosDir, store.program.short(), filepath.Base(home), rowsFile)])
		err = errors.Join(err, os.CopyFS(home, os.DirFS(home+"-damaged")), os.WriteFile(rows, data, 0o666), os.RemoveAll(home+"-damaged"))
		if err != nil {
			t.Error(err)
		}
	})
	if result := run(); result.Run != 0 || *called != 1 {
		t.Errorf("%+v after %d", result, *called)
	}
	resulttest.Same(t, want, bytesOf(t, folder))
	if left, err := os.ReadDir(filepath.Join(folder, scenariosDir, damagedDir)); err != nil || len(left) > 0 {
		t.Errorf("set aside: %v, %v", left, err)
	}
}

// A file server whose answer is lost is asked again to rename, and then finds
// nothing under the old name: what has its new name is well.
func TestRenamedTwice(t *testing.T) {
	plan, folder := testSweep(t, 2, 0), filepath.Join(t.TempDir(), "out")
	store, err := OpenStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	called := at(t, "files written", 2, func() {
		all, err := fs.Glob(os.DirFS(store.unfinished()), "*")
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		id, _, _ := strings.Cut(all[0], ".")
		if err := os.Rename(filepath.Join(store.unfinished(), all[0]), store.home(id)); err != nil {
			t.Error(err)
		}
	})
	if result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1}); err != nil || result.Run != 2 || *called != 2 {
		t.Errorf("%+v, %v after %d", result, err, *called)
	}
}

// A manifest that says that everything is there is on the disk only after
// everything is.
func TestTheLastManifestComesAfterItsFiles(t *testing.T) {
	plan, folder := testSweep(t, 2, 0), filepath.Join(t.TempDir(), "out")
	real := syncFolder
	defer func() { syncFolder = real }()
	var seen []string
	syncFolder = func(path string) error {
		if path == folder {
			tables, err := fs.Glob(os.DirFS(folder), "*.parquet")
			data, other := os.ReadFile(filepath.Join(folder, ManifestFile))
			if err := errors.Join(err, other); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
			state := "begun"
			if len(tables) == 2 {
				state = "files"
			}
			if strings.Contains(string(data), `"complete": true`) {
				state = "complete"
			}
			seen = append(seen, state)
		}
		return real(path)
	}
	if _, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if got := slices.Compact(seen); !slices.Equal(got, []string{"begun", "files", "complete"}) {
		t.Errorf("the folder was synchronised with %v", got)
	}
}

// The names of all folders above a result are on the disk before the run goes on.
func TestNewFoldersAreSynchronised(t *testing.T) {
	plan, top := testSweep(t, 2, 0), t.TempDir()
	real := syncFolder
	defer func() { syncFolder = real }()
	var seen []string
	syncFolder = func(path string) error {
		name, err := filepath.Rel(top, path)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, name)
		return real(path)
	}
	folder := filepath.Join(top, "a", "b", "out")
	if _, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	program, err := ThisProgram()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".", "a", "a/b", "a/b/out", "a/b/out/scenarios", "a/b/out/scenarios/" + program.short()} {
		if !slices.Contains(seen, filepath.FromSlash(want)) {
			t.Errorf("%s was not synchronised: %v", want, seen)
		}
	}
}

// The path of a folder is not a pattern, whatever characters are in it.
func TestFolderLikeAPattern(t *testing.T) {
	before := ThisProgram
	defer func() { ThisProgram = before }()
	for _, name := range []string{"a[", "a[b]", "a*", "?", `a\b`} {
		plan, folder := testSweep(t, 2, 0), filepath.Join(t.TempDir(), name)
		run := func(any bool) int {
			result, err := plan.Run(context.Background(), SweepOptions{Folder: folder, Workers: 1, AnyProgram: any})
			if err != nil {
				t.Fatal(err)
			}
			return result.Run
		}
		ThisProgram = before
		first := run(false)
		ThisProgram = func() (ProgramID, error) { return ProgramID{Version: "later"}, nil }
		if second := run(true); first != 2 || second != 0 {
			t.Errorf("%s: %d were run, then %d, want all and none", name, first, second)
		}
		store, err := OpenStore(folder, nil)
		if err != nil || store.Others() != 2 {
			t.Errorf("%s: the results of others are not found: %v", name, err)
		}
	}
}
