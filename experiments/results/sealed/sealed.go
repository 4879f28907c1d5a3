// Package sealed tells whether a result folder is as it was written.
//
// Its manifest.json lists the files of the folder with the SHA-256 of each, under
// "sha256", and as its last entry, "seal", its own: that of its bytes with an empty
// text in the place of the seal. What was changed since is named; nothing is read
// from such a folder. timing.json is listed and not sealed, as it differs from run
// to run and no result depends on it. A seal tells changes and damage; it is no
// signature, and who wants to can make another.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/leontief-sim/leontief/traces/input"
)

// Names of files of a result folder.
const (
	ManifestFile = "manifest.json"
	TimingFile   = "timing.json" // the only file that is not sealed
)

// program is the name by which a manifest is known as ours.
const program = "leontief"

// Manifest is what this package reads of a manifest.
type Manifest struct {
	Program  string            `json:"program"`
	Complete bool              `json:"complete"`
	Files    []string          `json:"files"`
	Digests  map[string]string `json:"sha256"`
	Seal     string            `json:"seal"`
}

// The errors of a folder, which wrap these.
var (
	ErrChanged    = errors.New("changed after it was written")
	ErrUnfinished = errors.New("not finished")
	ErrUnsealed   = errors.New("not sealed")
	ErrForeign    = errors.New("not a manifest of leontief")
)

// Digests returns the SHA-256 of the files of a folder, by name.
func Digests(folder string, files []string) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range files {
		if name == ManifestFile || name == TimingFile {
			continue
		}
		sum, err := input.Checksum(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		sums[name] = sum
	}
	return sums, nil
}

// Close puts the seal into a manifest, whose last entry is "seal": "". It panics if
// it has no such entry.
func Close(manifest []byte) []byte {
	text, sum := before+`"`, sha256.Sum256(manifest)
	at := bytes.LastIndex(manifest, []byte(text))
	if at < 0 {
		panic("sealed: a manifest without a place for the seal")
	}
	at += len(before)
	return slices.Concat(manifest[:at], []byte(hex.EncodeToString(sum[:])), manifest[at:])
}

// before is how the seal stands in a manifest, before its text.
const before = `"seal": "`

// intact reports whether a manifest agrees with its seal: whether it is what Close makes
// of it without the seal.
func intact(manifest []byte, seal string) bool {
	at := bytes.LastIndex(manifest, []byte(before+seal+`"`))
	if at < 0 {
		return false
	}
	at += len(before)
	return bytes.Equal(Close(slices.Concat(manifest[:at], manifest[at+len(seal):])), manifest)
}

// Open reads the manifest of a folder and checks it, and all files that it lists.
// An error names the file that is at fault.
func Open(folder string) (manifest []byte, err error) {
	path := filepath.Join(folder, ManifestFile)
	manifest, err = input.ReadText(path)
	if err != nil {
		return nil, err
	}
	m, err := parse(path, manifest)
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, name := range m.Files {
		problems = append(problems, m.check(folder, name))
	}
	return manifest, errors.Join(problems...)
}

// parse reads a manifest and checks its seal.
func parse(path string, data []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case m.Program != program:
		return nil, fmt.Errorf("%s: %w", path, ErrForeign)
	case m.Seal == "" && !m.Complete:
		return nil, fmt.Errorf("%s: %w: a run is under way in the folder, or was ended; the same command goes on", path, ErrUnfinished)
	case m.Seal == "":
		return nil, fmt.Errorf("%s: %w: an earlier version of leontief wrote it, or it was changed; run the command of the folder again", path, ErrUnsealed)
	case !intact(data, m.Seal):
		return nil, changed(path)
	}
	return &m, nil
}

func changed(path string) error {
	return fmt.Errorf("%s: %w: its bytes do not agree with its checksum; run the command of the folder again", path, ErrChanged)
}

// check compares a file of the folder with its digest.
func (m *Manifest) check(folder, name string) error {
	path := filepath.Join(folder, name)
	if name != filepath.Base(name) { // it would reach out of the folder
		return changed(filepath.Join(folder, ManifestFile))
	}
	if name == ManifestFile || name == TimingFile {
		return nil
	}
	sum, err := input.Checksum(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: it was removed; run the command of the folder again", path, ErrChanged)
	}
	if err == nil && sum != m.Digests[name] {
		return changed(path)
	}
	return err
}

// CheckFile checks a file that is read by itself, if it belongs to a result folder:
// if a manifest of ours is beside it, and lists it.
func CheckFile(path string) error {
	folder, name := filepath.Dir(path), filepath.Base(path)
	beside := filepath.Join(folder, ManifestFile)
	if _, err := os.Lstat(beside); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data, err := input.ReadText(beside)
	if err != nil {
		return err
	}
	m, err := parse(beside, data)
	if errors.Is(err, ErrForeign) {
		return nil
	}
	if err != nil || !slices.Contains(m.Files, name) {
		return err
	}
	return m.check(folder, name)
}

// Owner returns the files that the manifest in a folder lists, and whether it is
// one of leontief's, sealed or not.
func Owner(folder string) (files []string, ours bool) {
	data, err := input.ReadText(filepath.Join(folder, ManifestFile))
	var m Manifest
	if err != nil || json.Unmarshal(data, &m) != nil || m.Program != program {
		return nil, false
	}
	return m.Files, true
}
