package magiks

import (
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/plots"
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

var items = []string{examples, "fig2", "fig3", "fig4", "fig5", "fig6", "fig7", equilibria, otherReadings, heterogeneous}

func init() {
	experiments.RegisterPaper(experiments.Paper{
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
		Options: []experiments.Parameter{{Name: "alibaba", Canonical: anyText,
			Doc: "folder of the lists of Alibaba's GPU trace of 2023; without it the workload of figures 2, 4 and 6 is synthetic"}},
		Plan: func(r experiments.Request) (*experiments.Reproduction, error) { return newPlan(r) },
	})
}

// axis is a row of settings that differ in one parameter.
type axis struct {
	name   string // the parameter
	values []int
	runs   []experiments.Scenario
}

// plan is what is run for a request.
type plan struct {
	request  experiments.Request
	users    axis // n and m: demands of a trace
	servers  axis
	kinds    axis // l and h: whole demands
	levels   axis
	readings []experiments.Scenario
	searches []experiments.Scenario
	problems []error
}

// sizes are the realisations of a block and the blocks of a setting.
var sizes = map[string]struct{ realisations, blocks, searches, random, steps int }{
	"quick": {20, 10, 4, 20, 100},
	"paper": {2500, 40, 100, 200, 4000},
}

func newPlan(r experiments.Request) (*experiments.Reproduction, error) {
	p := &plan{request: r}
	trace := map[string]string{"workload": pai}
	if dir := r.Options["alibaba"]; dir != "" {
		trace = map[string]string{"workload": gpu2023, "alibaba": dir}
	}
	p.users = p.axis("n", []int{50, 100, 150, 200, 250, 300}, trace)
	p.servers = p.axis("m", []int{5, 10, 15, 20, 25, 30}, trace)
	p.kinds = p.axis("l", []int{2, 3, 4, 5, 6, 7, 8}, nil)
	p.levels = p.axis("h", []int{10, 100, 1000, 10000, 50000, 100000}, nil)
	for _, of := range []map[string]string{trace, {}} {
		p.readings = append(p.readings, p.scenario(of, map[string]string{"readings": "yes"}))
	}
	size := sizes[r.Scale]
	for _, s := range []map[string]string{{"n": "4", "m": "2"}, {"n": "3"}, {"n": "4"}, {"n": "5", "l": "3"}, {"n": "4", "demands": "each"}} {
		s["random"], s["steps"] = fmt.Sprint(size.random), fmt.Sprint(size.steps)
		one, err := experiments.NewScenario(SearchName, s, r.Seed, p.instances(size.searches))
		p.searches, p.problems = append(p.searches, one), append(p.problems, err)
	}
	for _, err := range p.problems {
		if err != nil {
			return nil, err
		}
	}
	return &experiments.Reproduction{
		Scenarios: p.scenarios(), Workload: experiments.Workload{Label: p.label(), Source: p.source()}, Labels: p.labels(),
		Entries: p.entries, Tables: p.tables, Draw: draw(r.Seed),
	}, nil
}

func (p *plan) instances(of int) int {
	if p.request.Instances > 0 {
		return p.request.Instances
	}
	return of
}

// scenario makes a setting.
func (p *plan) scenario(all ...map[string]string) experiments.Scenario {
	size := sizes[p.request.Scale]
	values := map[string]string{"realisations": fmt.Sprint(size.realisations)}
	for _, some := range all {
		for k, v := range some {
			values[k] = v
		}
	}
	s, err := experiments.NewScenario(KindName, values, p.request.Seed, p.instances(size.blocks))
	p.problems = append(p.problems, err)
	return s
}

func (p *plan) axis(name string, values []int, set map[string]string) axis {
	a := axis{name: name, values: values}
	for _, v := range values {
		a.runs = append(a.runs, p.scenario(set, map[string]string{name: fmt.Sprint(v)}))
	}
	return a
}

// wantsTrace and wantsWhole say which of the two workloads is asked for.
func (p *plan) wantsTrace() bool { return p.request.Wants("fig2", "fig4", "fig6", equilibria) }
func (p *plan) wantsWhole() bool { return p.request.Wants("fig3", "fig5", "fig7", equilibria) }

// scenarios lists what the items need, each once.
func (p *plan) scenarios() []experiments.Scenario {
	var all []experiments.Scenario
	seen := map[string]bool{}
	add := func(some ...experiments.Scenario) {
		for _, s := range some {
			if !seen[s.ID()] {
				seen[s.ID()] = true
				all = append(all, s)
			}
		}
	}
	if p.wantsTrace() {
		add(p.users.runs...)
		add(p.servers.runs...)
	}
	if p.wantsWhole() {
		add(p.kinds.runs...)
		add(p.levels.runs...)
	}
	if p.request.Wants(otherReadings) {
		add(p.readings...)
	}
	if p.request.Wants(heterogeneous) {
		add(p.searches...)
	}
	return all
}

// label is that of the workload of figures 2, 4 and 6.
func (p *plan) label() string {
	if p.request.Options["alibaba"] != "" {
		return gpu2023Label
	}
	return paiSource().label()
}

func (p *plan) source() string {
	if p.request.Options["alibaba"] != "" {
		return "Alibaba GPU 2023 (cluster-trace-gpu-v2023)"
	}
	return "published marginals of the Alibaba PAI trace 2020"
}

func (p *plan) labels() []string {
	var all []string
	if p.wantsTrace() || p.request.Wants(otherReadings) {
		all = append(all, p.label())
	}
	if p.wantsWhole() || p.request.Wants(otherReadings) {
		all = append(all, whole{}.label())
	}
	if p.request.Wants(heterogeneous) {
		all = append(all, searchLabel)
	}
	return all
}

// figureTables says which figure shows which metrics on which axes.
func (p *plan) figureTables() []figureTable {
	moves := []string{plots.MetricMoves, plots.MetricMovesHistogram, plots.MetricSlower}
	welfare, envy := []string{plots.MetricNUSF}, []string{plots.MetricMaxEnvy, plots.MetricMeanEnvy}
	trace, whole := []axis{p.users, p.servers}, []axis{p.kinds, p.levels}
	return []figureTable{{"fig2", moves, trace}, {"fig3", moves, whole}, {"fig4", welfare, trace}, {"fig5", welfare, whole},
		{"fig6", envy, trace}, {"fig7", envy, whole}}
}

type figureTable struct {
	item    string
	metrics []string
	axes    []axis
}

// runs lists the scenarios of a figure, each once.
func (f *figureTable) runs() []experiments.Scenario {
	var all []experiments.Scenario
	for _, a := range f.axes {
		for _, s := range a.runs {
			if !slices.ContainsFunc(all, func(o experiments.Scenario) bool { return o.ID() == s.ID() }) {
				all = append(all, s)
			}
		}
	}
	return all
}

// tables are the result tables: histograms and extremes of a setting are one
// row, with the instance 0; means have a row a block.
func (p *plan) tables(rows experiments.Rows) (map[string][]plots.Row, error) {
	out := map[string][]plots.Row{}
	for _, f := range p.figureTables() {
		if p.request.Wants(f.item) {
			out[f.item] = merged(f.item, rows.Of(f.runs()...), f.metrics)
		}
	}
	if p.request.Wants(otherReadings) {
		out[otherReadings] = merged(otherReadings, rows.Of(p.readings...), []string{plots.MetricMoves, plots.MetricMovesHistogram})
	}
	if p.request.Wants(heterogeneous) {
		out[heterogeneous] = rows.Of(p.searches...)
	}
	if p.request.Wants(equilibria) {
		var all []experiments.Scenario
		for _, f := range p.figureTables()[:2] {
			all = append(all, f.runs()...)
		}
		out[equilibria] = merged(equilibria, rows.Of(all...), violationMetrics())
	}
	return out, nil
}

func violationMetrics() []string {
	var all []string
	for _, name := range propertyNames {
		all = append(all, plots.MetricViolations+":"+name)
	}
	return all
}

// merged picks the rows of some metrics, in their order, and adds up what can
// be added up over blocks.
func merged(item string, rows []plots.Row, metrics []string) []plots.Row {
	var out []plots.Row
	at := map[plots.Key]int{}
	for _, r := range rows {
		if !slices.Contains(metrics, r.Metric) {
			continue
		}
		r.Item = item
		if r.Metric == plots.MetricMaxEnvy || r.Unit == plots.UnitRealisations {
			r.Instance = 0
			if k, known := at[r.Key()]; known {
				if r.Metric == plots.MetricMaxEnvy {
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
	return out
}
