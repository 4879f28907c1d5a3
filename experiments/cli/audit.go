package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers/audit"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/policies"
	search "github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

type auditFlags struct {
	runFlags
	auditSpec
	budget              time.Duration
	out, replay, format string
	force               bool
}

// auditSpec is what the manifest says of an audit.
type auditSpec struct {
	Policies     []string `json:"policies"`
	Properties   []string `json:"properties"`
	Environments int      `json:"environments"`
	Budget       string   `json:"budget"`
	NoKnown      bool     `json:"no_known"`
	Beyond       bool     `json:"beyond"`
	Tables       bool     `json:"tables"`
	Papers       []string `json:"papers"`
	// Rules are the policies that are programs.
	Rules map[string]*policies.Program `json:"rules,omitempty"`
}

func (c *command) audit() *cobra.Command {
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit POLICY…",
		Short: "Search for environments in which a rule lacks a property",
		Long: `Search for environments in which a rule lacks a property: the papers' own
counterexamples, then random environments of growing size, then local search
from the nearest misses. What is found is shrunk to the smallest environment
with the simplest numbers, verified in exact arithmetic where that can be done,
and saved as an environment file with --out. Without a policy, all of them.

The properties are EF, PO, SP (lies about demands, servers and the number of
tasks), SI, SID (sharing incentive with dedicated pools), SPD (SP where weights
come from dedicated pools), SPU (that, every server of a pool being one that its
owner can use), BF, SMF, SRF (bottleneck, single machine and single resource
fairness), PM, RM (population and resource monotonicity), SPL (no gain by splitting a
user into two of half its weight, as tenants do) and, where users choose servers,
LEF, LSI, LPO, 2EF and MMS. A tick means that nothing was found, not that there is nothing.

--tables asks instead for every tick and cross of the papers' tables and makes
ledger entries of them.`,
		Example: `  leontief audit cru --property SP --out results/audit
  leontief audit --replay results/audit/cru-SP.json cru --property SP
  leontief audit tsf-er --environments 100000 --no-known
  leontief audit --tables --out results/tables`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.Policies, err = namesIn(args); err != nil {
				return err
			}
			return c.runAudit(cmd.Context(), f)
		},
	}
	f.runFlags.register(cmd)
	flags := cmd.Flags()
	listVar(flags, &f.Properties, "property", "properties to look for; without it, all")
	flags.IntVar(&f.Environments, "environments", 2000, "environments to look at per rule and property, if nothing is found before")
	flags.DurationVar(&f.budget, "budget", 0, "look for so long per rule and property, instead; results then depend on the clock")
	flags.StringVar(&f.out, "out", "", "`FOLDER` for the witnesses (and the ledger, with --tables)")
	outputFolder(cmd, &f.force)
	takesPrograms(cmd)
	flags.StringVar(&f.replay, "replay", "", "judge this environment `FILE` only, with the change in FILE.changed.json if it is there")
	flags.BoolVar(&f.NoKnown, "no-known", false, "leave out the papers' own counterexamples")
	flags.BoolVar(&f.Beyond, "beyond", false, "look beyond the assumptions under which the papers claim a property, too")
	flags.BoolVar(&f.Tables, "tables", false, "every tick and cross of the papers' tables")
	listVar(flags, &f.Papers, "paper", "with --tables: only these papers")
	choose(cmd, &f.format, "format", "how to print", "text", "markdown")
	suggest(cmd, "property", severalOf(propertyNames()...))
	suggest(cmd, "paper", several(func(*cobra.Command, []string, string) []string { return tabled() }))
	suggest(cmd, "out", folders)
	suggest(cmd, "replay", files("json"))
	cmd.ValidArgsFunction = fixed(rules()...)
	return cmd
}

func (c *command) runAudit(ctx context.Context, f *auditFlags) error {
	start := time.Now()
	f.Budget = f.budget.String()
	questions, err := f.check()
	if err != nil {
		return err
	}
	if f.replay != "" {
		return c.runReplay(questions, f)
	}
	if f.out != "" && !f.force {
		if err := store.CheckRun(f.out, f.manifest()); err != nil {
			return err
		}
	}
	options := audit.Options{Environments: f.Environments, Budget: f.budget, Seed: f.seed, NoKnown: f.NoKnown, Workers: f.workers}
	folder := &kept{c: c, folder: f.out}
	defer folder.release()
	if f.out != "" {
		options.Run = func(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
			of, err := folder.open(ctx)
			if err != nil {
				return nil, err
			}
			return of.Runner(f.workers, nil)(ctx, scenarios)
		}
	}
	show := f.reporter(c.Err)
	var answers []*audit.Answer
	var entries []ledger.Entry
	if f.Tables {
		answers, entries, err = audit.Tables(ctx, f.Papers, options, func(done, total int) { show("audit", done, total) })
	} else {
		answers, err = ask(ctx, questions, options, show)
	}
	if err != nil {
		return ofSweep(err)
	}
	timing := store.Timing{WallSeconds: time.Since(start).Seconds(), Workers: f.workers}
	if err := c.printAnswers(answers, entries, timing, f); err != nil {
		return err
	}
	return f.save(ctx, folder, answers, entries, timing)
}

func ask(ctx context.Context, questions []audit.Question, o audit.Options, show func(string, int, int)) ([]*audit.Answer, error) {
	var answers []*audit.Answer
	for i, q := range questions {
		a, err := audit.Ask(ctx, q, o)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", q.Rule.Meta.Name, q.Property, err)
		}
		answers = append(answers, a)
		show("audit", i+1, len(questions))
	}
	return answers, nil
}

func (f *auditFlags) check() ([]audit.Question, error) {
	err := f.runFlags.check()
	if f.out != "" {
		err = errors.Join(err, store.CheckOutput(f.out))
	}
	if f.Environments < 1 {
		err = errors.Join(err, fmt.Errorf("--environments %d: at least 1 is needed", f.Environments))
	}
	err = errors.Join(err, f.checkPapers())
	if f.Tables && (len(f.Policies) > 0 || len(f.Properties) > 0) {
		err = errors.Join(err, errors.New("--tables asks for the cells of the tables: name no policy and no property"))
	}
	names := f.Policies
	if len(names) == 0 {
		names = policies.Names()
	}
	if twice := eachOnce(names, policies.Canonical); twice != nil {
		return nil, errors.Join(err, twice)
	}
	var rules []search.Rule
	for _, name := range names {
		rule, named := search.Named(name)
		rule.Beyond = f.Beyond
		rules, err = append(rules, rule), errors.Join(err, named)
	}
	properties, known := f.named()
	if err = errors.Join(err, known); err != nil {
		return nil, err
	}
	questions := audit.Questions(rules, properties)
	if f.replay != "" && len(questions) != 1 {
		return nil, errors.New("--replay judges one policy and one property: name both")
	}
	if f.replay != "" && f.out != "" {
		return nil, errors.New("--replay prints its judgement and writes nothing: leave out --out")
	}
	return questions, nil
}

func (f *auditFlags) checkPapers() error {
	if len(f.Papers) > 0 && !f.Tables {
		return errors.New("--paper chooses among the tables: it is for --tables")
	}
	return among("--paper", "paper", f.Papers, tabled())
}

// tabled are the papers with tables of properties.
func tabled() []string {
	var known []string
	for _, c := range audit.Cells() {
		if !slices.Contains(known, c.Paper) {
			known = append(known, c.Paper)
		}
	}
	return known
}

func propertyNames() []string {
	return each(policies.Properties, func(p policies.Property) string { return string(p) })
}

func (f *auditFlags) named() ([]policies.Property, error) {
	if len(f.Properties) == 0 {
		return policies.Properties, nil
	}
	upper := each(f.Properties, strings.ToUpper)
	return each(upper, func(name string) policies.Property { return policies.Property(name) }), among("--property", "property", upper, propertyNames())
}

func (c *command) printAnswers(answers []*audit.Answer, entries []ledger.Entry, timing store.Timing, f *auditFlags) error {
	if err := c.printTable(audit.Table(answers), f.format); err != nil {
		return err
	}
	if f.Tables {
		if err := c.say("\n%s\n", ledger.NewLedger(entries).Tally()); err != nil {
			return err
		}
	}
	var all search.Tally
	for _, a := range answers {
		all.Add(a.Tally)
	}
	fmt.Fprintf(c.Err, "%d environments, %d lies and other changes, in %.1f s: %.0f environments a second\n",
		all.Environments, all.Changes, timing.WallSeconds, float64(all.Environments)/timing.WallSeconds)
	return nil
}

func (f *auditFlags) manifest() store.Manifest {
	command := "audit"
	if f.Tables {
		command += " --tables"
	}
	spec := f.auditSpec
	spec.Rules = programsOf(f.Policies)
	return store.NewManifest(command, f.seed, spec, run.Workload{})
}

// save writes the witnesses and the ledger into the folder, if there is one.
func (f *auditFlags) save(ctx context.Context, kept *kept, answers []*audit.Answer, entries []ledger.Entry, timing store.Timing) error {
	if f.out == "" {
		return nil
	}
	manifest := f.manifest()
	if _, err := kept.open(ctx); err != nil {
		return err
	}
	folder, err := store.OpenFolder(f.out, manifest)
	if err != nil {
		return writing(err)
	}
	if err := witnesses(folder, answers); err != nil {
		return err
	}
	name, data, err := f.found(answers, entries)
	if err != nil {
		return internal(err)
	}
	if err := folder.Write(name, data); err != nil {
		return writing(err)
	}
	if err := folder.WriteJSON(store.TimingFile, timing); err != nil {
		return writing(err)
	}
	return writing(folder.Close(manifest))
}

// found is what the audit found, as a file of its folder: of the papers' tables a ledger,
// or else what is printed.
func (f *auditFlags) found(answers []*audit.Answer, entries []ledger.Entry) (name string, data []byte, err error) {
	if f.Tables {
		data, err = ledger.NewLedger(entries).JSON()
		return ledger.LedgerFile, data, err
	}
	var b bytes.Buffer
	err = audit.Table(answers).WriteText(&b)
	return "summary.txt", b.Bytes(), err
}

func witnesses(folder *store.Folder, answers []*audit.Answer) error {
	for _, a := range answers {
		if a.Found == nil {
			continue
		}
		files, err := a.Files()
		if err != nil {
			return internal(err)
		}
		for _, name := range sortedKeys(files) {
			if err := folder.Write(name, files[name]); err != nil {
				return writing(err)
			}
		}
	}
	return nil
}

func (c *command) runReplay(questions []audit.Question, f *auditFlags) error {
	q := questions[0]
	q.Rule.Beyond = true
	before, err := c.readEnvironment(f.replay, cluster.ReadEnvironment)
	if err != nil {
		return err
	}
	var beside [2]*cluster.Environment
	for k, name := range []string{audit.Changed(f.replay), audit.Pools(f.replay)} {
		if !strings.HasSuffix(f.replay, ".json") {
			break
		}
		beside[k], err = c.readEnvironment(name, cluster.ReadEnvironment)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	a, err := audit.Replay(q, before, beside[0], beside[1], f.seed)
	if err != nil {
		return refusedOr(fmt.Errorf("%s: %w", f.replay, err))
	}
	return c.printTable(audit.Table([]*audit.Answer{a}), f.format)
}
