package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/output"
)

// The files of an output folder that every experiment writes.
const (
	ManifestFile = sealed.ManifestFile
	TimingFile   = sealed.TimingFile // wall time: the only file that differs from run to run
)

// Program is the name by which a manifest is known as ours.
const Program = "leontief"

// Manifest says how the files beside it were made: everything that they
// depend on and nothing else. It has the same bytes for the same run; wall
// time and the number of workers are in [TimingFile].
type Manifest struct {
	Program  string       `json:"program"`
	Build    Build        `json:"build"`
	Command  string       `json:"command"` // reproduce tsf-er, simulate, …
	Seed     uint64       `json:"seed"`
	Spec     any          `json:"spec"` // the command's own description of what was run
	Workload run.Workload `json:"workload"`
	Files    []string     `json:"files"` // the files of the folder; see [Folder]
	// Complete is false while the files are being written: some may be those of
	// an earlier run.
	Complete bool `json:"complete"`
	// Digests are the SHA-256 of the files, but of this one and of [TimingFile],
	// and Seal is that of this file; see package sealed. Neither is there before the
	// manifest is complete.
	Digests map[string]string `json:"sha256"`
	Seal    string            `json:"seal"` // the last entry
}

// NewManifest returns a manifest of the running program.
func NewManifest(command string, seed uint64, spec any, workload run.Workload) Manifest {
	return Manifest{Program: Program, Build: ThisBuild(), Command: command, Seed: seed, Spec: spec, Workload: workload}
}

// Timing is what a run took. It is kept apart from the manifest because it
// differs from run to run.
type Timing struct {
	WallSeconds float64 `json:"wall_seconds"`
	Workers     int     `json:"workers"`
}

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
	_, ours := sealed.Owner(path)
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
	if err := output.MkdirAll(path); err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	f.before, _ = sealed.Owner(path)
	m.Files, m.Complete, m.Digests, m.Seal = f.before, false, nil, ""
	return f, f.WriteJSON(ManifestFile, m)
}

// Claim returns the path of a file of the folder that the caller is about to
// write.
func (f *Folder) Claim(name string) string {
	atStep("file claimed")
	f.written = append(f.written, name)
	return filepath.Join(f.path, name)
}

// Write writes a file of the folder as a whole or not at all.
func (f *Folder) Write(name string, data []byte) error {
	return output.WriteFile(f.Claim(name), data)
}

// WriteJSON writes v as indented JSON into a file of the folder.
func (f *Folder) WriteJSON(name string, v any) error {
	data, err := results.IndentedJSON(v)
	if err != nil {
		return err
	}
	return f.Write(name, data)
}

// Close removes the files of an earlier run that were not written again, and
// writes the manifest with the list of files. Invariant: a manifest that is complete is
// never there without the files that it lists.
func (f *Folder) Close(m Manifest) error {
	for _, name := range f.before {
		if filepath.Base(name) != name || slices.Contains(f.written, name) {
			continue // not of this folder, or of this run
		}
		if err := os.Remove(filepath.Join(f.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	slices.Sort(f.written)
	m.Files, m.Complete = slices.Compact(f.written), true
	var err error
	if m.Digests, err = sealed.Digests(f.path, m.Files); err != nil {
		return err
	}
	manifest, err := results.IndentedJSON(m)
	if err != nil {
		return err
	}
	return f.Write(ManifestFile, sealed.Close(manifest))
}

// OtherRunError says that a folder holds the results of another run, and in what it
// differs from the one that is asked for.
type OtherRunError struct {
	Path, Command string
	Differs       []string
}

func (e *OtherRunError) Error() string {
	return fmt.Sprintf("%s: holds the results of another run (leontief %s), which differs in %s; name another folder, or write over them with --force",
		e.Path, e.Command, strings.Join(e.Differs, ", "))
}

// CheckRun reports whether the results in a folder are of the run that a manifest
// describes: of the same command, seed, spec and workload. If they are not, the error
// is an [OtherRunError]. A folder without a manifest of ours holds none.
func CheckRun(folder string, m Manifest) error {
	there, err := readManifest(folder)
	if err != nil || there == nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var here map[string]any
	if err := json.Unmarshal(text, &here); err != nil {
		return err
	}
	differs := differences("", there, here, "command", "seed", "workload")
	was, _ := there["spec"].(map[string]any)
	is, _ := here["spec"].(map[string]any)
	for key := range was {
		differs = append(differs, differences("spec.", was, is, key)...)
	}
	for key := range is {
		differs = append(differs, differences("spec.", was, is, key)...)
	}
	if len(differs) == 0 {
		return nil
	}
	slices.Sort(differs)
	command, _ := there["command"].(string)
	return &OtherRunError{folder, command, slices.Compact(differs)}
}

func differences(prefix string, a, b map[string]any, keys ...string) (differ []string) {
	for _, key := range keys {
		if !reflect.DeepEqual(a[key], b[key]) {
			differ = append(differ, prefix+key)
		}
	}
	return differ
}

// The commands that keep the result of every scenario; that of a reproduction goes on
// with the paper's name.
const (
	sweepCommand     = "sweep"
	ReproduceCommand = "reproduce "
)

// CheckPlan is [CheckRun] for sweeps and reproductions. They keep the result of every
// scenario, so that a folder can be shared: what one has run the other takes up, and
// the tables of any of them are made again without a run. Only two reproductions must
// be of one paper.
func CheckPlan(folder string, m Manifest) error {
	there, err := readManifest(folder)
	if err != nil || there == nil {
		return err
	}
	command, _ := there["command"].(string)
	switch {
	case command == m.Command:
		return nil
	case command == sweepCommand, strings.HasPrefix(command, ReproduceCommand) && m.Command == sweepCommand:
		return nil
	}
	return &OtherRunError{folder, command, []string{"command"}}
}

// readManifest reads the manifest of a folder; nil if it is not one of ours, see
// [CheckFolder].
func readManifest(folder string) (map[string]any, error) {
	data, err := input.ReadText(filepath.Join(folder, ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var there map[string]any
	if err := json.Unmarshal(data, &there); err != nil || there["program"] != Program {
		return nil, nil
	}
	return there, nil
}

// CheckOutput reports whether results can be written into a folder: that
// [CheckFolder] takes it, and that it, or what it would be made in, can be written
// to. Nothing is left behind.
func CheckOutput(path string) error {
	if err := CheckFolder(path); err != nil {
		return err
	}
	for {
		_, err := os.Stat(path)
		if up := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && up != path {
			path = up
			continue
		}
		// A name that another process takes for a manifest under way.
		return output.Try(filepath.Join(path, ManifestFile))
	}
}
