package tsfer

import (
	"cmp"
	"context"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// kept is what a redrawn job keeps.
type kept struct {
	id       string
	tasks    int64
	cpu, mem float64
}

func keptOf(jobs []traces.Job) []kept {
	var all []kept
	for _, j := range jobs {
		all = append(all, kept{j.ID, j.Tasks, j.CPU, j.Mem})
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.id, b.id) })
	return all
}

func TestRedrawnJobsKeepRequestsAndTaskCounts(t *testing.T) {
	google, err := synthetic.Generate(synthetic.Google(), 3)
	if err != nil {
		t.Fatal(err)
	}
	of := Redrawn(google, traces.Meta{Source: "test"})
	one, err := of(1e5, 1)
	if err != nil {
		t.Fatal(err)
	}
	other, err := of(2e5, 2)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff.Diff(keptOf(google), keptOf(one.Population.Jobs), diff.AllowUnexported(kept{})); d != "" {
		t.Errorf("requests or task counts changed:\n%s", d)
	}
	fitted, err := FittedWith(1e5, 1)
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for i, j := range one.Population.Jobs {
		if f := fitted.Population.Jobs[i]; j.SubmitUS != f.SubmitUS || j.DurationUS != f.DurationUS {
			t.Fatalf("job %d: %d µs, %d µs; the fitted workload has %d, %d", i, j.SubmitUS, j.DurationUS, f.SubmitUS, f.DurationUS)
		}
		if j.ID != other.Population.Jobs[i].ID {
			moved++
		}
	}
	if moved < 900 {
		t.Errorf("%d jobs have another place in another realisation", moved)
	}
	if one.Label != "redrawn (hybrid)" || google[0].DurationUS == one.Population.Jobs[0].DurationUS {
		t.Errorf("label %q, or the jobs were not redrawn", one.Label)
	}
}

// Longer durations make jobs overlap more, on redrawn jobs as on drawn ones.
func TestTheFactorOfRedrawnJobsFallsWithTheMedian(t *testing.T) {
	google, err := synthetic.Generate(synthetic.Google(), run.PopulationSeed)
	if err != nil {
		t.Fatal(err)
	}
	last := 2.0
	for _, median := range []float64{1e4, 1e5, 1e6} {
		f, err := factorAt(context.Background(), Redrawn(google, traces.Meta{}), median, FitSize{2, 60}, 5, 2)
		if err != nil {
			t.Fatal(err)
		}
		if f.Factor >= last-0.05 {
			t.Errorf("median %g s: factor %g after %g", median, f.Factor, last)
		}
		last = f.Factor
	}
}
