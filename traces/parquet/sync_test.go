package parquet

import (
	"os"
	"path/filepath"
	"testing"
)

// The new name is forced to the disk after it was given: a power cut may lose a
// renaming that was not.
func TestCloseForcesTheNameToTheDisk(t *testing.T) {
	before := syncFolder
	defer func() { syncFolder = before }()
	path := filepath.Join(t.TempDir(), "t.parquet")
	forced := 0
	syncFolder = func(folder string) error {
		if _, err := os.Stat(path); err != nil || folder != filepath.Dir(path) {
			t.Errorf("%s is forced to the disk: %v", folder, err)
		}
		forced++
		return before(folder)
	}
	w, err := Create(path, []Column{{Name: "n", Kind: Int64}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]Values{{Ints: []int64{1}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil || forced != 1 {
		t.Errorf("%v, forced %d times", err, forced)
	}
}
