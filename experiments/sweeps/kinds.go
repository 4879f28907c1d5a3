package sweeps

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// The names of the kinds.
const (
	Fluid   = "fluid"   // tasks are infinitely divisible
	Whole   = "whole"   // tasks are whole
	Present = "present" // all jobs are there at once, and no time passes
)

var (
	fluidMetrics   = append([]string{"jct-factor", "refused"}, run.Measurements()...)
	wholeMetrics   = []string{"jct-factor", "refused", run.Utilization, run.TaskRatio, run.Envy, "counts"}
	presentMetrics = []string{"share", "refused"}
)

func init() {
	register := func(name, title string, parameters []spec.Parameter, replay func(*instances) replay) {
		spec.RegisterKind(spec.Kind{Name: name, Title: title, Parameters: parameters, Check: check,
			Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
				i, err := open(s)
				if err != nil {
					return nil, err
				}
				i.replay = replay(i)
				return i, nil
			}})
	}
	register(Fluid, "a workload on a cluster under a rule, tasks being infinitely divisible", parameters(fluidMetrics, registered),
		func(i *instances) replay { return i.tasks(nil) })
	register(Present, "a workload whose jobs are all present at once: one allocation on a cluster under a rule", parameters(presentMetrics, registered),
		func(i *instances) replay { return i.divide })
	register(Whole, "a workload on a cluster under a rule, with whole tasks", append(parameters(wholeMetrics, orFIFO), wholeParameters()...),
		func(i *instances) replay { return i.tasks(i.whole()) })
}

// replay replays the jobs of an instance; left counts by reason those that were drawn
// and are not among them.
type replay func(ctx context.Context, c run.Case, left map[string]int, instance int) (*run.Outcome, error)

// tasks replays in a task model, fluid where whole is nil.
func (s *instances) tasks(whole *run.WholeTasks) replay {
	return func(ctx context.Context, c run.Case, left map[string]int, instance int) (*run.Outcome, error) {
		out, err := s.Replay(ctx, c, left, instance, whole)
		if err == nil && whole != nil && whole.Verify {
			out.Measures = append(out.Measures, run.Measure{Metric: results.MetricVerified, Value: float64(out.Verified)})
		}
		return out, err
	}
}

// divide allocates once.
func (s *instances) divide(_ context.Context, c run.Case, left map[string]int, _ int) (*run.Outcome, error) {
	return s.Divide(c, left)
}

// mostSeconds is the longest slot; a longer one never comes.
const mostSeconds = math.MaxInt64 / 1_000_000 / 2

func wholeParameters() []spec.Parameter {
	return []spec.Parameter{
		{Name: slot, Unit: "s", Doc: "Time between reallocations; 0 for never.", Default: "0", Canonical: spec.Number(0, mostSeconds)},
		{Name: fill, Doc: "What fills the room that rounding leaves: users, tasks or slot.", Default: "users", Canonical: spec.OneOf("users", "tasks", "slot")},
		{Name: split, Doc: "Split over servers of the allocation that is rounded: interior or vertex.", Default: "interior", Canonical: spec.OneOf("interior", "vertex")},
		{Name: departed, Doc: "Users that are done, in the division of a rule that is rounded: they leave it, or keep their part, which stays idle.", Default: "leave", Canonical: spec.OneOf("leave", "keep")},
		{Name: suspended, Doc: "Where suspended tasks queue: first or last.", Default: "first", Canonical: spec.OneOf("first", "last")},
		{Name: rounded, Doc: "Whether a rule is rounded that has a form for whole tasks as well.", Default: "no", Canonical: spec.OneOf("no", "yes")},
		{Name: verify, NoColumn: true, Doc: "Whether every invariant is checked after every event: no or yes. How often it was is one of the counts.", Default: "no", Canonical: spec.OneOf("no", "yes")},
	}
}

// whole are the options of whole tasks that the scenario describes.
func (s *instances) whole() *run.WholeTasks {
	filling, err := whole.ParseFill(s.Text(fill))
	if err != nil {
		panic(err) // the parameter was checked
	}
	return &run.WholeTasks{
		Slot: event.Time(math.Round(s.Number(slot) * 1e6)), Fill: filling, Vertex: s.Text(split) == "vertex",
		SuspendedLast: s.Text(suspended) == "last", Rounded: s.Text(rounded) == "yes", Keep: s.Text(departed) == "keep", Verify: s.Text(verify) == "yes",
	}
}

// instances are those of one scenario.
type instances struct {
	spec.Scenario
	run.Setup
	metrics []string
	replay  replay

	mu      sync.Mutex
	leftOut map[string]int
}

// open reads what the instances of a scenario share.
func open(s spec.Scenario) (*instances, error) {
	population, env, err := met(s)
	if err != nil {
		return nil, err
	}
	i := &instances{Scenario: s, metrics: strings.Split(s.Text(metricList), ","), leftOut: map[string]int{}}
	i.Setup = run.Setup{Population: population, Cluster: env, Ignore: run.Ignored(s.Text(run.IgnoreName)), Draws: s.Text(draws), Seed: s.Seed,
		Bandwidth: traces.Bandwidth{CPUHz: s.Number(cpuGHz) * 1e9, BitsPerHz: s.Number(bitsPerHz), GammaShape: s.Number(gammaShape),
			GammaSecond: s.Number(gammaSecond), Parameter: traces.GammaParameter(s.Text(gamma))}}
	i.Want = i.metrics
	if s.Text(n) != all {
		i.Jobs = int(s.WholeNumber(n))
	}
	if i.Jobs > len(population.Jobs) {
		return nil, spec.OfInput(fmt.Errorf("n: %d jobs are to be drawn from %d", i.Jobs, len(population.Jobs)))
	}
	return i, i.Bandwidth.Validate()
}

// Instance implements [spec.Instances].
func (s *instances) Instance(ctx context.Context, instance int) ([]results.Row, error) {
	c, left, err := s.Draw(instance)
	if err != nil {
		return nil, err
	}
	if len(c.Jobs) == 0 {
		return nil, spec.OfInput(fmt.Errorf("no job of the %d drawn can run on the cluster", left[run.NeedsNothing]+left[run.TooLarge]))
	}
	c.Policy = s.Text(policy)
	outcome, err := s.replay(ctx, c, left, instance)
	if err != nil {
		return nil, err
	}
	if outcome.Refused == len(c.Jobs) {
		return nil, spec.OfInput(fmt.Errorf("policy %s: every job was refused: %s", c.Policy, outcome.WhyRefused()))
	}
	left[run.Refused] += outcome.Refused - outcome.BeyondClock
	left[run.BeyondClock] += outcome.BeyondClock
	s.count(left)
	rows := s.Rows(outcome, func(metric string) bool { return slices.Contains(s.metrics, listName(metric)) })
	if s.Text(first) == all {
		for i := range rows {
			rows[i].Point = rows[i].Point.With(first, results.OfInt(int64(len(s.Population.Jobs))))
		}
	}
	return rows, nil
}

// listNames are the names in lists of metrics, by the names in tables, of what no
// [run.Measurement] yields.
var listNames = map[string]string{
	results.MetricJCTFactor:     "jct-factor",
	results.MetricRefused:       "refused",
	results.MetricBeyondClock:   "refused",
	results.MetricPooled:        "jct-factor",
	results.MetricReallocations: "counts",
	results.MetricSuspensions:   "counts",
	results.MetricStalls:        "counts",
	results.MetricVerified:      "counts",
	results.MetricShare:         "share",
}

// listName is the name in lists of a metric, which may have a colon and what it
// is of behind it.
func listName(metric string) string {
	name, _, _ := strings.Cut(metric, ":")
	if listed, ok := listNames[name]; ok {
		return listed
	}
	return run.MeasurementOf(name)
}

// count adds jobs that did not run.
func (s *instances) count(left map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for reason, jobs := range left {
		s.leftOut["drawn, but "+reason] += jobs
	}
}

// Source implements [run.Sourced]: the workload, with the jobs that were
// left out of it and, summed over the instances, those that were drawn and did
// not run.
func (s *instances) Source() run.Workload {
	s.mu.Lock()
	defer s.mu.Unlock()
	source := s.Population.Workload
	source.LeftOut = maps.Clone(s.Population.LeftOut)
	for reason, jobs := range s.leftOut {
		if jobs > 0 {
			source.LeftOut[reason] += jobs
		}
	}
	return source
}
