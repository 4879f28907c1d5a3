package mtp

import (
	"embed"
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
)

// items are what can be reproduced, in the paper's order.
var items = []string{"sec4.1", "sec4.2", "fig2", "theorems", "fig3", "fig4", "fig5"}

// simulated are the items that are made of replays.
var simulated = items[4:]

//go:embed specs/mtp.yaml
var specText []byte

// The blocks of the spec.
const (
	mainBlock   = "fig3-5"
	rateBlock   = "fig3-rate"   // the cycles per bit read otherwise
	narrowBlock = "fig4-narrow" // little bandwidth
	ghzBlock    = "fig4-5-ghz"  // other cpu frequencies
)

//go:embed figures
var figures embed.FS

func init() {
	papers.RegisterSpec(Name, specText)
	papers.RegisterFigures(Name, figures)
	papers.RegisterPaper(papers.Paper{
		Name:  Name,
		Title: "The multi-AP paper (MTP): worked examples, both theorems, figures 3-5",
		Long: `Reproduce the multi-AP paper: the properties of equal division (section 4.1), the
examples of sections 4.2 and 4.3 (figure 2), the impossibility theorems as lies that
pay, one for every rule that papers claim to be Pareto optimal and envy-free or to
have the sharing incentive, and figures 3 to 5: seven hours of jobs at five access points under mtp, tsf and eq.

The trace of the paper is named by its length only. With --trace it is a Parquet
file of jobs: traces import google1 makes one of the first Google trace, which
has that length, traces import google2011-hybrid one of the first seven hours of
that of 2011. Without it the jobs are synthetic, which every output says. Jobs of
two hours or longer are left out, of the others one task in ten is run, each an
instance of its own draw, as are the bit rates and channels.

The quick scale takes submissions of 1.5 hours, in which the queues of the seven
do not form; its differences in completion time are smaller for that reason.`,
		Example: `  leontief reproduce mtp
  leontief traces import google2011-hybrid clusterdata-2011-2 --out seven-hours.parquet
  leontief reproduce mtp --trace seven-hours.parquet --scale paper --out results/mtp`,
		Items: items, Scales: []string{"quick", "paper"}, Shows: simulated,
		Options: []spec.Parameter{
			{Name: "trace", Doc: "Parquet file of jobs; without it the embedded synthetic seven hours", Canonical: spec.AnyText},
			{Name: "gamma", Doc: "how the second parameter of the cycles per bit is read: scale or rate", Default: string(traces.GammaScale),
				Canonical: spec.OneOf(string(traces.GammaScale), string(traces.GammaRate))},
			run.IgnoreParameter(),
		},
		Plan: plan,
	})
}

// planned is the plan of a request.
type planned struct {
	papers.Request
	label  string
	blocks map[string][]spec.Scenario // those that are run
}

func plan(r papers.Request) (*papers.Reproduction, error) {
	p, err := population(r.Options["trace"])
	if err != nil {
		return nil, err
	}
	pl := &planned{Request: r}
	out := &papers.Reproduction{Entries: pl.entries, Tables: pl.tables, Notes: pl.notes}
	if r.Wants(simulated...) {
		if p, err = p.On(Cluster(LinkMHz), clusterText, run.Ignored(r.Options[run.IgnoreName])); err != nil {
			return nil, err
		}
		out.Labels = []string{p.Mark()}
		out.Scenarios, pl.blocks, err = pl.scenarios()
	}
	out.Workload, pl.label = p.Workload, p.Mark()
	return out, err
}

// scenarios plans the replays.
func (p *planned) scenarios() ([]spec.Scenario, map[string][]spec.Scenario, error) {
	chosen := map[string]string{"trace": p.Options["trace"], run.IgnoreName: p.Options[run.IgnoreName]}
	rate := p.Options["gamma"] == string(traces.GammaRate)
	if rate {
		chosen["gamma"] = p.Options["gamma"]
	}
	s, err := p.Spec(Name, chosen)
	if err != nil {
		return nil, nil, err
	}
	p.Beside(s, mainBlock)
	wanted := map[string]bool{mainBlock: true, rateBlock: p.Wants("fig3") && !rate, narrowBlock: p.Wants("fig4"), ghzBlock: p.Wants("fig4", "fig5")}
	return s.Of(func(block string) bool { return wanted[block] })
}

// entries makes the ledger.
func (p *planned) entries(rows run.Rows) ([]ledger.Entry, error) {
	s := p.measured(rows)
	return p.Entries(papers.Part{Item: "sec4.1", Make: section41}, papers.Part{Item: "sec4.2", Make: section42}, papers.Part{Item: "fig2", Make: figure2}, papers.Part{Item: "theorems", Make: theorems},

		papers.Part{Item: "fig3", Make: papers.Ready(func() []ledger.Entry { return p.figure3(s) })},
		papers.Part{Item: "fig4", Make: papers.Ready(func() []ledger.Entry { return p.figure4(s) })},
		papers.Part{Item: "fig5", Make: papers.Ready(func() []ledger.Entry { return p.figure5(s, rows) })})
}

// shown says which figure shows a metric, by what its name begins with.
var shown = []struct {
	item    string
	metrics []string
}{
	{"fig3", []string{MetricSubmissionUtilization, results.MetricUtilization}},
	{"fig4", []string{results.MetricEnviousness, results.MetricMeanEnviousness, results.MetricMaxEnviousness, results.MetricEnvyTime, results.MetricMinTaskRatio, results.MetricSIViolation}},
	{"fig5", []string{results.MetricCompletion, results.MetricMeanCompletion, results.MetricJCTFactor, results.MetricRefused}},
}

// tables sorts the rows of the main scenarios into the tables of the figures.
func (p *planned) tables(rows run.Rows) (papers.Tables, error) {
	tables := papers.Tables{}
	for row := range rows.All(p.blocks[mainBlock]...) {
		for _, of := range shown {
			if p.Wants(of.item) && slices.Contains(of.metrics, pure(row.Metric)) {
				row.Item = of.item
				tables.Add(of.item, row)
			}
		}
	}
	return tables, nil
}

// notes says how many jobs were run and refused.
func (p *planned) notes(rows run.Rows) []string {
	if p.blocks == nil {
		return nil
	}
	drawn, refused := 0.0, 0.0
	for r := range rows.All(p.blocks[mainBlock][0]) {
		if r.Metric == results.MetricRefused {
			drawn, refused = drawn+r.Point.Number("n"), refused+r.Value
		}
	}
	return []string{fmt.Sprintf("%g jobs were drawn in all instances; %g of them were refused, since nothing can host them.", drawn, refused)}
}
