package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/run"
)

func TestOpenFolderRefusesWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign")
	if err := os.MkdirAll(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := CheckFolder(foreign); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	for _, manifest := range []string{"", "{}", `{"program": "other"}`, "not json"} {
		if err := os.WriteFile(filepath.Join(foreign, ManifestFile), []byte(manifest), 0o666); err != nil {
			t.Fatal(err)
		}
		var refused *ForeignFolderError
		if _, err := OpenFolder(foreign, Manifest{}); !errors.As(err, &refused) || refused.Path != foreign {
			t.Errorf("manifest %q: error %v", manifest, err)
		}
	}
}

func TestASecondRunReplacesTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	m := NewManifest("simulate", 3, nil, run.Workload{})
	write := func(names ...string) {
		t.Helper()
		f, err := OpenFolder(path, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := f.Write(name, []byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(m); err != nil {
			t.Fatal(err)
		}
	}
	write("x", "y")
	write("x", "z")
	write("x", "z")
	if err := os.WriteFile(filepath.Join(path, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	write("z")
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{ManifestFile, "mine", "z"}, names); d != "" {
		t.Error(d)
	}
}

func TestAManifestCanNotReachOutOfItsFolder(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "out")
	if err := errors.Join(os.WriteFile(victim, nil, 0o666), os.Mkdir(path, 0o777),
		os.WriteFile(filepath.Join(path, ManifestFile), []byte(`{"program": "leontief", "files": ["../victim"]}`), 0o666)); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFolder(path, Manifest{Program: Program})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(Manifest{Program: Program}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(victim); err != nil {
		t.Error(err)
	}
}

func TestOpenFolderOnAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(path, Manifest{}); err == nil {
		t.Error("a file was taken for a folder")
	}
}
