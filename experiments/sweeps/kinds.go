package sweeps

import (
	"context"
	"math"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
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
