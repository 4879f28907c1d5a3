//go:build unix

package output

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A child of these tests is this binary with the file that it writes and the step at
// which it kills itself in its environment.
const childFile, childStep = "LEONTIEF_TEST_WRITE", "LEONTIEF_TEST_STEP"

func TestMain(m *testing.M) {
	path := os.Getenv(childFile)
	if path == "" {
		os.Exit(m.Run())
	}
	atStep = func(name string) {
		if name == os.Getenv(childStep) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if err := WriteFile(path, []byte("second")); err != nil {
		panic(err)
	}
}

// A process that is killed between any two steps of writing leaves the file as it was
// or as it is to be, and the next one removes what else it left.
func TestKilledAtEveryStep(t *testing.T) {
	for step, want := range map[string]string{"written": "first", "on the disk": "first", "renamed": "second", "none": "second"} {
		path := filepath.Join(t.TempDir(), "f")
		write(t, path, "first")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childFile+"="+path, childStep+"="+step)
		if out, err := cmd.CombinedOutput(); (err == nil) != (step == "none") || len(out) > 0 {
			t.Errorf("%s: %v: %s", step, err, out)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", step, data, err)
		}
		write(t, path, "third")
		if names := entries(t, filepath.Dir(path)); len(names) != 1 {
			t.Errorf("%s: left %v", step, names)
		}
	}
}

// What was written is forced to the disk before it gets its name, and then the name;
// so is the name of every folder that is made.
func TestWhatIsForcedToTheDisk(t *testing.T) {
	top, before := t.TempDir(), force
	defer func() { force = before }()
	var all []string
	force = func(f *os.File) error {
		name, err := filepath.Rel(top, f.Name())
		if info, _ := f.Stat(); info.IsDir() {
			name += " with " + strings.Join(entries(t, f.Name()), " ")
		}
		all = append(all, regexp.MustCompile("-[0-9]+$").ReplaceAllString(name, ""))
		return errors.Join(err, before(f))
	}
	folder := filepath.Join(top, "a", "b")
	if err := errors.Join(MkdirAll(folder), MkdirAll(folder)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "f"), "text")
	if got, want := strings.Join(all, "; "), ". with a; a with b; a/b/.f.leontief; a/b with f"; got != want {
		t.Errorf("forced to the disk: %s; want %s", got, want)
	}
	// Systems that can not do that are left alone, others are not.
	refused := syscall.EINVAL
	force = func(*os.File) error { return refused }
	if err := MkdirAll(filepath.Join(folder, "c")); err != nil {
		t.Error(err)
	}
	refused = syscall.EIO
	if err := MkdirAll(filepath.Join(folder, "d")); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v", err)
	}
	if err := WriteFile(filepath.Join(folder, "g"), nil); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v", err)
	}
}

// A file server whose answer is lost is asked again to rename, and then finds nothing
// under the old name: what has its new name is well, and nothing else is.
func TestRenamedTwice(t *testing.T) {
	defer func() { atStep = func(string) {} }()
	path := filepath.Join(t.TempDir(), "f")
	for to, well := range map[string]bool{path: true, path + "2": false} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		atStep = func(name string) {
			if name == "on the disk" {
				if err := os.Rename(f.Name(), to); err != nil {
					t.Error(err)
				}
			}
		}
		if err := f.Commit(); (err == nil) != well {
			t.Errorf("renamed to %s before: %v", filepath.Base(to), err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := WriteFile(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func entries(t *testing.T, folder string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func TestAFileIsWholeOrAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "first")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("sec"); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "first" {
		t.Errorf("%q", data)
	}
	if err := errors.Join(f.Abort(), f.Abort()); err != nil {
		t.Error(err)
	}
	write(t, path, "third")
	data, _ := os.ReadFile(path)
	info, _ := os.Stat(path)
	if names := entries(t, filepath.Dir(path)); string(data) != "third" || len(names) != 1 || info.Mode() != 0o644 {
		t.Errorf("%q, %v, %v", data, names, info.Mode())
	}
}

// What a process that is gone left is removed, what one writes to now is not, and
// nothing is that only looks like it.
func TestOnlyWhatWasLeftIsRemoved(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "jobs.parquet")
	left := filepath.Join(folder, ".jobs.parquet.leontief-123")
	mine := []string{".jobs.parquet.123", ".jobs.parquet.leontief-x", "jobs.parquet.leontief-1", ".other.leontief-9"}
	for _, name := range append(mine, filepath.Base(left)) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	live, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "whole")
	if _, err := os.Stat(live.Name()); err != nil {
		t.Errorf("the file of a live process: %v", err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left: %v", err)
	}
	if err := live.Commit(); err != nil {
		t.Error(err)
	}
	if names := entries(t, folder); len(names) != len(mine)+1 {
		t.Errorf("%v", names)
	}
	if err := Sweep(folder, ""); err != nil {
		t.Error(err)
	}
	if names := strings.Join(entries(t, folder), " "); strings.Contains(names, ".other.leontief-9") || len(entries(t, folder)) != len(mine) {
		t.Errorf("%v", names)
	}
}

// Many writers and sweepers at once: every file is whole, and nothing is left.
func TestWritersAndSweepersAtOnce(t *testing.T) {
	folder := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				write(t, filepath.Join(folder, "f"), "whole")
			}
		})
		wg.Go(func() {
			for range 200 {
				if err := Sweep(folder, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if names := entries(t, folder); len(names) != 1 {
		t.Errorf("%v", names)
	}
}

func TestALongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 255))
	write(t, path, "text")
	if names := entries(t, filepath.Dir(path)); len(names) != 1 || names[0] != filepath.Base(path) {
		t.Errorf("%v", names)
	}
}

func TestOpenRegularFollowsNothing(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := errors.Join(os.WriteFile(in("victim"), []byte("precious"), 0o666), os.Symlink("victim", in("link")), os.Symlink("nothing", in("dangling")),
		os.Mkdir(in("folder"), 0o777), syscall.Mkfifo(in("pipe"), 0o666), os.WriteFile(in("file"), nil, 0o666), os.Link(in("victim"), in("hard"))); err != nil {
		t.Fatal(err)
	}
	for name, why := range map[string]string{"link": "a symbolic link", "dangling": "a symbolic link", "folder": "a folder", "pipe": "a pipe", "hard": "another name"} {
		if _, err := OpenRegular(in(name), os.O_RDWR|os.O_CREATE); !errors.Is(err, ErrNotPlain) || !strings.Contains(err.Error(), in(name)) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, name := range []string{"file", "new"} {
		f, err := OpenRegular(in(name), os.O_RDWR|os.O_CREATE)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f.Close()
	}
	if _, err := os.Stat(in("nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
