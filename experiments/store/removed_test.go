package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/run"
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
func TestFolderRemovedDuringARun(t *testing.T) { inBothForms(t, folderRemovedDuringARun) }

func folderRemovedDuringARun(t *testing.T) {
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
			var write run.WriteError
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
		data := []byte(want[filepath.Join(scenariosDir, store.program.short(), filepath.Base(home), rowsFile)])
		if err := os.WriteFile(rows, data, 0o666); err != nil {
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

// Invariant: a manifest that says that everything is there is never there without
// everything, between any two steps of a run and of another one after it.
func TestACompleteManifestIsNeverThereWithoutItsFiles(t *testing.T) {
	inBothForms(t, aCompleteManifestIsNeverThereWithoutItsFiles)
}

func aCompleteManifestIsNeverThereWithoutItsFiles(t *testing.T) {
	folder, looked, complete := filepath.Join(t.TempDir(), "out"), 0, 0
	defer func(before func(string)) { atStep = before }(atStep)
	atStep = func(name string) {
		looked++
		_, err := sealed.Open(folder)
		if err == nil {
			complete++
		} else if !errors.Is(err, sealed.ErrUnfinished) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, points := range []int{4, 2, 3} {
		if _, err := testSweep(t, points, 0).Run(context.Background(), SweepOptions{Folder: folder, Workers: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if looked < 20 || complete != 2 { // before the second and the third run
		t.Errorf("complete %d times of %d", complete, looked)
	}
}

// The path of a folder is not a pattern, whatever characters are in it.
func TestFolderLikeAPattern(t *testing.T) { inBothForms(t, folderLikeAPattern) }

func folderLikeAPattern(t *testing.T) {
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
		ThisProgram = func() (ProgramID, error) { return ProgramID{Packages: "later"}, nil }
		if second := run(true); first != 2 || second != 0 {
			t.Errorf("%s: %d were run, then %d, want all and none", name, first, second)
		}
		store, err := OpenStore(folder, nil)
		if err != nil || store.others() != 2 {
			t.Errorf("%s: the results of others are not found: %v", name, err)
		}
	}
}
