package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/leontief-sim/leontief/plots/printable"
)

// remaining estimates how long work still takes whose parts have known relative costs:
// seconds of one worker on the machine on which they were measured. How fast this
// machine is in that unit is found from what it has done so far, in this run and before.
type remaining struct {
	workers float64
	start   time.Time
	left    float64 // cost of what is to be done
	done    float64 // of what was done in this run
	last    time.Time
	known   float64 // of what was done before, of which took is known
	took    float64
}

// Before anything is done the machine counts as one of speed 1 that has done presumed;
// what was done in earlier runs counts as no more than earlier.
const presumed, earlier = 4, 60

// before takes in work of an earlier run.
func (r *remaining) before(cost, took float64) { r.known, r.took = r.known+cost, r.took+took }

// did takes in that work of a cost has ended now.
func (r *remaining) did(cost float64, now time.Time) {
	cost = min(cost, r.left)
	r.left, r.done, r.last = r.left-cost, r.done+cost, now
}

// rate is how many seconds a worker of this machine takes for one of cost.
func (r *remaining) rate() float64 {
	known, took := r.known, r.took
	if known > earlier {
		known, took = earlier, took*earlier/known
	}
	return (presumed + took + r.last.Sub(r.start).Seconds()*r.workers) / (presumed + known + r.done)
}

// at is the time that is left at a moment.
func (r *remaining) at(now time.Time) time.Duration {
	left := r.left * r.rate() / r.workers
	return time.Duration(max(left-now.Sub(r.last).Seconds(), left/20) * float64(time.Second))
}

// share is the part of the work of this run that is done, 1 where only the rounding of the
// sums is left.
func (r *remaining) share() float64 {
	if r.left <= 1e-9*r.done {
		return 1
	}
	return r.done / (r.done + r.left)
}

// progressLine shows the share of the work that is done, the time left and what runs, as
// one line. It may be called by several goroutines.
type progressLine struct {
	mu   sync.Mutex
	of   remaining
	what string
	show func(share float64, left time.Duration, what string)
	stop chan struct{}
}

// line starts the line of a run of a cost.
func (f *runFlags) line(w io.Writer, of remaining) *progressLine {
	l := &progressLine{of: of, show: f.lines(w), stop: make(chan struct{})}
	l.of.workers, l.of.start = float64(f.workers), time.Now()
	l.of.last = l.of.start
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-tick.C:
				l.did(0, "")
			}
		}
	}()
	return l
}

// did says that work of a cost has ended, and what runs now ("": the same).
func (l *progressLine) did(cost float64, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if cost > 0 {
		l.of.did(cost, now)
	}
	if what != "" {
		l.what = what
	}
	l.show(l.of.share(), l.of.at(now), l.what)
}

// lines returns what shows a line; with --progress plain, one for every twentieth, with
// the time since the start.
func (f *runFlags) lines(w io.Writer) func(share float64, left time.Duration, what string) {
	if filter, ok := w.(*printable.Writer); ok {
		w = filter.Unwrap() // a terminal obeys a bar; the names are ours
	}
	text := func(left time.Duration, what string) string {
		return fmt.Sprintf("%s left, %s", left.Round(time.Second), what)
	}
	switch mode := f.progress; {
	case mode == "bar" || mode == "auto" && isTerminal(w):
		bar := progressbar.NewOptions(1000, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
		return func(share float64, left time.Duration, what string) {
			bar.Describe(text(left, what))
			_ = bar.Set(int(1000 * share)) // a bar that can not be drawn is no reason to stop
		}
	case mode == "none":
		return func(float64, time.Duration, string) {}
	}
	shown, start := -1, time.Now()
	return func(share float64, left time.Duration, what string) {
		if twentieth := int(20 * share); twentieth > shown && what != "" {
			shown = twentieth
			fmt.Fprintf(w, "%d%% after %s, %s\n", int(100*share), time.Since(start).Round(time.Second), text(left, what))
		}
	}
}

// end ends the line.
func (l *progressLine) end() { close(l.stop) }
