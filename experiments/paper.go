package experiments

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// Paper is a paper whose numbers can be reproduced: what the command
// "reproduce NAME" offers.
type Paper struct {
	Name    string // as on the command line and in ledgers
	Title   string // one line: what is reproduced
	Long    string // of the command's help
	Example string
	Items   []string // tables and figures, in the paper's order
	Scales  []string // sizes, the default first
	// Options are what else can be chosen, each a flag of its name: one whose
	// default is no, and that can be yes, a flag without a value.
	Options []Parameter
	// Plan checks a request and says what is to be run for it.
	Plan func(Request) (*Reproduction, error)
}

// Request is what is asked of a paper.
type Request struct {
	Items     []string
	Scale     string
	Seed      uint64
	Instances int               // of every scenario; 0: as the scale says
	Options   map[string]string // by name, canonical; those with a default are there
}

// Wants reports whether one of the items is asked for.
func (r *Request) Wants(items ...string) bool {
	return slices.ContainsFunc(items, func(i string) bool { return slices.Contains(r.Items, i) })
}

// Reproduction is the plan of a request: a set of scenarios, and what is made
// of their rows. The functions depend on the rows alone, so that a ledger and
// its figures can be made again from stored results.
type Reproduction struct {
	Scenarios []Scenario
	// Workload is where the jobs come from, for the manifest, and Labels are
	// those of all workloads of the items.
	Workload Workload
	Labels   []string
	// Entries are the ledger's, in the paper's order.
	Entries func(Rows) ([]Entry, error)
	// Tables are the result tables by item. May be nil.
	Tables func(Rows) (map[string][]plots.Row, error)
	// Draw makes the figures of an item from its table. May be nil.
	Draw func(item string, rows []plots.Row) ([]plots.Figure, error)
	// Notes are sentences to be printed below the ledger: jobs that were
	// refused, say. May be nil.
	Notes func(Rows) []string
}

// Rows are the rows of scenarios that have been run, by [Scenario.ID].
type Rows map[string][]plots.Row

// Of returns the rows of scenarios, in the order of the scenarios. It panics if
// one has not been run.
func (r Rows) Of(scenarios ...Scenario) []plots.Row {
	var all []plots.Row
	for _, s := range scenarios {
		rows, ok := r[s.ID()]
		if !ok {
			panic(fmt.Sprintf("experiments: %s %s was not run", s.Kind, s.text()))
		}
		all = append(all, rows...)
	}
	return all
}

var papers = map[string]Paper{}

// RegisterPaper makes a paper known by its name. It panics if the name is
// taken, or if there are no items, no scales or no Plan: all are programming
// errors.
func RegisterPaper(p Paper) {
	if p.Name == "" || p.Title == "" || len(p.Items) == 0 || len(p.Scales) == 0 || p.Plan == nil {
		panic(fmt.Sprintf("experiments: unusable paper %q", p.Name))
	}
	if _, dup := papers[p.Name]; dup {
		panic(fmt.Sprintf("experiments: paper %q is registered twice", p.Name))
	}
	papers[p.Name] = p
}

// Papers returns what is registered, by name.
func Papers() []Paper {
	return slices.SortedFunc(maps.Values(papers), func(a, b Paper) int { return strings.Compare(a.Name, b.Name) })
}

// Check returns what is wrong with a request, or nil, and completes it: all
// items where none is named, the first scale, the options' defaults.
func (p *Paper) Check(r *Request) error {
	if len(r.Items) == 0 {
		r.Items = p.Items
	}
	for _, item := range r.Items {
		if err := spelling.Check("item", item, p.Items); err != nil {
			return fmt.Errorf("--item: %w", err)
		}
	}
	if r.Scale == "" {
		r.Scale = p.Scales[0]
	}
	if err := spelling.Check("scale", r.Scale, p.Scales); err != nil {
		return fmt.Errorf("--scale: %w", err)
	}
	if r.Instances < 0 || r.Instances > MaxInstances {
		return fmt.Errorf("%d instances: 1 to %d can be run, or 0 for those of the scale", r.Instances, MaxInstances)
	}
	options := map[string]string{}
	for _, o := range p.Options {
		text, given := r.Options[o.Name]
		if !given {
			text = o.Default
		}
		canonical, err := o.Canonical(text)
		if err != nil {
			return fmt.Errorf("--%s: %w", o.Name, err)
		}
		options[o.Name] = canonical
	}
	r.Options = options
	return nil
}

// Runner runs scenarios and returns their rows.
type Runner func(ctx context.Context, scenarios []Scenario) (Rows, error)

// InMemory runs scenarios and keeps nothing. progress may be nil.
func InMemory(workers int, progress func(done, total int)) Runner {
	return func(ctx context.Context, scenarios []Scenario) (Rows, error) {
		all, err := RunScenarios(ctx, scenarios, workers, progress)
		if err != nil {
			return nil, err
		}
		rows := Rows{}
		for i, s := range scenarios {
			rows[s.ID()] = all[i]
		}
		return rows, nil
	}
}

// Findings are what a reproduction found.
type Findings struct {
	Ledger Ledger
	Tables map[string][]plots.Row // by item
	Labels []string
	Notes  []string

	plan     *Reproduction
	manifest Manifest
	seed     uint64
}

// command is the command that reproduces the paper.
func (p *Paper) command() string { return reproduceCommand + p.Name }

// Manifest is what is known of a request's manifest before it is planned.
func (p *Paper) Manifest(r Request) Manifest {
	return NewManifest(p.command(), r.Seed, nil, Workload{})
}

// Reproduce runs a request, which must pass [Paper.Check].
func (p *Paper) Reproduce(ctx context.Context, r Request, run Runner) (*Findings, error) {
	plan, err := p.Plan(r)
	if err != nil {
		return nil, err
	}
	rows, err := run(ctx, plan.Scenarios)
	if err != nil {
		return nil, err
	}
	entries, err := plan.Entries(rows)
	if err != nil {
		return nil, err
	}
	out := &Findings{
		Ledger: NewLedger(entries), Labels: plan.Labels, plan: plan, seed: r.Seed,
		manifest: NewManifest(p.command(), r.Seed, specOf(r, plan.Scenarios), plan.Workload),
	}
	if plan.Tables != nil {
		if out.Tables, err = plan.Tables(rows); err != nil {
			return nil, err
		}
	}
	if plan.Notes != nil {
		out.Notes = plan.Notes(rows)
	}
	out.Notes = append(out.Notes, plan.Workload.Notes...)
	return out, nil
}

// specOf is the description of a request in the manifest.
func specOf(r Request, scenarios []Scenario) any {
	return struct {
		Items     []string          `json:"items"`
		Scale     string            `json:"scale"`
		Options   map[string]string `json:"options"`
		Scenarios []Scenario        `json:"scenarios"`
	}{r.Items, r.Scale, r.Options, scenarios}
}

// Write writes the output folder: a table an item, the figures that are made
// from them, the ledger and the manifest. All but [TimingFile] has the same
// bytes for the same request.
func (out *Findings) Write(path string, timing Timing) error {
	folder, err := OpenFolder(path, out.manifest)
	if err != nil {
		return err
	}
	for _, item := range slices.Sorted(maps.Keys(out.Tables)) {
		if err := out.writeItem(folder, item); err != nil {
			return err
		}
	}
	ledger, err := out.Ledger.JSON()
	if err != nil {
		return err
	}
	if err := folder.Write(LedgerFile, ledger); err != nil {
		return err
	}
	if err := folder.WriteJSON(TimingFile, timing); err != nil {
		return err
	}
	return folder.Close(out.manifest)
}

// writeItem writes the table of an item and draws its figures from the file.
func (out *Findings) writeItem(folder *Folder, item string) error {
	path := folder.Claim(item + ".parquet")
	if err := plots.WriteTable(path, out.Tables[item], plots.Meta{"seed": fmt.Sprint(out.seed)}); err != nil {
		return err
	}
	if out.plan.Draw == nil {
		return nil
	}
	rows, err := plots.ReadTable(path)
	if err != nil {
		return err
	}
	figures, err := out.plan.Draw(item, rows)
	if err != nil {
		return err
	}
	for _, figure := range figures {
		for _, format := range plots.Formats {
			data, err := figure.Encode(format)
			if err != nil {
				return err
			}
			if err := folder.Write(figure.Name+"."+format, data); err != nil {
				return err
			}
		}
	}
	return nil
}
