package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/plots/printable"
)

// runFlags are the flags of commands that run many replays.
type runFlags struct {
	workers  int
	progress string
	seed     uint64
}

func (f *runFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.workers, "workers", runtime.NumCPU(), "replays at a time; results do not depend on it")
	f.registerProgress(cmd)
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of all random draws")
}

func (f *runFlags) registerProgress(cmd *cobra.Command) {
	choose(cmd, &f.progress, "progress", "progress on standard error", "auto", "bar", "plain", "none")
}

func (f *runFlags) check() error {
	if f.workers < 1 {
		return fmt.Errorf("--workers %d: at least one is needed", f.workers)
	}
	return nil
}

// reporter returns what shows the progress of the stages of a run. It is
// called with the number done and the total of a stage.
func (f *runFlags) reporter(w io.Writer) func(stage string, done, total int) {
	if filter, ok := w.(*printable.Writer); ok {
		w = filter.Unwrap() // a terminal obeys a bar; the stages' names are ours
	}
	mode := f.progress
	if mode == "auto" {
		mode = "plain"
		if isTerminal(w) {
			mode = "bar"
		}
	}
	stage := "" // that which is shown
	switch mode {
	case "bar": // one a stage, which disappears at its end
		var bar *progressbar.ProgressBar
		return func(name string, done, total int) {
			if bar == nil || stage != name {
				stage = name
				bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(name),
					progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
			}
			_ = bar.Set(done) // a bar that can not be drawn is no reason to stop
		}
	case "plain": // a line for every tenth of a stage
		shown := 0
		return func(name string, done, total int) {
			if stage != name {
				stage, shown = name, 0
			}
			if tenth := 10 * done / total; tenth > shown {
				shown = tenth
				fmt.Fprintf(w, "%s: %d of %d\n", name, done, total)
			}
		}
	}
	return func(string, int, int) {}
}
