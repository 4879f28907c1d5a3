package experiments

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of an output folder that every experiment writes.
const (
	ManifestFile = "manifest.json"
	TimingFile   = "timing.json" // wall time: the only file that differs from run to run
	LedgerFile   = "ledger.json"
)

// Folder is an output folder that belongs to leontief.
type Folder struct{ path string }

// ForeignFolderError says that a folder holds files but no manifest of ours.
type ForeignFolderError struct{ Path string }

func (e *ForeignFolderError) Error() string {
	return fmt.Sprintf("%s: the folder is not empty and was not written by leontief (it has no %s of ours); name another one", e.Path, ManifestFile)
}

// OpenFolder makes the folder if it does not exist. A folder that already
// holds files must be one that leontief wrote, or the error is a
// [ForeignFolderError]. Nothing is removed from it.
func OpenFolder(path string) (Folder, error) {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Folder{path}, os.MkdirAll(path, 0o777)
	case err != nil:
		return Folder{}, err
	case len(entries) > 0 && !isOurs(path):
		return Folder{}, &ForeignFolderError{path}
	}
	return Folder{path}, nil
}

func isOurs(path string) bool {
	data, err := os.ReadFile(filepath.Join(path, ManifestFile))
	if err != nil {
		return false
	}
	var m struct{ Program string }
	return json.Unmarshal(data, &m) == nil && m.Program == Program
}

// Path returns the path of a file in the folder.
func (f Folder) Path(name string) string { return filepath.Join(f.path, name) }

// Write writes a file of the folder as a whole or not at all: under a
// temporary name, which is renamed when everything is on the disk.
func (f Folder) Write(name string, data []byte) error { return WriteFile(f.Path(name), data) }

// WriteFile writes a file as a whole or not at all.
func WriteFile(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
