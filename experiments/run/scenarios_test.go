package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
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
	return []results.Row{{Policy: c.s.Text("rule"), Metric: results.MetricRefused}}, nil
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
	one, err := InMemory(1, func(done, total int) { last = total - done })(context.Background(), scenarios)
	if err != nil || last != 0 {
		t.Fatalf("%v, %d pieces not reported", err, last)
	}
	four, err := InMemory(4, nil)(context.Background(), scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for i, rule := range []string{"b", "a"} {
		rows := one.Of(scenarios[i])
		if len(rows) != 40 || !reflect.DeepEqual(rows, four.Of(scenarios[i])) {
			t.Errorf("scenario %d: %d rows, others on four workers", i, len(rows))
		}
		for k, row := range rows {
			if row.Policy != rule || row.Instance != int64(k) || row.Point.Number("rho") != .7 {
				t.Errorf("scenario %d: row %d is %+v", i, k, row)
			}
		}
	}
	bad, _ := spec.NewScenario("numbered (test)", map[string]string{"rule": "bad"}, 1, 4)
	if _, err := InMemory(2, nil)(context.Background(), []spec.Scenario{bad}); err == nil || !strings.Contains(err.Error(), "rule=bad]") || !strings.Contains(err.Error(), "instance 2: instance 2 is bad") {
		t.Errorf("error %v", err)
	}
}

// Of the instances that fail, in any order, the lowest one's error is kept.
func TestTheErrorOfAScenarioIsThatOfItsLowestInstance(t *testing.T) {
	for seed := range uint64(20) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(6)
		u := &underWay{Ended: Ended{Scenario: spec.Scenario{Instances: 7}}, parts: make([][]results.Row, 7)}
		r := &scenariosRun{all: []*underWay{u}}
		for _, i := range order {
			r.end(u, i+1, nil, fmt.Errorf("of instance %d", i+1), 0)
		}
		if err := r.failures(); err == nil || u.errAt != 1 || u.err.Error() != "of instance 1" {
			t.Errorf("order %v: error %v of instance %d", order, u.err, u.errAt)
		}
	}
}
