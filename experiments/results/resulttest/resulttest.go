// Package resulttest compares result folders in tests, byte by byte.
package resulttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Files returns the files of a finished folder by their paths in it, but for those
// that differ from run to run (how long things took, and who is there), and for
// files and folders of the other names.
func Files(t testing.TB, folder string, besides ...string) map[string]string {
	t.Helper()
	besides = append([]string{"timing.json", ".lock"}, besides...)
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(besides, d.Name()):
			return fs.SkipDir
		case d.IsDir() || slices.Contains(besides, d.Name()):
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Same reports every file of two folders that is not the same in both.
func Same(t testing.TB, want, got map[string]string) {
	t.Helper()
	for name, data := range want {
		if other, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if other != data {
			t.Errorf("%s has other bytes", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}
