//go:build unix

package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/leontief-sim/leontief/experiments/spec"
)

// A lock that somebody else put there is neither followed nor written to, and the
// message names it.
func TestALockIsAFileOfItsOwn(t *testing.T) {
	const precious = "leontief is not what this file is about, and it has more than eighty characters in it, all of them wanted"
	for what, put := range map[string]func(lock, victim string) error{
		"a symbolic link":       func(lock, victim string) error { return os.Symlink(victim, lock) },
		"a symbolic link, to x": func(lock, _ string) error { return os.Symlink("nothing", lock) },
		"has another name":      func(lock, victim string) error { return os.Link(victim, lock) },
		"a folder":              func(lock, _ string) error { return os.Mkdir(lock, 0o777) },
		"a pipe":                func(lock, _ string) error { return syscall.Mkfifo(lock, 0o666) },
		"no lock of leontief":   func(lock, _ string) error { return os.WriteFile(lock, []byte(precious), 0o666) },
	} {
		dir := t.TempDir()
		victim, folder := filepath.Join(dir, "victim"), filepath.Join(dir, "out")
		lock := filepath.Join(folder, lockFile)
		if err := errors.Join(os.WriteFile(victim, []byte(precious), 0o666), os.Mkdir(folder, 0o777), put(lock, victim)); err != nil {
			t.Fatal(err)
		}
		_, err := LockFolder(context.Background(), folder, 0)
		var input spec.InputError
		why, _, _ := strings.Cut(what, ",")
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), lock+" ") && !strings.HasPrefix(err.Error(), lock+":") || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: error %v", what, err)
		}
		if data, err := os.ReadFile(victim); err != nil || string(data) != precious {
			t.Errorf("%s: the file behind it: %q, %v", what, data, err)
		}
		if _, err := os.Lstat(filepath.Join(folder, "nothing")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What a killed process left in a folder is removed with the next lock, of a report
// that is being written into it nothing is, and what looks alike stays.
func TestALockSweepsWhatWasLeft(t *testing.T) {
	folder := t.TempDir()
	lock, err := LockFolder(context.Background(), folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	for _, name := range []string{".ledger.json.leontief-77", ".fig3.parquet.leontief-1234567890", ".profile.1", ".x.leontief-"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := LockFolder(context.Background(), folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got, want := names(t, folder), ".lock .profile.1 .x.leontief-"; got != want {
		t.Errorf("left %s, want %s", got, want)
	}
}
