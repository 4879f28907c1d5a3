package tsfer

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments"
)

// everyPlan is a plan of all items that takes a few seconds.
func everyPlan(t *testing.T) *Plan {
	t.Helper()
	p := smallPlan(t, Items...)
	p.Scale.Table3, p.Scale.Table4 = 2, 1
	p.Cloud.Population.Jobs = p.Cloud.Population.Jobs[:200]
	return p
}

// A reproduction through a store, stopped and started again, finds what one
// without a store does.
func TestReproductionThroughAStore(t *testing.T) {
	want, err := Reproduce(context.Background(), everyPlan(t), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "out")
	stop := errors.New("stop")
	runs := 0
	reproduce := func(ctx context.Context, progress Progress) (*Results, error) {
		lock, err := experiments.LockFolder(ctx, folder, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Close()
		plan := everyPlan(t)
		if plan.Store, err = experiments.OpenStore(folder, lock); err != nil {
			t.Fatal(err)
		}
		return Reproduce(ctx, plan, 2, progress)
	}
	for _, at := range []string{"table3", "table4", cloudStage} {
		ctx, cancel := context.WithCancelCause(context.Background())
		_, err := reproduce(ctx, func(stage string, done, total int) {
			runs++
			if stage == at {
				cancel(stop)
			}
		})
		var stopped *experiments.StoppedError
		if !errors.As(err, &stopped) || !errors.Is(err, stop) {
			t.Fatalf("stopped at %s: error %v", at, err)
		}
	}
	got, err := reproduce(context.Background(), func(string, int, int) { runs++ })
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Rows, got.Rows); d != "" {
		t.Errorf("rows: %s", d)
	}
	if d := cmp.Diff(want.Entries, got.Entries); d != "" {
		t.Errorf("entries: %s", d)
	}
	if got.Drawn != want.Drawn || got.Refused != want.Refused || got.Verified != want.Verified {
		t.Errorf("%d drawn, %d refused, %d verified; want %d, %d, %d", got.Drawn, got.Refused, got.Verified, want.Drawn, want.Refused, want.Verified)
	}
	again := 0
	if _, err := reproduce(context.Background(), func(string, int, int) { again++ }); err != nil || again != 0 {
		t.Errorf("%v; %d instances of %d were run again", err, again, runs)
	}
}
