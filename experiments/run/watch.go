package run

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// watcher observes a run and yields its measures.
type watcher interface {
	sim.Observer
	measures() []Measure
}

// watchers returns the observers of what is wanted.
func (w Want) watchers(env *cluster.Environment) []watcher {
	var all []watcher
	if w.Utilization {
		all = append(all, &watchUtilization{})
	}
	if w.TaskRatio {
		all = append(all, watchTaskRatio{sim.NewTaskRatio(env)})
	}
	if w.Envy {
		all = append(all, watchEnvy{&sim.Envy{}})
	}
	if w.Domination {
		all = append(all, watchDomination{&sim.Domination{}})
	}
	return all
}

// ratio is a measure that is a pure number, of something that was observed
// for any time at all.
func ratio(metric string, value float64, observed bool) []Measure {
	if !observed {
		return nil
	}
	return []Measure{{metric, value}}
}

func meanOf(metric string, w *metrics.Weighted) []Measure {
	mean, ok := w.Mean()
	return ratio(metric, mean, ok)
}

type watchUtilization struct{ sim.Utilization }

func (w *watchUtilization) measures() []Measure { return utilizationMeasures(w.Mean()) }

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
		all = append(all, Measure{results.MetricMeanUtilization + ":" + name, u.Resources[r]})
	}
	for row, name := range rows {
		all = append(all, Measure{results.MetricMeanUtilization + ":" + name, u.Rows[row]})
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

func (w watchTaskRatio) measures() []Measure {
	violation, ok := w.Violation.Fraction()
	return append(meanOf(results.MetricMinTaskRatio, &w.Min), ratio(results.MetricSIViolation, violation, ok)...)
}

type watchEnvy struct{ *sim.Envy }

func (w watchEnvy) measures() []Measure { return meanOf(results.MetricMinEFSat, &w.Min) }

type watchDomination struct{ *sim.Domination }

func (w watchDomination) measures() []Measure { return meanOf(results.MetricDomination, &w.Factor) }
