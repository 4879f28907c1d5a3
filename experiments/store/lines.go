package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/leontief-sim/leontief/traces/output"
)

// The part of a store that is lines of journals.

// journalOf returns the journal of a program, which is read once. The lines of ours that
// are damaged are moved aside.
func (s *Store) journalOf(program string) (*journal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.journals[program]; j != nil {
		return j, nil
	}
	j, err := readJournal(program)
	if err == nil && len(j.damaged) > 0 && program == s.ourFolder() && s.keepsJournal() {
		err = s.setLinesAside(j)
	}
	if err != nil {
		return nil, err
	}
	s.journals[program] = j
	return j, nil
}

// keepsJournal reports whether no other process writes in the folder.
func (s *Store) keepsJournal() bool { return s.lock != nil && s.lock.held }

// setLinesAside moves the damaged lines of a journal into a folder of their own.
func (s *Store) setLinesAside(j *journal) error {
	aside, err := s.asideOf(s.program.short())
	if err != nil {
		return err
	}
	if err := output.WriteFile(filepath.Join(aside, journalFile), j.damaged); err != nil {
		return err
	}
	atStep("damage found")
	s.warn(fmt.Sprintf("%s: %d damaged lines were moved to %s, and their results are computed again", j.path, bytes.Count(j.damaged, []byte("\n")), aside))
	return j.write()
}

// intact returns an error if lines of this program's journal are damaged.
func (s *Store) intact() error {
	j, err := s.journalOf(s.ourFolder())
	if err == nil && len(j.damaged) > 0 {
		err = fmt.Errorf("%s: damaged: %d of its lines do not agree with their checksums", j.path, bytes.Count(j.damaged, []byte("\n")))
	}
	return err
}

// close ends the writing: all results are on the disk.
func (s *Store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.journals[s.ourFolder()]
	if j == nil || !s.keepsJournal() {
		return nil
	}
	if err := s.lock.check(); err != nil {
		return err
	}
	delete(s.journals, s.ourFolder()) // it is read again
	return j.close()
}

// writeLine adds the result to the journal.
func (s *Store) writeLine(f *Stored, timing ScenarioTiming) error {
	line, err := lineOf(f)
	if err != nil {
		return err
	}
	took, err := json.Marshal(timed{timing.BusySeconds, timing.WallSeconds, timing.Instances, f.id})
	if err != nil {
		return err
	}
	j, err := s.journalOf(s.ourFolder())
	if err != nil {
		return err
	}
	f.home, f.journal = j.path, j
	if err := s.lock.check(); err != nil {
		return err // nothing is made anew in a folder that somebody has removed
	}
	return j.add(line, append(took, '\n'))
}
