package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// atStep is called between the steps of writing. Tests end the process there.
var atStep = func(name string) {}

// WriteError says that the file system did not take a result: no further
// scenario is worth computing.
type WriteError struct{ error }

// Unwrap returns the reason.
func (e WriteError) Unwrap() error { return e.error }

// put writes the result of a scenario. If one is there by now, that stays.
func (s *Store) put(of spec.Scenario, rows []results.Row, workload *run.Workload, timing ScenarioTiming) error {
	record := Record{Schema: recordVersion, ID: of.ID(), Scenario: of, Program: s.program, Workload: workload, Rows: len(rows)}
	err := s.place(record.ID, func(dir string) error {
		path := filepath.Join(dir, rowsFile)
		if err := results.WriteTable(path, rows, results.Meta{"scenario": record.ID, "seed": fmt.Sprint(of.Seed)}); err != nil {
			return err
		}
		atStep("rows written")
		var err error
		if record.RowsSHA256, err = spec.Checksum(path); err != nil {
			return err
		}
		manifest, err := record.encode()
		if err != nil {
			return err
		}
		took, err := results.IndentedJSON(timing)
		if err != nil {
			return err
		}
		return errors.Join(WriteFile(filepath.Join(dir, ManifestFile), manifest), WriteFile(filepath.Join(dir, TimingFile), took))
	}, of)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("scenario %s: %w", record.ID, err)
	if ofFileSystem(err) {
		return WriteError{err}
	}
	return err // rows that no table can hold
}

// ofFileSystem reports whether the file system is to blame.
func ofFileSystem(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call)
}

// place makes the folder of a scenario: fill writes its files under another
// name, which is then changed.
func (s *Store) place(id string, fill func(dir string) error, of spec.Scenario) error {
	if err := s.lock.check(); err != nil {
		return err // nothing is made anew in a folder that somebody has removed
	}
	home := s.home(id)
	if err := makeFolder(filepath.Dir(home)); err != nil {
		return err
	}
	dir, err := s.begin(id)
	if err != nil {
		return err
	}
	atStep("folder made")
	err = errors.Join(os.Chmod(dir, 0o755), fill(dir))
	if err == nil {
		err = syncFolder(dir)
	}
	if err == nil {
		atStep("files written")
		err = s.publish(dir, home, of)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir)) // the room on a full disk is given back
	}
	atStep("renamed")
	return syncFolder(filepath.Dir(home))
}

// begin makes the folder in which a result is written. Where there are no locks,
// another process that ends may remove the folder of the unfinished between the
// two steps, as long as it is empty.
func (s *Store) begin(id string) (string, error) {
	for {
		if err := os.MkdirAll(s.unfinished(), 0o777); err != nil {
			return "", err
		}
		atStep("room made")
		dir, err := os.MkdirTemp(s.unfinished(), id+".*")
		if !errors.Is(err, fs.ErrNotExist) {
			return dir, err
		}
	}
}

// publish renames a folder to that of the scenario's result. If another result
// is there and in order, ours is removed.
func (s *Store) publish(dir, home string, of spec.Scenario) error {
	for {
		err := os.Rename(dir, home)
		// A file server that is asked again, because its answer was lost, finds
		// nothing under the old name.
		repeated := errors.Is(err, fs.ErrNotExist)
		if !taken(err) && !repeated {
			return err
		}
		found, why := s.read(home, of)
		switch {
		case why != nil:
			return why
		case found != nil:
			return os.RemoveAll(dir)
		case repeated:
			return err
		}
	}
}

// taken reports whether a folder could not be renamed because something has that
// name.
func taken(err error) bool {
	return errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.ENOTDIR)
}

// makeFolder makes a folder and those above it, and waits until their names are
// on the disk.
func makeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(path)
	if above != path {
		if err := makeFolder(above); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(path, 0o777); err != nil { // another process may be faster
		return err
	}
	if err := syncFolder(above); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// syncFolder waits until the names in a folder are on the disk. File systems
// that can not do that are left alone.
var syncFolder = func(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
