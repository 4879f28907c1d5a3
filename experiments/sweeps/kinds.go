package sweeps

import (
	"context"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/sim/whole"
)

// The names of the kinds.
const (
	Fluid   = "fluid"   // tasks are infinitely divisible
	Whole   = "whole"   // tasks are whole
	Present = "present" // all jobs are there at once, and no time passes
)

var (
	fluidMetrics = append([]string{"jct-factor", "refused"}, run.Measurements()...)
	wholeMetrics = []string{"jct-factor", "refused", run.Utilization, run.TaskRatio, run.Envy, "counts"}

	presentMetrics = []string{"share", "refused"}
)

func init() {
	spec.RegisterKind(spec.Kind{
		Name: Fluid, Title: "a workload on a cluster under a rule, tasks being infinitely divisible",
		Parameters: parameters(fluidMetrics, registered),
		Check:      check,
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			i, err := open(s)
			if err != nil {
				return nil, err
			}
			i.replay = func(ctx context.Context, c run.Case, _ int) (*run.Outcome, error) { return c.Run(ctx) }
			return i, nil
		},
	})
	spec.RegisterKind(spec.Kind{
		Name: Present, Title: "a workload whose jobs are all present at once: one allocation on a cluster under a rule",
		Parameters: parameters(presentMetrics, registered),
		Check:      check,
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			i, err := open(s)
			if err != nil {
				return nil, err
			}
			i.replay = present
			return i, nil
		},
	})
	spec.RegisterKind(spec.Kind{
		Name: Whole, Title: "a workload on a cluster under a rule, with whole tasks",
		Parameters: append(parameters(wholeMetrics, orFIFO), wholeParameters()...),
		Check:      check,
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			i, err := open(s)
			if err != nil {
				return nil, err
			}
			i.replay = i.whole
			return i, nil
		},
	})
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

// whole replays a case with whole tasks.
func (s *instances) whole(ctx context.Context, c run.Case, instance int) (*run.Outcome, error) {
	filling, err := whole.ParseFill(s.Text(fill))
	if err != nil {
		return nil, err
	}
	replay := run.Whole{Case: c, Tasks: run.WholeTasks{
		Slot: event.Time(math.Round(s.Number(slot) * 1e6)), Fill: filling, Vertex: s.Text(split) == "vertex",
		SuspendedLast: s.Text(suspended) == "last", Rounded: s.Text(rounded) == "yes", Keep: s.Text(departed) == "keep", Verify: s.Text(verify) == "yes",
	}, Random: stream.New(s.stream(instance, "fill")...)}
	outcome, err := replay.Run(ctx)
	if err != nil {
		return nil, err
	}
	if s.Text(verify) == "yes" {
		outcome.Measures = append(outcome.Measures, run.Measure{Metric: results.MetricVerified, Value: float64(outcome.Verified)})
	}
	return &outcome.Outcome, nil
}

// present divides the cluster once among all jobs of a case.
func present(_ context.Context, c run.Case, _ int) (*run.Outcome, error) {
	policy, err := policies.New(c.Policy)
	if err != nil {
		return nil, err
	}
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	a, err := policies.Allocate(policy, env)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", c.Policy, err)
	}
	eta, sum := env.Etas(nil), 0.0
	for j := range env.Users {
		sum += a.Tasks[j] / eta[j]
	}
	mean := run.Measure{Metric: results.MetricShare, Value: sum / float64(len(env.Users))}
	return &run.Outcome{Measures: []run.Measure{mean}}, nil
}
