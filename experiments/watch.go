package experiments

import (
	"github.com/leontief-sim/leontief/plots"
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
	return []Measure{{metric, value, plots.UnitRatio}}
}

func meanOf(metric string, w *metrics.Weighted) []Measure {
	mean, ok := w.Mean()
	return ratio(metric, mean, ok)
}

type watchUtilization struct{ sim.Utilization }

// measures names each row server/resource, or by the link.
func (w *watchUtilization) measures() []Measure {
	var all []Measure
	for row := range w.Rows {
		all = append(all, meanOf(plots.MetricMeanUtilization+":"+rowLabel(w.Region, row), &w.Rows[row])...)
	}
	return all
}

// rowLabel names a capacity row in a metric: server/resource, or the link.
func rowLabel(env *cluster.Environment, row int) string {
	if e := row - env.LinkRow(0); e >= 0 {
		return env.Links[e].Name
	}
	n := len(env.Resources)
	return env.Servers[row/n].Name + "/" + env.Resources[row%n]
}

type watchTaskRatio struct{ *sim.TaskRatio }

func (w watchTaskRatio) measures() []Measure {
	violation, ok := w.Violation.Fraction()
	return append(meanOf(plots.MetricMinTaskRatio, &w.Min), ratio(plots.MetricSIViolation, violation, ok)...)
}

type watchEnvy struct{ *sim.Envy }

func (w watchEnvy) measures() []Measure { return meanOf(plots.MetricMinEFSat, &w.Min) }

type watchDomination struct{ *sim.Domination }

func (w watchDomination) measures() []Measure { return meanOf(plots.MetricDomination, &w.Factor) }
