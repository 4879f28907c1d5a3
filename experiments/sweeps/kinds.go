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
	"github.com/leontief-sim/leontief/traces"
)

// The names of the kinds.
const (
	Fluid   = "fluid"   // tasks are infinitely divisible
	Whole   = "whole"   // tasks are whole
	Present = "present" // all jobs are there at once, and no time passes
)

// What the kinds measure, the first two of each where nothing is asked for.
var (
	fluidMetrics   = append([]string{run.JCTFactor, run.Refusals, run.Tenants}, run.Measurements()...)
	wholeMetrics   = append(append([]string{run.JCTFactor, run.Refusals}, run.BothModels...), run.Counts, run.Tenants)
	presentMetrics = []string{run.Share, run.Refusals}
)

func init() {
	register := func(name, title string, parameters []spec.Parameter) {
		spec.RegisterKind(spec.Kind{Name: name, Title: title, Parameters: parameters, Check: check,
			Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) { return Open(s) }})
	}
	register(Fluid, "a workload on a cluster under a rule, tasks being infinitely divisible", parameters(fluidMetrics, registered))
	register(Present, "a workload whose jobs are all present at once: one allocation on a cluster under a rule", parameters(presentMetrics, registered))
	register(Whole, "a workload on a cluster under a rule, with whole tasks", append(parameters(wholeMetrics, orFIFO), wholeParameters()...))
}

// mostSeconds is the longest slot; a longer one never comes.
const mostSeconds = math.MaxInt64 / 1_000_000 / 2

func wholeParameters() []spec.Parameter {
	slots := spec.Parameter{Name: slot, Unit: "s", Doc: "Time between reallocations; 0 for never.", Default: "0", Canonical: spec.Number(0, mostSeconds)}
	return slices.Concat([]spec.Parameter{slots}, run.RoundingParameters(), []spec.Parameter{
		{Name: departed, Doc: "Users that are done, in the division of a rule that is rounded: they leave it, or keep their part, which stays idle.", Default: "leave", Canonical: spec.OneOf("leave", "keep")},
		{Name: suspended, Doc: "Where suspended tasks queue: first or last.", Default: "first", Canonical: spec.OneOf("first", "last")},
		{Name: rounded, Doc: "Whether a rule is rounded that has a form for whole tasks as well.", Default: "no", Canonical: spec.OneOf("no", "yes")},
		{Name: verify, NoColumn: true, Doc: "Whether every invariant is checked after every event: no or yes. How often it was is one of the counts.", Default: "no", Canonical: spec.OneOf("no", "yes")},
	})
}

// whole are the options of whole tasks that the scenario describes.
func (s *Instances) whole() *run.WholeTasks {
	rounding := run.RoundingOf(s.Scenario)
	rounding.Keep = s.Text(departed) == "keep"
	return &run.WholeTasks{
		Slot: event.Time(math.Round(s.Number(slot) * 1e6)), Rounding: rounding,
		SuspendedLast: s.Text(suspended) == "last", Rounded: s.Text(rounded) == "yes", Verify: s.Text(verify) == "yes",
	}
}

// Instances are those of one scenario: of a block of a spec, or of the command simulate,
// which is a spec of one block.
type Instances struct {
	spec.Scenario
	run.Setup

	mu      sync.Mutex
	leftOut map[string]int
}

// Open reads what the instances of a scenario share.
func Open(s spec.Scenario) (*Instances, error) {
	population, env, err := met(s)
	if err != nil {
		return nil, err
	}
	i := &Instances{Scenario: s, leftOut: map[string]int{}}
	i.Setup = run.Setup{Population: population, Cluster: env, Ignore: run.Ignored(s.Text(run.IgnoreName)), Tenants: s.Text(users) == "tenant", Draws: s.Text(draws), Seed: s.Seed,
		Bandwidth: traces.Bandwidth{CPUHz: s.Number(cpuGHz) * 1e9, BitsPerHz: s.Number(bitsPerHz), GammaShape: s.Number(gammaShape),
			GammaSecond: s.Number(gammaSecond), Parameter: traces.GammaParameter(s.Text(gamma))}}
	i.Want = strings.Split(s.Text(metricList), ",")
	if s.Kind == Whole {
		i.Tasks = i.whole()
	}
	if s.Text(n) != all {
		i.Jobs = int(s.WholeNumber(n))
	}
	if i.Jobs > population.Len() {
		return nil, spec.OfInput(fmt.Errorf("n: %d jobs are to be drawn from %d", i.Jobs, population.Len()))
	}
	return i, i.Bandwidth.Validate()
}

// Replay replays what [run.Setup.Draw] has drawn, or divides the cluster once, under the
// rule of the case.
func (s *Instances) Replay(ctx context.Context, c run.Case, left map[string]int, instance int) (*run.Outcome, error) {
	if s.Kind == Present {
		return s.Divide(c, left)
	}
	return s.Setup.Replay(ctx, c, left, instance)
}

// Instance implements [spec.Instances].
func (s *Instances) Instance(ctx context.Context, instance int) ([]results.Row, error) {
	c, left, err := s.Draw(instance)
	if err != nil {
		return nil, err
	}
	if c.Len() == 0 {
		return nil, spec.OfInput(fmt.Errorf("no job of the %d drawn can run on the cluster", left[run.NeedsNothing]+left[run.TooLarge]+left[run.NoPlace]))
	}
	c.Policy = s.Text(policy)
	outcome, err := s.Replay(ctx, c, left, instance)
	if err != nil {
		return nil, err
	}
	if outcome.Refused == c.Len() {
		return nil, spec.OfInput(fmt.Errorf("policy %s: every job was refused: %s", c.Policy, outcome.WhyRefused()))
	}
	left[run.Refused] += outcome.Refused - outcome.BeyondClock
	left[run.BeyondClock] += outcome.BeyondClock
	s.count(left)
	if outcome.Verified > 0 {
		outcome.Measures = append(outcome.Measures, run.Measure{Metric: results.MetricVerified, Value: float64(outcome.Verified)})
	}
	rows := s.Rows(outcome)
	if s.Text(first) == all {
		for i := range rows {
			rows[i].Point = rows[i].Point.With(first, results.OfInt(int64(s.Population.Len())))
		}
	}
	return rows, nil
}

// count adds jobs that did not run.
func (s *Instances) count(left map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for reason, jobs := range left {
		s.leftOut["drawn, but "+reason] += jobs
	}
}

// Source implements [run.Sourced]: the workload, with the jobs that were
// left out of it and, summed over the instances, those that were drawn and did
// not run.
func (s *Instances) Source() run.Workload {
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
