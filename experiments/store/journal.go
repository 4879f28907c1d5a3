package store

import (
	"bufio"
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
	"sync"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces/output"
)

// journalFile holds the results of few rows of one program, a line each: a folder with
// two files forced to the disk costs more than a scenario of a millisecond.
const journalFile = "results.log"

// fewRows is the largest number of rows of a result that is a line of the journal.
const fewRows = 50

// syncAfter is how long a line of the journal, which a process that is killed leaves
// behind, may wait for the disk, which a power cut empties.
const syncAfter = time.Second

// journal is the file of the results of few rows of a program. A line is
//
//	SHA-256 of what follows the first tab, scenario, program, workload, rows
//
// with tabs between them, all but the first in JSON, which has no tabs and ends of
// lines. Lines are written in one piece, at the end, by the process that has the lock of
// the folder, and are in order of scenario when a run has ended.
//
// Invariant: a scenario has a result in it if and only if its line is whole and agrees
// with its checksum. What follows the last end of a line was never finished.
type journal struct {
	path    string
	lines   map[string][]byte // by scenario, with their ends
	sorted  bool              // the file is these lines, in order
	size    int64             // of the file up to the end of its last line
	damaged []byte            // the lines that do not agree with their checksums
	timing  func() map[string]ScenarioTiming
	// What lines have in common, by its text.
	programs  map[string]ProgramID
	workloads map[string]*run.Workload

	mu      sync.Mutex // of all below
	file    *os.File   // nil before the first line is added
	pending *time.Timer
	failed  error  // of forcing lines to the disk
	took    []byte // timing lines that are not written yet
}

// readJournal reads the journal of a program; one without lines if there is none.
func readJournal(program string) (*journal, error) {
	j := &journal{path: filepath.Join(program, journalFile), lines: map[string][]byte{}, sorted: true, programs: map[string]ProgramID{}, workloads: map[string]*run.Workload{}}
	j.timing = sync.OnceValue(j.readTiming)
	file, err := output.OpenRegular(j.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(file); err != nil {
		return nil, err
	}
	j.take(data.Bytes())
	j.sorted = j.sorted && j.size == int64(data.Len())
	return j, nil
}

// take goes through the lines of the file.
func (j *journal) take(data []byte) {
	last := ""
	for line := range bytes.Lines(data) {
		if line[len(line)-1] != '\n' {
			break
		}
		j.size += int64(len(line))
		fields, ok := fieldsOf(line)
		if !ok {
			j.damaged = append(j.damaged, line...)
			continue
		}
		id := spec.Digest(fields[scenarioField])[:16]
		j.sorted = j.sorted && last < id
		j.lines[id], last = line, id
	}
}

// The fields of a line, behind its checksum.
const (
	scenarioField = iota
	programField
	workloadField
	rowsField
	fieldCount
)

// fieldsOf returns the fields of a line that agrees with its checksum.
func fieldsOf(line []byte) (fields [][]byte, ok bool) {
	sum, rest, fields := parts(line)
	is := sha256.Sum256(rest)
	return fields, len(fields) == fieldCount && string(sum) == hex.EncodeToString(is[:])
}

// parts cuts a line into its checksum and what it is of, which is fields.
func parts(line []byte) (sum, rest []byte, fields [][]byte) {
	sum, rest, _ = bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
	return sum, rest, bytes.Split(rest, []byte("\t"))
}

// lineOf writes a result as a line.
func lineOf(f *Stored) ([]byte, error) {
	rows, err := results.MarshalRows(f.Rows.Rows(), f.Record.Scenario.Point())
	if err != nil {
		return nil, err
	}
	var fields [fieldCount][]byte
	fields[scenarioField], fields[rowsField] = f.Record.Scenario.JSON(), rows
	if fields[programField], err = json.Marshal(f.Record.Program); err == nil {
		fields[workloadField], err = json.Marshal(f.Record.Workload)
	}
	if err != nil {
		return nil, err
	}
	line := make([]byte, hex.EncodedLen(sha256.Size), 4096)
	for _, field := range fields {
		line = append(append(line, '\t'), field...)
	}
	sum := sha256.Sum256(line[hex.EncodedLen(sha256.Size)+1:])
	hex.Encode(line, sum[:])
	return append(line, '\n'), nil
}

// find returns the result of the scenario of an id; nil if there is none.
func (j *journal) find(id string, of spec.Scenario) (*Stored, error) {
	line := j.lines[id]
	if line == nil {
		return nil, nil
	}
	_, _, fields := parts(line) // they agreed with their checksum when they were read
	found := &Stored{Record: Record{Scenario: of}, id: id, home: j.path, journal: j}
	var err error
	if found.Record.Program, err = shared(j.programs, fields[programField]); err == nil {
		found.Record.Workload, err = shared(j.workloads, fields[workloadField])
	}
	if err == nil {
		var rows []results.Row
		rows, err = results.UnmarshalRows(fields[rowsField], of.Point())
		found.Rows = results.Pack(rows)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: scenario %s: %w", j.path, id, err)
	}
	return found, nil
}

// shared reads a text of JSON unless it was read before.
func shared[V any](known map[string]V, text []byte) (v V, err error) {
	v, again := known[string(text)]
	if !again {
		err = json.Unmarshal(text, &v)
		known[string(text)] = v
	}
	return v, err
}

// add adds a line, and what it took, at the end of the file. What is there of a line
// that could not be written is taken away again.
func (j *journal) add(line []byte, took []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(); err != nil {
		return err
	}
	n, err := j.file.WriteAt(line, j.size)
	atStep("line written")
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size))
	}
	j.size += int64(n)
	j.sorted = false
	j.took = append(j.took, took...)
	if j.pending == nil {
		j.pending = time.AfterFunc(syncAfter, j.sync)
	}
	return j.failed
}

// open opens the file to add to, without what was half-written.
func (j *journal) open() error {
	if j.file != nil {
		return nil
	}
	if err := output.MkdirAll(filepath.Dir(j.path)); err != nil {
		return err
	}
	atStep("folder made")
	file, err := output.OpenRegular(j.path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	if err := file.Truncate(j.size); err != nil {
		return errors.Join(err, file.Close())
	}
	j.file = file
	atStep("journal opened")
	return nil
}

// sync forces the lines to the disk, while others may be added.
func (j *journal) sync() {
	j.mu.Lock()
	file, took := j.file, j.took
	j.pending, j.took = nil, nil
	j.mu.Unlock()
	if file == nil {
		return
	}
	err := errors.Join(run.Guard(file.Sync), j.note(took))
	if errors.Is(err, fs.ErrClosed) { // it was forced to the disk before
		return
	}
	j.mu.Lock()
	j.failed = errors.Join(j.failed, err)
	j.mu.Unlock()
}

// note adds to what the results took.
func (j *journal) note(took []byte) error {
	if len(took) == 0 {
		return nil
	}
	file, err := output.OpenRegular(filepath.Join(filepath.Dir(j.path), TimingFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = file.Write(took)
	return errors.Join(err, file.Close())
}

// close ends the adding: the lines are put in order and are on the disk.
func (j *journal) close() error {
	j.mu.Lock()
	if j.pending != nil {
		j.pending.Stop()
	}
	file := j.file
	j.mu.Unlock()
	if file == nil && j.sorted {
		return nil
	}
	if file != nil {
		j.sync()
		err := j.failed
		if err == nil && !output.Named(file, j.path) {
			err = &fs.PathError{Op: "write", Path: j.path, Err: errRemoved}
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	atStep("journal closed")
	now, err := readJournal(filepath.Dir(j.path))
	if err != nil {
		return err
	}
	return now.write()
}

// write writes the lines in order of scenario, in the place of what is there.
func (j *journal) write() error {
	file, err := output.Create(j.path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	j.size, j.sorted, j.damaged = 0, true, nil
	for _, id := range j.ids() {
		n, _ := out.Write(j.lines[id]) // Flush has the error
		j.size += int64(n)
	}
	if err := out.Flush(); err != nil {
		return errors.Join(err, file.Abort())
	}
	return file.Commit()
}

// ids are the scenarios that have a line, in order.
func (j *journal) ids() []string {
	ids := make([]string, 0, len(j.lines))
	for id := range j.lines {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// timed is a line of the timing file of a program.
type timed struct {
	BusySeconds float64 `json:"busy_seconds"`
	WallSeconds float64 `json:"wall_seconds"`
	Instances   int     `json:"instances"`
	Scenario    string  `json:"scenario"`
}

// readTiming returns what the results took, as far as that is known, by scenario.
func (j *journal) readTiming() map[string]ScenarioTiming {
	took := map[string]ScenarioTiming{}
	data, _ := os.ReadFile(filepath.Join(filepath.Dir(j.path), TimingFile)) // no result depends on it
	for line := range bytes.Lines(data) {
		var t timed
		if json.Unmarshal(line, &t) == nil {
			took[t.Scenario] = ScenarioTiming{t.Instances, t.BusySeconds, t.WallSeconds}
		}
	}
	return took
}
