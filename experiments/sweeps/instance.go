package sweeps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
)

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
