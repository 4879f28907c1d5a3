package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/leontief-sim/leontief/traces/output"
)

// Pruned counts the results of an output folder by what becomes of them.
type Pruned struct {
	Others    int // of other programs: removed
	Unplanned int // of this program, and of no scenario of the plan: removed
	Kept      int // of this program, and of the plan
	// Strange counts what has the name of a result and holds something else. It
	// is left alone.
	Strange int
}

// Prune removes the stored results that a folder has beside those of the sweep by
// this program, and nothing else: results of other programs, and of
// scenarios that are not in the plan, whoever ran them. What is half-written is
// removed too. If remove is false nothing is changed, and the counts say what would be.
//
// Errors are those of [LockFolder]; a folder that is not there, and one on a file
// system without locks, where another process may be at work, are errors as well.
// It can be ended at any moment: a result is there as a whole or not at all.
func (p *Sweep) Prune(ctx context.Context, folder string, wait time.Duration, remove bool) (*Pruned, error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, err
	}
	if err := CheckFolder(folder); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(folder, scenariosDir)); errors.Is(err, fs.ErrNotExist) {
		return &Pruned{}, nil
	}
	var lock *FolderLock
	if remove {
		var err error
		if lock, err = LockFolder(ctx, folder, wait); err != nil {
			return nil, err
		}
		defer lock.Close()
		if !lock.held {
			return nil, fmt.Errorf("%s: its file system knows no locks, so that another process may be at work there: nothing was removed", folder)
		}
	}
	store, err := OpenStore(folder, lock)
	if err != nil {
		return nil, err
	}
	return store.prune(ctx, p, remove)
}

// prune goes through the results in order of name.
func (s *Store) prune(ctx context.Context, p *Sweep, remove bool) (*Pruned, error) {
	planned := map[string]bool{}
	for _, of := range p.Scenarios {
		planned[of.ID()] = true
	}
	counts := &Pruned{}
	for _, home := range s.homes(anyScenario) {
		if ctx.Err() != nil {
			return counts, context.Cause(ctx)
		}
		result, err := onlyResult(home)
		switch {
		case err != nil:
			return counts, err
		case !result:
			counts.Strange++
			continue
		case !s.ours(home):
			counts.Others++
		case planned[filepath.Base(home)]:
			counts.Kept++
			continue
		default:
			counts.Unplanned++
		}
		if remove {
			if err := s.remove(home); err != nil {
				return counts, err
			}
		}
	}
	return counts, s.pruneJournals(planned, counts, remove)
}

// pruneJournals goes through the results that are lines.
func (s *Store) pruneJournals(planned map[string]bool, counts *Pruned, remove bool) error {
	for _, path := range s.matching(anyProgram + "/" + journalFile) {
		program := filepath.Dir(path)
		if info, err := os.Lstat(program); err != nil || !info.IsDir() {
			counts.Strange++ // a link to elsewhere, say
			continue
		}
		j, err := readJournal(program)
		if err != nil {
			return err
		}
		if !s.ours(path) {
			counts.Others += len(j.lines)
			if remove {
				err = s.removeJournal(j)
			}
		} else if unplanned := j.without(planned); unplanned > 0 {
			counts.Unplanned += unplanned
			if remove {
				err = j.write()
			}
		}
		if err != nil {
			return err
		}
		if s.ours(path) {
			counts.Kept += len(j.lines)
		}
	}
	return nil
}

// without takes the lines of scenarios that are not planned away, and returns how many.
func (j *journal) without(planned map[string]bool) (n int) {
	for _, id := range j.ids() {
		if !planned[id] {
			delete(j.lines, id)
			n++
		}
	}
	return n
}

// removeJournal removes the results of another program, and its folder if that is empty
// now.
func (s *Store) removeJournal(j *journal) error {
	if err := s.lock.check(); err != nil {
		return err
	}
	program := filepath.Dir(j.path)
	if err := os.Remove(j.path); err != nil {
		return err
	}
	atStep("table removed")
	if err := os.Remove(filepath.Join(program, TimingFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(program) // it holds more, as a rule
	return nil
}

// onlyResult reports whether a folder holds the files of a result, or some of
// them, and nothing else.
func onlyResult(home string) (bool, error) {
	for _, path := range []string{filepath.Dir(home), home} {
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			return false, err // a link to elsewhere, say
		}
	}
	files, err := os.ReadDir(home)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(files, func(f fs.DirEntry) bool {
		known := slices.Contains([]string{rowsFile, TimingFile, ManifestFile}, f.Name()) // earlier versions wrote a manifest
		return !f.Type().IsRegular() || !known && !output.Temporary(f.Name())
	}), nil
}

// remove removes a result, the table first, without which it is none, and the folder of
// its program if that is empty now.
func (s *Store) remove(home string) error {
	if err := s.lock.check(); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(home, rowsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	atStep("table removed")
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(home)) // it holds more, as a rule
	return nil
}
