package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/sim/whole"
)

// FIFO names the rule that serves users in order of arrival. It exists for
// whole tasks only, so the registry of policies does not have it.
const FIFO = "fifo"

// FIFOByPriority names the same rule with jobs of higher priority first.
const FIFOByPriority = FIFO + "[order=priority]"

// IsFIFO reports whether a text names a rule of the family of [FIFO], and returns its one
// text form. The error says what is wrong with its parameters.
func IsFIFO(text string) (canonical string, is bool, err error) {
	name, params, err := policies.Parse(text)
	if err != nil || name != FIFO {
		return "", false, nil
	}
	order, given := params["order"]
	if len(params) > 1 || len(params) == 1 && !given {
		return "", true, fmt.Errorf("policy %s: its one parameter is order", text)
	}
	switch order {
	case "", "arrival":
		return FIFO, true, nil
	case "priority":
		return FIFOByPriority, true, nil
	}
	return "", true, fmt.Errorf("policy %s: order: %w", text, spelling.Check("", order, []string{"arrival", "priority"}))
}

// ErrFluidFIFO says why a fluid run has no [FIFO].
var ErrFluidFIFO = errors.New("policy fifo is of whole tasks: a rule of divisible ones divides a cluster among the jobs that are present, whatever their order of arrival; use --model whole, in a spec experiment: whole")

// Whole is a [Case] with whole tasks. Of what a case wants, Domination is
// refused: which allocation of whole tasks dominates another is an integer
// program.
type Whole struct {
	Case
	Tasks WholeTasks
	// Random decides the fills of a rule that is rounded. It is used up by the
	// run; nil where no rule is rounded.
	Random rand.Source
}

// WholeTasks are the options of the model of whole tasks.
type WholeTasks struct {
	Slot          event.Time     // between reallocations; 0: never
	Rounded       bool           // round also a rule that has a form for whole tasks
	Rounding      whole.Rounding // of the rules that are rounded; Random is the one of [Whole]
	SuspendedLast bool           // suspended tasks queue behind fresh ones
	Verify        bool           // re-check every invariant after every event
	// OnSample, if set, is shown a sample every SampleEvery. It is valid during
	// the call only.
	SampleEvery event.Time
	OnSample    func(*whole.Sample) error
	// Until, if it is not 0, also measures MIN-EF-SAT and MIN-SI-SAT over the
	// time before it alone, under the names of the metrics with [EarlySuffix].
	Until event.Time
}

// WholeOutcome is what became of a run with whole tasks.
type WholeOutcome struct {
	Outcome
	earlyEF, earlySI metrics.Weighted
	waits            *taskWaits // nil: not wanted
	jain             *wholeJain // likewise
}

// EarlySuffix marks the metrics over the time before [WholeTasks.Until].
const EarlySuffix = ":early"

// Run replays the case. It ends early, with the cause, when ctx does.
func (c Whole) Run(ctx context.Context) (*WholeOutcome, error) {
	if c.wants(Domination) {
		return nil, errors.New("the domination factor of whole tasks is not computed: it takes an integer program at every event")
	}
	for _, name := range Measurements() {
		if c.wants(name) && !slices.Contains(BothModels, name) {
			return nil, fmt.Errorf("%s is measured with fluid tasks only", name)
		}
	}
	rule, err := c.rule()
	if err != nil {
		return nil, err
	}
	env, err := c.Environment()
	if err != nil {
		return nil, err
	}
	out := &WholeOutcome{}
	replay := c.replay(env, rule, out)
	fairness := c.fairness(out)
	if fairness != nil {
		replay.Fairness = append(replay.Fairness, fairness)
	}
	if c.OnFairness != nil {
		replay.Fairness = append(replay.Fairness, &whole.Fairness{Caps: whole.CapLeft, OnInterval: c.OnFairness})
	}
	c.Course.watch(replay, fairness)
	if c.Course != nil {
		jobs, err := watchJobs(c.Course, replay.Jobs, env.EtasEligible(nil))
		if err != nil {
			return nil, err
		}
		replay.OnEvent = both(replay.OnEvent, jobs)
	}
	tenants, err := c.followTenants(env)
	if err != nil {
		return nil, err
	}
	if tenants != nil {
		events, err := watchTenants(tenants, replay.Jobs)
		if err != nil {
			return nil, err
		}
		replay.OnEvent = both(replay.OnEvent, events.event)
	}
	result, err := replay.Run(ctx)
	if err == nil {
		err = c.Placements.close(result)
	}
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", c.Policy, err)
	}
	out.Result = *result
	c.measure(out, fairness)
	if c.wants(Tenants) {
		out.Measures = append(out.Measures, tenants.Measures()...)
	}
	return out, nil
}

// rule finds the form of the policy for whole tasks.
func (c Whole) rule() (whole.Rule, error) {
	if canonical, fifo, err := IsFIFO(c.Policy); err != nil {
		return nil, err
	} else if fifo && canonical == FIFOByPriority {
		return whole.ByPriority(), nil
	} else if fifo {
		return whole.FIFO(), nil
	}
	policy, err := policies.New(c.Policy)
	if err != nil {
		return nil, err
	}
	if _, ordered := policy.(policies.Normalizer); ordered && !c.Tasks.Rounded {
		return whole.ShareOrdered(policy)
	}
	options := c.Tasks.Rounding
	options.Random = c.Random
	return whole.Rounded(policy, options), nil
}

// replay sets up the replay that fills out.
func (c Whole) replay(env *cluster.Environment, rule whole.Rule, out *WholeOutcome) *whole.Replay {
	r := &whole.Replay{
		Env: env, Jobs: c.simJobs(env), Rule: rule,
		Slot: c.Tasks.Slot, SuspendedLast: c.Tasks.SuspendedLast, Verify: c.Tasks.Verify,
		SampleEvery: c.Tasks.SampleEvery, OnSample: c.Tasks.OnSample,
	}
	r.OnEvent = out.watch(&c, env, r.Jobs)
	return r
}

// fairness returns what watches envy and the sharing incentive, as far as that is wanted;
// nil if neither is.
func (c Whole) fairness(out *WholeOutcome) *whole.Fairness {
	if !c.wants(Envy) && !c.wants(TaskRatio) {
		return nil
	}
	return &whole.Fairness{SharesOnly: !c.wants(Envy), OnInterval: func(from, to event.Time, ef, si float64) error {
		if span := min(to, c.Tasks.Until) - from; span > 0 {
			out.earlyEF.Add(ef, int64(span))
			out.earlySI.Add(si, int64(span))
		}
		return nil
	}}
}

// watch returns what is shown the events of the replay; nil where nobody looks.
func (o *WholeOutcome) watch(c *Whole, env *cluster.Environment, jobs []sim.Job) func(*whole.Event) {
	var all []func(*whole.Event)
	if c.Placements != nil {
		c.Placements.open(env)
		all = append(all, c.Placements.event)
	}
	if c.wants(Waiting) {
		o.waits = newTaskWaits(&c.Case)
		all = append(all, o.waits.event)
	}
	if c.wants(Jain) {
		o.jain = newWholeJain(env, jobs)
		all = append(all, o.jain.event)
	}
	if c.OnEvent != nil {
		all = append(all, c.OnEvent)
	}
	if all == nil {
		return nil
	}
	return func(ev *whole.Event) {
		for _, f := range all {
			f(ev)
		}
	}
}

// measure fills in the measures of a run.
func (c Whole) measure(out *WholeOutcome, f *whole.Fairness) {
	out.begin()
	if c.wants(Utilization) {
		out.Measures = append(out.Measures, utilizationMeasures(out.Utilization)...)
	}
	if f != nil && c.wants(TaskRatio) {
		violation, ok := f.Violation.Fraction()
		out.Measures = append(out.Measures, MeanOf(results.MetricMinTaskRatio, &f.SI)...)
		out.Measures = append(out.Measures, ratio(results.MetricSIViolation, violation, ok)...)
	}
	if f != nil && c.wants(Envy) {
		out.Measures = append(out.Measures, MeanOf(results.MetricMinEFSat, &f.EF)...)
	}
	if f != nil && c.Tasks.Until > 0 {
		out.Measures = append(out.Measures, MeanOf(results.MetricMinTaskRatio+EarlySuffix, &out.earlySI)...)
		if c.wants(Envy) {
			out.Measures = append(out.Measures, MeanOf(results.MetricMinEFSat+EarlySuffix, &out.earlyEF)...)
		}
	}
	out.Measures = append(out.Measures, c.done(&out.Result)...)
	if out.waits != nil {
		out.Measures = append(out.Measures, out.waits.measures()...)
	}
	if out.jain != nil {
		out.Measures = append(out.Measures, MeanOf(MetricJain, &out.jain.mean)...)
	}
	out.Measures = append(out.Measures,
		Measure{Metric: results.MetricReallocations, Value: float64(out.Allocations)},
		Measure{Metric: results.MetricSuspensions, Value: float64(out.Suspensions)},
		Measure{Metric: results.MetricStalls, Value: float64(out.Stalls)},
	)
}
