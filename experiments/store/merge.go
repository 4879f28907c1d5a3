package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/leontief-sim/leontief/experiments/spec"
)

// Merge makes one result of the folders of shards, which need not be all in one
// place: they must be of one plan and one program, and hold every scenario of
// the plan. The output has the same bytes as that of a run on one machine.
// Nothing is written unless everything is there.
func Merge(ctx context.Context, folders []string, o SweepOptions) (*SweepResult, error) {
	start := time.Now()
	plan, parts, err := openParts(folders)
	if err != nil {
		return nil, err
	}
	sources, err := plan.collect(parts)
	if err != nil {
		return nil, err
	}
	if err := plan.check(o); err != nil {
		return nil, err
	}
	lock, err := LockFolder(ctx, o.Folder, o.Wait)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	out, err := plan.open(o, lock)
	if err != nil {
		return nil, err
	}
	result := &SweepResult{Scenarios: len(plan.Scenarios)}
	for i, of := range plan.Scenarios {
		if ctx.Err() != nil {
			return nil, &StoppedError{i, len(plan.Scenarios), context.Cause(ctx)}
		}
		taken, err := out.store.take(sources[i], of)
		if err != nil {
			return nil, err
		}
		if taken {
			result.Run++
		}
		if o.Progress != nil {
			o.Progress(i+1, len(plan.Scenarios))
		}
	}
	if result.Tables, err = out.tables(); err != nil {
		return nil, err
	}
	result.Notes = out.notes
	return result, out.close(Timing{WallSeconds: time.Since(start).Seconds(), Workers: 1})
}

// openParts reads the plans of the folders, which must be one.
func openParts(folders []string) (*Sweep, []*Store, error) {
	here, err := ThisProgram()
	if err != nil {
		return nil, nil, err
	}
	var first *planFile
	var parts []*Store
	var problems []error
	for _, folder := range folders {
		f, err := readPlan(folder)
		switch {
		case err != nil:
			problems = append(problems, err)
			continue
		case f.Program != here:
			problems = append(problems, fmt.Errorf("%s: was made by another program (%s) than this one (%s); merge with the program that ran the shards", folder, f.Program.short(), here.short()))
		case first == nil:
			first = f
		case f.Hash != first.Hash:
			problems = append(problems, fmt.Errorf("%s: is of another plan (%.12s) than %s (%.12s)", folder, f.Hash, folders[0], first.Hash))
		}
		parts = append(parts, &Store{root: filepath.Join(folder, scenariosDir), program: here, readOnly: true})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, nil, err
	}
	if first == nil {
		return nil, nil, errors.New("no folder to merge")
	}
	return first.Plan, parts, nil
}

// collect finds the result of every scenario in the parts. Where several have
// one, they must be equal.
func (p *Sweep) collect(parts []*Store) ([]*Stored, error) {
	sources := make([]*Stored, len(p.Scenarios))
	missing := &MissingError{}
	for i, of := range p.Scenarios {
		for _, part := range parts {
			found, err := part.Find(of)
			switch {
			case err != nil:
				return nil, err
			case found == nil:
			case sources[i] == nil:
				found.rows = nil // are read again when they are copied
				sources[i] = found
			case found.Record.SHA256 != sources[i].Record.SHA256:
				return nil, fmt.Errorf("scenario %s has two results that differ, in %s and %s", of.ID(), sources[i].path, found.path)
			}
		}
		if sources[i] == nil {
			missing.Scenarios = append(missing.Scenarios, of)
		}
	}
	if len(missing.Scenarios) > 0 {
		return nil, missing
	}
	return sources, nil
}

// take copies a result from another store, unless it is there already.
func (s *Store) take(from *Stored, of spec.Scenario) (bool, error) {
	if found, err := s.Find(of); err != nil || found != nil {
		return false, err
	}
	return true, s.place(of.ID(), func(dir string) error {
		for _, name := range []string{rowsFile, ManifestFile, TimingFile} {
			data, err := readRegular(filepath.Join(from.path, name))
			if errors.Is(err, os.ErrNotExist) && name == TimingFile {
				continue
			}
			if err != nil {
				return err
			}
			if err := WriteFile(filepath.Join(dir, name), data); err != nil {
				return err
			}
		}
		_, err := readStored(dir, of) // what was copied is what was checked
		return err
	}, of)
}
