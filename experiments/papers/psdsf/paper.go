package psdsf

import (
	_ "embed" // the spec
	"fmt"
	"maps"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

//go:embed specs/ps-dsf.yaml
var specText []byte

func init() {
	papers.RegisterSpec(Paper, specText)
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
// first one ours.
var readings = []string{fmt.Sprint(RoundCPU2), fmt.Sprint(LargestCPU2)}

// tableRules are the columns of table I.
var tableRules = []string{"drfh", "tsf", "ps-dsf"}

// plans are the scenarios of an item.
type plans struct {
	request    papers.Request
	properties map[string]spec.Scenario // by rule
	figure6    map[string]spec.Scenario // by rule and reading
	alone      map[string]spec.Scenario // by resources
}

func plan(r papers.Request) (*papers.Reproduction, error) {
	of, err := r.Spec(Paper, nil)
	if err != nil {
		return nil, err
	}
	scenarios, err := of.Of(func(block string) bool { return r.Wants(block) })
	if err != nil {
		return nil, err
	}
	p := newPlans(r, scenarios)
	return &papers.Reproduction{
		Scenarios: scenarios, Labels: []string{randomLabel, figure6Label},
		Entries: p.entries, Tables: p.tables, Draw: draw6, Notes: p.notes,
	}, nil
}

// newPlans sorts the scenarios of a request by what they are for.
func newPlans(r papers.Request, scenarios []spec.Scenario) *plans {
	p := &plans{r, map[string]spec.Scenario{}, map[string]spec.Scenario{}, map[string]spec.Scenario{}}
	for _, s := range scenarios {
		switch s.Kind {
		case propertiesKind:
			p.properties[s.Text("policy")] = s
		case figure6Kind:
			p.figure6[s.Text("policy")+s.Text("cpu2")] = s
		case distributedKind:
			p.alone[s.Text("resources")] = s
		}
	}
	return p
}

func (p *plans) entries(rows run.Rows) ([]ledger.Entry, error) {
	var all []ledger.Entry
	for _, item := range []struct {
		name string
		make func() ([]ledger.Entry, error)
	}{
		{"fig1", func() ([]ledger.Entry, error) { return examples("fig1") }},
		{"fig3", func() ([]ledger.Entry, error) { return examples("fig3") }},
		{"fig4", func() ([]ledger.Entry, error) { return examples("fig4") }},
		{"table1", func() ([]ledger.Entry, error) { return p.table1(rows) }},
		{"table3", table3Entries},
		{"table4", table4Entries},
		{"fig6", func() ([]ledger.Entry, error) { return p.figure6Claims(rows), nil }},
		{"distributed", func() ([]ledger.Entry, error) { return p.distributedClaims(rows), nil }},
	} {
		if !p.request.Wants(item.name) {
			continue
		}
		more, err := item.make()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", item.name, err)
		}
		all = append(all, more...)
	}
	return all, nil
}

func (p *plans) tables(rows run.Rows) (map[string][]results.Row, error) {
	tables := map[string][]results.Row{}
	for item, scenarios := range map[string]map[string]spec.Scenario{"table1": p.properties, "fig6": p.figure6, "distributed": p.alone} {
		for _, key := range slices.Sorted(maps.Keys(scenarios)) {
			for _, r := range rows.Of(scenarios[key]) {
				r.Item = item
				tables[item] = append(tables[item], r)
			}
		}
	}
	return tables, nil
}
