//go:build unix

package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What is wrong is said with the path at fault, and the question leaves nothing behind.
func TestPathsThatCanNotBeWritten(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	file := in("file")
	if err := errors.Join(os.WriteFile(file, nil, 0o644), os.Symlink("file", in("link"))); err != nil {
		t.Fatal(err)
	}
	before := entries(t, dir)
	for _, c := range []struct {
		path string
		is   error
		says string
	}{
		{in("new"), nil, ""},
		{file, nil, ""},
		{"", fs.ErrInvalid, `""`},
		{dir, errFolder, dir},
		{in("link"), errLink, in("link")},
		{os.DevNull, errNotFile, os.DevNull},
		{in("none/new"), fs.ErrNotExist, in("none") + ":"},
		{filepath.Join(file, "new"), syscall.ENOTDIR, file + ":"},
	} {
		err := CheckFile(c.path)
		if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v, want %v and %q", c.path, err, c.is, c.says)
		}
		if after := entries(t, dir); !slices.Equal(after, before) {
			t.Errorf("%q: left %s of %s", c.path, after, before)
		}
	}
}
