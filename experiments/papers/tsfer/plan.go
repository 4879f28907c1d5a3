package tsfer

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
)

// Paper is the paper's name in ledgers and tables.
const Paper = "tsf-er"

// The items with scenarios, beside [cloudItems].
const (
	itemTable3  = "table3"
	itemFig3    = "fig3"
	itemFig4    = "fig4"
	itemTable4  = "table4"
	itemOptions = "table4-options" // of table 4, in a table of its own
	itemPresent = "all-present"    // the same
)

// Items are what can be reproduced, in the paper's order.
var Items = append([]string{"examples", itemTable3, itemFig3, itemFig4, itemTable4}, cloudItems...)

// The names of the specs, beside [CloudKind].
const (
	specTable3  = "tsf-er-table3"
	specFigures = "tsf-er-figures"
	specTable4  = "tsf-er-table4"
)

//go:embed specs/*.yaml
var specs embed.FS

func init() {
	for _, name := range []string{specTable3, specFigures, specTable4, CloudKind} {
		text, err := specs.ReadFile("specs/" + name + ".yaml")
		if err != nil {
			panic(err)
		}
		papers.RegisterSpec(name, text)
	}
	papers.RegisterPaper(papers.Paper{
		Name:  Paper,
		Title: "The TSF-ER paper: worked examples, tables 3-5, figures 3-10",
		Long: `Reproduce the experiments of the TSF-ER paper: the worked examples, table 3 and
figures 3 and 4 in the fluid model; table 4, with every reading of what the paper
leaves open, and figures 5 to 10 (table 5's 20 servers) with whole tasks. At the
quick scale (under a minute) figures 5 to 10 take two days of submissions and three
slots, at the paper's 14 days and six (minutes on the synthetic workload, seconds on
hybrid).

Without --trace the jobs come from an embedded synthetic workload, which every
output says. "fitted" has the request mix and job sizes of the Google trace, and
durations whose median was fitted to one value of table 3 (TSF-ER at n=15, ρ=0.7,
2 MHz); all other values are predictions. "google" has the real jobs' arrivals
and durations as well. Table 4 has a workload of its own, "two-parameter", fitted to
two values of TSF-ER. Figures 5 to 10 run on a synthetic workload with the
marginals of Alibaba's PAI trace, or with --alibaba DIR on the real submissions,
durations and gangs of its sample ("hybrid"). With --trace jobs.parquet the jobs are
sampled from the first 1,000 submissions of that file.

--out receives the result tables (Parquet), the figures made from them (PDF, SVG,
PNG), ledger.json and manifest.json. The ledger is printed. --verify checks after
every event with whole tasks that nothing is overcommitted, that no task is lost or
runs twice, and that its time adds up; one that does not ends the run, and the
results are otherwise the same.`,
		Example: `  leontief reproduce tsf-er
  leontief reproduce tsf-er --item table3 --scale paper --out results/table3
  leontief reproduce tsf-er --trace jobs.parquet --out results/google`,
		Items: Items, Scales: []string{"quick", "paper"},
		Options: []spec.Parameter{
			{Name: "trace", Doc: "Parquet file of jobs, from traces import or generate", Canonical: spec.AnyText},
			{Name: "workload", Doc: "embedded synthetic workload of all items but figures 5-10: " + strings.Join(run.WorkloadNames(), " or ") + " (default: each item's own)",
				Canonical: spec.OneOf(append([]string{""}, run.WorkloadNames()...)...)},
			{Name: "gamma", Doc: "reading of the Gamma distribution's second parameter, for the bandwidth: scale or rate", Default: string(traces.GammaScale),
				Canonical: spec.OneOf(string(traces.GammaScale), string(traces.GammaRate))},
			{Name: "alibaba", Doc: "folder of Alibaba files with the sample of PAI's GPU tasks, for figures 5-10; without it their workload is synthetic", Canonical: spec.AnyText},
			run.IgnoreParameter(),
			{Name: "verify", Doc: "re-check every invariant of whole tasks (table 4, figures 5-10) after every event, slowly", Default: "no", Canonical: spec.OneOf("no", "yes")},
		},
		Plan: newPlan,
	})
}

// plan is what is run for a request.
type plan struct {
	papers.Request
	workload *Workload // of the fluid model
	whole    *Workload // of table 4
	cloud    *Workload // of figures 5–10

	table3, fig3, fig4, table4, options, present *grid // nil where they are not asked for
	runs                                         map[cloudRun]spec.Scenario
	slots                                        []int // of figures 5–10, in h
}

func newPlan(r papers.Request) (*papers.Reproduction, error) {
	p := &plan{Request: r}
	if err := p.workloads(); err != nil {
		return nil, err
	}
	if err := p.meet(); err != nil {
		return nil, err
	}
	out := &papers.Reproduction{
		Workload: p.workload.Workload, Labels: p.labels(),
		Entries: p.entries, Tables: p.tables, Draw: draw, Notes: p.notes,
	}
	for _, w := range []*Workload{p.workload, p.whole, p.cloud} {
		for _, note := range w.Notes {
			if !slices.Contains(out.Workload.Notes, note) {
				out.Workload.Notes = append(slices.Clip(out.Workload.Notes), note)
			}
		}
	}
	for _, part := range []func() ([]spec.Scenario, error){p.planTable3, p.planFigures, p.planTable4, p.planCloud} {
		of, err := part()
		if err != nil {
			return nil, err
		}
		out.Scenarios = append(out.Scenarios, of...)
	}
	return out, p.checkDraws()
}

// workloads reads the workload that the options name for all items, or each
// item's own.
func (p *plan) workloads() (err error) {
	trace, name := p.Options["trace"], p.Options["workload"]
	switch {
	case trace != "" && name != "":
		return spec.OfInput(errors.New("--trace and --workload exclude each other"))
	case trace != "":
		p.workload, err = TraceWorkload(trace)
	case name != "":
		p.workload, err = NamedWorkload(name)
	default:
		p.workload, err = NamedWorkload(fittedName)
	}
	if err != nil {
		return err
	}
	p.whole = p.workload
	if trace == "" && name == "" {
		if p.whole, err = Table4Workload(); err != nil {
			return err
		}
	}
	if trace != "" {
		p.cloud, err = CloudTrace(trace)
	} else {
		p.cloud, err = CloudWorkload(p.Options["alibaba"])
	}
	return spec.OfInput(err)
}

// meet compares the workloads of the items with their clusters.
func (p *plan) meet() error {
	ignore := run.Ignored(p.Options[run.IgnoreName])
	three := Cluster(0, 1) // its numbers do not matter
	for _, of := range []struct {
		items    []string
		workload **Workload
	}{{[]string{itemTable3, itemFig3, itemFig4}, &p.workload}, {[]string{itemTable4}, &p.whole}} {
		if !p.Wants(of.items...) {
			continue
		}
		met, err := (*of.workload).On(three, "the three servers", ignore)
		if err != nil {
			return err
		}
		one := **of.workload
		met.Label = met.Mark()
		one.Population, *of.workload = met, &one
	}
	if !p.Wants(cloudItems[1:]...) {
		return nil
	}
	met, err := p.cloud.onCloud()
	if err == nil {
		p.cloud.Population = met
	}
	return err
}

// chosen are the values that take the place of those of a spec.
func (p *plan) chosen() map[string]string {
	set := map[string]string{"gamma": p.Options["gamma"], run.IgnoreName: p.Options[run.IgnoreName]}
	switch {
	case p.Options["trace"] != "":
		set["workload"] = asPath(p.Options["trace"])
	case p.Options["workload"] != "":
		set["workload"] = p.Options["workload"]
	}
	return set
}

// asPath is the path of a file in a form that is no name.
func asPath(path string) string {
	if spec.PathLike(path) {
		return path
	}
	return "./" + path
}

func (p *plan) planTable3() ([]spec.Scenario, error) {
	if !p.Wants(itemTable3) {
		return nil, nil
	}
	s, err := p.Spec(specTable3, p.chosen())
	if err != nil {
		return nil, err
	}
	p.table3 = newGrid(s.Block(itemTable3), byPolicy)
	return s.Scenarios()
}

func (p *plan) planFigures() ([]spec.Scenario, error) {
	if !p.Wants(itemFig3, itemFig4) {
		return nil, nil
	}
	s, err := p.Spec(specFigures, p.chosen())
	if err != nil {
		return nil, err
	}
	if p.Wants(itemFig3) {
		p.fig3 = newGrid(s.Block(itemFig3), byPolicy)
	}
	if p.Wants(itemFig4) {
		p.fig4 = newGrid(s.Block(itemFig4), byPolicy)
	}
	return s.Of(func(block string) bool { return p.Wants(block) })
}

func (p *plan) planTable4() ([]spec.Scenario, error) {
	if !p.Wants(itemTable4) {
		return nil, nil
	}
	set := p.chosen()
	set["verify"] = p.Options["verify"]
	s, err := p.Spec(specTable4, set)
	if err != nil {
		return nil, err
	}
	p.table4, p.options, p.present = newGrid(s.Block(itemTable4), byPolicy), newGrid(s.Block(itemOptions), byVariant), newGrid(s.Block(itemPresent), byPolicy)
	return s.Scenarios()
}

// planCloud plans figures 5–10. Of the slots, figures 5 to 7 need the first.
func (p *plan) planCloud() ([]spec.Scenario, error) {
	if !p.Wants(cloudItems[1:]...) {
		return nil, nil
	}
	set := map[string]string{"gamma": p.Options["gamma"], "verify": p.Options["verify"]}
	switch {
	case p.Options["trace"] != "":
		set["workload"] = asPath(p.Options["trace"])
	case p.Options["alibaba"] != "":
		set["workload"], set["alibaba"] = p.cloud.Label, p.Options["alibaba"]
	}
	s, err := p.Spec(CloudKind, set)
	if err != nil {
		return nil, err
	}
	all, err := s.Scenarios()
	p.runs = map[cloudRun]spec.Scenario{}
	var wanted []spec.Scenario
	for _, one := range all {
		run := runOf(one)
		if len(p.slots) == 0 || run.slotH == p.slots[0] || p.Wants("fig8", "fig9", "fig10") {
			wanted, p.runs[run] = append(wanted, one), one
			if !slices.Contains(p.slots, run.slotH) {
				p.slots = append(p.slots, run.slotH)
			}
		}
	}
	return wanted, err
}

// checkDraws reports a workload from which an item can not draw.
func (p *plan) checkDraws() error {
	for _, of := range []struct {
		workload *Workload
		grids    map[string]*grid
	}{
		{p.workload, map[string]*grid{itemFig3: p.fig3, itemFig4: p.fig4}},
		{p.workload, map[string]*grid{itemTable3: p.table3}},
		{p.whole, map[string]*grid{itemTable4: p.table4}},
	} {
		users, items := 0, []string(nil)
		for _, item := range Items {
			if g := of.grids[item]; g != nil {
				users, items = max(users, g.users()), append(items, item)
			}
		}
		if jobs := len(of.workload.Population.Jobs); users > jobs {
			return spec.OfInput(fmt.Errorf("the workload has %d jobs, and for %s %d are drawn an instance", jobs, strings.Join(items, " and "), users))
		}
	}
	return nil
}

// labels are those of the workloads of the items.
func (p *plan) labels() []string {
	var labels []string
	if p.Wants(itemTable3, itemFig3, itemFig4) || !p.Wants(itemTable4) && !p.Wants(cloudItems...) {
		labels = append(labels, p.workload.Label)
	}
	if p.Wants(itemTable4) && !slices.Contains(labels, p.whole.Label) {
		labels = append(labels, p.whole.Label)
	}
	if p.Wants(cloudItems...) && !slices.Contains(labels, p.cloud.Label) {
		labels = append(labels, p.cloud.Label)
	}
	return labels
}

// judge makes the ledger entries of what ran on a workload.
func (p *plan) judge(w *Workload) *judge {
	return &judge{workload: w, asFitted: p.Options["gamma"] == string(traces.GammaScale)}
}

// entries makes the ledger.
func (p *plan) entries(rows run.Rows) ([]ledger.Entry, error) {
	var all []ledger.Entry
	if p.Wants("examples") {
		entries, err := Examples()
		if err != nil {
			return nil, err
		}
		all = entries
	}
	j := p.judge(p.workload)
	if p.table3 != nil {
		all = append(all, j.table3(p.table3.values(rows, results.MetricJCTFactor))...)
	}
	if p.fig3 != nil {
		all = append(all, j.claimsOf(itemFig3, p.fig3.values(rows, results.MetricMinTaskRatio), ratioClaims)...)
		all = append(all, j.claimsOf(itemFig3, p.fig3.values(rows, results.MetricSIViolation), violationClaims)...)
	}
	if p.fig4 != nil {
		all = append(all, j.claimsOf(itemFig4, p.fig4.values(rows, results.MetricDomination), dominationClaims)...)
	}
	if p.table4 != nil {
		all = append(all, p.judge(p.whole).table4(p.table4.values(rows, results.MetricJCTFactor),
			p.options.values(rows, results.MetricJCTFactor), p.present.values(rows, results.MetricShare))...)
	}
	return append(all, p.cloudEntries(rows)...), nil
}

// tables are the result tables.
func (p *plan) tables(rows run.Rows) (map[string][]results.Row, error) {
	tables := p.cloudTables(rows)
	for _, of := range []struct {
		name, item string
		grid       *grid
		workload   *Workload
	}{
		{itemTable3, itemTable3, p.table3, p.workload},
		{itemFig3, itemFig3, p.fig3, p.workload},
		{itemFig4, itemFig4, p.fig4, p.workload},
		{itemTable4, itemTable4, p.table4, p.whole},
		{itemOptions, itemOptions, p.options, p.whole},
		{itemOptions, itemPresent, p.present, p.whole},
	} {
		if of.grid != nil {
			tables[of.name] = append(tables[of.name], of.grid.rows(of.item, of.workload.Label, rows)...)
		}
	}
	return tables, nil
}

// notes says how many jobs were refused, and how often invariants were checked.
func (p *plan) notes(rows run.Rows) []string {
	drawn, refused := 0, 0
	figures := p.fig3
	if figures == nil {
		figures = p.fig4 // which has the same jobs
	}
	for _, g := range []*grid{p.table3, figures, p.table4, p.options} {
		if g != nil {
			d, r := g.refused(rows)
			drawn, refused = drawn+d, refused+r
		}
	}
	var notes []string
	if refused > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d drawn jobs were refused, since nothing can host them or the clock ends before they would: they are in no mean.", refused, drawn))
	}
	if p.Options["verify"] == "yes" {
		notes = append(notes, fmt.Sprintf("Every invariant of whole tasks was checked after %d instants, and held.", verified(rows)))
	}
	return notes
}

// verified counts the instants after which every invariant was checked.
func verified(rows run.Rows) int {
	instants := 0
	for _, of := range rows {
		for _, row := range of {
			if row.Metric == results.MetricVerified {
				instants += int(row.Value)
			}
		}
	}
	return instants
}
