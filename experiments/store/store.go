// Package store keeps results on disk.
//
// A [Store] keeps the rows of every scenario in the output folder as soon as they
// are there, so that a run that was ended goes on where it was. A [Sweep] is a spec
// that is run through it, whole or in shards that [Merge] puts together. A [Folder] is
// an output folder with its [Manifest], which a [FolderLock] keeps other processes out
// of.
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
	"sync"
	"syscall"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/output"
)

// Store keeps the results of scenarios in an output folder, so that none that
// is there is computed again:
//
//	FOLDER/scenarios/PROGRAM/ID/rows.parquet   the rows, in order of instance, and a [Record]
//	FOLDER/scenarios/PROGRAM/ID/timing.json    what they took
//	FOLDER/scenarios/PROGRAM/results.log       the same of scenarios of few rows, a line each; see journal
//	FOLDER/scenarios/PROGRAM/timing.json       what those took, a line each
//
// On a file system without locks every scenario has a folder.
//
// ID is [spec.Scenario.ID], and PROGRAM tells results of programs apart that may
// compute others ([ProgramID]).
//
// Invariant: a scenario has a result if and only if its table or its line is there. The
// table is written last, as a whole or not at all, and forced to the disk, whenever the
// process ends; whoever else writes it writes the same bytes. It holds the digest of all its
// bytes, which is compared when the result is read: once, before anything is made of
// it. What does not agree is moved to scenarios/damaged and computed again.
type Store struct {
	root    string // FOLDER/scenarios
	program ProgramID
	// AnyProgram also takes results of other programs than this one.
	AnyProgram bool
	lock       *FolderLock // of FOLDER; may be nil
	warn       func(text string)

	short  sync.Once
	folder string // see ourFolder

	mu       sync.Mutex
	journals map[string]*journal // those that were read, by the folder of their program
}

// Names of files and folders of a store.
const (
	scenariosDir = "scenarios"
	damagedDir   = "damaged"
	rowsFile     = "rows.parquet"
)

// The folders of programs and scenarios, as patterns.
var (
	anyProgram  = strings.Repeat("[0-9a-f]", 12)
	anyScenario = strings.Repeat("[0-9a-f]", 16)
)

// Record says what a result depends on. It stands in the table's file under recordKey,
// and has the same bytes whenever the scenario is run by the same program.
type Record struct {
	Scenario spec.Scenario `json:"scenario"`
	Program  ProgramID     `json:"program"`
	// Workload is where the jobs came from, with the checksum of the trace and
	// the rows left out; nil where the kind has none.
	Workload *run.Workload `json:"workload"`
}

const recordKey = "record"

// ScenarioTiming is what a scenario took.
type ScenarioTiming struct {
	Instances   int     `json:"instances"`
	BusySeconds float64 `json:"busy_seconds"` // of all instances, and of opening
	WallSeconds float64 `json:"wall_seconds"` // from the start of the first to the end of the last
}

// Stored is a result that is in a store.
type Stored struct {
	Record  Record
	Rows    *results.Packed
	id      string   // of the scenario
	home    string   // its folder, or the file of
	journal *journal // in which it is a line; nil for one with a folder
}

// Results are results by [spec.Scenario.ID].
type Results map[string]*Stored

// OpenStore opens the store of an output folder, whose lock the caller should
// hold (see [LockFolder]).
func OpenStore(folder string, lock *FolderLock) (*Store, error) {
	program, err := ThisProgram()
	if err != nil {
		return nil, fmt.Errorf("which program this is: %w", err)
	}
	return &Store{root: filepath.Join(folder, scenariosDir), program: program, lock: lock, warn: func(string) {}, journals: map[string]*journal{}}, nil
}

// Tell has the store tell of every result that it moves aside, and why, and tells of
// those that it does not use.
func (s *Store) Tell(warn func(text string)) {
	s.warn = warn
	if n := s.others(); n > 0 && !s.AnyProgram {
		warn(fmt.Sprintf("%d results of other versions of leontief stay in the folder and are not used (leontief sweep --prune removes them)", n))
	}
}

// home is the folder of a scenario's result by this program.
func (s *Store) home(id string) string { return filepath.Join(s.ourFolder(), id) }

// ourFolder is the folder of the results of this program.
func (s *Store) ourFolder() string {
	s.short.Do(func() { s.folder = filepath.Join(s.root, s.program.short()) })
	return s.folder
}

// ours reports whether a folder is that of a result by this program.
func (s *Store) ours(home string) bool { return filepath.Dir(home) == s.ourFolder() }

// homes returns the folders of results of any program, by the pattern of their
// ids, in order of name.
func (s *Store) homes(ids string) []string { return s.matching(anyProgram + "/" + ids) }

// matching returns what is in the store, in order of name. The path of the store
// itself is no pattern.
func (s *Store) matching(pattern string) []string {
	all, err := fs.Glob(os.DirFS(s.root), pattern)
	if err != nil {
		panic(err) // a bad pattern
	}
	for i := range all {
		all[i] = filepath.Join(s.root, filepath.FromSlash(all[i]))
	}
	return all
}

// others counts the results of other programs in the store.
func (s *Store) others() int {
	n := len(slices.DeleteFunc(s.homes(anyScenario), s.ours))
	for _, path := range s.matching(anyProgram + "/" + journalFile) {
		if s.ours(path) {
			continue
		}
		if j, err := s.journalOf(filepath.Dir(path)); err == nil {
			n += len(j.lines)
		}
	}
	return n
}

// Find reads the result of a scenario; nil if there is none. One that is
// damaged is moved aside and is none.
func (s *Store) Find(of spec.Scenario) (*Stored, error) { return s.find(of.ID(), of) }

func (s *Store) find(id string, of spec.Scenario) (*Stored, error) {
	programs := []string{s.ourFolder()}
	if s.AnyProgram {
		programs = append(programs, s.matching(anyProgram)...) // after ours
	}
	for _, program := range programs {
		found, err := s.findIn(program, id, of)
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// findIn is Find among the results of one program.
func (s *Store) findIn(program, id string, of spec.Scenario) (*Stored, error) {
	j, err := s.journalOf(program)
	if err != nil {
		return nil, err
	}
	found, err := j.find(id, of)
	if err != nil { // whole, so of another version
		s.warn(err.Error())
	}
	if found != nil {
		return found, nil
	}
	home := filepath.Join(program, id)
	found, err = readStored(home, id, of)
	if err != nil && !unreadable(err) {
		atStep("damage found")
		found, err = s.setAside(home, id, of, err)
	}
	return found, err
}

// peek is [Store.Find] for this program's results, and changes nothing: what is damaged
// is an error.
func (s *Store) peek(of spec.Scenario) (*Stored, error) {
	id := of.ID()
	j, err := s.journalOf(s.ourFolder())
	if err != nil {
		return nil, err
	}
	if found, err := j.find(id, of); err != nil || found != nil {
		return found, err
	}
	return readStored(s.home(id), id, of)
}

// asideOf makes a folder for what is damaged.
func (s *Store) asideOf(name string) (string, error) {
	all := filepath.Join(s.root, damagedDir)
	if err := output.MkdirAll(all); err != nil {
		return "", err
	}
	return os.MkdirTemp(all, name+"-*")
}

// unreadable reports whether an error of reading says nothing of what is there: that
// the disk fails, say, or that it is not permitted.
func unreadable(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && !errors.Is(err, syscall.ENOTDIR)
}

// readStored reads the result in a folder and checks it; nil if there is none.
func readStored(home, id string, of spec.Scenario) (*Stored, error) {
	rows, meta, err := results.ReadPacked(filepath.Join(home, rowsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := &Stored{Rows: rows, id: id, home: home}
	text, ours := meta[recordKey]
	if !ours {
		return nil, fmt.Errorf("%s: written by an earlier version of leontief, in a form that this one does not read", home)
	}
	if err := json.Unmarshal([]byte(text), &found.Record); err != nil {
		return nil, fmt.Errorf("%s: %w", home, err)
	}
	if is := found.Record.Scenario.ID(); is != id {
		return nil, fmt.Errorf("%s: it is of scenario %s, not of %s", home, is, id)
	}
	found.Record.Scenario = of
	return found, nil
}

// timing is what the result took; zero if that is not known.
func (f *Stored) timing() (t ScenarioTiming) {
	if f.journal != nil {
		return f.journal.timing()[f.id]
	}
	if data, err := input.ReadText(filepath.Join(f.home, TimingFile)); err == nil {
		_ = json.Unmarshal(data, &t) // no result depends on it
	}
	return t
}

// setAside moves a damaged table, or what is in the place of its folder, into a folder
// of its own. Where there are no locks, another process that found the same damage may
// have put a new table in its place by then: that is moved back and returned.
func (s *Store) setAside(home, id string, of spec.Scenario, why error) (*Stored, error) {
	damaged := filepath.Join(home, rowsFile)
	if info, err := os.Lstat(home); err == nil && !info.IsDir() {
		damaged = home
	}
	aside, err := s.asideOf(id)
	if err != nil {
		return nil, err
	}
	err = os.Rename(damaged, filepath.Join(aside, rowsFile))
	if errors.Is(err, fs.ErrNotExist) { // another process was faster
		err = os.Remove(aside)
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(aside))
	}
	if mended, err := readStored(aside, id, of); err == nil && mended != nil {
		mended.home = home
		return mended, errors.Join(os.Rename(filepath.Join(aside, rowsFile), damaged), os.Remove(aside))
	}
	s.warn(fmt.Sprintf("a damaged result was moved to %s and is computed again: %v", aside, why))
	return nil, nil
}

// atStep is called between the steps of working on the disk. Tests end the process
// there.
var atStep = func(name string) {}

// put writes the result of a scenario.
func (s *Store) put(of spec.Scenario, rows *results.Packed, workload *run.Workload, timing ScenarioTiming) (*Stored, error) {
	id := of.ID()
	result := &Stored{Record: Record{of, s.program, workload}, Rows: rows, id: id, home: s.home(id)}
	write := s.write
	if rows.Len() <= fewRows && s.keepsJournal() {
		write = s.writeLine
	}
	err := write(result, timing)
	if err == nil {
		return result, nil
	}
	err = fmt.Errorf("scenario %s: %w", id, err)
	if ofFileSystem(err) {
		return nil, run.WriteError{Err: err}
	}
	return nil, err // rows that no table can hold
}

// write makes the folder of the result.
func (s *Store) write(f *Stored, timing ScenarioTiming) error {
	if err := s.lock.check(); err != nil {
		return err // nothing is made anew in a folder that somebody has removed
	}
	took, err := results.IndentedJSON(timing)
	if err != nil {
		return err
	}
	record, err := json.Marshal(f.Record)
	if err != nil {
		return err
	}
	if err := output.MkdirAll(f.home); err != nil {
		return err
	}
	atStep("folder made")
	if err := output.WriteFile(filepath.Join(f.home, TimingFile), took); err != nil {
		return err
	}
	atStep("timing written")
	meta := results.Meta{recordKey: string(record), "seed": fmt.Sprint(f.Record.Scenario.Seed)}
	if err := results.WritePacked(filepath.Join(f.home, rowsFile), f.Rows, meta); err != nil {
		return err
	}
	atStep("rows written")
	return nil
}

// ofFileSystem reports whether the file system is to blame.
func ofFileSystem(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call)
}
