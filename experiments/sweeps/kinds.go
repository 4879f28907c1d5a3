package sweeps

import (
	"context"
	"math"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/indivisible"
	"github.com/leontief-sim/leontief/traces/seed"
)

// The names of the kinds.
const (
	Fluid = "fluid" // tasks are infinitely divisible
	Whole = "whole" // tasks are whole
)

var (
	fluidMetrics = []string{"jct-factor", "refused", "utilization", "task-ratio", "envy", "domination"}
	wholeMetrics = []string{"jct-factor", "refused", "utilization", "task-ratio", "envy", "counts"}
)

func init() {
	experiments.RegisterKind(experiments.Kind{
		Name: Fluid, Title: "a workload on a cluster under a rule, tasks being infinitely divisible",
		Parameters: parameters(fluidMetrics, registered),
		Check:      checkCluster,
		Open: func(_ context.Context, s experiments.Scenario) (experiments.Instances, error) {
			i, err := open(s)
			if err != nil {
				return nil, err
			}
			i.replay = func(ctx context.Context, c experiments.Case, _ int) (*experiments.Outcome, error) { return c.Run(ctx) }
			return i, nil
		},
	})
	experiments.RegisterKind(experiments.Kind{
		Name: Whole, Title: "a workload on a cluster under a rule, with whole tasks",
		Parameters: append(parameters(wholeMetrics, orFIFO), wholeParameters()...),
		Check:      checkCluster,
		Open: func(_ context.Context, s experiments.Scenario) (experiments.Instances, error) {
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

func wholeParameters() []experiments.Parameter {
	return []experiments.Parameter{
		{Name: slot, Unit: "s", Doc: "Time between reallocations; 0 for never.", Default: "0", Canonical: experiments.Number(0, mostSeconds)},
		{Name: fill, Doc: "What fills the room that rounding leaves: users, tasks or slot.", Default: "users", Canonical: experiments.OneOf("users", "tasks", "slot")},
		{Name: split, Doc: "Split over servers of the allocation that is rounded: interior or vertex.", Default: "interior", Canonical: experiments.OneOf("interior", "vertex")},
		{Name: departed, Doc: "Users that are done, in the division of a rule that is rounded: they leave it, or keep their part, which stays idle.", Default: "leave", Canonical: experiments.OneOf("leave", "keep")},
		{Name: suspended, Doc: "Where suspended tasks queue: first or last.", Default: "first", Canonical: experiments.OneOf("first", "last")},
		{Name: rounded, Doc: "Whether a rule is rounded that has a form for whole tasks as well.", Default: "no", Canonical: experiments.OneOf("no", "yes")},
	}
}

// whole replays a case with whole tasks.
func (s *instances) whole(ctx context.Context, c experiments.Case, instance int) (*experiments.Outcome, error) {
	filling, err := indivisible.ParseFill(s.Text(fill))
	if err != nil {
		return nil, err
	}
	run := experiments.Whole{Case: c, Tasks: experiments.WholeTasks{
		Slot: event.Time(math.Round(s.Number(slot) * 1e6)), Fill: filling, Vertex: s.Text(split) == "vertex",
		SuspendedLast: s.Text(suspended) == "last", Rounded: s.Text(rounded) == "yes", Keep: s.Text(departed) == "keep",
	}, Random: seed.Stream(s.stream(instance, "fill")...)}
	outcome, err := run.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &outcome.Outcome, nil
}
