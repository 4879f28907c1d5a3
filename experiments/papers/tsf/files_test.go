package tsf

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces"
)

// A trace that is imported again under the same name is another workload: no
// scenario of the old one may stand for one of the new one, and a scenario that
// was planned with the old one does not run on the new one.
func TestAChangedTraceIsAnotherScenario(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.parquet")
	plan := func(cpu float64) spec.Scenario {
		t.Helper()
		job := traces.Job{ID: "a", Tasks: 1, DurationUS: 1, CPU: cpu, Mem: .1}
		if err := traces.WriteJobs(path, []traces.Job{job}, traces.Meta{Source: "a test", Label: "made up (synthetic)", Units: "fractions"}); err != nil {
			t.Fatal(err)
		}
		r := papers.Request{Items: []string{"fig9"}, Scale: "quick", Seed: 1, Options: map[string]string{"trace": path, "machines": ""}}
		out, err := newPlan(r)
		if err != nil {
			t.Fatal(err)
		}
		return out.Scenarios[0]
	}
	old := plan(.1)
	if again := plan(.1); again.ID() != old.ID() {
		t.Error("the same trace gives another scenario")
	}
	if changed := plan(.2); changed.ID() == old.ID() {
		t.Error("another trace under the same name gives the same scenario")
	}
	if _, err := old.Open(context.Background()); !errors.Is(err, spec.ErrChanged) {
		t.Errorf("the old scenario opens the new trace: %v", err)
	}
}
