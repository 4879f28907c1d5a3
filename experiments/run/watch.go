package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// Watcher observes a run in the fluid model and yields its measures.
type Watcher interface {
	sim.Observer
	Measures() []Measure
}

// Measurement is what a run can be asked to measure beside the JCT factor.
type Measurement struct {
	Name    string   // in lists of metrics, as task-ratio
	Metrics []string // the metrics that it yields, by their names in tables
	// Watch returns the observer of a replay of env with fluid tasks; nil if Done says all.
	Watch func(env *cluster.Environment, jobs []sim.Job) Watcher
	// Done returns the measures of a replay that has ended, in both task models; nil if
	// there are none.
	Done func(c *Case, o *Outcome) ([]Measure, error)
}

// The measurements that are registered here, and what is measured in any case, or never
// in a replay: it has no observer.
const (
	JCTFactor   = "jct-factor"
	Refusals    = "refused"
	Counts      = "counts"      // of what whole tasks went through
	Share       = "share"       // of [Setup.Divide]
	Utilization = "utilization" // of every resource, every server's resources and every link
	TaskRatio   = "task-ratio"  // minimum restricted task ratio, share of time below 1
	Envy        = "envy"        // minimum of EF-SAT; n² bundles at every event
	Domination  = "domination"  // a linear program at every event
)

// BothModels are the measurements that both task models have.
var BothModels = []string{Utilization, TaskRatio, Envy, Waiting, Slowdown, Throughput, Jain}

// always is what needs no observer.
var always = []Measurement{
	{Name: JCTFactor, Metrics: []string{results.MetricJCTFactor, results.MetricPooled}},
	{Name: Refusals, Metrics: []string{results.MetricRefused, results.MetricBeyondClock}},
	{Name: Counts, Metrics: []string{results.MetricReallocations, results.MetricSuspensions, results.MetricStalls, results.MetricVerified}},
	{Name: Share, Metrics: []string{results.MetricShare}},
	{Name: Tenants, Metrics: []string{MetricTenantRatio, MetricTenantLeast, MetricTenantBelow}},
}

// registered are the measurements that a replay can be asked for.
var registered = []Measurement{
	{Name: Utilization, Metrics: []string{results.MetricMeanUtilization}, Watch: func(*cluster.Environment, []sim.Job) Watcher { return &watchUtilization{} }},
	{Name: TaskRatio, Metrics: []string{results.MetricMinTaskRatio, results.MetricSIViolation}, Watch: func(env *cluster.Environment, _ []sim.Job) Watcher { return watchTaskRatio{sim.NewTaskRatio(env)} }},
	{Name: Envy, Metrics: []string{results.MetricMinEFSat}, Watch: func(*cluster.Environment, []sim.Job) Watcher { return watchEnvy{&sim.Envy{}} }},
	{Name: Domination, Metrics: []string{results.MetricDomination}, Watch: func(*cluster.Environment, []sim.Job) Watcher { return watchDomination{&sim.Domination{}} }},
	{Name: Waiting, Metrics: spreadsOf(waitingTime, taskWaiting), Done: waitingMeasures},
	{Name: Slowdown, Metrics: spreadsOf(slowdown, boundedSlowdown), Done: slowdownMeasures},
	{Name: Throughput, Metrics: []string{MetricMakespan, MetricJobThroughput, MetricTaskThroughput, MetricJobsServed}, Done: throughputMeasures},
	{Name: Jain, Metrics: []string{MetricJain}, Watch: func(env *cluster.Environment, jobs []sim.Job) Watcher { return newWatchJain(env, jobs) }},
}

// RegisterMeasurement makes a measurement known. It panics if its name is taken, or if a
// metric of it is not registered with package results.
func RegisterMeasurement(m Measurement) {
	if m.Name == "" || m.Watch == nil && m.Done == nil || slices.Contains(Measurements(), m.Name) {
		panic(fmt.Sprintf("run: measurement %q is unusable, or registered twice", m.Name))
	}
	for _, metric := range m.Metrics {
		results.UnitOf(metric)
	}
	registered = append(registered, m)
}

// Measurements are the names of what is registered, in that order.
func Measurements() []string {
	var names []string
	for _, m := range registered {
		names = append(names, m.Name)
	}
	return names
}

// MeasurementOf returns the name of what yields a metric, in lists of what is wanted; ""
// if nothing does.
func MeasurementOf(metric string) string {
	metric, _, _ = strings.Cut(metric, ":")
	for _, m := range slices.Concat(always, registered) {
		if slices.Contains(m.Metrics, metric) {
			return m.Name
		}
	}
	return ""
}

// wants reports whether a measurement is asked for.
func (c *Case) wants(name string) bool { return slices.Contains(c.Want, name) }

// watchers returns the observers of what is wanted.
func (c *Case) watchers(env *cluster.Environment, jobs []sim.Job) []Watcher {
	var all []Watcher
	for _, m := range registered {
		if c.wants(m.Name) && m.Watch != nil {
			all = append(all, m.Watch(env, jobs))
		}
	}
	return all
}

// done adds what is wanted of a replay that has ended.
func (c *Case) done(o *Outcome) error {
	for _, m := range registered {
		if !c.wants(m.Name) || m.Done == nil {
			continue
		}
		measures, err := m.Done(c, o)
		if err != nil {
			return err
		}
		o.Measures = append(o.Measures, measures...)
	}
	return nil
}

// ratio is a measure that is a pure number, of something that was observed
// for any time at all.
func ratio(metric string, value float64, observed bool) []Measure {
	if !observed {
		return nil
	}
	return []Measure{{Metric: metric, Value: value}}
}

// MeanOf is the measure of a mean over time; none where nothing was observed.
func MeanOf(metric string, w *metrics.Weighted) []Measure {
	mean, ok := w.Mean()
	return ratio(metric, mean, ok)
}

type watchUtilization struct{ sim.Utilization }

func (w *watchUtilization) Measures() []Measure { return utilizationMeasures(w.Mean()) }

// utilizationMeasures are the measures of a utilization, the same in both task
// models: of each resource on all servers, of each class of servers, of each
// link. There are none of a run in which nobody ever was in the system.
func utilizationMeasures(u *cluster.MeanUtilization) []Measure {
	if u == nil {
		return nil
	}
	var all []Measure
	resources, rows := utilizationNames(u.Region)
	for r, name := range resources {
		all = append(all, Measure{Metric: results.MetricMeanUtilization + ":" + name, Value: u.Resources[r]})
	}
	for row, name := range rows {
		all = append(all, Measure{Metric: results.MetricMeanUtilization + ":" + name, Value: u.Rows[row]})
	}
	return all
}

// utilizationNames names what utilization is measured of: each resource on all
// servers by its name, each capacity row server/resource or by the link. A name
// that is taken has what it is of before it: link/cpu.
func utilizationNames(env *cluster.Environment) (resources, rows []string) {
	taken := map[string]bool{}
	add := func(kind, name string) string {
		for taken[name] {
			name = kind + "/" + name
		}
		taken[name] = true
		return name
	}
	for _, name := range env.Resources {
		resources = append(resources, add("resource", name))
	}
	for _, s := range env.Servers {
		for _, resource := range env.Resources {
			rows = append(rows, add("server", s.Name+"/"+resource))
		}
	}
	for _, l := range env.Links {
		rows = append(rows, add("link", l.Name))
	}
	return resources, rows
}

type watchTaskRatio struct{ *sim.TaskRatio }

func (w watchTaskRatio) Measures() []Measure {
	violation, ok := w.Violation.Fraction()
	return append(MeanOf(results.MetricMinTaskRatio, &w.Min), ratio(results.MetricSIViolation, violation, ok)...)
}

type watchEnvy struct{ *sim.Envy }

func (w watchEnvy) Measures() []Measure { return MeanOf(results.MetricMinEFSat, &w.Min) }

type watchDomination struct{ *sim.Domination }

func (w watchDomination) Measures() []Measure { return MeanOf(results.MetricDomination, &w.Factor) }
