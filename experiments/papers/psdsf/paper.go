// Package psdsf reproduces the PS-DSF paper: its worked examples, the properties
// of its table I on random environments, tables III and IV, and figure 6 with
// servers that act by themselves.
package psdsf

import (
	"embed"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Paper is the paper's name on the command line and in the ledger.
const Paper = "ps-dsf"

//go:embed specs/ps-dsf.yaml
var specText []byte

//go:embed figures
var figures embed.FS

func init() {
	papers.RegisterSpec(Paper, specText)
	papers.RegisterFigures(Paper, figures)
	papers.RegisterPaper(papers.Paper{
		Name:  Paper,
		Title: "The PS-DSF paper: figures 1-4 and 6, tables I, III and IV",
		Long: `Reproduce the PS-DSF paper: its worked examples (figures 1 to 4, tables III and
IV), the properties that table I claims for C-DRFH, TSF and PS-DSF, on random
environments with placement constraints, figure 6 with 120 servers that act by
themselves, and how servers that act by themselves fare on random environments
(item distributed): whether they come to rest, in how many rounds, with how many
messages, and how far from the central allocation.

The numbers of servers and the demands of figures 5 and 6 are not printed; they
follow from table III, but for two free cpu demands.`,
		Example: `  leontief reproduce ps-dsf
  leontief reproduce ps-dsf --scale paper --out results/ps-dsf`,
		Items:  []string{"fig1", "fig3", "fig4", "table1", "table3", "table4", "fig6", "distributed"},
		Scales: []string{"quick", "paper"},
		Plan:   plan,
	})
}

// readings are those of the cpu demand of user 2 in figure 6 that the spec runs, the
// first one counts.
var readings = []string{fmt.Sprint(LargestCPU2), fmt.Sprint(RoundCPU2)}

// tableRules are the columns of table I.
var tableRules = []string{"drfh", "tsf", "ps-dsf"}

// plans is the plan of a request.
type plans struct {
	papers.Request
	blocks map[string][]spec.Scenario
}

func plan(r papers.Request) (*papers.Reproduction, error) {
	of, err := r.Spec(Paper, nil)
	if err != nil {
		return nil, err
	}
	p := &plans{Request: r}
	out := &papers.Reproduction{Labels: []string{randomLabel, figure6Label}, Entries: p.entries, Tables: p.tables, Notes: p.notes}
	out.Scenarios, p.blocks, err = of.Of(func(block string) bool { return r.Wants(block) })
	return out, err
}

func (p *plans) entries(rows run.Rows) ([]ledger.Entry, error) {
	s := p.measured(rows)
	example := func(item string) papers.Part {
		return papers.Part{Item: item, Make: func() ([]ledger.Entry, error) { return examples(item) }}
	}
	return p.Entries(example("fig1"), example("fig3"), example("fig4"),
		papers.Part{Item: "table1", Make: s.table1},
		papers.Part{Item: "table3", Make: table3Entries},
		papers.Part{Item: "table4", Make: table4Entries},
		papers.Part{Item: "fig6", Make: papers.Ready(s.figure6Claims)},
		papers.Part{Item: "distributed", Make: papers.Ready(s.distributedClaims)})
}

// tables are the rows of each block, which is named as its item.
func (p *plans) tables(rows run.Rows) (papers.Tables, error) {
	tables := papers.Tables{}
	for item, scenarios := range p.blocks {
		tables[item] = papers.Table(item, rows.All(scenarios...))
	}
	return tables, nil
}
