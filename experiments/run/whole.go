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
	tenants          *tenantShares
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
	feed, end, err := c.feed()
	if err != nil {
		return nil, err
	}
	defer end()
	out := &WholeOutcome{}
	replay := c.replay(rule)
	fairness := c.fairness(out)
	if fairness != nil {
		replay.Fairness = append(replay.Fairness, fairness)
	}
	if c.OnFairness != nil {
		replay.Fairness = append(replay.Fairness, &whole.Fairness{Caps: whole.CapLeft, OnInterval: c.OnFairness})
	}
	c.Course.watch(replay, fairness)
	watches := &watches{}
	err = c.watch(watches, out)
	defer watches.end()
	if err != nil {
		return nil, err
	}
	replay.Feed, replay.OnEvent, replay.OnJob = feed, watches.event(), out.keep(&c.Case)
	result, err := replay.Run(ctx)
	if err == nil {
		result.Jobs = out.Jobs
		err = errors.Join(watches.end(), c.Placements.close(result))
	}
	if err != nil {
		out.Discard()
		return nil, fmt.Errorf("policy %s: %w", c.Policy, err)
	}
	out.Result = *result
	return out, c.measure(out, fairness)
}

// keep returns what takes note of what becomes of each job.
func (o *Outcome) keep(c *Case) func(number int, r *sim.JobResult) error {
	if c.Stream != nil {
		return o.kept.put
	}
	o.Jobs = make([]sim.JobResult, len(c.Jobs))
	return func(number int, r *sim.JobResult) error {
		o.Jobs[number] = *r
		return nil
	}
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
	if compiled(c.Policy) {
		options.Divisions, options.Name = divisions, c.Policy
	}
	return whole.Rounded(policy, options), nil
}

// replay sets up the replay.
func (c Whole) replay(rule whole.Rule) *whole.Replay {
	return &whole.Replay{
		Env: c.Cluster, Rule: rule,
		Slot: c.Tasks.Slot, SuspendedLast: c.Tasks.SuspendedLast, Verify: c.Tasks.Verify,
		SampleEvery: c.Tasks.SampleEvery, OnSample: c.Tasks.OnSample,
	}
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

// watches are what is shown the events of a replay.
type watches struct {
	events []func(*whole.Event)
	ends   []func() error
}

func (w *watches) add(event func(*whole.Event), end func() error) {
	w.events = append(w.events, event)
	if end != nil {
		w.ends = append(w.ends, end)
	}
}

// end ends the watches, and returns what was wrong.
func (w *watches) end() error {
	var all []error
	for _, end := range w.ends {
		all = append(all, end())
	}
	return errors.Join(all...)
}

// event shows an event to all; nil where nobody looks.
func (w *watches) event() func(*whole.Event) {
	if w.events == nil {
		return nil
	}
	return func(ev *whole.Event) {
		for _, f := range w.events {
			f(ev)
		}
	}
}

// watch adds what is shown the events of the replay that fills out.
func (c *Whole) watch(to *watches, out *WholeOutcome) error {
	if c.Placements != nil {
		c.Placements.open(c.Cluster)
		to.add(c.Placements.event, nil)
	}
	if c.wants(Waiting) {
		jobs, end := follow[waitingTasks](&c.Case)
		out.waits = newTaskWaits(jobs)
		to.add(out.waits.event, end)
	}
	if c.wants(Jain) {
		jobs, end := follow[jainJob](&c.Case)
		jain, err := newWholeJain(&c.Case, jobs)
		out.jain = jain
		if to.add(jain.event, end); err != nil {
			return err
		}
	}
	if c.OnEvent != nil {
		to.add(c.OnEvent, nil)
	}
	if err := c.watchJobs(to); err != nil {
		return err
	}
	var err error
	if out.tenants, err = c.followTenants(); err != nil || out.tenants == nil {
		return err
	}
	jobs, end := follow[tenantJob](&c.Case)
	events, err := watchTenants(out.tenants, &c.Case, jobs)
	to.add(events.event, end)
	return err
}

// watchJobs has the course follow what each job receives and deserves.
func (c *Whole) watchJobs(to *watches) error {
	if c.Course == nil {
		return nil
	}
	env, err := c.Environment()
	if err != nil {
		return err
	}
	event, err := watchJobs(c.Course, c.simJobs(env), env.EtasEligible(nil))
	to.add(event, nil)
	return err
}

// measure fills in the measures of a run.
func (c Whole) measure(out *WholeOutcome, f *whole.Fairness) error {
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
	if err := c.done(&out.Outcome); err != nil {
		return err
	}
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
	if c.wants(Tenants) {
		out.Measures = append(out.Measures, out.tenants.Measures()...)
	}
	return nil
}
