package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenFolderRefusesWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign")
	if err := os.MkdirAll(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(foreign); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	for _, manifest := range []string{"", "{}", `{"program": "other"}`, "not json"} {
		if err := os.WriteFile(filepath.Join(foreign, ManifestFile), []byte(manifest), 0o666); err != nil {
			t.Fatal(err)
		}
		var refused *ForeignFolderError
		if _, err := OpenFolder(foreign); !errors.As(err, &refused) || refused.Path != foreign {
			t.Errorf("manifest %q: error %v", manifest, err)
		}
	}
}

func TestOpenFolderAcceptsItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	f, err := OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	m := NewManifest("simulate", 3, nil, Workload{})
	for range 2 {
		if err := f.WriteJSON(ManifestFile, m); err != nil {
			t.Fatal(err)
		}
		if f, err = OpenFolder(path); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v: a temporary file was left", entries, err)
	}
}

func TestOpenFolderOnAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(path); err == nil {
		t.Error("a file was taken for a folder")
	}
}
