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
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

// The reasons for which a drawn job is not run.
const (
	needsNothing = "drawn, but needs nothing that the cluster has"
	tooLarge     = "drawn, but one task is larger than every server"
	refused      = "drawn, but refused by the replay"
	beyondClock  = "drawn, but refused by the replay, as its completion would lie beyond the clock"
)

// instances are those of one scenario.
type instances struct {
	spec.Scenario
	population *run.Population
	cluster    *cluster.Environment
	bandwidth  traces.Bandwidth
	metrics    []string
	replay     func(ctx context.Context, c run.Case, instance int) (*run.Outcome, error)

	mu      sync.Mutex
	leftOut map[string]int
}

// open reads what the instances of a scenario share.
func open(s spec.Scenario) (*instances, error) {
	population, env, err := met(s)
	if err != nil {
		return nil, err
	}
	if s.Text(n) != all && int(s.WholeNumber(n)) > len(population.Jobs) {
		return nil, spec.OfInput(fmt.Errorf("n: %s jobs are to be drawn from %d", s.Text(n), len(population.Jobs)))
	}
	i := &instances{Scenario: s, population: population, cluster: env, metrics: strings.Split(s.Text(metricList), ","), leftOut: map[string]int{}}
	i.bandwidth = traces.Bandwidth{CPUHz: s.Number(cpuGHz) * 1e9, BitsPerHz: s.Number(bitsPerHz), GammaShape: s.Number(gammaShape),
		GammaSecond: s.Number(gammaSecond), Parameter: traces.GammaParameter(s.Text(gamma))}
	return i, i.bandwidth.Validate()
}

// stream names a stream of random numbers of an instance.
func (s *instances) stream(instance int, name string) []any {
	drawn := 0
	if s.Text(n) != all {
		drawn = int(s.WholeNumber(n))
	}
	return []any{s.Text(draws), s.Seed, s.population.Label, drawn, instance, name}
}

// draw draws the jobs of an instance and their bandwidth, and counts those that
// can not run.
func (s *instances) draw(instance int) (c run.Case, left map[string]int, err error) {
	jobs := s.population.Jobs
	if s.Text(n) != all {
		if jobs, err = traces.Sample(stream.New(s.stream(instance, "jobs")...), jobs, int(s.WholeNumber(n))); err != nil {
			return c, nil, err
		}
	}
	mhz := s.bandwidth.Synthesize(stream.New(s.stream(instance, "bandwidth")...), jobs)
	linked, left := len(s.cluster.Links) > 0, map[string]int{}
	c = run.Case{Cluster: s.cluster, Policy: s.Text(policy), Want: s.metrics,
		Ignore: run.Ignored(s.Text(run.IgnoreName))}
	for i := range jobs {
		needs, fits := run.Fit(&jobs[i], s.cluster)
		switch {
		case !needs && !(linked && mhz[i] > 0):
			left[needsNothing]++
			continue
		case !fits:
			left[tooLarge]++
			continue
		}
		c.Jobs = append(c.Jobs, jobs[i])
		if linked {
			c.Bandwidth = append(c.Bandwidth, mhz[i])
		}
	}
	if len(c.Jobs) == 0 {
		return c, nil, spec.OfInput(fmt.Errorf("no job of the %d drawn can run on the cluster", len(jobs)))
	}
	return c, left, nil
}

// Instance implements [spec.Instances].
func (s *instances) Instance(ctx context.Context, instance int) ([]results.Row, error) {
	c, left, err := s.draw(instance)
	if err != nil {
		return nil, err
	}
	outcome, err := s.replay(ctx, c, instance)
	if err != nil {
		return nil, err
	}
	if outcome.Refused == len(c.Jobs) {
		return nil, spec.OfInput(fmt.Errorf("policy %s: every job was refused: %s", c.Policy, outcome.WhyRefused()))
	}
	left[refused] += outcome.Refused - outcome.BeyondClock
	left[beyondClock] += outcome.BeyondClock
	count := 0
	for _, jobs := range left {
		count += jobs
	}
	s.count(left)
	like := results.Row{Point: s.drawn(), Workload: s.population.Mark()}
	var rows []results.Row
	for _, m := range append(outcome.Measures, run.Measure{Metric: results.MetricRefused, Value: float64(count)}) {
		if slices.Contains(s.metrics, listName(m.Metric)) {
			like.Metric, like.Value = m.Metric, m.Value
			rows = append(rows, like)
		}
	}
	return rows, nil
}

// drawn are the parameters of rows that say more than those of the scenario: the
// numbers of jobs where it says all, and the capacity of a link that the cluster has
// of itself.
func (s *instances) drawn() results.Point {
	values := map[string]results.Value{}
	for _, name := range []string{n, first} {
		if s.Text(name) == all {
			values[name] = results.OfInt(int64(len(s.population.Jobs)))
		}
	}
	if len(s.cluster.Links) == 1 {
		values["bandwidth_mhz"] = results.OfFloat(s.cluster.Links[0].Capacity)
	}
	return results.NewPoint(values)
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
		s.leftOut[reason] += jobs
	}
}

// Source implements [run.Sourced]: the workload, with the jobs that were
// left out of it and, summed over the instances, those that were drawn and did
// not run.
func (s *instances) Source() run.Workload {
	s.mu.Lock()
	defer s.mu.Unlock()
	source := s.population.Workload
	source.LeftOut = maps.Clone(s.population.LeftOut)
	for reason, jobs := range s.leftOut {
		if jobs > 0 {
			source.LeftOut[reason] += jobs
		}
	}
	return source
}
