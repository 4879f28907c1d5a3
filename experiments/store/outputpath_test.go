package store

import (
	"errors"
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
		path string
		is   error
		says string
	}{
		{dir, nil, ""},
		{in("new/of/new"), nil, ""},
		{file, syscall.ENOTDIR, file},
		{filepath.Join(file, "new"), syscall.ENOTDIR, file},
	} {
		if c.path == dir { // as a folder for results it must be empty or ours
			if err := os.WriteFile(in(ManifestFile), []byte(`{"program": "`+Program+`"}`), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := names(t, dir)
		err := CheckOutput(c.path)
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
