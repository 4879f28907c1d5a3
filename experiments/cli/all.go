package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/audit"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/traces/output"
)

// allFlags are those of reproduce all.
type allFlags struct {
	runFlags
	scale, readings, out string
	papers               []string
	environments         int
	force                bool
}

// environmentsOf is how many environments a cell of the tables of properties is looked
// for in at a scale.
var environmentsOf = map[string]int{"quick": 1000, "paper": 10000}

func (c *command) reproduceAll() *cobra.Command {
	f := &allFlags{}
	cmd := &cobra.Command{
		Use:   "all",
		Short: "All papers, their tables of properties, and one report",
		Long: `Reproduce all papers and look for every cell of their tables of properties, into a
folder each, and make one report of them. One line says what part is done, how long the
rest takes, and what runs; at the end stands where the time went. What is in the folder
already is not run again: the same command goes on where it was ended.`,
		Example: `  leontief reproduce all --out out
  leontief reproduce all --scale paper --out out/paper`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runAll(cmd.Context(), f) },
	}
	f.runFlags.register(cmd)
	flags := cmd.Flags()
	choose(cmd, &f.scale, "scale", "size of every paper", "quick", "paper")
	f.papers = paperNames()
	listVar(flags, &f.papers, "paper", "which papers")
	suggest(cmd, "paper", severalOf(paperNames()...))
	choose(cmd, &f.readings, "readings", "where table 4 of the TSF-ER paper is run in other readings, as with reproduce tsf-er", "central", "all")
	flags.IntVar(&f.environments, "environments", 0, "environments to look at for a cell of the tables of properties; 0: 1000 at the quick scale, 10000 at the papers'")
	flags.StringVar(&f.out, "out", "results", "`FOLDER` for the result folders and report.html")
	outputFolder(cmd, &f.force)
	suggest(cmd, "out", folders)
	return cmd
}

func paperNames() []string {
	return each(papers.Papers(), func(p papers.Paper) string { return p.Name })
}

// study is all that reproduce all runs.
type study struct {
	c     *command
	f     *allFlags
	costs costs
	parts []*studied
	audit auditFlags
	cells []audit.Cell
	line  *progressLine
	spent []spent
}

// studied is one paper of it.
type studied struct {
	papers.Paper
	request   papers.Request
	scenarios []spec.Scenario   // each once
	items     map[string]string // of each scenario, by id: the first item that it is for
	folder    *kept
	took      map[string]store.ScenarioTiming // of what is there
}

// spent is a line of where the time went.
type spent struct {
	name  string
	busy  float64       // seconds of all workers, whenever it was run
	today time.Duration // 0: not known
}

func (c *command) runAll(ctx context.Context, f *allFlags) error {
	tidy()
	s := &study{c: c, f: f, costs: readCosts()}
	if err := errors.Join(f.runFlags.check(), s.plan()); err != nil {
		return err
	}
	defer s.release()
	left, err := s.outlook(ctx)
	if err != nil {
		return err
	}
	s.line = f.line(c.Err, left)
	defer s.line.end()
	for _, part := range s.parts {
		if err := s.reproduce(ctx, part); err != nil {
			return err
		}
	}
	if err := s.properties(ctx); err != nil {
		return err
	}
	if err := c.runReport([]string{f.out}, filepath.Join(f.out, "report.html"), "Papers, reproduced"); err != nil {
		return err
	}
	return s.account()
}

// plan plans everything; nothing is run or written where a part cannot be.
func (s *study) plan() error {
	f := s.f
	if f.environments < 0 {
		return fmt.Errorf("--environments %d: at least 1 is needed, or 0 for those of the scale", f.environments)
	}
	if f.environments == 0 {
		f.environments = environmentsOf[f.scale]
	}
	if err := among("--paper", "paper", f.papers, paperNames()); err != nil {
		return err
	}
	for _, p := range papers.Papers() {
		if !slices.Contains(f.papers, p.Name) {
			continue
		}
		part := &studied{Paper: p, items: map[string]string{}, folder: &kept{c: s.c, folder: filepath.Join(f.out, p.Name)}}
		part.request = papers.Request{Scale: f.scale, Seed: f.seed}
		if slices.ContainsFunc(p.Options, func(o spec.Parameter) bool { return o.Name == "readings" }) {
			part.request.Options = map[string]string{"readings": f.readings}
		}
		if err := s.planOne(part); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		s.parts = append(s.parts, part)
	}
	s.audit = auditFlags{runFlags: f.runFlags, out: filepath.Join(f.out, "audit"), format: "text", force: f.force}
	s.audit.Environments, s.audit.Tables = f.environments, true
	if len(s.parts) < len(papers.Papers()) {
		s.audit.Papers = f.papers
	}
	for _, cell := range audit.Cells() {
		if slices.Contains(f.papers, cell.Paper) {
			s.cells = append(s.cells, cell)
		}
	}
	_, err := s.audit.check()
	return err
}

func (s *study) planOne(part *studied) error {
	folder := part.folder.folder
	if err := errors.Join(part.Check(&part.request), store.CheckFolder(folder)); err != nil {
		return err
	}
	if !s.f.force {
		if err := store.CheckPlan(folder, part.Manifest(part.request)); err != nil {
			return err
		}
	}
	for _, item := range part.Items {
		of := part.request
		of.Items = []string{item}
		plan, err := part.Plan(of)
		if err != nil {
			return err
		}
		for _, scenario := range plan.Scenarios {
			if id := scenario.ID(); part.items[id] == "" {
				part.items[id], part.scenarios = item, append(part.scenarios, scenario)
			}
		}
	}
	return nil
}

// outlook finds out what is there and what the rest costs.
func (s *study) outlook(ctx context.Context) (left remaining, err error) {
	for _, part := range s.parts {
		of, err := part.folder.open(ctx)
		if err != nil {
			return left, err
		}
		if part.took, err = of.Took(part.scenarios); err != nil {
			return left, ofSweep(err)
		}
		left.left += s.making(part)
		for _, scenario := range part.scenarios {
			cost := s.costs.of(scenario) * float64(scenario.Instances)
			if t, there := part.took[scenario.ID()]; there {
				left.before(cost, t.BusySeconds)
			} else {
				left.left += cost
			}
		}
	}
	return left, s.outlookOnCells(ctx, &left)
}

// making is what the ledger, the tables and the figures of a paper cost, which are made
// by one worker while the others wait.
func (s *study) making(part *studied) float64 {
	return s.costs.exact["made "+s.f.scale+"/"+part.Name] * float64(s.f.workers)
}

func (s *study) release() {
	for _, part := range s.parts {
		part.folder.release()
	}
}

// reproduce reproduces a paper.
func (s *study) reproduce(ctx context.Context, part *studied) error {
	start := time.Now()
	found, err := part.Reproduce(ctx, part.request, s.runner(part))
	if err != nil {
		return ofSweep(err)
	}
	timing := store.Timing{WallSeconds: time.Since(start).Seconds(), Workers: s.f.workers}
	if err := found.Write(part.folder.folder, timing); err != nil {
		return writing(err)
	}
	s.line.did(s.making(part), part.Name)
	var text bytes.Buffer
	print := &command{Streams: Streams{Out: &text, Err: s.c.Err}}
	if err := print.printFindings(found, &paperFlags{out: part.folder.folder, ledgerFlags: ledgerFlags{format: "text"}}); err != nil {
		return err
	}
	if err := output.WriteFile(part.folder.folder+".txt", text.Bytes()); err != nil {
		return writing(err)
	}
	if err := s.c.say("%s: %s\n", part.Name, found.Ledger.Tally()); err != nil {
		return err
	}
	return s.spend(part, time.Since(start))
}

// runner runs the scenarios of a paper that are missing, and says how far they are.
// Instances are started in their order, so that the first that were are taken to have
// ended.
func (s *study) runner(part *studied) run.Runner {
	return func(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
		of, err := part.folder.open(ctx)
		if err != nil {
			return nil, err
		}
		type piece struct {
			cost float64
			what string
		}
		var pieces []piece
		seen := map[string]bool{}
		for _, scenario := range scenarios {
			id := scenario.ID()
			if _, there := part.took[id]; there || seen[id] {
				continue
			}
			seen[id] = true
			for range scenario.Instances {
				pieces = append(pieces, piece{s.costs.of(scenario), part.Name + " " + part.items[id]})
			}
		}
		known := 0
		return of.Runner(s.f.workers, func(done, _ int) {
			for ; known < min(done, len(pieces)); known++ {
				s.line.did(pieces[known].cost, pieces[min(known+1, len(pieces)-1)].what)
			}
		})(ctx, scenarios)
	}
}

// spend notes what the paper took, item by item.
func (s *study) spend(part *studied, today time.Duration) error {
	of, err := part.folder.open(context.Background())
	if err != nil {
		return err
	}
	took, err := of.Took(part.scenarios)
	if err != nil {
		return ofSweep(err)
	}
	items, total := map[string]float64{}, 0.0
	for id, t := range took {
		items[part.items[id]] += t.BusySeconds
	}
	for _, id := range slices.Sorted(maps.Keys(took)) {
		total += took[id].BusySeconds
	}
	s.spent = append(s.spent, spent{part.Name, total, today})
	for _, item := range part.Items {
		if items[item] > 0 {
			s.spent = append(s.spent, spent{"  " + item, items[item], 0})
		}
	}
	return nil
}

// account prints where the time went.
func (s *study) account() error {
	text := fmt.Sprintf("\n%-20s %12s %12s\n", "", "workers", "this time")
	for _, p := range s.spent {
		today := ""
		if p.today > 0 {
			today = fmt.Sprintf("%.1f s", p.today.Seconds())
		}
		text += fmt.Sprintf("%-20s %12s %12s\n", p.name, fmt.Sprintf("%.1f s", p.busy), today)
	}
	return s.c.say("%sworkers: all instances, the time of all workers together, whenever they were run; this time: from start to end\n", text)
}
