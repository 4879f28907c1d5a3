package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/traces/output"
)

// The files of an output folder that every experiment writes.
const (
	ManifestFile = sealed.ManifestFile
	TimingFile   = sealed.TimingFile // wall time: the only file that differs from run to run
)

// Folder is an output folder that belongs to leontief. It keeps track of what
// is written into it, so that a later run can remove what it does not write
// again.
type Folder struct {
	path    string
	before  []string // the files of an earlier run
	written []string
}

// ForeignFolderError says that a folder holds files but no manifest of ours.
type ForeignFolderError struct{ Path string }

func (e *ForeignFolderError) Error() string {
	return fmt.Sprintf("%s: the folder is not empty and was not written by leontief (it has no %s of ours); name another one", e.Path, ManifestFile)
}

// CheckFolder reports whether [OpenFolder] would take the folder: it does not
// exist, or is empty, or holds a manifest or a lock of ours (or the error is a
// [ForeignFolderError]). It changes nothing.
func CheckFolder(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// What a process left that was ended before it wrote the manifest is ours.
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != lockFile && !(output.Temporary(e.Name()) && strings.HasPrefix(e.Name(), "."+ManifestFile+"."))
	})
	_, ours := earlier(path)
	if _, locked := signed(path); foreign && !ours && !locked {
		return &ForeignFolderError{path}
	}
	return nil
}

// OpenFolder checks the folder with [CheckFolder], makes it if it does not
// exist, and marks it as ours by writing the manifest.
func OpenFolder(path string, m Manifest) (*Folder, error) {
	if err := CheckFolder(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	f.before, _ = earlier(path)
	m.Files, m.Complete, m.Digests, m.Seal = f.before, false, nil, ""
	return f, f.WriteJSON(ManifestFile, m)
}

// earlier returns the files that the manifest in a folder lists, and whether
// the manifest is ours.
func earlier(path string) ([]string, bool) {
	data, err := readRegular(filepath.Join(path, ManifestFile))
	if err != nil {
		return nil, false
	}
	var m struct {
		Program string
		Files   []string
	}
	ours := json.Unmarshal(data, &m) == nil && m.Program == Program
	return m.Files, ours
}

// Claim returns the path of a file of the folder that the caller is about to
// write.
func (f *Folder) Claim(name string) string {
	f.written = append(f.written, name)
	return f.Path(name)
}

// Path returns the path of a file of the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// Write writes a file of the folder as a whole or not at all.
func (f *Folder) Write(name string, data []byte) error { return WriteFile(f.Claim(name), data) }

// Close removes the files of an earlier run that were not written again, and
// writes the manifest with the list of files, once they are on the disk: a
// manifest that is complete is never there without them.
func (f *Folder) Close(m Manifest) error {
	for _, name := range f.before {
		if filepath.Base(name) != name || slices.Contains(f.written, name) {
			continue // not of this folder, or of this run
		}
		if err := os.Remove(filepath.Join(f.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := syncFolder(f.path); err != nil {
		return err
	}
	slices.Sort(f.written)
	m.Files, m.Complete = slices.Compact(f.written), true
	manifest, err := m.seal(f.path)
	if err != nil {
		return err
	}
	if err := f.Write(ManifestFile, manifest); err != nil {
		return err
	}
	return syncFolder(f.path)
}

// seal takes the digests of the files and returns the bytes of the manifest.
func (m Manifest) seal(folder string) (manifest []byte, err error) {
	if m.Digests, err = sealed.Digests(folder, m.Files); err != nil {
		return nil, err
	}
	if manifest, err = results.IndentedJSON(m); err != nil {
		return nil, err
	}
	return sealed.Close(manifest), nil
}

// WriteFile writes a file as a whole or not at all, see [output.Create].
func WriteFile(path string, data []byte) error {
	f, err := output.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	atStep("written")
	if err == nil {
		err = f.Finish()
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	atStep("complete")
	return f.Commit()
}
