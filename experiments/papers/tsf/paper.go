package tsf

import (
	"cmp"
	_ "embed" // the spec
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Items are what can be reproduced, in the paper's order.
var Items = []string{"fig2", "fig3", "fig4", "table2", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11"}

//go:embed specs/tsf.yaml
var specText []byte

func init() {
	papers.RegisterSpec(Paper, specText)
	papers.RegisterPaper(papers.Paper{
		Name:  Paper,
		Title: "The TSF paper: placement constraints; figures 2-11, table II",
		Long: `Reproduce the experiments of the TSF paper: its worked examples (figures 2-4); the
measurements on 50 nodes (table II, figures 5-7) in simulation; and the simulations
of 1,000 machines with placement constraints (figures 8-11) under TSF, FIFO, DRF,
CDRF, CMMF-cpu and CMMF-mem. Tasks are whole, and nothing is preempted.

Without --trace the jobs of figures 8-11 are synthetic, like the first hour of the
Google trace, and the machines are drawn from the published mix. With --trace
jobs.parquet and --machines machines.parquet both are real, and where the trace
has no placement constraints these are synthetic: the workload is hybrid then. At
the quick scale a simulation has a tenth of the jobs and of the machines, and there
are 4 of them instead of 50.

When the jobs that are there at time 0 arrive and how long tasks run the paper does
not say. Entries marked #hour are for run times of an hour at most, those marked
#spread for these and arrivals spread over the hour; all others are as in the trace.`,
		Example: `  leontief reproduce tsf
  leontief traces import google2011 clusterdata-2011-2 --from 0s --to 1h --zero-requests keep --out hour.parquet --machines machines.parquet
  leontief reproduce tsf --scale paper --trace hour.parquet --machines machines.parquet --out results/tsf-google`,
		Items: Items, Scales: []string{"quick", "paper"}, Options: workloadOptions(),
		Plan: newPlan,
	})
}

// plan is a reproduction of some items.
type plan struct {
	request  papers.Request
	workload *Workload
	scenes   map[string]spec.Scenario // of the testbed
	runs     map[Times]spec.Scenario  // the simulations
}

// allTimes are the readings, the one that counts first.
var allTimes = []Times{Traced, Capped, Spread}

var simulated = []string{"fig8", "fig9", "fig10", "fig11"}

// newPlan says what is to be run for a request.
func newPlan(r papers.Request) (*papers.Reproduction, error) {
	p := &plan{request: r, scenes: map[string]spec.Scenario{}}
	out := &papers.Reproduction{Entries: p.entries, Tables: p.tables, Draw: draw}
	if err := checkFiles(r); err != nil {
		return nil, err
	}
	if r.Wants(simulated...) {
		var err error
		if p.workload, err = LoadWorkload(r.Options[parameterTrace], r.Options[parameterMachines], run.Ignored(r.Options[run.IgnoreName])); err != nil {
			return nil, err
		}
		out.Workload, out.Labels, out.Notes = p.workload.Workload, []string{p.workload.Mark()}, p.notes
		p.runs = map[Times]spec.Scenario{}
	}
	s, err := r.Spec(Paper, r.Options)
	if err != nil {
		return nil, err
	}
	if out.Scenarios, err = s.Of(p.wantsBlock); err != nil {
		return nil, err
	}
	for _, one := range out.Scenarios {
		if one.Kind == testbedKind {
			p.scenes[one.Text("scene")] = one
		} else {
			p.runs[Times(one.Text(parameterTimes))] = one
		}
	}
	return out, nil
}

// checkFiles refuses files that nothing of what is asked for reads.
func checkFiles(r papers.Request) error {
	if r.Wants(simulated...) {
		return nil
	}
	for _, name := range []string{parameterTrace, parameterMachines} {
		if r.Options[name] != "" {
			return spec.OfInput(fmt.Errorf("--%s is for the items %s", name, strings.Join(simulated, ", ")))
		}
	}
	return nil
}

// wantsBlock says whether what is asked for needs a block of the spec.
func (p *plan) wantsBlock(name string) bool {
	if name == "fig8-11" {
		return p.request.Wants(simulated...)
	}
	return p.request.Wants(name)
}

// entries makes the ledger.
func (p *plan) entries(rows run.Rows) ([]ledger.Entry, error) {
	all, err := exampleEntries(p.request.Wants)
	if err != nil {
		return nil, err
	}
	if p.request.Wants("table2") {
		all = append(all, tableIIEntries()...)
	}
	var judges []judge
	for _, part := range []func(run.Rows) ([]judge, []ledger.Entry, error){p.figure5, p.figure6, p.figure7} {
		list, more, err := part(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, entries(list)...)
		all = append(all, more...)
	}
	for _, r := range p.readings(rows) {
		judges = append(judges, r.judges(p.request.Wants)...)
	}
	all = append(all, entries(judges)...)
	slices.SortStableFunc(all, func(a, b ledger.Entry) int {
		return cmp.Compare(slices.Index(Items, a.Item), slices.Index(Items, b.Item))
	})
	return all, nil
}

func (p *plan) figure5(rows run.Rows) ([]judge, []ledger.Entry, error) {
	if !p.request.Wants("fig5") {
		return nil, nil, nil
	}
	more, err := divisible()
	return shareJudges(valuesOf(rows.Of(p.scenes[sceneShares]))), more, err
}

func (p *plan) figure6(rows run.Rows) ([]judge, []ledger.Entry, error) {
	if !p.request.Wants("fig6") {
		return nil, nil, nil
	}
	return poolJudges(valuesOf(rows.Of(p.scenes[scenePools]))), nil, nil
}

func (p *plan) figure7(rows run.Rows) ([]judge, []ledger.Entry, error) {
	if !p.request.Wants("fig7") {
		return nil, nil, nil
	}
	quiet, crowded := mousetrap()
	few, err := miceOptimum(quiet)
	if err != nil {
		return nil, nil, err
	}
	many, err := miceOptimum(crowded)
	return miceJudges(valuesOf(rows.Of(p.scenes[sceneMice])), few, many), nil, err
}

// readings are the two readings of the simulations.
func (p *plan) readings(rows run.Rows) []*reading {
	if p.workload == nil {
		return nil
	}
	const unsaid = "when the jobs of time 0 arrive and how long tasks run the paper does not say: by the trace half of the jobs run on for 29 days; the entries marked #hour and #spread are other readings"
	all := []*reading{{known: []string{unsaid}}, {mark: string(Capped)}, {mark: string(Spread)}}
	for k, r := range all {
		r.workload, r.values = p.workload.Mark(), valuesOf(rows.Of(p.runs[allTimes[k]]))
	}
	return all
}

// tables are the result tables: each figure's, and the single numbers of each
// simulation with those of fig8.
func (p *plan) tables(rows run.Rows) (map[string][]results.Row, error) {
	tables := map[string][]results.Row{}
	for scene, item := range map[string]string{sceneShares: "fig5", scenePools: "fig6", sceneMice: "fig7"} {
		if s, ok := p.scenes[scene]; ok {
			tables[item] = itemRows(item, rows.Of(s))
		}
	}
	if list, ok := tables["fig6"]; ok {
		main := func(r results.Row) bool {
			return slices.Contains([]string{runStatic, runShared, runPlaced}, r.Point.Text("run"))
		}
		tables["fig6-readings"] = itemRows("fig6-readings", slices.DeleteFunc(slices.Clone(list), main))
		tables["fig6"] = slices.DeleteFunc(list, func(r results.Row) bool { return !main(r) })
	}
	if p.workload == nil {
		return tables, nil
	}
	for _, t := range allTimes {
		suffix := "-" + string(t)
		if t == Traced {
			suffix = ""
		}
		for item, list := range simulationTables(rows.Of(p.runs[t])) {
			if p.request.Wants(item) && (t == Traced || item != "fig8") {
				tables[item+suffix] = itemRows(item+suffix, list)
			}
		}
	}
	return tables, nil
}

// itemRows copies rows for the table of an item.
func itemRows(item string, rows []results.Row) []results.Row {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Item = item
	}
	return out
}

// figureOf says to which figure a metric of the simulations belongs.
func figureOf(metric string) string {
	switch metric {
	case MetricJobDelay, MetricJobCompletion, metricDelayed, metricAhead, metricOverFIFO, metricGain, metricDistance:
		return "fig9"
	case MetricJobSpeedup, MetricJobSpeedupSD, metricMedian:
		return "fig10"
	case MetricTaskDelay, MetricTaskGain, metricMeanDelay, metricTaskFaster, metricTaskSlower, metricTaskBest:
		return "fig11"
	}
	return "fig8"
}

// simulationTables divides the rows of the simulations among the figures.
func simulationTables(rows []results.Row) map[string][]results.Row {
	tables := map[string][]results.Row{}
	for _, r := range rows {
		item := figureOf(r.Metric)
		tables[item] = append(tables[item], r)
	}
	return tables
}

// notes says how many jobs were refused.
func (p *plan) notes(rows run.Rows) []string {
	refused, jobs := 0.0, 0.0
	for _, r := range p.readings(rows) {
		for _, n := range r.anyone(metricRefused) {
			refused += n
		}
		for _, n := range r.anyone(metricJobs) {
			jobs += n
		}
	}
	if refused == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%.0f of %.0f jobs were refused, since no task of theirs fits on any machine of their cluster: they are in no number.", refused, jobs)}
}
