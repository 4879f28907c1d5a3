package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Sourced is implemented by instances whose jobs come from a workload. Source
// is called after the last instance of a scenario; what it returns depends on
// the scenario alone.
type Sourced interface {
	Source() Workload
}

// Ended is a scenario whose instances have all ended.
type Ended struct {
	Scenario   spec.Scenario
	Rows       *results.Packed // in order of instance
	Workload   *Workload       // nil where the kind has none
	Busy, Wall time.Duration   // of all instances, and from the start of the first to the end of the last
}

// WriteError says that a result was not taken where it is kept: no further scenario is
// worth computing.
type WriteError struct{ Err error }

func (e WriteError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e WriteError) Unwrap() error { return e.Err }

// Scenarios runs every instance of every scenario on the given number of workers, and
// calls keep with a scenario as soon as its last instance has ended, for several at
// once. It returns how many were kept. progress, which may be nil, is told of instances.
//
// Instances are started in order, those of a scenario one after the other. When ctx
// ends, no further scenario is started, and those under way are finished. A scenario
// that fails, or whose rows keep refuses, does not keep the others from being run; the
// error then names all that failed, in their order: the same for any number of
// workers. A [WriteError] of keep does.
func Scenarios(ctx context.Context, scenarios []spec.Scenario, workers int, keep func(Ended) error, progress func(done, total int)) (kept int, err error) {
	r := &scenariosRun{ctx: ctx, keep: keep, progress: progress}
	for _, of := range scenarios {
		u := &underWay{Ended: Ended{Scenario: of}, parts: make([][]results.Row, of.Instances)}
		u.open = sync.OnceValues(func() (*spec.Opened, error) {
			return Guarded(func() (*spec.Opened, error) { return of.Open(context.WithoutCancel(ctx)) })
		})
		r.all = append(r.all, u)
		for i := range of.Instances {
			r.pieces = append(r.pieces, piece{u, i})
		}
	}
	all := context.WithoutCancel(ctx) // what is started is finished
	if _, err := Gather(all, len(r.pieces), workers, r.piece, nil); err != nil {
		return r.kept, err
	}
	return r.kept, r.failures()
}

// scenariosRun is the state that the workers of one call of Scenarios share.
type scenariosRun struct {
	ctx      context.Context
	keep     func(Ended) error
	progress func(done, total int)
	all      []*underWay
	pieces   []piece

	mu   sync.Mutex
	done int // instances
	kept int // scenarios
}

// piece is an instance of a scenario.
type piece struct {
	of       *underWay
	instance int
}

// underWay is a scenario that is to be run.
type underWay struct {
	Ended
	open func() (*spec.Opened, error)

	// All below, and what has ended, belongs to the lock of the run.
	parts   [][]results.Row // by instance
	done    int
	err     error // of the lowest instance that failed
	errAt   int
	started time.Time
}

// piece runs an instance, and has the scenario kept if it is the last one. Its error
// ends the whole run.
func (r *scenariosRun) piece(k int) (none struct{}, fatal error) {
	u, i := r.pieces[k].of, r.pieces[k].instance
	if !r.begin(u, i) {
		return none, nil
	}
	start := time.Now()
	rows, err := u.run(context.WithoutCancel(r.ctx), i)
	if !r.end(u, i, rows, err, time.Since(start)) {
		return none, nil
	}
	if of, _ := u.open(); of != nil {
		if of, ok := of.Instances.(Sourced); ok {
			source := of.Source()
			u.Workload = &source
		}
	}
	return none, r.ended(u, r.keep(u.Ended))
}

// begin reports whether an instance of a scenario is to be run. A scenario that was
// started is finished, unless it has failed: after the lowest instance that failed,
// which is the same for any number of workers, no other one is run.
func (r *scenariosRun) begin(u *underWay, i int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if u.started.IsZero() {
		if r.ctx.Err() != nil {
			return false
		}
		u.started = time.Now()
	}
	return u.err == nil || i < u.errAt
}

// run runs one instance. A panic is an error of the scenario: it must not take the
// others with it.
func (u *underWay) run(ctx context.Context, i int) ([]results.Row, error) {
	instances, err := u.open()
	if err != nil {
		return nil, err
	}
	return Guarded(func() ([]results.Row, error) { return instances.Instance(ctx, i) })
}

// end takes the result of an instance and reports whether it was the last one.
func (r *scenariosRun) end(u *underWay, i int, rows []results.Row, err error, took time.Duration) (last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		u.fail(i, err)
		return false
	}
	u.parts[i] = rows
	u.done++
	u.Busy += took
	r.done++
	if r.progress != nil {
		r.progress(r.done, len(r.pieces))
	}
	if u.done < len(u.parts) {
		return false
	}
	u.Rows = results.Pack(u.parts...)
	u.parts, u.Wall = nil, time.Since(u.started)
	return true
}

// ended notes what became of a scenario that was to be kept.
func (r *scenariosRun) ended(u *underWay, err error) (fatal error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.Rows, u.open = nil, nil // what was loaded for the scenario is not needed any more
	var write WriteError
	switch {
	case errors.As(err, &write):
		return err
	case err != nil:
		u.fail(0, err)
	default:
		r.kept++
	}
	return nil
}

func (u *underWay) fail(i int, err error) {
	if u.err == nil || i < u.errAt {
		u.err, u.errAt = err, i
	}
}

// failures joins what failed, in order. Beyond the first few only their number
// is said.
func (r *scenariosRun) failures() error {
	const most = 10
	var all []error
	for _, u := range r.all {
		if u.err != nil {
			all = append(all, fmt.Errorf("%s %s, instance %d: %w", u.Scenario.Kind, u.Scenario.String(), u.errAt, u.err))
		}
	}
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Errorf("and %d more scenarios failed", more))
	}
	return errors.Join(all...)
}
