package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/experiments/sweeps"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
)

const simulateName = "simulate"

// simulateFlags are the flags of simulate.
type simulateFlags struct {
	what string // the command
	runFlags
	workloadFlags
	cluster, out string
	ignore       []string
	policies     []string
	metrics      []string
	jobs         int
	series       time.Duration
	placements   bool
	force        bool
	modelFlags
}

func (c *command) simulate() *cobra.Command {
	f := simulateFlags{what: simulateName}
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Replay a workload on a cluster under the chosen policies",
		Long: `Replay a workload on a cluster under the chosen policies. In the fluid task model
tasks are infinitely divisible, and at every arrival and completion the policy
divides the cluster anew among the jobs present. With --model whole tasks
are whole: egalitarian policies and fifo serve users in order; of others the fluid
allocation is rounded at each slot and the rest is filled at random.

The cluster is an environment file without users, or a list of machines, which
becomes one as leontief cluster shows it: machines.parquet of traces import
--machines, kubectl get nodes -o json, or scontrol show nodes --json. Its resources are named cpu,
mem or gpu, in the units of the trace: where both state them and they contradict,
nothing is run. Where it has links, each job's demand for them (in MHz) is
synthesised from its cpu request. Jobs that nothing in the cluster can host are
refused when they arrive, and counted. If jobs request a resource that the cluster
has not, nothing is run either, unless --ignore names it: then they run without,
and every output says of how many jobs what was ignored.

A trace is replayed with --model whole from its file: in memory are the jobs in the system,
not all, but with --series, which has values of each (docs/operators.md, Memory).

With --users tenant the users of the trace share the cluster, whatever number of jobs
each has: a user's weight is divided equally among those of its jobs that are in the
system (docs/tenants.md). fifo[order=priority] serves jobs of higher priority first.

--out receives results.parquet (every metric of every policy), completions.parquet
(every job under every policy: requests, first start, completion), with --series series.parquet (what each tenant,
and of fluid tasks each job, received and deserved, envy and utilization over time), with --placements
placements.parquet (who runs where: every run of a task on a server, or how many
fluid tasks of a job are on a class of servers from when to when), summary.txt, which
is also printed, and manifest.json, which says how they were made.`,
		Example: `  leontief simulate --workload fitted --jobs 100 --cluster cluster.json --policies tsf-er,mnw --out results/run
  leontief simulate --trace jobs.parquet --cluster cluster.json --policies tsf-er --metrics utilization,envy --out results/run
  leontief simulate --trace jobs.parquet --cluster machines.parquet --policies tsf-er,drfh --out results/run
  leontief simulate --jobs 100 --cluster cluster.json --policies tsf-er,fifo --model whole --placements --out results/where

  where cluster.json is, for example,
  {"resources": ["cpu", "mem"], "units": {"cpu": "fraction", "mem": "fraction", "bw": "MHz"},
   "servers": [{"name": "s1", "capacity": [1, 1], "count": 3}],
   "links": [{"name": "bw", "capacity": 2}]}`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runSimulate(cmd.Context(), f) },
	}
	f.runFlags.register(cmd)
	f.workloadFlags.register(cmd)
	f.modelFlags.register(cmd)
	cmd.Flags().StringVar(&f.cluster, "cluster", "", "environment `FILE` without users, or a list of machines, see leontief cluster (required)")
	listVar(cmd.Flags(), &f.ignore, "ignore", "resources that jobs may request though the cluster has none, separated by commas: gpu,mem")
	listVar(cmd.Flags(), &f.policies, "policies", "rules, separated by commas; leontief policies lists them (required)")
	f.metrics = []string{"utilization", "task-ratio"}
	listVar(cmd.Flags(), &f.metrics, "metrics", "what is measured beside the JCT factor: "+joinOr(append(run.Measurements(), run.Tenants))+"; envy and domination take time, tenants are always measured with --users tenant, docs/operators.md says what waiting, slowdown, throughput and jain are")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "sample so many jobs uniformly; 0: all")
	cmd.Flags().DurationVar(&f.series, "series", 0, "also write what happens over time, as means over periods of this length, as 10m: users, utilization, what tenants received and deserved, sharing incentive, envy (--model whole: where --metrics has them), what each job received (fluid); 0: not")
	cmd.Flags().BoolVar(&f.placements, "placements", false, "also write who runs where, a row a run of a task on a server; leontief plot --form placements draws it")
	cmd.Flags().StringVar(&f.out, "out", "", "`FOLDER` for the results (required)")
	outputFolder(cmd, &f.force)
	takesPrograms(cmd)
	annotate(cmd, "metrics", mayBeEmpty)
	alsoCalled(cmd, "policy", "policies")
	suggest(cmd, "cluster", files("json", "parquet"))
	suggest(cmd, "policies", several(func(*cobra.Command, []string, string) []string { return append(rules(), run.FIFO, run.FIFOByPriority) }))
	suggest(cmd, "metrics", severalOf(append(run.Measurements(), run.Tenants)...))
	suggest(cmd, "ignore", severalOf("cpu", "mem", "gpu"))
	suggest(cmd, "out", folders)
	for _, name := range []string{"cluster", "policies", "out"} {
		require(cmd, name)
	}
	return cmd
}

// simulation is what a simulate command runs, once everything was read: the scenarios of
// a spec of one block, whose only axis are the policies.
type simulation struct {
	simulateFlags
	*sweeps.Instances                     // of the first policy
	scenarios         []*sweeps.Instances // one a policy
	drawn             run.Case            // what all policies face
	left              map[string]int      // jobs that are not run, by reason
	courses           []*run.Course       // one a policy; nil without --series
	placed            []*run.Placements   // one a policy; nil without --placements
	environment       bytes.Buffer        // the cluster
	machines          []string            // what there is to say of a list of machines
	workloadValue     string              // of the parameter workload
	outcomes          []*run.Outcome      // whose jobs may be kept in files
}

func (c *command) runSimulate(ctx context.Context, f simulateFlags) error {
	start := time.Now()
	s, err := c.prepare(f)
	if err != nil {
		return err
	}
	if err := s.checkRun(); err != nil {
		return err
	}
	defer s.discard()
	report := f.reporter(c.Err)
	outcomes, err := run.Gather(ctx, len(f.policies), f.workers, func(i int) (*run.Outcome, error) {
		return s.scenarios[i].Replay(ctx, s.caseOf(i), s.left, 0)
	}, func(done int) { report("simulate", done, len(f.policies)) })
	s.outcomes = outcomes
	if err != nil {
		return refusedOr(err)
	}
	if !slices.ContainsFunc(outcomes, func(o *run.Outcome) bool { return o.Refused < s.drawn.Len() }) {
		return fmt.Errorf("%s: all of the %d jobs are refused on the cluster of %s: %s", s.Population.Source, s.drawn.Len(), f.cluster, outcomes[0].WhyRefused())
	}
	summary := s.summary(outcomes)
	lock, err := store.LockFolder(ctx, f.out, waitToWrite)
	if err != nil {
		return ofSweep(err)
	}
	defer lock.Close()
	timing := store.Timing{WallSeconds: time.Since(start).Seconds(), Workers: f.workers}
	if err := s.write(outcomes, summary, timing, func(*store.Folder) error { return nil }); err != nil {
		return writing(err)
	}
	_, err = c.Out.Write(summary)
	return internal(err)
}

// prepare reads and checks everything that the command names.
func (c *command) prepare(f simulateFlags) (*simulation, error) {
	s := &simulation{simulateFlags: f}
	_, bad := parameterOf(f.model, run.IgnoreName).Canonical(strings.Join(f.ignore, ","))
	if bad != nil {
		bad = fmt.Errorf("--ignore: %w", bad)
	}
	err := errors.Join(bad, f.runFlags.check(), f.workloadFlags.check(), f.modelFlags.check(), f.checkSeries(), f.checkPolicies(), store.CheckOutput(f.out))
	if err != nil {
		return nil, err
	}
	known := run.Measurements()
	if f.model == sweeps.Whole {
		known = run.BothModels
	}
	if err := among("--metrics", "metric", f.metrics, append(slices.Clone(known), run.Tenants)); err != nil {
		return nil, err
	}
	if err := s.open(c); err != nil {
		return nil, err
	}
	for range f.policies {
		if f.series > 0 {
			s.courses = append(s.courses, &run.Course{Period: event.Time(f.series.Microseconds())})
		}
		if f.placements {
			s.placed = append(s.placed, &run.Placements{})
		}
	}
	err = s.draw()
	for _, note := range s.Population.Notes {
		fmt.Fprintln(c.Err, "leontief:", note)
	}
	return s, err
}

// block is the command as a block of a spec.
func (s *simulation) block(c *command) (b spec.Block, err error) {
	inv, err := c.readMachines(s.cluster)
	if err != nil {
		return b, err
	}
	if inv.Environment != nil {
		if err := run.CheckResources(inv.Environment.Resources); err != nil {
			return b, fmt.Errorf("%s: %w", s.cluster, err)
		}
	}
	name, population, err := s.loadFor(c)
	if err != nil {
		return b, err
	}
	classes, err := inv.Classes(sweeps.View(population))
	if err != nil {
		return b, fmt.Errorf("%s: %w", s.cluster, err)
	}
	if err := cluster.WriteEnvironment(&s.environment, classes.Environment); err != nil {
		return b, fmt.Errorf("%s: %w", s.cluster, err)
	}
	s.machines = inv.Notes()
	s.workloadValue = sweeps.Remember(name, population)
	set := map[string]string{"draws": "simulate", "workload": s.workloadValue, "n": "all", "cluster": spec.Remember(s.cluster, s.environment.Bytes()),
		run.IgnoreName: strings.Join(s.ignore, ","), "metrics": s.measured()}
	if s.jobs != 0 {
		if err := traces.CanDraw(s.jobs, population.Len()); err != nil {
			return b, fmt.Errorf("--jobs: %w", err)
		}
		set["n"] = strconv.Itoa(s.jobs)
	}
	s.modelFlags.set(set)
	return spec.Block{Experiment: s.model, Instances: 1, Set: set, Axes: []spec.Axis{{Name: "policy", Values: s.policies}}}, nil
}

// loadFor loads the workload. Whole tasks are replayed from the file of the jobs; these are
// held else, and where there are series of each.
func (s *simulation) loadFor(c *command) (name string, p *run.Population, err error) {
	if s.trace == "" || s.what != simulateName || s.model != sweeps.Whole || s.series > 0 {
		return s.load()
	}
	p, err = run.StreamWorkload(s.trace)
	if err == nil && p.Jobs != nil {
		fmt.Fprintf(c.Err, "leontief: %s: the jobs are not in order of submission, so all of them are held in memory\n", s.trace)
	}
	return "", p, err
}

// measured is the value of the parameter metrics.
func (f *simulateFlags) measured() string {
	metrics := append([]string{run.JCTFactor, run.Refusals}, f.metrics...)
	if f.model == sweeps.Whole {
		metrics = append(metrics, run.Counts)
	}
	if f.tenants() {
		metrics = append(metrics, run.Tenants)
	}
	return strings.Join(metrics, ",")
}

// open opens the scenarios of the command.
func (s *simulation) open(c *command) error {
	block, err := s.block(c)
	if err != nil {
		return err
	}
	all, err := (&spec.Spec{Seed: s.seed, Blocks: []spec.Block{block}}).Scenarios()
	if err != nil {
		return err
	}
	for _, scenario := range all {
		opened, err := sweeps.Open(scenario)
		if err != nil {
			return err
		}
		s.scenarios = append(s.scenarios, opened)
	}
	s.Instances = s.scenarios[0]
	return nil
}

// checkPolicies looks up every policy, each named once.
func (f *simulateFlags) checkPolicies() error {
	if len(f.policies) == 0 {
		return errors.New("--policies: none named")
	}
	policy := parameterOf(f.model, "policy")
	err := eachOnce(f.policies, func(name string) (string, error) {
		value, err := policy.Canonical(name)
		return value.String(), err
	})
	if err != nil {
		return fmt.Errorf("--policies: %w", err)
	}
	return nil
}

// eachOnce reports a policy that can not be had, and one that is named twice, also in
// two text forms.
func eachOnce(names []string, canonical func(name string) (string, error)) error {
	named := map[string]string{} // as it was named, by the canonical text
	for _, name := range names {
		text, err := canonical(name)
		if err != nil {
			return err
		}
		switch before, again := named[text]; {
		case again && before == name:
			return fmt.Errorf("policy %s is named twice", name)
		case again:
			return fmt.Errorf("%s and %s are the same policy", before, name)
		}
		named[text] = name
	}
	return nil
}

// caseOf is the run of policy i.
func (s *simulation) caseOf(i int) run.Case {
	c := s.drawn
	c.Policy = s.policies[i]
	if s.courses != nil {
		c.Course = s.courses[i]
	}
	if s.placed != nil {
		c.Placements = s.placed[i]
	}
	return c
}

func (s *simulation) cases() []run.Case {
	var all []run.Case
	for i := range s.policies {
		all = append(all, s.caseOf(i))
	}
	return all
}

// checkSeries checks the length of the periods of a series.
func (f *simulateFlags) checkSeries() error {
	switch {
	case f.series < 0 || f.series%time.Microsecond != 0:
		return fmt.Errorf("--series %v: a whole number of microseconds, not negative, is needed", f.series)
	case f.series > 0 && f.series < time.Second:
		return fmt.Errorf("--series %v: periods of a second or more are needed", f.series)
	}
	return nil
}
