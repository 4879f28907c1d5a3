package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/compare"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/experiments/sweeps"
	"github.com/leontief-sim/leontief/plots/report"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	simulateFlags
	block, baseline, whatIf, page string
	moments                       int
}

// mostNodes is the number of classes of servers of which one more is tried.
const mostNodes = 10

func (c *command) compare() *cobra.Command {
	f := compareFlags{}
	f.what, f.metrics = "compare", []string{run.Utilization, run.TaskRatio, run.Waiting, run.Slowdown, run.Throughput, run.Jain}
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Say on one page what each rule would do to a workload on a cluster",
		Long: `Replay a workload on a cluster under some rules, and say on one page what each does to
waiting, utilization and fairness beside a baseline, with paired intervals over resampled
days or weeks; who gains and who loses, by tenant and by size of job; which properties are
promised and which were violated in this replay, when and by whom; what fairness cost in
throughput against utilitarian and cru; what was scarce when; and what one more node of
each class would have brought.

Without --policies all rules are compared that are defined for the cluster and the jobs;
the page says of the others why they are not. With whole tasks, which are the default
here, rules that are rounded at slots take part with --slot.

The page stands beside the folder of --out. The folder receives what leontief simulate
writes, with placements, so that plot, export, explain and report take it; the findings in
rules.parquet, gains.parquet, moments.parquet and nodes.parquet; and findings.json, which
the page shows. docs/compare.md goes through a page.`,
		Example: `  leontief compare --trace jobs.parquet --cluster machines.parquet --out results/which
  leontief compare --trace jobs.parquet --cluster nodes.json --policies fifo,drfh,tsf --users tenant --out results/which
  leontief compare --workload fitted --cluster cluster.json --model fluid --policies eq,drf-er,tsf-er,cru --block 10m --out results/fluid`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.force, err = cmd.Flags().GetBool("force"); err != nil {
				return err
			}
			return c.runCompare(cmd.Context(), f)
		},
	}
	f.runFlags.register(cmd)
	f.workloadFlags.register(cmd)
	f.modelFlags.register(cmd)
	model := cmd.Flags().Lookup("model")
	f.model, model.DefValue = sweeps.Whole, sweeps.Whole
	flags := cmd.Flags()
	flags.StringVar(&f.cluster, "cluster", "", "environment `FILE` without users, or a list of machines, see leontief cluster (required)")
	listVar(flags, &f.ignore, "ignore", "resources that jobs may request though the cluster has none, separated by commas: gpu,mem")
	listVar(flags, &f.policies, "policies", "rules, separated by commas; leontief policies lists them (default: all that are defined here)")
	flags.IntVar(&f.jobs, "jobs", 0, "sample so many jobs uniformly; 0: all")
	flags.StringVar(&f.baseline, "baseline", "", "`RULE` that the others are compared with (default: fifo, with fluid tasks eq, if it is among the rules; else the first)")
	flags.StringVar(&f.block, "block", "", "what is resampled for intervals: day, week or a `TIME` as 6h (default: day; week if jobs are submitted over more than ten)")
	flags.IntVar(&f.moments, "moments", 100, "at how many moments utilization, fairness and prices are looked at")
	flags.StringVar(&f.whatIf, "what-if", "", "none: do not replay with one more node of each class (default: of the 10 classes with most, under the baseline)")
	flags.BoolVar(&f.placements, "placements", true, "write who runs where, which leontief explain needs of whole tasks")
	flags.StringVar(&f.out, "out", "", "`FOLDER` for the results (required)")
	outputFile(cmd, &f.page, "page", "HTML `FILE` for the page (default: that of --out with .html)", "html")
	annotate(cmd, "out", writesFolder)
	takesPrograms(cmd)
	alsoCalled(cmd, "policy", "policies")
	suggest(cmd, "cluster", files("json", "parquet"))
	named := func(*cobra.Command, []string, string) []string { return append(rules(), run.FIFO, run.FIFOByPriority) }
	suggest(cmd, "policies", several(named))
	suggest(cmd, "baseline", several(named))
	suggest(cmd, "block", fixed("day", "week"))
	suggest(cmd, "what-if", fixed("none"))
	suggest(cmd, "ignore", severalOf("cpu", "mem", "gpu"))
	suggest(cmd, "out", folders)
	for _, name := range []string{"cluster", "out"} {
		require(cmd, name)
	}
	return cmd
}

// comparison is a simulation with what is found in it.
type comparison struct {
	*simulation
	asked     compareFlags
	chosen    bool // the rules are named on the command line
	length    event.Time
	undefined []compare.Undefined
	outcomes  []*run.Outcome
	watches   []*compare.Watch
	study     compare.Study
}

func (c *command) runCompare(ctx context.Context, f compareFlags) error {
	start := time.Now()
	s, err := c.prepareComparison(f)
	if err != nil {
		return err
	}
	defer s.discard()
	if err := s.replay(ctx, f.reporter(c.Err)); err != nil {
		return refusedOr(err)
	}
	if !slices.ContainsFunc(s.outcomes, func(o *run.Outcome) bool { return o.Refused < len(s.drawn.Jobs) }) {
		return fmt.Errorf("%s: all of the %d jobs are refused on the cluster of %s: %s", s.Population.Source, len(s.drawn.Jobs), f.cluster, s.outcomes[0].WhyRefused())
	}
	if err := s.checkRun(); err != nil {
		return err
	}
	found := s.study.Find()
	sections := found.Sections()
	summary := s.summaryOf(sections)
	lock, err := store.LockFolder(ctx, f.out, waitToWrite)
	if err != nil {
		return ofSweep(err)
	}
	defer lock.Close()
	timing := store.Timing{WallSeconds: time.Since(start).Seconds(), Workers: f.workers}
	err = s.simulation.write(s.outcomes, summary, timing, func(folder *store.Folder) error { return s.writeFindings(folder, found, sections) })
	if err != nil {
		return writing(err)
	}
	if _, err = c.Out.Write(summary); err != nil {
		return internal(err)
	}
	return c.runReport([]string{f.out}, s.asked.page, "Which rule? "+folderName(f.out))
}

// prepareComparison reads and checks everything that the command names.
func (c *command) prepareComparison(f compareFlags) (*comparison, error) {
	s := &comparison{asked: f, chosen: f.policies != nil}
	var bad error
	if s.length, bad = blockOf(f.block); bad != nil {
		bad = fmt.Errorf("--block %s: %w", f.block, bad)
	}
	if f.moments < 1 || f.moments > 10_000 {
		bad = errors.Join(bad, fmt.Errorf("--moments %d: from 1 to 10,000 are needed", f.moments))
	}
	if f.whatIf != "" && f.whatIf != "none" {
		bad = errors.Join(bad, fmt.Errorf("--what-if %q: none is the only value", f.whatIf))
	}
	if !s.chosen {
		f.policies, s.undefined = candidates(&f.modelFlags)
	}
	if f.baseline != "" && !slices.Contains(f.policies, f.baseline) {
		bad = errors.Join(bad, fmt.Errorf("--baseline: %w", spelling.Check("rule", f.baseline, f.policies)))
	}
	if s.asked.page == "" && f.out != "" {
		s.asked.page = filepath.Clean(f.out) + ".html"
		if over := overFile(s.asked.page, nil); over != nil && !f.force {
			bad = errors.Join(bad, fmt.Errorf("%w; --page names another file, --force writes over it", over))
		}
	}
	if bad != nil {
		return nil, bad
	}
	var err error
	if s.simulation, err = c.prepare(f.simulateFlags); err != nil {
		return nil, err
	}
	if s.length == 0 {
		s.length = compare.BlockOf(&s.drawn)
	}
	return s, nil
}

// blockOf reads the length of a block; 0 for the usual one.
func blockOf(text string) (event.Time, error) {
	switch text {
	case "":
		return 0, nil
	case "day":
		return compare.Day, nil
	case "week":
		return compare.Week, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second || d%time.Microsecond != 0 {
		return 0, errors.New("day, week or a time of a second or more, as 6h, is needed")
	}
	return event.Time(d.Microseconds()), nil
}

// candidates are all rules that the task model has, and those that it has not.
func candidates(f *modelFlags) (names []string, undefined []compare.Undefined) {
	if f.model == sweeps.Whole {
		names = append(names, run.FIFO)
	}
	for _, m := range policies.All() {
		rule, err := m.New(policies.Params{})
		if err != nil {
			undefined = append(undefined, compare.Undefined{Policy: m.Name, Why: err.Error()})
			continue
		}
		if _, ordered := rule.(policies.Normalizer); f.model == sweeps.Whole && !ordered && f.slot == 0 {
			undefined = append(undefined, compare.Undefined{Policy: m.Name, Why: "of whole tasks its allocation is rounded at slots, and there are none: --slot 1h, say, or --model fluid"})
			continue
		}
		names = append(names, m.Name)
	}
	return names, undefined
}

// replay replays the jobs under every rule, and under the baseline with one more node of
// each class.
func (s *comparison) replay(ctx context.Context, report func(stage string, done, total int)) error {
	times := compare.TimesOf(&s.drawn, s.asked.moments)
	workload, err := compare.NewWorkload(&s.drawn)
	if err != nil {
		return err
	}
	s.study.Workload = workload
	n := len(s.policies)
	come := newSteps(n, len(times), func(done, total int) { report("compare, moments", done, total) })
	s.outcomes, s.watches = make([]*run.Outcome, n), make([]*compare.Watch, n)
	why := make([]error, n)
	base := s.baselineOf(s.policies)
	_, err = run.Gather(ctx, n, s.workers, func(i int) (struct{}, error) {
		c, w := s.caseOf(i), compare.NewWatch(workload, times, i == base)
		w.Passed = func() { come.by(i, 1) }
		if s.model == sweeps.Whole {
			c.OnEvent, c.OnFairness = w.Event, w.Fairness
		} else {
			c.Observers = append(c.Observers, w)
		}
		o, err := s.scenarios[i].Replay(ctx, c, s.left, 0)
		if err == nil {
			err = w.Close()
		}
		if err != nil && !s.chosen && isOne(err, new(*policies.UnsupportedError), new(*sim.StarvedError)) {
			why[i], err = err, nil
		}
		s.outcomes[i], s.watches[i] = o, w
		come.by(i, len(times))
		return struct{}{}, err
	}, nil)
	if err != nil {
		return err
	}
	s.keep(why)
	if len(s.policies) == 0 {
		return fmt.Errorf("no rule is defined here: %s", s.undefined[0].Why)
	}
	if why[base] != nil { // its prices are those of the first rule that is defined
		return fmt.Errorf("the baseline %s is not defined here (%w): --baseline names another one", s.undefined[len(s.undefined)-1].Policy, why[base])
	}
	return s.inquire(ctx, report)
}

// steps counts those of several replays, each of which has as many.
type steps struct {
	mu     sync.Mutex
	done   []int // of each replay
	each   int
	report func(done, total int)
}

func newSteps(replays, each int, report func(done, total int)) *steps {
	return &steps{done: make([]int, replays), each: each, report: report}
}

// by says that so many steps of a replay were made; more than it has are not counted.
func (s *steps) by(replay, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[replay] = min(s.done[replay]+n, s.each)
	sum := 0
	for _, d := range s.done {
		sum += d
	}
	s.report(sum, s.each*len(s.done))
}

// baselineOf is the number of the rule that others are compared with.
func (s *comparison) baselineOf(names []string) int {
	for _, name := range []string{s.asked.baseline, run.FIFO, "eq"} {
		if k := slices.Index(names, name); k >= 0 {
			return k
		}
	}
	return 0
}

// whenSaid is when in a replay a rule said that it is not defined.
var whenSaid = regexp.MustCompile(`^at \d+ µs(?: with \d+ users present)?: `)

// keep leaves out the rules that turned out not to be defined, with the reason.
func (s *comparison) keep(why []error) {
	sim, k := s.simulation, 0
	for i, err := range why {
		if err != nil {
			reason := whenSaid.ReplaceAllString(strings.TrimPrefix(err.Error(), "policy "+sim.policies[i]+": "), "")
			s.undefined = append(s.undefined, compare.Undefined{Policy: sim.policies[i], Why: reason})
			if sim.placed != nil {
				sim.placed[i].Discard()
			}
			continue
		}
		sim.policies[k], sim.scenarios[k], s.outcomes[k], s.watches[k] = sim.policies[i], sim.scenarios[i], s.outcomes[i], s.watches[i]
		if sim.placed != nil {
			sim.placed[k] = sim.placed[i]
		}
		k++
	}
	sim.policies, sim.scenarios, s.outcomes, s.watches = sim.policies[:k], sim.scenarios[:k], s.outcomes[:k], s.watches[:k]
	if sim.placed != nil {
		sim.placed = sim.placed[:k]
	}
	sim.Instances = sim.scenarios[0]
}

// inquire replays what if, and collects the study.
func (s *comparison) inquire(ctx context.Context, report func(stage string, done, total int)) error {
	base := s.baselineOf(s.policies)
	s.study = compare.Study{Case: s.drawn, Workload: s.study.Workload, Baseline: base, Undefined: s.undefined, Block: s.length, Whole: s.model == sweeps.Whole, Seed: s.seed}
	for i, o := range s.outcomes {
		s.study.Rules = append(s.study.Rules, compare.Rule{Policy: s.policies[i], Fates: o.Jobs, Watch: s.watches[i]})
	}
	if s.model != sweeps.Whole || s.placements {
		s.study.Folder = s.out
	}
	if s.asked.whatIf == "none" {
		return nil
	}
	servers := s.drawn.Cluster.Servers
	classes := make([]int, len(servers))
	for k := range classes {
		classes[k] = k
	}
	slices.SortStableFunc(classes, func(a, b int) int { return servers[b].Count - servers[a].Count })
	s.study.MoreNodes = max(0, len(classes)-mostNodes)
	classes = classes[:len(classes)-s.study.MoreNodes]
	nodes, err := run.Gather(ctx, len(classes), s.workers, func(i int) (compare.Node, error) {
		c, class := s.caseOf(base), classes[i]
		env := *c.Cluster
		env.Servers = slices.Clone(env.Servers)
		env.Servers[class].Count++
		c.Cluster, c.Placements, c.Observers, c.OnEvent, c.OnFairness = &env, nil, nil, nil, nil
		o, err := s.scenarios[base].Replay(ctx, c, s.left, 0)
		if err != nil {
			return compare.Node{}, err
		}
		return compare.Node{Class: servers[class].Name, Machines: servers[class].Count, Fates: o.Jobs}, nil
	}, func(done int) { report("one more node", done, len(classes)) })
	s.study.Nodes = nodes
	return err
}

// summaryOf is the text that is printed.
func (s *comparison) summaryOf(sections []compare.Section) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "workload  %s: %d of %d jobs\n", s.Population.Mark(), len(s.drawn.Jobs), len(s.Population.Jobs))
	if len(s.Population.LeftOut) > 0 {
		fmt.Fprintf(&b, "left out  %s\n", s.leftOut())
	}
	fmt.Fprintf(&b, "cluster   %s\nbaseline  %s\n", s.cluster, s.study.Rules[s.study.Baseline].Policy)
	if err := compare.WriteText(&b, sections); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return b.Bytes()
}

// writeFindings writes the tables of the findings and their sections.
func (s *comparison) writeFindings(folder *store.Folder, found *compare.Findings, sections []compare.Section) error {
	like := s.complete(s.Row(), 0)
	tables := found.Rows(like)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if len(tables[name]) == 0 {
			continue
		}
		if err := results.WriteTable(folder.Claim(name+".parquet"), tables[name], nil); err != nil {
			return err
		}
	}
	return folder.WriteJSON(report.SectionsFile, sections)
}
