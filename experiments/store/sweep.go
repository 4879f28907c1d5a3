package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces/input"
)

// PlanFile is the file of an output folder that holds the plan of a sweep.
const PlanFile = "plan.json"

// Sweep is the plan of a sweep: what a spec expands to. Shards of one plan, run
// anywhere, make one result.
type Sweep struct {
	Schema    int             `json:"schema"`
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Scale     string          `json:"scale"`
	Seed      uint64          `json:"seed"`
	Blocks    []SweepBlock    `json:"blocks"`
	Scenarios []spec.Scenario `json:"scenarios"` // each once, where it comes first
}

// SweepBlock is a table of a sweep and the scenarios that it is made of, by
// [spec.Scenario.ID].
type SweepBlock struct {
	Name      string   `json:"name"`
	Scenarios []string `json:"scenarios"`
}

const sweepSchema = 1

// What the name of a sweep and that of a block may hold beside letters and digits:
// they become names of a folder and of a file with an ending.
const (
	sweepName = "._+-"
	tableName = "_+-"
)

// unnamedTable is the table of the blocks without a name.
const unnamedTable = "results"

// NewSweep expands a spec. Blocks of one name make one table.
func NewSweep(s *spec.Spec) (*Sweep, error) {
	scenarios, err := s.Scenarios()
	if err != nil {
		return nil, err
	}
	p := &Sweep{Schema: sweepSchema, Name: s.Name, Title: s.Title, Scale: s.Scale, Seed: s.Seed, Scenarios: scenarios}
	if p.Name == "" {
		p.Name = "sweep"
	}
	var problems []error
	if err := checkName(p.Name, sweepName); err != nil {
		problems = append(problems, fmt.Errorf("%sname: %w", s.File.Before(" "), err))
	}
	seen := map[[2]string]bool{} // tables and scenarios
	spelt := map[string]string{} // the names of tables, by their lower case
	for i := range s.Blocks {
		if err := checkBlockName(s.Blocks[i].Name, spelt); err != nil {
			problems = append(problems, fmt.Errorf("%s%v: blocks[%d].name: %w", s.File.Before(""), s.Blocks[i].At, i, err))
		}
		p.add(s, i, seen)
	}
	return p, errors.Join(problems...)
}

// checkBlockName checks the name of a block's table. Names that differ in case alone
// are one file on some systems.
func checkBlockName(name string, spelt map[string]string) error {
	if name == "" {
		return nil
	}
	if err := checkName(name, tableName); err != nil {
		return err
	}
	lower := strings.ToLower(name)
	if other, taken := spelt[lower]; taken && other != name {
		return fmt.Errorf("%q differs from the name %q in case alone", name, other)
	}
	spelt[lower] = name
	return nil
}

// add adds the scenarios of a block to its table.
func (p *Sweep) add(s *spec.Spec, i int, seen map[[2]string]bool) {
	name := s.Blocks[i].Name
	if name == "" {
		name = unnamedTable
	}
	k := slices.IndexFunc(p.Blocks, func(b SweepBlock) bool { return b.Name == name })
	if k < 0 {
		k = len(p.Blocks)
		p.Blocks = append(p.Blocks, SweepBlock{Name: name})
	}
	of, err := s.Expand(i)
	if err != nil {
		panic(err) // Scenarios has reported it
	}
	for _, one := range of {
		if id := one.ID(); !seen[[2]string{name, id}] {
			seen[[2]string{name, id}] = true
			p.Blocks[k].Scenarios = append(p.Blocks[k].Scenarios, id)
		}
	}
}

// Hash is the SHA-256 of the plan.
func (p *Sweep) Hash() string {
	data, err := results.IndentedJSON(p)
	if err != nil {
		panic(err)
	}
	return spec.Digest(data)
}

// Shard is one of Count parts of a plan, from 1; the zero Shard is the whole.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// ParseShard reads "I/N", 1 ≤ I ≤ N.
func ParseShard(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(count)
	if !ok || errI != nil || errN != nil || i < 1 || i > n {
		return Shard{}, fmt.Errorf("%q is not I/N with 1 ≤ I ≤ N, such as 2/8", text)
	}
	return Shard{i, n}, nil
}

// Of returns the scenarios of the shard: every Count-th, so that neighbours,
// which cost about the same, go to different shards.
func (s Shard) Of(p *Sweep) []spec.Scenario {
	if s.Count == 0 {
		return p.Scenarios
	}
	var mine []spec.Scenario
	for i := s.Index - 1; i < len(p.Scenarios); i += s.Count {
		mine = append(mine, p.Scenarios[i])
	}
	return mine
}

// planFile is the form of [PlanFile].
type planFile struct {
	Hash    string    `json:"hash"`
	Program ProgramID `json:"program"`
	Shard   *Shard    `json:"shard"` // nil for the whole
	Plan    *Sweep    `json:"plan"`
}

// readPlan reads the plan of an output folder.
func readPlan(folder string) (*planFile, error) {
	path := filepath.Join(folder, PlanFile)
	// That a shard is not finished is said with the scenarios that it lacks.
	if err := sealed.CheckFile(path); err != nil && !errors.Is(err, sealed.ErrUnfinished) {
		return nil, err
	}
	data, err := input.ReadText(path)
	if err != nil {
		return nil, err
	}
	var f planFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Plan == nil || f.Plan.Schema != sweepSchema || f.Plan.Hash() != f.Hash {
		return nil, fmt.Errorf("%s: damaged, or of another version of leontief", path)
	}
	return &f, nil
}

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
	start := time.Now()
	if err := p.check(o); err != nil {
		return nil, err
	}
	lock, err := LockFolder(ctx, o.Folder, o.Wait)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	out, err := p.open(o, lock)
	if err != nil {
		return nil, err
	}
	mine := o.Shard.Of(p)
	missing, err := out.store.Missing(mine)
	if err != nil {
		return nil, err
	}
	if err := out.store.Run(ctx, mine, o.Workers, o.Progress); err != nil {
		return nil, err
	}
	result := &SweepResult{Scenarios: len(mine), Run: len(missing)}
	if o.Shard.Count == 0 {
		if result.Tables, err = out.tables(); err != nil {
			return nil, err
		}
		result.Notes = out.notes
	}
	return result, out.close(Timing{WallSeconds: time.Since(start).Seconds(), Workers: o.Workers})
}

// check refuses to write over the results of another run.
func (p *Sweep) check(o SweepOptions) error {
	if o.Force {
		return nil
	}
	return CheckPlan(o.Folder, p.manifest())
}

func (p *Sweep) manifest() Manifest {
	return NewManifest(sweepCommand, p.Seed, p.spec(sources{}), run.Workload{})
}

// sweepFolder is the output folder of a sweep.
type sweepFolder struct {
	*Sweep
	folder   *Folder
	store    *Store
	manifest Manifest
	notes    []string // what there is to say of the workloads, once there are tables
}

// open opens the folder, which is locked, and writes the plan.
func (p *Sweep) open(o SweepOptions, lock *FolderLock) (*sweepFolder, error) {
	store, err := OpenStore(o.Folder, lock)
	if err != nil {
		return nil, err
	}
	store.AnyProgram = o.AnyProgram
	if o.Warn != nil {
		store.Damaged = func(path string, why error) {
			o.Warn(fmt.Sprintf("a damaged result was moved to %s and is computed again: %v", path, why))
		}
		if n := store.Others(); n > 0 && !o.AnyProgram {
			o.Warn(fmt.Sprintf("%d results of other versions of leontief stay in the folder and are not used (leontief sweep --prune removes them)", n))
		}
	}
	out := &sweepFolder{Sweep: p, store: store, manifest: p.manifest()}
	if out.folder, err = OpenFolder(o.Folder, out.manifest); err != nil {
		return nil, err
	}
	plan := planFile{Hash: p.Hash(), Program: store.program, Plan: p}
	if o.Shard.Count > 0 {
		plan.Shard = &o.Shard
	}
	return out, out.folder.WriteJSON(PlanFile, plan)
}

// spec is the description of the sweep in the manifest.
func (p *Sweep) spec(from sources) any {
	return struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Scale string `json:"scale"`
		Plan  string `json:"plan_sha256"`
		sources
	}{p.Name, p.Title, p.Scale, p.Hash(), from}
}

// sources are what the results of a sweep were made with and from. The rows that
// were left out of a workload are in the manifests of the scenarios.
type sources struct {
	Programs  []ProgramID    `json:"programs"`
	Workloads []run.Workload `json:"workloads"`
}

func (s *sources) add(r *Record) {
	if !slices.Contains(s.Programs, r.Program) {
		s.Programs = append(s.Programs, r.Program)
	}
	if r.Workload == nil {
		return
	}
	plain := *r.Workload
	plain.LeftOut = nil
	if !slices.ContainsFunc(s.Workloads, func(o run.Workload) bool {
		return o.Label == plain.Label && o.Source == plain.Source && o.Options == plain.Options && o.Checksum == plain.Checksum &&
			o.Marked == plain.Marked && slices.Equal(o.Notes, plain.Notes)
	}) {
		s.Workloads = append(s.Workloads, plain)
	}
}

// notes are those of all workloads, each once.
func (s *sources) notes() []string {
	var all []string
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
func (out *sweepFolder) tables() ([]string, error) {
	byID := map[string]spec.Scenario{}
	for _, s := range out.Scenarios {
		byID[s.ID()] = s
	}
	var names []string
	var from sources
	for _, block := range out.Blocks {
		var scenarios []spec.Scenario
		for _, id := range block.Scenarios {
			scenarios = append(scenarios, byID[id])
		}
		rows, err := out.rows(block.Name, scenarios, &from)
		if err != nil {
			return nil, err
		}
		name := block.Name + ".parquet"
		if err := results.WriteTable(out.folder.Claim(name), rows, results.Meta{"seed": fmt.Sprint(out.Seed), "plan": out.Hash()}); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	out.manifest.Spec = out.spec(from)
	out.notes = from.notes()
	if len(from.Workloads) == 1 {
		out.manifest.Workload = from.Workloads[0]
	}
	return names, nil
}

// rows reads the rows of a block.
func (out *sweepFolder) rows(item string, scenarios []spec.Scenario, from *sources) ([]results.Row, error) {
	parts := make([][]results.Row, len(scenarios))
	for i, of := range scenarios {
		found, err := out.store.need(of)
		if err != nil {
			return nil, err
		}
		parts[i] = found.rows
		from.add(&found.Record)
	}
	tellApart(scenarios, parts)
	rows := slices.Concat(parts...)
	for i := range rows {
		if rows[i].Experiment == "" {
			rows[i].Experiment = out.Name
		}
		if rows[i].Item == "" {
			rows[i].Item = item
		}
	}
	return rows, nil
}

// need reads the result of a scenario that must be there.
func (s *Store) need(of spec.Scenario) (*Stored, error) {
	found, err := s.Find(of)
	if err == nil && found == nil {
		err = &MissingError{[]spec.Scenario{of}}
	}
	return found, err
}

func (out *sweepFolder) close(timing Timing) error {
	if err := out.folder.WriteJSON(TimingFile, timing); err != nil {
		return err
	}
	_ = os.Remove(out.store.unfinished()) // it is empty, unless others are at work
	return out.folder.Close(out.manifest)
}
