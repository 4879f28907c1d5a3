package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces/input"
)

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

	hash string // see Hash
	text []byte // see json
}

// SweepBlock is a table of a sweep and the scenarios that it is made of, by
// [spec.Scenario.ID].
type SweepBlock struct {
	Name      string   `json:"name"`
	Scenarios []string `json:"scenarios"`
}

const sweepSchema = 2

// unnamedTable is the table of the blocks without a name.
const unnamedTable = "results"

// NewSweep expands a spec. Blocks of one name make one table.
func NewSweep(s *spec.Spec) (*Sweep, error) {
	var problems []error
	spelt := map[string]string{} // the names of tables, by their lower case
	named := *s
	named.Blocks = slices.Clone(s.Blocks)
	for i := range named.Blocks {
		b := &named.Blocks[i]
		b.Name = cmp.Or(b.Name, unnamedTable)
		if err := checkBlockName(b.Name, spelt); err != nil {
			problems = append(problems, fmt.Errorf("%s%v: blocks[%d].name: %w", s.File.Before(""), b.At, i, err))
		}
	}
	scenarios, of, err := named.Of(func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	p := &Sweep{Schema: sweepSchema, Name: cmp.Or(s.Name, "sweep"), Title: s.Title, Scale: s.Scale, Seed: s.Seed, Scenarios: scenarios}
	if err := checkName(p.Name, "._+-"); err != nil {
		problems = slices.Insert(problems, 0, fmt.Errorf("%sname: %w", s.File.Before(" "), err))
	}
	for _, b := range named.Blocks {
		if of[b.Name] != nil {
			p.Blocks = append(p.Blocks, SweepBlock{b.Name, idsOf(of[b.Name])})
		}
		delete(of, b.Name) // one table, where its first block is
	}
	return p, errors.Join(problems...)
}

// idsOf returns the ids of scenarios, each once.
func idsOf(scenarios []spec.Scenario) (ids []string) {
	seen := map[string]bool{}
	for _, s := range scenarios {
		if id := s.ID(); !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// checkBlockName checks the name of a block's table. Names that differ in case alone
// are one file on some systems.
func checkBlockName(name string, spelt map[string]string) error {
	if err := checkName(name, "_+-"); err != nil {
		return err
	}
	lower := strings.ToLower(name)
	if other, taken := spelt[lower]; taken && other != name {
		return fmt.Errorf("%q differs from the name %q in case alone", name, other)
	}
	spelt[lower] = name
	return nil
}

// device matches the names that Windows keeps for devices, whatever follows a dot.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// checkName returns what is wrong with a name of a spec that becomes the name of a
// file or a folder, or nil: it must be one on every system, and be no flag where
// it is an argument. It is made of letters, digits and the given other characters,
// and begins with a letter or a digit.
func checkName(name, others string) error {
	const (
		plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
		most  = 100 // with an ending and the random part of a temporary file it stays below the 255 bytes that file systems take
	)
	switch {
	case name == "" || !strings.Contains(plain, name[:1]):
		return fmt.Errorf("%q does not begin with a letter or a digit (it becomes a name of files)", name)
	case strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(plain+others, r) }):
		return fmt.Errorf("%q is not made of letters, digits and %s alone (it becomes a name of files)", name, strings.Join(strings.Split(others, ""), " "))
	case len(name) > most:
		return fmt.Errorf("%d characters, more than %d (it becomes a name of files)", len(name), most)
	case device.MatchString(name) || strings.HasSuffix(name, "."):
		return fmt.Errorf("%q is no name of a file on Windows", name)
	}
	return nil
}

// Hash is the SHA-256 of the plan, which does not change after it was asked for first.
func (p *Sweep) Hash() string {
	if p.hash == "" {
		p.hash = spec.Digest(p.json())
	}
	return p.hash
}

// json is the plan as [results.IndentedJSON] writes it, which is done once.
func (p *Sweep) json() []byte {
	if p.text == nil {
		head := *p
		head.Scenarios = nil
		data, err := results.IndentedJSON(head)
		if err != nil {
			panic(err)
		}
		p.text = data
		if len(p.Scenarios) > 0 {
			p.text = appendScenarios(bytes.TrimSuffix(data, []byte(noLastEntry)), p.Scenarios)
		}
	}
	return p.text
}

// noLastEntry is the end of an object of JSON without its last entry.
const noLastEntry = "null\n}\n"

// appendScenarios writes the last entry of a plan.
func appendScenarios(text []byte, all []spec.Scenario) []byte {
	text = append(text, '[')
	for i, s := range all {
		if i > 0 {
			text = append(text, ',')
		}
		before := len(text)
		text = s.AppendIndented(append(text, "\n    "...), "    ")
		if i == 0 {
			text = slices.Grow(text, (len(text)-before)*len(all)) // others are about as long
		}
	}
	return append(text, "\n  ]\n}\n"...)
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

// PlanFile is the file of an output folder that holds the plan of a sweep.
const PlanFile = "plan.json"

// planFile is the form of [PlanFile].
type planFile struct {
	Hash    string    `json:"hash"`
	Program ProgramID `json:"program"`
	Shard   *Shard    `json:"shard"` // nil for the whole
	Plan    *Sweep    `json:"plan"`  // the last entry
}

// json is [results.IndentedJSON] of the file, in which the text of the plan is written
// once more, one level deeper.
func (f planFile) json() ([]byte, error) {
	plan := f.Plan
	f.Plan = nil
	data, err := results.IndentedJSON(f)
	if err != nil {
		return nil, err
	}
	deeper := bytes.ReplaceAll(bytes.TrimSuffix(plan.json(), []byte("\n")), []byte("\n"), []byte("\n  "))
	return slices.Concat(bytes.TrimSuffix(data, []byte(noLastEntry)), deeper, []byte("\n}\n")), nil
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
