package tsf

import (
	"embed"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Items are what can be reproduced, in the paper's order.
var Items = []string{"fig2", "fig3", "fig4", "theorem3", "table2", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11"}

// The specs: the reproduction, and beside it the load axis and what is exported for
// other programs.
var (
	//go:embed specs/tsf.yaml
	specText []byte
	//go:embed specs/tsf-load.yaml
	loadText []byte
	//go:embed specs/tsf-raw.yaml
	rawText []byte
)

//go:embed figures
var figures embed.FS

func init() {
	papers.RegisterSpec(Paper, specText)
	papers.RegisterSpec(Paper+"-load", loadText)
	papers.RegisterSpec(Paper+"-raw", rawText)
	papers.RegisterFigures(Paper, figures)
	papers.RegisterPaper(papers.Paper{
		Name:  Paper,
		Title: "The TSF paper: placement constraints; figures 2-11, table II",
		Long: `Reproduce the experiments of the TSF paper: its worked examples (figures 2-4); its
theorem 3; the measurements on 50 nodes (table II, figures 5-7) in simulation; and
the simulations of 1,000 machines with placement constraints (figures 8-11) under
TSF, FIFO, DRF, CDRF, CMMF-cpu and CMMF-mem. Tasks are whole, and nothing is preempted.

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
	papers.Request
	workload *Workload
	blocks   map[string][]spec.Scenario // those that are run
}

// allTimes are the readings, the one that counts first.
var allTimes = []Times{Traced, Capped, Spread}

var simulated = []string{"fig8", "fig9", "fig10", "fig11"}

// simulations is the block of the simulations; the others have the names of items.
const simulations = "fig8-11"

// fewTasks is the block of figure 6 with fewer tasks of job 1.
const fewTasks = "fig6-tasks"

// newPlan says what is to be run for a request.
func newPlan(r papers.Request) (*papers.Reproduction, error) {
	p := &plan{Request: r}
	out := &papers.Reproduction{Entries: p.entries, Tables: p.tables}
	if err := checkFiles(r); err != nil {
		return nil, err
	}
	if r.Wants(simulated...) {
		var err error
		if p.workload, err = LoadWorkload(r.Options[parameterTrace], r.Options[parameterMachines], run.Ignored(r.Options[run.IgnoreName])); err != nil {
			return nil, err
		}
		out.Workload, out.Labels, out.Notes = p.workload.Workload, []string{p.workload.Mark()}, p.notes
	}
	s, err := r.Spec(Paper, r.Options)
	if err != nil {
		return nil, err
	}
	out.Scenarios, p.blocks, err = s.Of(func(block string) bool {
		return r.Wants(block) || block == simulations && r.Wants(simulated...) || block == fewTasks && r.Wants("fig6")
	})
	return out, err
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

// entries makes the ledger.
func (p *plan) entries(rows run.Rows) ([]ledger.Entry, error) {
	var parts []papers.Part
	for _, item := range Items[:3] {
		parts = append(parts, papers.Part{Item: item, Make: func() ([]ledger.Entry, error) { return exampleEntries(item) }})
	}
	of := func(item string) measured { return valuesOf(rows.All(p.blocks[item]...)) }
	parts = append(parts, papers.Part{Item: "theorem3", Make: theorem3Entries},
		papers.Part{Item: "table2", Make: papers.Ready(tableIIEntries)},
		papers.Part{Item: "fig5", Make: func() ([]ledger.Entry, error) {
			more, err := divisible()
			return append(entries(shareJudges(of("fig5"))), more...), err
		}},
		papers.Part{Item: "fig6", Make: papers.Ready(func() []ledger.Entry {
			return entries(append(poolJudges(of("fig6"), poolReadings()), poolJudges(of(fewTasks), fewReadings())...))
		})},
		papers.Part{Item: "fig7", Make: func() ([]ledger.Entry, error) {
			list, err := miceJudges(of("fig7"))
			return entries(list), err
		}})
	for _, item := range simulated {
		parts = append(parts, papers.Part{Item: item, Make: papers.Ready(func() []ledger.Entry {
			var list []judge
			for _, r := range p.readings(rows) {
				list = append(list, r.judges(item)...)
			}
			return entries(list)
		})})
	}
	return p.Entries(parts...)
}

// simulation returns the rows of the simulations in a reading.
func (p *plan) simulation(rows run.Rows, t Times) iter.Seq[results.Row] {
	var of []spec.Scenario
	for _, s := range p.blocks[simulations] {
		if Times(s.Text(parameterTimes)) == t {
			of = append(of, s)
		}
	}
	return rows.All(of...)
}

// readings are the readings of the simulations.
func (p *plan) readings(rows run.Rows) []*reading {
	const unsaid = "when the jobs of time 0 arrive and how long tasks run the paper does not say: by the trace half of the jobs run on for 29 days; the entries marked #hour and #spread are other readings"
	all := []*reading{{known: []string{unsaid}}, {mark: string(Capped)}, {mark: string(Spread)}}
	for k, r := range all {
		r.workload, r.values = p.workload.Mark(), valuesOf(p.simulation(rows, allTimes[k]))
		r.madeJobs, r.madeConstraints = p.workload.Made, !p.workload.Constrained
	}
	return all
}

// tables are the result tables: each figure's, and the single numbers of each
// simulation with those of fig8.
func (p *plan) tables(rows run.Rows) (papers.Tables, error) {
	tables := papers.Tables{}
	for block, scenarios := range p.blocks {
		if block != simulations {
			tables[block] = papers.Table(block, rows.All(scenarios...))
		}
	}
	other := func(r results.Row) bool {
		return !slices.Contains([]string{runStatic, runShared, runPlaced}, r.Point.Text("run"))
	}
	if all, ok := tables["fig6"]; ok {
		few := tables[fewTasks]
		tables["fig6-readings"], tables["fig6"], tables[fewTasks] = &results.Packed{}, &results.Packed{}, &results.Packed{}
		for r := range all.All() {
			if other(r) {
				r.Item = "fig6-readings"
			}
			tables.Add(r.Item, r)
		}
		for r := range few.All() {
			if !other(r) {
				tables.Add(fewTasks, r)
			}
		}
	}
	for _, t := range allTimes {
		for r := range p.simulation(rows, t) {
			item := figureOf(r.Metric)
			if !p.Wants(item) || t != Traced && item == "fig8" {
				continue
			}
			if r.Item = item; t != Traced {
				r.Item += "-" + string(t)
			}
			tables.Add(r.Item, r)
		}
	}
	return tables, nil
}

// figureOf says to which figure a metric of the simulations belongs.
func figureOf(metric string) string {
	switch metric {
	case MetricJobDelay, MetricJobCompletion, metricDelayed, metricAhead, metricOverFIFO, metricGain, metricRatio, metricDistance:
		return "fig9"
	case MetricJobSpeedup, MetricJobSpeedupSD, metricMedian, metricByOther, metricFaster, metricSlower:
		return "fig10"
	case MetricTaskDelay, MetricTaskGain, metricMeanDelay, metricTaskFaster, metricTaskSlower, metricTaskBest:
		return "fig11"
	}
	return "fig8"
}

// notes says how many jobs were refused.
func (p *plan) notes(rows run.Rows) []string {
	all := rows.All(p.blocks[simulations]...)
	refused, jobs := papers.Total(all, results.MetricRefused), papers.Total(all, metricJobs)
	if refused == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%.0f of %.0f jobs were refused, since no task of theirs fits on any machine of their cluster: they are in no number.", refused, jobs)}
}
