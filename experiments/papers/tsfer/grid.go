package tsfer

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/sweeps"
)

// grid is the scenarios of an item: every rule in every setting, with the same
// number of instances. Settings and rules are in the order of the spec.
type grid struct {
	settings []Setting
	names    []string // of the rules
	of       map[cell]spec.Scenario
}

// newGrid finds the cells of scenarios. name says what a scenario's rule is called.
func newGrid(scenarios []spec.Scenario, name func(spec.Scenario) string) *grid {
	g := &grid{of: map[cell]spec.Scenario{}}
	for _, one := range scenarios {
		at := cell{settingOf(one), name(one)}
		if !slices.Contains(g.settings, at.Setting) {
			g.settings = append(g.settings, at.Setting)
		}
		if !slices.Contains(g.names, at.rule) {
			g.names = append(g.names, at.rule)
		}
		g.of[at] = one
	}
	if len(g.of) != len(g.settings)*len(g.names) || len(g.of) != len(scenarios) {
		panic(fmt.Sprintf("tsfer: %d scenarios of %d rules in %d settings are no grid", len(scenarios), len(g.names), len(g.settings)))
	}
	return g
}

// settingOf reads the setting of a scenario.
func settingOf(s spec.Scenario) Setting {
	setting := Setting{N: int(s.WholeNumber("n")), Rho: s.Number("rho"), Bandwidth: s.Number("bandwidth")}
	switch s.Kind {
	case sweeps.Whole:
		setting.SlotS = int(s.Number("slot"))
	case sweeps.Present: // stands beside the columns of table 4
		setting.SlotS = Central4.SlotS
	}
	return setting
}

// byPolicy names a rule as it is published.
func byPolicy(s spec.Scenario) string { return s.Text("policy") }

// byVariant also names the reading of a rule that is rounded.
func byVariant(s spec.Scenario) string {
	v := variant{rule: s.Text("policy")}
	for _, d := range Readings() {
		if fillNames[d.Fill] == s.Text("fill") && splitNames[d.Vertex] == s.Text("split") && suspendedNames[d.SuspendedLast] == s.Text("suspended") {
			v.reading = d
		}
	}
	v.rounded = s.Text("rounded") == "yes" || v.rule == rules3[1] || v.rule == rules3[2]
	return v.String()
}

// users is the largest number of jobs that an instance draws.
func (g *grid) users() int {
	most := 0
	for _, s := range g.settings {
		most = max(most, s.N)
	}
	return most
}

// values reads a metric of all runs: one value an instance, in their order. It
// panics if a run has none.
func (g *grid) values(rows run.Rows, metric string) samples {
	all := samples{}
	for at, one := range g.of {
		for _, row := range rows.Of(one) {
			if row.Metric == metric {
				all[at] = append(all[at], row.Value)
			}
		}
		if len(all[at]) != one.Instances {
			panic(fmt.Sprintf("tsfer: %s has %d values of %s in %d instances of %v", at.rule, len(all[at]), metric, one.Instances, at.Setting))
		}
	}
	return all
}

// rows makes the table of an item: setting by setting, instance by instance, rule
// by rule.
func (g *grid) rows(item, label string, rows run.Rows) []results.Row {
	var table []results.Row
	for _, setting := range g.settings {
		left := make([][]results.Row, len(g.names)) // of each rule, in order of instance
		for k, name := range g.names {
			left[k] = rows.Of(g.of[cell{setting, name}])
		}
		for i := range g.of[cell{setting, g.names[0]}].Instances {
			for k, name := range g.names {
				for len(left[k]) > 0 && left[k][0].Instance == int64(i) {
					if m := left[k][0]; m.Metric != results.MetricRefused && m.Metric != results.MetricVerified {
						m.Experiment, m.Item, m.Policy, m.Workload = Paper, item, name, label
						table = append(table, m)
					}
					left[k] = left[k][1:]
				}
			}
		}
	}
	return table
}

// refused counts the jobs that were drawn in all settings and instances, and
// those of them that the first rule's runs refused.
func (g *grid) refused(rows run.Rows) (drawn, refused int) {
	for _, setting := range g.settings {
		one := g.of[cell{setting, g.names[0]}]
		drawn += setting.N * one.Instances
		for _, row := range rows.Of(one) {
			if row.Metric == results.MetricRefused {
				refused += int(row.Value)
			}
		}
	}
	return drawn, refused
}
