package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/store"
)

func (c *command) merge() *cobra.Command {
	var out string
	var force bool
	var wait time.Duration
	progress := runFlags{workers: 1}
	cmd := &cobra.Command{
		Use:   "merge DIR… --out DIR",
		Short: "Make one result of the shards of a sweep",
		Long: `Make one result of the folders that the shards of a sweep wrote. They must be of
one plan and of this version of leontief, and hold every scenario of the plan
undamaged; results that two of them have must be equal. The output has the same
bytes as that of a run on one machine; nothing is written unless everything is
there.`,
		Example: `  leontief merge parts/* --out results/mine`,
		Args:    takes(argument{name: "DIR", what: "the folder of a shard", many: true}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runMerge(cmd.Context(), args, store.SweepOptions{Folder: out, Wait: wait, Force: force}, &progress)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "`FOLDER` for the results (required)")
	cmd.Flags().DurationVar(&wait, "wait", 0, "wait so long for the folder if another process works in it")
	progress.registerProgress(cmd)
	outputFolder(cmd, &force)
	require(cmd, "out")
	suggest(cmd, "out", folders)
	cmd.ValidArgsFunction = folders
	return cmd
}

func (c *command) runMerge(ctx context.Context, folders []string, o store.SweepOptions, f *runFlags) error {
	show := f.reporter(c.Err)
	o.Progress = func(done, total int) { show("merge", done, total) }
	result, err := store.Merge(ctx, folders, o)
	if err != nil {
		return err // what the folders hold is the input
	}
	return c.printSweep(result, o)
}
