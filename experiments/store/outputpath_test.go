package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/leontief-sim/leontief/traces/output"
)

// TestPathsThatCanNotBeWritten: what is wrong is said with the path at fault, and
// the question leaves nothing behind.
func TestPathsThatCanNotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		check func(string) error
		path  string
		is    error
		says  string
	}{
		{CheckFile, in("new"), nil, ""},
		{CheckFile, file, nil, ""},
		{CheckFile, "", fs.ErrInvalid, `""`},
		{CheckFile, dir, errFolder, dir},
		{CheckFile, os.DevNull, errNotFile, os.DevNull},
		{CheckFile, in("none/new"), fs.ErrNotExist, in("none") + ":"},
		{CheckFile, filepath.Join(file, "new"), syscall.ENOTDIR, file + ":"},
		{CheckOutput, dir, nil, ""},
		{CheckOutput, in("new/of/new"), nil, ""},
		{CheckOutput, file, syscall.ENOTDIR, file},
		{CheckOutput, filepath.Join(file, "new"), syscall.ENOTDIR, file},
	} {
		if c.path == dir && c.is == nil { // as a folder for results it must be empty or ours
			if err := os.WriteFile(in(ManifestFile), []byte(`{"program": "`+Program+`"}`), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := names(t, dir)
		err := c.check(c.path)
		if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v, want %v and %q", c.path, err, c.is, c.says)
		}
		if after := names(t, dir); after != before {
			t.Errorf("%q: left %s of %s", c.path, after, before)
		}
	}
}

// TestAFolderThatIsWrittenToStaysOurs: while one process asks whether it can write
// to an empty folder, another one still takes the folder.
func TestAFolderThatIsWrittenToStaysOurs(t *testing.T) {
	dir := t.TempDir()
	probe, err := output.Create(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Abort()
	if err := CheckOutput(dir); err != nil {
		t.Error(err)
	}
}

// names lists what is in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}
