package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Store keeps the results of scenarios in an output folder, so that none that
// is there is computed again:
//
//	FOLDER/scenarios/PROGRAM/ID/rows.parquet    the rows, in order of instance
//	FOLDER/scenarios/PROGRAM/ID/manifest.json   what they depend on
//	FOLDER/scenarios/PROGRAM/ID/timing.json     what they took
//
// ID is [spec.Scenario.ID], and PROGRAM tells results of one version of leontief from
// those of another ([ProgramID]). The folder of a scenario is written under
// another name, synchronised and then renamed: it is there as a whole or not at
// all, whenever the process ends and whatever else writes into the same folder.
// A result is believed only if its bytes agree with the checksums in it; others
// are moved to scenarios/damaged and computed again.
type Store struct {
	root    string // FOLDER/scenarios
	program ProgramID
	// AnyProgram also takes results of other programs than this one.
	AnyProgram bool
	// Damaged is told of every result that was moved aside, and why. May be nil.
	Damaged func(path string, why error)

	readOnly bool        // a damaged result is an error
	lock     *FolderLock // of FOLDER; may be nil
}

// The files of a scenario's folder.
const (
	rowsFile      = "rows.parquet"
	scenariosDir  = "scenarios"
	unfinishedDir = "unfinished"
	damagedDir    = "damaged"
)

// recordVersion is the version of [Record].
const recordVersion = 1

// The folders of programs and scenarios, as patterns.
var (
	anyProgram  = strings.Repeat("[0-9a-f]", 12)
	anyScenario = strings.Repeat("[0-9a-f]", 16)
)

// Record is the manifest of a stored scenario. It has the same bytes whenever
// the scenario is run by the same program.
type Record struct {
	Schema   int           `json:"schema"`
	ID       string        `json:"id"`
	Scenario spec.Scenario `json:"scenario"`
	Program  ProgramID     `json:"program"`
	// Workload is where the jobs came from, with the checksum of the trace and
	// the rows left out; nil where the kind has none.
	Workload *run.Workload `json:"workload"`
	Rows     int           `json:"rows"`
	// RowsSHA256 is the checksum of the table, and SHA256 that of this file with
	// an empty text in this place.
	RowsSHA256 string `json:"rows_sha256"`
	SHA256     string `json:"sha256"`
}

// ScenarioTiming is what a scenario took.
type ScenarioTiming struct {
	Instances   int     `json:"instances"`
	BusySeconds float64 `json:"busy_seconds"` // of all instances, and of opening
	WallSeconds float64 `json:"wall_seconds"` // from the start of the first to the end of the last
}

// OpenStore opens the store of an output folder, whose lock the caller should
// hold (see [LockFolder]). What was left unfinished there is removed.
func OpenStore(folder string, lock *FolderLock) (*Store, error) {
	program, err := ThisProgram()
	if err != nil {
		return nil, fmt.Errorf("which program this is: %w", err)
	}
	s := &Store{root: filepath.Join(folder, scenariosDir), program: program, lock: lock}
	if lock != nil && lock.held {
		if err := os.RemoveAll(s.unfinished()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Store) unfinished() string { return filepath.Join(s.root, unfinishedDir) }

// home is the folder of a scenario's result by this program.
func (s *Store) home(id string) string { return filepath.Join(s.root, s.program.short(), id) }

// Stored is a result that was read and found in order.
type Stored struct {
	Record Record
	Timing ScenarioTiming
	path   string
	rows   []results.Row
}

// homes returns the folders of results of any program, by the pattern of their
// ids, in order of name. The path of the store itself is no pattern.
func (s *Store) homes(ids string) []string {
	all, err := fs.Glob(os.DirFS(s.root), anyProgram+"/"+ids)
	if err != nil {
		panic(err) // a bad pattern
	}
	for i := range all {
		all[i] = filepath.Join(s.root, filepath.FromSlash(all[i]))
	}
	return all
}

// Find reads the result of a scenario; nil if there is none. One that is
// damaged is moved aside and is none.
func (s *Store) Find(of spec.Scenario) (*Stored, error) {
	homes := []string{s.home(of.ID())}
	if s.AnyProgram {
		homes = append(homes, s.homes(of.ID())...) // after ours
	}
	for _, home := range homes {
		found, err := s.read(home, of)
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// read reads the result in a folder; nil if there is none.
func (s *Store) read(home string, of spec.Scenario) (*Stored, error) {
	for {
		if _, err := os.Lstat(home); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		found, why := readStored(home, of)
		if why == nil {
			return found, nil
		}
		if fatal := unreadable(why); fatal != nil {
			return nil, fatal
		}
		if s.readOnly {
			return nil, fmt.Errorf("%s: %w", home, why)
		}
		atStep("damage found")
		if gone, err := s.setAside(home, of, why); gone || err != nil {
			return nil, err
		}
	}
}

// unreadable returns an error of reading that says nothing of what is there:
// that the disk fails, say, or that it is not permitted.
func unreadable(err error) error {
	var path *fs.PathError
	if !errors.As(err, &path) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// errNotAFile says that something else is in the place of a file.
var errNotAFile = errors.New("not a file")

// readStored reads and checks a result.
func readStored(home string, of spec.Scenario) (*Stored, error) {
	record, err := readRecord(filepath.Join(home, ManifestFile))
	if err != nil {
		return nil, err
	}
	if record.ID != of.ID() || record.Scenario.ID() != of.ID() {
		return nil, fmt.Errorf("%s: it is of scenario %s, not of %s", ManifestFile, record.ID, of.ID())
	}
	path := filepath.Join(home, rowsFile)
	data, err := readRegular(path)
	if err != nil {
		return nil, err
	}
	if spec.Digest(data) != record.RowsSHA256 {
		return nil, fmt.Errorf("%s: its bytes do not agree with the checksum in %s", rowsFile, ManifestFile)
	}
	rows, err := results.ReadTable(path)
	if err != nil {
		return nil, err
	}
	if len(rows) != record.Rows {
		return nil, fmt.Errorf("%s: %d rows, %s says %d", rowsFile, len(rows), ManifestFile, record.Rows)
	}
	found := &Stored{Record: *record, path: home, rows: rows}
	if data, err := readRegular(filepath.Join(home, TimingFile)); err == nil {
		_ = json.Unmarshal(data, &found.Timing) // no result depends on it
	}
	return found, nil
}

// readRegular reads a file that is one.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, errNotAFile)
	}
	return os.ReadFile(path)
}

// readRecord reads the manifest of a scenario. It must have exactly the bytes
// that [Record.encode] writes.
func readRecord(path string) (*Record, error) {
	data, err := readRegular(path)
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	if r.Schema != recordVersion {
		return nil, fmt.Errorf("%s: schema %d, this program reads %d", ManifestFile, r.Schema, recordVersion)
	}
	again, err := r.encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, data) {
		return nil, fmt.Errorf("%s: its bytes do not agree with the checksum in it", ManifestFile)
	}
	return &r, nil
}

// encode fills in the checksum and returns the bytes of the file.
func (r Record) encode() ([]byte, error) {
	r.SHA256 = ""
	data, err := results.IndentedJSON(r)
	if err != nil {
		return nil, err
	}
	r.SHA256 = spec.Digest(data)
	return results.IndentedJSON(r)
}

// setAside moves a damaged result away, under a name that is free. It reports
// false if there was none any more: where there are no locks, another process
// that found the same damage may have put a new result in its place, which is
// moved back.
func (s *Store) setAside(home string, of spec.Scenario, why error) (bool, error) {
	if err := os.MkdirAll(filepath.Join(s.root, damagedDir), 0o777); err != nil {
		return false, err
	}
	for k := 1; ; k++ {
		aside := filepath.Join(s.root, damagedDir, fmt.Sprintf("%s-%d", filepath.Base(home), k))
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		switch err := os.Rename(home, aside); {
		case errors.Is(err, fs.ErrNotExist):
			return true, nil // another process was faster
		case taken(err):
			continue
		case err != nil:
			return false, err
		}
		if _, err := readStored(aside, of); err == nil {
			return false, s.publish(aside, home, of)
		}
		if s.Damaged != nil {
			s.Damaged(aside, why)
		}
		return true, nil
	}
}

// Others counts the results of other programs in the store.
func (s *Store) Others() int {
	return len(slices.DeleteFunc(s.homes(anyScenario), func(path string) bool { return filepath.Base(filepath.Dir(path)) == s.program.short() }))
}

// Rows returns the rows of the result.
func (f *Stored) Rows() []results.Row { return f.rows }
