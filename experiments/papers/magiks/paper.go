package magiks

import (
	"embed"
	"iter"
	"slices"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Paper is the name of the paper in ledgers, tables and random streams.
const Paper = "magiks"

// The items.
const (
	examples      = "examples"
	equilibria    = "equilibria"
	otherReadings = "readings"
	heterogeneous = "heterogeneous"
)

// levels is the block of the few levels and servers at which the bound of theorem 2
// is a number that a play could exceed.
const levels = "levels"

var items = []string{examples, "fig2", "fig3", "fig4", "fig5", "fig6", "fig7", equilibria, otherReadings, heterogeneous}

//go:embed specs/magiks.yaml
var specText []byte

//go:embed figures
var figures embed.FS

func init() {
	papers.RegisterSpec(Paper, specText)
	papers.RegisterFigures(Paper, figures)
	papers.RegisterPaper(papers.Paper{
		Name:  Paper,
		Title: "The MAGIKS paper: examples, figures 2-7, and unlike servers",
		Long: `Reproduce the MAGIKS paper, in which every user picks one server: the examples of
section IV-C by enumeration; figures 2 and 3 (moves to an equilibrium), 4 and 5
(normalised utilitarian social function) and 6 and 7 (largest envy); what the
theorems say of every equilibrium that is reached; and what the text leaves open.
The item heterogeneous goes beyond the paper: servers that differ, where it is not
known whether there is always an equilibrium.

The paper's scale has 100,000 realisations a setting, in 40 blocks. The values of n,
m, l and h on the axes are ours: the text does not print the paper's.

Figures 2, 4 and 6 draw from the published marginals of Alibaba's PAI trace
("synthetic"), or with --alibaba DIR from the pods and nodes of its GPU trace of
2023 that have GPUs. Bandwidth is synthetic in both.`,
		Example: `  leontief reproduce magiks
  leontief reproduce magiks --item fig2,fig4,fig6 --alibaba traces/alibaba/gpu2023`,
		Items: items, Scales: []string{"quick", "paper"},
		Options: []spec.Parameter{{Name: "alibaba", Canonical: spec.AnyText,
			Doc: "folder of the lists of Alibaba's GPU trace of 2023; without it the workload of figures 2, 4 and 6 is synthetic"}},
		Plan: newPlan,
	})
}

// axis is a row of settings that differ in one parameter.
type axis struct {
	name   string // the parameter
	values []int
	runs   []spec.Scenario
}

// plan is what is run for a request.
type plan struct {
	papers.Request
	blocks map[string][]spec.Scenario // those that are run
}

func newPlan(r papers.Request) (*papers.Reproduction, error) {
	s, err := r.Spec(Paper, nil)
	if err != nil {
		return nil, err
	}
	if dir := r.Options["alibaba"]; dir != "" {
		if _, err := gpu2023Source(dir); err != nil {
			return nil, err
		}
		for _, b := range s.Blocks {
			if b.Set["workload"] == pai {
				b.Set["workload"], b.Set["alibaba"] = gpu2023, dir
			}
		}
	}
	p := &plan{Request: r}
	out := &papers.Reproduction{Workload: run.Workload{Label: p.label(), Source: p.source()}, Labels: p.labels(),
		Entries: p.entries, Tables: p.tables}
	out.Scenarios, p.blocks, err = s.Of(p.wantsBlock)
	return out, err
}

// axis is that which the block of the parameter's name runs over.
func (p *plan) axis(name string) axis {
	a := axis{name: name, runs: p.blocks[name]}
	for _, run := range a.runs {
		a.values = append(a.values, int(run.WholeNumber(name)))
	}
	return a
}

// wantsTrace and wantsWhole say which of the two workloads is asked for.
func (p *plan) wantsTrace() bool { return p.Wants("fig2", "fig4", "fig6", equilibria) }
func (p *plan) wantsWhole() bool { return p.Wants("fig3", "fig5", "fig7", equilibria) }

// wantsBlock says whether what is asked for needs a block of the spec.
func (p *plan) wantsBlock(name string) bool {
	switch name {
	case "n", "m":
		return p.wantsTrace()
	case "l", "h":
		return p.wantsWhole()
	case levels:
		return p.Wants(equilibria)
	}
	return p.Wants(name)
}

// label is that of the workload of figures 2, 4 and 6.
func (p *plan) label() string {
	if p.Options["alibaba"] != "" {
		return gpu2023Label
	}
	return paiSource().label()
}

func (p *plan) source() string {
	if p.Options["alibaba"] != "" {
		return "Alibaba GPU 2023 (cluster-trace-gpu-v2023)"
	}
	return "published marginals of the Alibaba PAI trace 2020"
}

func (p *plan) labels() []string {
	var all []string
	if p.wantsTrace() || p.Wants(otherReadings) {
		all = append(all, p.label())
	}
	if p.wantsWhole() || p.Wants(otherReadings) {
		all = append(all, whole{}.label())
	}
	if p.Wants(heterogeneous) {
		all = append(all, searchLabel)
	}
	return all
}

// figureTables says which figure shows which metrics on which axes.
func (p *plan) figureTables() []figureTable {
	moves := []string{MetricMoves, MetricMovesHistogram, MetricSlower}
	welfare, envy := []string{MetricNUSF}, []string{MetricMaxEnvy, MetricMeanEnvy}
	trace, whole := []axis{p.axis("n"), p.axis("m")}, []axis{p.axis("l"), p.axis("h")}
	return []figureTable{{"fig2", moves, trace}, {"fig3", moves, whole}, {"fig4", welfare, trace}, {"fig5", welfare, whole},
		{"fig6", envy, trace}, {"fig7", envy, whole}}
}

type figureTable struct {
	item    string
	metrics []string
	axes    []axis
}

// runs lists the scenarios of a figure, each once.
func (f *figureTable) runs() []spec.Scenario {
	var all []spec.Scenario
	for _, a := range f.axes {
		for _, s := range a.runs {
			if !slices.ContainsFunc(all, func(o spec.Scenario) bool { return o.ID() == s.ID() }) {
				all = append(all, s)
			}
		}
	}
	return all
}

// settings are the scenarios of figures 2 to 7.
func (p *plan) settings() []spec.Scenario {
	tables := p.figureTables()
	return append(tables[0].runs(), tables[1].runs()...)
}

// tables are the result tables: histograms and extremes of a setting are one
// row, with the instance 0; means have a row a block.
func (p *plan) tables(rows run.Rows) (papers.Tables, error) {
	out := papers.Tables{}
	for _, f := range p.figureTables() {
		if p.Wants(f.item) {
			out[f.item] = merged(f.item, theirs(rows.All(f.runs()...)), f.metrics)
		}
	}
	if p.Wants(otherReadings) {
		out[otherReadings] = merged(otherReadings, rows.All(p.blocks[otherReadings]...), []string{MetricMoves, MetricMovesHistogram})
	}
	if p.Wants(heterogeneous) {
		for r := range rows.All(p.blocks[heterogeneous]...) {
			out.Add(heterogeneous, r)
		}
	}
	if p.Wants(equilibria) {
		out[equilibria] = merged(equilibria, rows.All(append(p.settings(), p.blocks[levels]...)...), violationMetrics())
	}
	return out, nil
}

func violationMetrics() []string {
	var all []string
	for _, name := range append(append(propertyNames[:], checkNames[:]...), leastNUSF) {
		all = append(all, MetricViolations+":"+name)
	}
	return all
}

// theirs leaves out the rows of readings, which are in the item of that name.
func theirs(rows iter.Seq[results.Row]) iter.Seq[results.Row] {
	return func(yield func(results.Row) bool) {
		for r := range rows {
			if !slices.ContainsFunc(readings, func(p play) bool { return p.name == r.Policy }) && !yield(r) {
				return
			}
		}
	}
}

// merged picks the rows of some metrics, in their order, and adds up what can
// be added up over blocks.
func merged(item string, rows iter.Seq[results.Row], metrics []string) *results.Packed {
	var out []results.Row
	at := map[results.Key]int{}
	for r := range rows {
		if !slices.Contains(metrics, r.Metric) {
			continue
		}
		r.Item = item
		if r.Metric == MetricMaxEnvy || r.Unit == UnitRealisations {
			r.Instance = 0
			if k, known := at[r.Key()]; known {
				if r.Metric == MetricMaxEnvy {
					out[k].Value = max(out[k].Value, r.Value)
				} else {
					out[k].Value += r.Value
				}
				continue
			}
			at[r.Key()] = len(out)
		}
		out = append(out, r)
	}
	return results.Pack(out)
}
