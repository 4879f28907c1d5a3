package spec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

// counting is a kind whose rows say where they come from.
type counting struct{ s Scenario }

func (c counting) Instance(_ context.Context, i int) ([]results.Row, error) {
	if c.s.Text("rule") == "bad" && i >= 2 {
		return nil, fmt.Errorf("instance %d is bad", i)
	}
	return []results.Row{{Policy: c.s.Text("rule"), Metric: results.MetricRefused}}, nil
}

func init() {
	RegisterKind(Kind{
		Name: "counting (test)", Title: "rows that say where they come from",
		Parameters: []Parameter{
			{Name: "n", Unit: "users", Doc: "Number of users.", Default: "10", Canonical: WholeNumber(1, 100)},
			{Name: "rho", Unit: "1", Doc: "Heterogeneity.", Default: "0.7", Canonical: Number(0, 1)},
			{Name: "rule", Doc: "Rule.", Required: true, Canonical: OneOf("a", "b", "bad")},
		},
		Open: func(_ context.Context, s Scenario) (Instances, error) { return counting{s}, nil },
	})
}

func TestScenarioIDIsOfTheContent(t *testing.T) {
	of := func(values map[string]string, seed uint64) string {
		s, err := NewScenario("counting (test)", values, seed, 3)
		if err != nil {
			t.Fatal(err)
		}
		return s.ID()
	}
	plain := of(map[string]string{"rule": "a"}, 1)
	if same := of(map[string]string{"rule": "a", "rho": ".70", "n": "10"}, 1); same != plain {
		t.Errorf("the same scenario has ids %s and %s", plain, same)
	}
	for _, other := range []string{of(map[string]string{"rule": "b"}, 1), of(map[string]string{"rule": "a"}, 2), of(map[string]string{"rule": "a", "n": "11"}, 1)} {
		if other == plain {
			t.Errorf("two scenarios share the id %s", plain)
		}
	}
}

func TestScenarioReportsAllProblems(t *testing.T) {
	_, err := NewScenario("counting (test)", map[string]string{"n": "many", "rho": "1.5", "colour": "red"}, 1, 0)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"instances: 0", `n: "many" is not a whole number`, "rho: 1.5 is not in [0, 1]", "rule: not given", "colour: counting (test) has no such parameter (known: n, rho, rule)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q:\n%v", want, err)
		}
	}
	if _, err := NewScenario("nothing", nil, 1, 1); err == nil || !strings.Contains(err.Error(), "counting (test)") {
		t.Errorf("unknown kind: %v", err)
	}
}
