package tsfer

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	_ "github.com/leontief-sim/leontief/experiments/sweeps" // the kinds of the specs
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
	// Its readings in all columns, if they are asked for.
	itemReadings = "table4-readings"
)

// Items are what can be reproduced, in the paper's order.
var Items = append([]string{"examples", itemTable3, itemFig3, itemFig4, itemTable4}, cloudItems...)

// shows are the items that can show other rules; the experiment of figures 5 to 10 has
// three.
var shows = []string{itemTable3, itemFig3, itemFig4, itemTable4}

// The names of the specs, beside [CloudKind].
const (
	specTable3  = "tsf-er-table3"
	specFigures = "tsf-er-figures"
	specTable4  = "tsf-er-table4"
	// Not part of a reproduction.
	specCloudReadings = "tsf-er-cloud-readings"
)

//go:embed specs/*.yaml
var specs embed.FS

//go:embed figures
var figures embed.FS

func init() {
	for _, name := range []string{specTable3, specFigures, specTable4, CloudKind, specCloudReadings} {
		text, err := specs.ReadFile("specs/" + name + ".yaml")
		if err != nil {
			panic(err)
		}
		papers.RegisterSpec(name, text)
	}
	papers.RegisterFigures(Paper, figures)
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
		Items: Items, Scales: []string{"quick", "paper"}, Shows: shows,
		Options: []spec.Parameter{
			{Name: "trace", Doc: "Parquet file of jobs, from traces import or generate", Canonical: spec.AnyText},
			{Name: "workload", Doc: "embedded synthetic workload of all items but figures 5-10: " + strings.Join(run.WorkloadNames(), " or ") + " (default: each item's own)",
				Canonical: spec.OneOf(append([]string{""}, run.WorkloadNames()...)...)},
			{Name: "gamma", Doc: "reading of the Gamma distribution's second parameter, for the bandwidth: scale or rate", Default: string(traces.GammaScale),
				Canonical: spec.OneOf(string(traces.GammaScale), string(traces.GammaRate))},
			{Name: "alibaba", Doc: "folder of Alibaba files with the sample of PAI's GPU tasks, for figures 5-10; without it their workload is synthetic", Canonical: spec.AnyText},
			run.IgnoreParameter(),
			{Name: "readings", Doc: "where table 4 is run in the readings of what the paper leaves open: in its central column, or with caps and floors in all (minutes)", Default: "central", Canonical: spec.OneOf("central", "all")},
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

	blocks map[string][]spec.Scenario // those that are run; of figures 5–10 [cloudBlock]
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
		Entries: p.entries, Tables: p.tables, Notes: p.notes,
	}
	for _, w := range []*Workload{p.workload, p.whole, p.cloud} {
		for _, note := range w.Notes {
			if !slices.Contains(out.Workload.Notes, note) {
				out.Workload.Notes = append(slices.Clip(out.Workload.Notes), note)
			}
		}
	}
	var err error
	if out.Scenarios, err = p.scenarios(); err != nil {
		return nil, err
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

// scenarios expands the specs of the items.
func (p *plan) scenarios() ([]spec.Scenario, error) {
	p.blocks = map[string][]spec.Scenario{}
	wanted := func(block string) bool {
		return p.Wants(block) || p.Wants(itemTable4) && (block == itemOptions || block == itemPresent || block == itemReadings && p.allReadings()) || block == cloudBlock
	}
	var all []spec.Scenario
	for _, of := range []struct {
		spec  string
		items []string
		set   map[string]string
	}{
		{specTable3, []string{itemTable3}, p.chosen("gamma", run.IgnoreName)},
		{specFigures, []string{itemFig3, itemFig4}, p.chosen("gamma", run.IgnoreName)},
		{specTable4, []string{itemTable4}, p.chosen("gamma", run.IgnoreName, "verify")},
		{CloudKind, cloudItems[1:], p.chosenForCloud()},
	} {
		if !p.Wants(of.items...) {
			continue
		}
		s, err := p.Spec(of.spec, of.set)
		if err != nil {
			return nil, err
		}
		p.Beside(s, shows...)
		more, blocks, err := s.Of(wanted)
		if err != nil {
			return nil, err
		}
		if of.spec == CloudKind {
			more = p.slotsOf(more)
			blocks[cloudBlock] = more
		}
		maps.Copy(p.blocks, blocks)
		all = append(all, more...)
	}
	return all, nil
}

// allReadings reports whether table 4 is wanted in every reading in all its columns.
func (p *plan) allReadings() bool { return p.Options["readings"] == "all" }

// chosen are the values that take the place of those of a spec: these options and
// the workload.
func (p *plan) chosen(options ...string) map[string]string {
	set := map[string]string{}
	for _, name := range options {
		set[name] = p.Options[name]
	}
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

// chosenForCloud are those of figures 5–10, which have a workload of their own.
func (p *plan) chosenForCloud() map[string]string {
	set := p.chosen("gamma", "verify")
	if p.Options["trace"] == "" {
		delete(set, "workload")
	}
	if p.Options["trace"] == "" && p.Options["alibaba"] != "" {
		set["workload"], set["alibaba"] = p.cloud.Label, p.Options["alibaba"]
	}
	return set
}

// slotsOf leaves out the slots of which no item is wanted: figures 5 to 7 need those
// with series alone.
func (p *plan) slotsOf(all []spec.Scenario) []spec.Scenario {
	return slices.DeleteFunc(all, func(s spec.Scenario) bool {
		return s.Text("series") != "yes" && !p.Wants("fig8", "fig9", "fig10")
	})
}

// checkDraws reports a workload from which an item can not draw.
func (p *plan) checkDraws() error {
	for _, of := range []struct {
		workload *Workload
		blocks   []string
	}{{p.workload, []string{itemFig3, itemFig4}}, {p.workload, []string{itemTable3}}, {p.whole, []string{itemTable4}}} {
		users, items := 0, []string(nil)
		for _, block := range of.blocks {
			for _, s := range p.blocks[block] {
				users = max(users, int(s.WholeNumber("n")))
			}
			if len(p.blocks[block]) > 0 {
				items = append(items, block)
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
	j, whole := p.judge(p.workload), p.judge(p.whole)
	all, err := p.Entries(papers.Part{Item: "examples", Make: Examples},
		papers.Part{Item: itemTable3, Make: papers.Ready(func() []ledger.Entry {
			return j.table3(p.values(rows, itemTable3, results.MetricJCTFactor))
		})},
		papers.Part{Item: itemFig3, Make: papers.Ready(func() []ledger.Entry {
			return append(j.claims(itemFig3, p.values(rows, itemFig3, results.MetricMinTaskRatio), ratioClaims(), nil),
				j.claims(itemFig3, p.values(rows, itemFig3, results.MetricSIViolation), violationClaims(), nil)...)
		})},
		papers.Part{Item: itemFig4, Make: papers.Ready(func() []ledger.Entry {
			return j.claims(itemFig4, p.values(rows, itemFig4, results.MetricDomination), dominationClaims(), nil)
		})},
		papers.Part{Item: itemTable4, Make: papers.Ready(func() []ledger.Entry {
			return whole.table4(p.values(rows, itemTable4, results.MetricJCTFactor),
				p.values(rows, itemOptions, results.MetricJCTFactor), p.values(rows, itemReadings, results.MetricJCTFactor), p.values(rows, itemPresent, results.MetricShare))
		})})
	return append(all, p.cloudEntries(rows)...), err
}

// tables are the result tables; that of the readings has the block all-present, too.
func (p *plan) tables(rows run.Rows) (papers.Tables, error) {
	tables := p.cloudTables(rows)
	for _, block := range []string{itemTable3, itemFig3, itemFig4, itemTable4, itemOptions, itemPresent, itemReadings} {
		table, label := block, p.whole.Label
		switch block {
		case itemTable3, itemFig3, itemFig4:
			label = p.workload.Label
		case itemPresent:
			table = itemOptions
		}
		for r := range rows.All(p.blocks[block]...) {
			if r.Metric != results.MetricRefused && r.Metric != results.MetricVerified {
				r.Experiment, r.Item, r.Policy, r.Workload = Paper, block, ruleOf(block, &r), label
				tables.Add(table, r)
			}
		}
	}
	return tables, nil
}

// notes says how many jobs were refused, and how often invariants were checked.
func (p *plan) notes(rows run.Rows) []string {
	figures := itemFig3
	if p.blocks[figures] == nil {
		figures = itemFig4 // which has the same jobs
	}
	drawn, refused := 0.0, 0.0
	for _, block := range []string{itemTable3, figures, itemTable4, itemOptions, itemReadings} {
		for r := range rows.All(p.blocks[block]...) {
			if r.Metric == results.MetricRefused && ruleOf(block, &r) == rules3[0] {
				drawn, refused = drawn+r.Point.Number("n"), refused+r.Value
			}
		}
	}
	var notes []string
	if refused > 0 {
		notes = append(notes, fmt.Sprintf("%g of %g drawn jobs were refused, since nothing can host them or the clock ends before they would: they are in no mean.", refused, drawn))
	}
	if p.Options["verify"] == "yes" {
		notes = append(notes, fmt.Sprintf("Every invariant of whole tasks was checked after %d instants, and held.", verified(rows)))
	}
	return notes
}

// verified counts the instants after which every invariant was checked.
func verified(rows run.Rows) int {
	instants := 0.0
	for _, of := range rows {
		instants += papers.Total(of.All(), results.MetricVerified)
	}
	return int(instants)
}
