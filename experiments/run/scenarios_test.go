package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// counting is a kind whose rows say where they come from.
type counting struct{ s spec.Scenario }

func (c counting) Instance(_ context.Context, i int) ([]results.Row, error) {
	if c.s.Text("rule") == "bad" && i >= 2 {
		return nil, fmt.Errorf("instance %d is bad", i)
	}
	return []results.Row{{Policy: c.s.Text("rule"), Rho: c.s.Number("rho"), N: c.s.WholeNumber("n"), Instance: int64(i)}}, nil
}

func init() {
	spec.RegisterKind(spec.Kind{
		Name: "numbered (test)", Title: "rows that say where they come from",
		Parameters: []spec.Parameter{
			{Name: "n", Unit: "users", Doc: "Number of users.", Default: "10", Canonical: spec.WholeNumber(1, 100)},
			{Name: "rho", Unit: "1", Doc: "Heterogeneity.", Default: "0.7", Canonical: spec.Number(0, 1)},
			{Name: "rule", Doc: "Rule.", Required: true, Canonical: spec.OneOf("a", "b", "bad")},
		},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) { return counting{s}, nil },
	})
}

func TestScenariosRunInOrderOnAnyNumberOfWorkers(t *testing.T) {
	var scenarios []spec.Scenario
	for _, rule := range []string{"b", "a"} {
		s, err := spec.NewScenario("numbered (test)", map[string]string{"rule": rule}, 1, 40)
		if err != nil {
			t.Fatal(err)
		}
		scenarios = append(scenarios, s)
	}
	last := 0
	one, err := RunScenarios(context.Background(), scenarios, 1, func(done, total int) { last = total - done })
	if err != nil || last != 0 {
		t.Fatalf("%v, %d pieces not reported", err, last)
	}
	four, err := RunScenarios(context.Background(), scenarios, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, rule := range []string{"b", "a"} {
		if len(one[i]) != 40 || !slices.Equal(one[i], four[i]) {
			t.Errorf("scenario %d: %d rows, equal: %t", i, len(one[i]), slices.Equal(one[i], four[i]))
		}
		for k, row := range one[i] {
			if row.Policy != rule || row.Instance != int64(k) || math.Abs(row.Rho-.7) > 0 {
				t.Errorf("scenario %d: row %d is %+v", i, k, row)
			}
		}
	}
	bad, _ := spec.NewScenario("numbered (test)", map[string]string{"rule": "bad"}, 1, 4)
	if _, err := RunScenarios(context.Background(), []spec.Scenario{bad}, 2, nil); err == nil || !strings.Contains(err.Error(), "rule=bad]") || !strings.Contains(err.Error(), "instance 2: instance 2 is bad") {
		t.Errorf("error %v", err)
	}
}
