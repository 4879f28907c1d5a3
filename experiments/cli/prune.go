package cli

import (
	"context"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/store"
)

// prune removes results that the sweep does not use, or says which it would.
func (c *command) prune(ctx context.Context, plan *store.Sweep, o store.SweepOptions, dryRun bool) error {
	counts, err := plan.Prune(ctx, o.Folder, o.Wait, !dryRun)
	if counts == nil {
		return ofSweep(err)
	}
	what := "were removed"
	if dryRun {
		what = "would be removed"
	}
	text := fmt.Sprintf("%d results of other versions of leontief and %d that are not in the plan %s; %d of the plan stay. Folder %s\n",
		counts.Others, counts.Unplanned, what, counts.Kept, o.Folder)
	if counts.Strange > 0 {
		text += fmt.Sprintf("%d folders or files with the name of a result hold something else and are left alone\n", counts.Strange)
	}
	if err != nil {
		fmt.Fprint(c.Err, "leontief: not all was seen to: ", text)
		return ofSweep(err)
	}
	return c.say("%s", text)
}
