package papers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
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
	// Shows are the items whose tables and figures can show other rules than the paper's
	// beside them ([Request.Rules]); they are never judged.
	Shows []string
	// Options are what else can be chosen, each a flag of its name: one whose
	// default is no, and that can be yes, a flag without a value.
	Options []spec.Parameter
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
	Rules     []string          // to be shown beside the paper's: see [Paper.Shows]
}

// Wants reports whether one of the items is asked for.
func (r *Request) Wants(items ...string) bool {
	return slices.ContainsFunc(items, func(i string) bool { return slices.Contains(r.Items, i) })
}

// Beside adds the further rules of the request to those of the blocks of a spec that have
// an axis of rules.
func (r *Request) Beside(s *spec.Spec, blocks ...string) {
	for i := range s.Blocks {
		if !slices.Contains(blocks, s.Blocks[i].Name) {
			continue
		}
		for k, axis := range s.Blocks[i].Axes {
			if axis.Name == plots.Policy {
				s.Blocks[i].Axes[k].Values = slices.Concat(axis.Values, r.Rules)
			}
		}
	}
}

// Reproduction is the plan of a request: a set of scenarios, and what is made
// of their rows. The functions depend on the rows alone, so that a ledger and
// its figures can be made again from stored results.
type Reproduction struct {
	Scenarios []spec.Scenario
	// Workload is where the jobs come from, for the manifest, and Labels are
	// those of all workloads of the items.
	Workload run.Workload
	Labels   []string
	// Entries are the ledger's, in the paper's order.
	Entries func(run.Rows) ([]ledger.Entry, error)
	// Tables are the result tables by item. May be nil.
	Tables func(run.Rows) (Tables, error)
	// Notes are sentences to be printed below the ledger: jobs that were
	// refused, say. May be nil.
	Notes func(run.Rows) []string
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
	if r.Instances < 0 || r.Instances > spec.MaxInstances {
		return fmt.Errorf("%d instances: 1 to %d can be run, or 0 for those of the scale", r.Instances, spec.MaxInstances)
	}
	if len(r.Rules) > 0 && !r.Wants(p.Shows...) {
		return fmt.Errorf("--rule: other rules than the paper's are shown in %s alone", strings.Join(p.Shows, ", "))
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
		options[o.Name] = canonical.String()
	}
	r.Options = options
	return nil
}

// Findings are what a reproduction found.
type Findings struct {
	Ledger ledger.Ledger
	Tables Tables
	Labels []string
	Notes  []string

	paper    string
	manifest store.Manifest
	seed     uint64
}

// command is the command that reproduces the paper.
func (p *Paper) command() string { return store.ReproduceCommand + p.Name }

// Manifest is what is known of a request's manifest before it is planned.
func (p *Paper) Manifest(r Request) store.Manifest {
	return store.NewManifest(p.command(), r.Seed, nil, run.Workload{})
}

// Reproduce runs a request, which must pass [Paper.Check].
func (p *Paper) Reproduce(ctx context.Context, r Request, run run.Runner) (*Findings, error) {
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
		Ledger: ledger.NewLedger(entries), Labels: plan.Labels, paper: p.Name, seed: r.Seed,
		manifest: store.NewManifest(p.command(), r.Seed, specOf(r, plan.Scenarios), plan.Workload),
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
	if len(r.Rules) > 0 {
		shown := slices.DeleteFunc(slices.Clone(p.Shows), func(item string) bool { return !r.Wants(item) })
		out.Notes = append(out.Notes, fmt.Sprintf("Beside the paper's rules in %s, and not judged: %s.", strings.Join(shown, ", "), strings.Join(r.Rules, ", ")))
	}
	return out, nil
}

// specOf is the description of a request in the manifest.
func specOf(r Request, scenarios []spec.Scenario) any {
	return struct {
		Items     []string          `json:"items"`
		Scale     string            `json:"scale"`
		Options   map[string]string `json:"options"`
		Scenarios []spec.Scenario   `json:"scenarios"`
	}{r.Items, r.Scale, r.Options, scenarios}
}

// Write writes the output folder: a table an item, the registered figures made of
// them, the ledger and the manifest. All but [store.TimingFile] has the same
// bytes for the same request. The tables are let go of one by one, as they are written.
func (out *Findings) Write(path string, timing store.Timing) error {
	folder, err := store.OpenFolder(path, out.manifest)
	if err != nil {
		return err
	}
	for _, item := range slices.Sorted(maps.Keys(out.Tables)) {
		if err := out.writeItem(folder, item); err != nil {
			return err
		}
	}
	text, err := out.Ledger.JSON()
	if err != nil {
		return err
	}
	if err := folder.Write(ledger.LedgerFile, text); err != nil {
		return err
	}
	if err := folder.WriteJSON(store.TimingFile, timing); err != nil {
		return err
	}
	return folder.Close(out.manifest)
}

// writeItem writes the table of an item and draws its figures from the file.
func (out *Findings) writeItem(folder *store.Folder, item string) error {
	path := folder.Claim(item + ".parquet")
	err := results.WritePacked(path, out.Tables[item], results.Meta{"seed": fmt.Sprint(out.seed)})
	delete(out.Tables, item)
	if err != nil {
		return err
	}
	view, ok := FigureOf(out.paper, item)
	if !ok {
		return nil
	}
	rows, err := results.ReadTable(path)
	if err != nil {
		return err
	}
	figure, err := plots.Draw(rows, view, Styles())
	if err != nil {
		return fmt.Errorf("figure %s: %w", view.Name, err)
	}
	for _, format := range plots.Formats {
		data, err := figure.Encode(format)
		if err != nil {
			return err
		}
		if err := folder.Write(figure.Name+"."+format, data); err != nil {
			return err
		}
	}
	return nil
}
