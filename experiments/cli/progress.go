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
	switch mode {
	case "bar":
		return (&bars{w: w}).show
	case "plain":
		return (&lines{w: w}).show
	}
	return func(string, int, int) {}
}

// bars draws one bar a stage, which disappears at its end.
type bars struct {
	w     io.Writer
	stage string
	bar   *progressbar.ProgressBar
}

func (b *bars) show(stage string, done, total int) {
	if b.bar == nil || b.stage != stage {
		b.stage = stage
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(stage),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	_ = b.bar.Set(done) // a bar that can not be drawn is no reason to stop
}

// lines writes a line for every tenth of a stage.
type lines struct {
	w     io.Writer
	stage string
	tenth int
}

func (l *lines) show(stage string, done, total int) {
	if l.stage != stage {
		l.stage, l.tenth = stage, 0
	}
	if tenth := 10 * done / total; tenth > l.tenth {
		l.tenth = tenth
		fmt.Fprintf(l.w, "%s: %d of %d\n", stage, done, total)
	}
}
