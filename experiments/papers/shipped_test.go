package papers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
)

const mixedSpec = `
seed: 4
blocks:
  - {name: drawn, experiment: made up (test), instances: 3, set: {rule: a}, axes: {n: [10, 20]}}
  - {name: fixed, experiment: made up (test), deterministic: true, set: {rule: b}}
  - {name: drawn, experiment: made up (test), instances: 3, set: {rule: a, n: 20}}
`

// madeUpRows are rows that say where they come from.
type madeUpRows struct{ s spec.Scenario }

func (m madeUpRows) Instance(_ context.Context, i int) ([]results.Row, error) {
	return []results.Row{{Policy: m.s.Text("rule"), Metric: results.MetricRefused}}, nil
}

func init() {
	spec.RegisterKind(spec.Kind{
		Name: "made up (test)", Title: "rows that say where they come from",
		Parameters: []spec.Parameter{
			{Name: "n", Unit: "users", Doc: "Number of users.", Default: "10", Canonical: spec.WholeNumber(1, 100)},
			{Name: "rho", Unit: "1", Doc: "Heterogeneity.", Default: "0.7", Canonical: spec.Number(0, 1)},
			{Name: "rule", Doc: "Rule.", Required: true, Canonical: spec.OneOf("a", "b")},
		},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) { return madeUpRows{s}, nil },
	})
}

// listed writes scenarios a line each: seed, instances, values.
func listed(all []spec.Scenario) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintln(&b, s.Seed, s.Instances, s)
	}
	return b.String()
}

func TestRequestReadsTheBlocksThatItNeeds(t *testing.T) {
	RegisterSpec("mixed (test)", []byte(mixedSpec))
	defer delete(shipped, "mixed (test)")
	r := Request{Items: []string{"drawn"}, Seed: 9, Instances: 2}
	s, err := r.Spec("mixed (test)", map[string]string{"rho": "0.2"})
	if err != nil {
		t.Fatal(err)
	}
	some, _, err := s.Of(func(block string) bool { return r.Wants(block) })
	if want := "9 2 [n=10,rho=0.2,rule=a]\n9 2 [n=20,rho=0.2,rule=a]\n"; err != nil || listed(some) != want {
		t.Errorf("%v, scenarios\n%swant\n%s", err, listed(some), want)
	}
	s.Blocks[0].Set["rule"] = "nobody"
	if _, _, err := s.Of(func(string) bool { return true }); err == nil || !strings.Contains(err.Error(), `"nobody" is not one of`) {
		t.Errorf("error %v", err)
	}
}

func TestUnusableSpecsAreProgrammingErrors(t *testing.T) {
	RegisterSpec("twice (test)", []byte(mixedSpec))
	defer delete(shipped, "twice (test)")
	for name, register := range map[string]func(){
		"no name": func() { RegisterSpec("", []byte(mixedSpec)) },
		"no text": func() { RegisterSpec("empty (test)", nil) },
		"twice":   func() { RegisterSpec("twice (test)", []byte(mixedSpec)) },
		"unknown": func() { _, _ = (&Request{}).Spec("nothing (test)", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			register()
		}()
	}
}
