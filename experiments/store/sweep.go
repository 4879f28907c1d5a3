package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
)

// SweepOptions say how a sweep is run. Results do not depend on them.
type SweepOptions struct {
	Folder     string
	Workers    int
	Shard      Shard         // the zero Shard: all
	Wait       time.Duration // for the folder, if another process works in it
	AnyProgram bool          // take results of other versions of leontief
	Force      bool          // write also over the results of another run
	Progress   func(done, total int)
	Warn       func(text string)
}

// SweepResult says what a run of a sweep did.
type SweepResult struct {
	Scenarios, Run int // of the shard; those that were not there before
	Tables         []string
	Notes          []string // what there is to say of the workloads
}

// Run runs what is missing of the sweep in an output folder and, unless it is a
// shard, writes the tables. It can be ended at any moment: the same run goes on
// where it was. Errors are those of [LockFolder] and [Store.Run].
func (p *Sweep) Run(ctx context.Context, o SweepOptions) (*SweepResult, error) {
	return p.fill(ctx, o, func(s *Store) (Results, int, error) {
		return s.Run(ctx, o.Shard.Of(p), o.Workers, o.Progress)
	})
}

// Merge makes one result of the folders of shards, which need not be all in one
// place: they must be of one plan and one program, and hold every scenario of
// the plan. The output has the same bytes as that of a run on one machine.
// Nothing is written unless everything is there.
func Merge(ctx context.Context, folders []string, o SweepOptions) (*SweepResult, error) {
	plan, err := onePlan(folders)
	if err != nil {
		return nil, err
	}
	parts, err := plan.collect(folders)
	if err != nil {
		return nil, err
	}
	o.Workers = 1
	return plan.fill(ctx, o, func(s *Store) (Results, int, error) { return s.take(ctx, plan, parts, o.Progress) })
}

// onePlan reads the plans of the folders, which must be one, of this program.
func onePlan(folders []string) (*Sweep, error) {
	here, err := ThisProgram()
	if err != nil {
		return nil, err
	}
	var first *planFile
	var problems []error
	for _, folder := range folders {
		f, err := readPlan(folder)
		switch {
		case err != nil:
			problems = append(problems, err)
		case f.Program != here:
			problems = append(problems, fmt.Errorf("%s: was made by another program (%s) than this one (%s); merge with the program that ran the shards", folder, f.Program.short(), here.short()))
		case first == nil:
			first = f
		case f.Hash != first.Hash:
			problems = append(problems, fmt.Errorf("%s: is of another plan (%.12s) than %s (%.12s)", folder, f.Hash, folders[0], first.Hash))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if first == nil {
		return nil, errors.New("no folder to merge")
	}
	return first.Plan, nil
}

// collect reads the result of every scenario from the folders. Where several have
// one, they must be equal.
func (p *Sweep) collect(folders []string) (Results, error) {
	found, missing := Results{}, &MissingError{}
	var parts []*Store
	for _, folder := range folders {
		part, err := OpenStore(folder, nil)
		if err != nil {
			return nil, err
		}
		if err := part.intact(); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	for _, of := range p.Scenarios {
		id := of.ID()
		for _, part := range parts {
			one, err := part.peek(of)
			other := found[id]
			switch {
			case err != nil:
				return nil, err
			case one == nil:
			case other == nil:
				found[id] = one
			case !reflect.DeepEqual(one.Record, other.Record) || !one.Rows.Equal(other.Rows):
				return nil, fmt.Errorf("scenario %s has two results that differ, in %s and %s", id, other.home, one.home)
			}
		}
		if found[id] == nil {
			missing.Scenarios = append(missing.Scenarios, of)
		}
	}
	if len(missing.Scenarios) > 0 {
		return nil, missing
	}
	return found, nil
}

// take writes the results of a plan that are not in the store yet.
func (s *Store) take(ctx context.Context, p *Sweep, parts Results, progress func(done, total int)) (Results, int, error) {
	all, taken := Results{}, 0
	for i, of := range p.Scenarios {
		if ctx.Err() != nil {
			return nil, 0, &StoppedError{i, len(p.Scenarios), context.Cause(ctx)}
		}
		found, err := s.Find(of)
		if err == nil && found == nil {
			part := parts[of.ID()]
			found, err = s.put(of, part.Rows, part.Record.Workload, part.timing())
			taken++
		}
		if err != nil {
			return nil, 0, err
		}
		all[of.ID()] = found
		if progress != nil {
			progress(i+1, len(p.Scenarios))
		}
	}
	return all, taken, s.close()
}

// fill locks an output folder, writes the plan into it, has its store filled, and
// writes the tables of the results unless they are of a shard.
func (p *Sweep) fill(ctx context.Context, o SweepOptions, get func(*Store) (found Results, ran int, err error)) (*SweepResult, error) {
	start, manifest := time.Now(), p.manifest(sources{})
	if !o.Force {
		if err := CheckPlan(o.Folder, manifest); err != nil {
			return nil, err
		}
	}
	lock, err := LockFolder(ctx, o.Folder, o.Wait)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	store, folder, err := p.open(o, lock, manifest)
	if err != nil {
		return nil, err
	}
	found, ran, err := get(store)
	if err != nil {
		return nil, err
	}
	result := &SweepResult{Scenarios: len(o.Shard.Of(p)), Run: ran}
	if o.Shard.Count == 0 {
		from := p.sources(found)
		manifest, result.Notes = p.manifest(from), from.notes()
		if result.Tables, err = p.tables(folder, found); err != nil {
			return nil, err
		}
	}
	if err := folder.WriteJSON(TimingFile, Timing{WallSeconds: time.Since(start).Seconds(), Workers: o.Workers}); err != nil {
		return nil, err
	}
	return result, folder.Close(manifest)
}

// open opens the store of a locked folder and writes the plan.
func (p *Sweep) open(o SweepOptions, lock *FolderLock, m Manifest) (*Store, *Folder, error) {
	store, err := OpenStore(o.Folder, lock)
	if err != nil {
		return nil, nil, err
	}
	if store.AnyProgram = o.AnyProgram; o.Warn != nil {
		store.Tell(o.Warn)
	}
	folder, err := OpenFolder(o.Folder, m)
	if err != nil {
		return nil, nil, err
	}
	plan := planFile{Hash: p.Hash(), Program: store.program, Plan: p}
	if o.Shard.Count > 0 {
		plan.Shard = &o.Shard
	}
	text, err := plan.json()
	if err != nil {
		return nil, nil, err
	}
	p.text = nil // it is as large as all results may be
	return store, folder, folder.Write(PlanFile, text)
}

// manifest describes the sweep and what its results were made from.
func (p *Sweep) manifest(from sources) Manifest {
	spec := struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Scale string `json:"scale"`
		Plan  string `json:"plan_sha256"`
		sources
	}{p.Name, p.Title, p.Scale, p.Hash(), from}
	var workload run.Workload
	if len(from.Workloads) == 1 {
		workload = from.Workloads[0]
	}
	return NewManifest(sweepCommand, p.Seed, spec, workload)
}

// sources are what the results of a sweep were made with and from. The rows that
// were left out of a workload are in the records of the scenarios.
type sources struct {
	Programs  []ProgramID    `json:"programs"`
	Workloads []run.Workload `json:"workloads"`
}

// sources goes through the results in the order of the tables.
func (p *Sweep) sources(found Results) (s sources) {
	for _, block := range p.Blocks {
		for _, id := range block.Scenarios {
			s.add(found[id].Record)
		}
	}
	return s
}

func (s *sources) add(r Record) {
	if !slices.Contains(s.Programs, r.Program) {
		s.Programs = append(s.Programs, r.Program)
	}
	if r.Workload == nil {
		return
	}
	plain := *r.Workload
	plain.LeftOut = nil
	if !slices.ContainsFunc(s.Workloads, func(o run.Workload) bool { return reflect.DeepEqual(o, plain) }) {
		s.Workloads = append(s.Workloads, plain)
	}
}

// notes are those of all workloads, each once.
func (s *sources) notes() (all []string) {
	for _, w := range s.Workloads {
		for _, note := range w.Notes {
			if !slices.Contains(all, note) {
				all = append(all, note)
			}
		}
	}
	return all
}

// tables writes the tables of all blocks and returns their names. Rows that
// name no experiment and no item get the sweep's name and the block's.
func (p *Sweep) tables(folder *Folder, found Results) ([]string, error) {
	var names []string
	for _, block := range p.Blocks {
		rows := &results.Packed{}
		for _, id := range block.Scenarios {
			for r := range found[id].Rows.All() {
				r.Experiment, r.Item = cmp.Or(r.Experiment, p.Name), cmp.Or(r.Item, block.Name)
				rows.Add(r)
			}
		}
		name := block.Name + ".parquet"
		if err := results.WritePacked(folder.Claim(name), rows, results.Meta{"seed": fmt.Sprint(p.Seed), "plan": p.Hash()}); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
