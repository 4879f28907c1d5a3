package run

import (
	"context"
	"sync"
)

// Gather calls run(0), …, run(n−1) on the given number of workers (at least
// one) and returns the results in that order, whatever order they end in.
//
// The calls are started in order. At the first failure, and when ctx ends, no
// further call is started and those under way are waited for. The error is
// that of the lowest index that failed, so it is the same for any number of
// workers; if no call failed, it is the cause that ended ctx. A panic is a failure,
// a [FaultError]. progress, if not nil, is called on one goroutine at a time with
// the number of calls that have ended well.
func Gather[R any](ctx context.Context, n, workers int, run func(i int) (R, error), progress func(done int)) ([]R, error) {
	g := &gathering[R]{n: n, results: make([]R, n), errs: make([]error, n), run: run, progress: progress}
	var wg sync.WaitGroup
	for range max(1, min(workers, n)) {
		wg.Go(func() { g.work(ctx) })
	}
	wg.Wait()
	for _, err := range g.errs {
		if err != nil {
			return nil, err
		}
	}
	if g.done < n {
		return nil, context.Cause(ctx)
	}
	return g.results, nil
}

// gathering is the state that the workers of one Gather share.
type gathering[R any] struct {
	n        int
	run      func(i int) (R, error)
	progress func(done int)

	mu      sync.Mutex
	next    int
	done    int
	failed  bool
	results []R     // results[i] and errs[i] belong to the worker that took i
	errs    []error // until all have stopped
}

func (g *gathering[R]) work(ctx context.Context) {
	for {
		i, ok := g.take(ctx)
		if !ok {
			return
		}
		g.errs[i] = Guard(func() (err error) {
			if g.results[i], err = g.run(i); err == nil {
				g.end()
			}
			return err
		})
		if g.errs[i] != nil {
			g.fail()
		}
	}
}

// take returns the next index to run, or false when there is none to start.
func (g *gathering[R]) take(ctx context.Context) (int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed || g.next == g.n || ctx.Err() != nil {
		return 0, false
	}
	g.next++
	return g.next - 1, true
}

// end counts a call that has ended well.
func (g *gathering[R]) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
	if g.progress != nil {
		g.progress(g.done)
	}
}

func (g *gathering[R]) fail() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failed = true
}
