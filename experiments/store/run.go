package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Sourced is implemented by instances whose jobs come from a workload. Source
// is called after the last instance of a scenario; what it returns depends on
// the scenario alone.
type Sourced interface {
	Source() run.Workload
}

// StoppedError says that a run was ended between two scenarios.
type StoppedError struct {
	Done, Total int // scenarios
	Cause       error
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("%v: %d of %d scenarios are done; the same command goes on with the others", e.Cause, e.Done, e.Total)
}

// Unwrap returns what ended the run.
func (e *StoppedError) Unwrap() error { return e.Cause }

// MissingError lists scenarios that have no result.
type MissingError struct{ Scenarios []spec.Scenario }

func (e *MissingError) Error() string {
	const most = 5
	var names []string
	for _, s := range e.Scenarios[:min(most, len(e.Scenarios))] {
		names = append(names, s.ID()+" "+s.Kind+" "+s.String())
	}
	if more := len(e.Scenarios) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d scenarios have no result: %s", len(e.Scenarios), strings.Join(names, "; "))
}

// Runner returns a [run.Runner] that runs what is missing in a store and reads the
// rest from there.
func (s *Store) Runner(workers int, progress func(done, total int)) run.Runner {
	return func(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
		found, _, err := s.Run(ctx, scenarios, workers, progress)
		if err != nil {
			return nil, err
		}
		rows := run.Rows{}
		for id, result := range found {
			rows[id] = result.Rows
		}
		return rows, nil
	}
}

// Run returns the results of scenarios and how many of them it ran: those that the
// store does not have, each stored as soon as its last instance has ended. progress,
// which may be nil, is told of instances: those of the missing scenarios.
//
// Instances are started in order, those of a scenario one after the other. When
// ctx ends, no further scenario is started, those under way are finished, and
// the error is a [StoppedError]. A scenario that fails does not keep the others
// from being run; the error then names all that failed, in their order. A result
// that can not be written does: it is a [WriteError].
func (s *Store) Run(ctx context.Context, scenarios []spec.Scenario, workers int, progress func(done, total int)) (found Results, ran int, err error) {
	r := &storeRun{store: s, ctx: ctx, progress: progress, found: Results{}}
	if err := r.plan(scenarios); err != nil {
		return nil, 0, err
	}
	all := context.WithoutCancel(ctx) // what is started is finished
	if _, err := run.Gather(all, len(r.pieces), workers, r.instance, nil); err != nil {
		return nil, 0, err
	}
	if err := r.failures(); err != nil {
		return nil, 0, err
	}
	if missing := r.distinct - len(r.found); missing > 0 {
		return nil, 0, &StoppedError{len(scenarios) - missing, len(scenarios), context.Cause(ctx)}
	}
	return r.found, len(r.missing), nil
}

// storeRun is the state that the workers of one Run share.
type storeRun struct {
	store    *Store
	ctx      context.Context
	progress func(done, total int)
	distinct int // scenarios
	missing  []*underWay
	pieces   []piece // their instances

	mu    sync.Mutex
	done  int // instances
	found Results
}

// piece is an instance to run.
type piece struct {
	of       *underWay
	instance int
}

// underWay is a scenario that is to be run.
type underWay struct {
	scenario spec.Scenario
	open     func() (spec.Instances, error)

	// All below belongs to the lock of the run.
	parts   [][]results.Row // by instance
	done    int
	err     error // of the lowest instance that failed
	errAt   int
	started time.Time
	busy    time.Duration
}

// plan reads what the store has and lists what it has not, each scenario once.
func (r *storeRun) plan(scenarios []spec.Scenario) error {
	seen := map[string]bool{}
	for _, of := range scenarios {
		if seen[of.ID()] {
			continue
		}
		seen[of.ID()] = true
		found, err := r.store.Find(of)
		if err != nil {
			return err
		}
		if found != nil {
			r.found[of.ID()] = found
			continue
		}
		u := &underWay{scenario: of, parts: make([][]results.Row, of.Instances)}
		u.open = sync.OnceValues(func() (spec.Instances, error) {
			return run.Guarded(func() (spec.Instances, error) { return of.Open(context.WithoutCancel(r.ctx)) })
		})
		r.missing = append(r.missing, u)
		for i := range of.Instances {
			r.pieces = append(r.pieces, piece{u, i})
		}
	}
	r.distinct = len(seen)
	return nil
}

// instance runs a piece, and stores the result of the scenario if it is the last one.
// Its error is one that ends the whole run.
func (r *storeRun) instance(k int) (none struct{}, fatal error) {
	u, i := r.pieces[k].of, r.pieces[k].instance
	if !r.begin(u, i) {
		return none, nil
	}
	start := time.Now()
	rows, err := u.run(context.WithoutCancel(r.ctx), i)
	if last := r.end(u, i, rows, err, time.Since(start)); last {
		return none, r.keep(u)
	}
	return none, nil
}

// begin reports whether an instance of a scenario is to be run. A scenario that was
// started is finished, unless it has failed: after the lowest instance that failed,
// which is the same for any number of workers, no other one is run.
func (r *storeRun) begin(u *underWay, i int) bool {
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
	return run.Guarded(func() ([]results.Row, error) { return instances.Instance(ctx, i) })
}

// end takes the result of an instance and reports whether it was the last one.
func (r *storeRun) end(u *underWay, i int, rows []results.Row, err error, took time.Duration) (last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		u.fail(i, err)
		return false
	}
	u.parts[i] = rows
	u.done++
	u.busy += took
	r.done++
	if r.progress != nil {
		r.progress(r.done, len(r.pieces))
	}
	return u.done == u.scenario.Instances
}

func (u *underWay) fail(i int, err error) {
	if u.err == nil || i < u.errAt {
		u.err, u.errAt = err, i
	}
}

// keep stores the result of a scenario that has ended. Rows that can not be stored are
// an error of the scenario; a file system that can not take them, or a panic, is one
// of the run.
func (r *storeRun) keep(u *underWay) error {
	instances, _ := u.open()
	var workload *run.Workload
	if of, ok := instances.(Sourced); ok {
		source := of.Source()
		workload = &source
	}
	var rows []results.Row
	for _, part := range u.parts {
		rows = append(rows, part...)
	}
	timing := ScenarioTiming{u.scenario.Instances, u.busy.Seconds(), time.Since(u.started).Seconds()}
	stored, err := r.store.put(u.scenario, rows, workload, timing)
	r.mu.Lock()
	defer r.mu.Unlock()
	u.parts, u.open = nil, nil
	var write WriteError
	switch {
	case err == nil:
		r.found[u.scenario.ID()] = stored
	case errors.As(err, &write):
		return err
	default:
		u.fail(0, err)
	}
	return nil
}

// failures joins what failed, in order. Beyond the first few only their number
// is said.
func (r *storeRun) failures() error {
	const most = 10
	var all []error
	for _, u := range r.missing {
		if u.err != nil {
			all = append(all, fmt.Errorf("%s %s, instance %d: %w", u.scenario.Kind, u.scenario.String(), u.errAt, u.err))
		}
	}
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Errorf("and %d more scenarios failed", more))
	}
	return errors.Join(all...)
}
