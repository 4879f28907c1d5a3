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

// Run runs what is missing of the scenarios, each stored as soon as its last
// instance has ended. progress, which may be nil, is told of instances: those of
// the missing scenarios.
//
// Instances are started in order, those of a scenario one after the other. When
// ctx ends, no further scenario is started, those under way are finished, and
// the error is a [StoppedError]. A scenario that fails does not keep the others
// from being run; the error then names all that failed, in their order. A result
// that can not be written does: it is a [WriteError].
func (s *Store) Run(ctx context.Context, scenarios []spec.Scenario, workers int, progress func(done, total int)) error {
	missing, err := s.Missing(scenarios)
	if err != nil {
		return err
	}
	r := &storeRun{store: s, progress: progress}
	for _, of := range missing {
		r.all = append(r.all, &underWay{scenario: of, parts: make([][]results.Row, of.Instances)})
		r.total += of.Instances
	}
	var wg sync.WaitGroup
	for range max(1, min(workers, r.total)) {
		wg.Go(func() {
			if err := run.Guard(func() error { r.work(ctx); return nil }); err != nil {
				r.fail(err) // a fault outside of the instances
			}
		})
	}
	wg.Wait()
	if r.failure != nil {
		return r.failure
	}
	if err := r.failures(); err != nil {
		return err
	}
	if r.stored < len(missing) {
		return &StoppedError{len(scenarios) - len(missing) + r.stored, len(scenarios), context.Cause(ctx)}
	}
	return nil
}

// Missing returns the scenarios that have no result in the store, each once.
func (s *Store) Missing(scenarios []spec.Scenario) ([]spec.Scenario, error) {
	var missing []spec.Scenario
	seen := map[string]bool{}
	for _, of := range scenarios {
		if id := of.ID(); !seen[id] {
			seen[id] = true
			found, err := s.Find(of)
			if err != nil {
				return nil, err
			}
			if found == nil {
				missing = append(missing, of)
			}
		}
	}
	return missing, nil
}

// underWay is a scenario that is being run.
type underWay struct {
	scenario spec.Scenario
	open     sync.Once
	run      spec.Instances
	openErr  error

	// All below belongs to the lock of the run.
	parts   [][]results.Row // by instance
	done    int
	err     error // of the lowest instance that failed
	errAt   int
	started time.Time
	busy    time.Duration
}

// storeRun is the state that the workers of one Run share.
type storeRun struct {
	store    *Store
	progress func(done, total int)

	mu             sync.Mutex
	all            []*underWay
	next, instance int // what is started next
	done, total    int // instances
	stored         int // scenarios
	failure        error
}

func (r *storeRun) work(ctx context.Context) {
	for {
		u, i := r.take(ctx)
		if u == nil {
			return
		}
		start := time.Now()
		rows, err := u.instance(context.WithoutCancel(ctx), i)
		if last := r.end(u, i, rows, err, time.Since(start)); last {
			r.keep(u)
		}
	}
}

// take returns an instance to run, or nil when there is none to start. A
// scenario that was started is finished, unless it has failed.
func (r *storeRun) take(ctx context.Context) (*underWay, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.next < len(r.all) && (r.all[r.next].err != nil || r.instance == r.all[r.next].scenario.Instances) {
		r.next, r.instance = r.next+1, 0
	}
	if r.next == len(r.all) || r.instance == 0 && (r.failure != nil || ctx.Err() != nil) {
		return nil, 0
	}
	u := r.all[r.next]
	if r.instance == 0 {
		u.started = time.Now()
	}
	r.instance++
	return u, r.instance - 1
}

// instance runs one instance. A panic is an error of the scenario: it must not
// take the others with it.
func (u *underWay) instance(ctx context.Context, i int) ([]results.Row, error) {
	u.open.Do(func() {
		u.run, u.openErr = run.Guarded(func() (spec.Instances, error) { return u.scenario.Open(ctx) })
	})
	if u.openErr != nil {
		return nil, u.openErr
	}
	return run.Guarded(func() ([]results.Row, error) { return u.run.Instance(ctx, i) })
}

// end takes the result of an instance and reports whether it was the last one.
func (r *storeRun) end(u *underWay, i int, rows []results.Row, err error, took time.Duration) (last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && (u.err == nil || i < u.errAt) {
		u.err, u.errAt = err, i
	}
	if err != nil {
		return false
	}
	u.parts[i] = rows
	u.done++
	u.busy += took
	r.done++
	if r.progress != nil {
		r.progress(r.done, r.total)
	}
	return u.done == u.scenario.Instances
}

// keep stores the result of a scenario that has ended.
func (r *storeRun) keep(u *underWay) {
	var rows []results.Row
	for _, part := range u.parts {
		rows = append(rows, part...)
	}
	var workload *run.Workload
	if of, ok := u.run.(Sourced); ok {
		source := of.Source()
		workload = &source
	}
	timing := ScenarioTiming{u.scenario.Instances, u.busy.Seconds(), time.Since(u.started).Seconds()}
	err := r.store.put(u.scenario, rows, workload, timing)
	u.parts, u.run = nil, nil
	r.mu.Lock()
	defer r.mu.Unlock()
	var write WriteError
	switch {
	case err == nil:
		r.stored++
	case !errors.As(err, &write):
		u.err = err
	case r.failure == nil:
		r.failure = err
	}
}

// fail records that no further scenario is to be started.
func (r *storeRun) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
}

// failures joins what failed, in order. Beyond the first few only their number
// is said.
func (r *storeRun) failures() error {
	const most = 10
	var all []error
	for _, u := range r.all {
		if u.err != nil {
			all = append(all, fmt.Errorf("%s %s, instance %d: %w", u.scenario.Kind, u.scenario.String(), u.errAt, u.err))
		}
	}
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Errorf("and %d more scenarios failed", more))
	}
	return errors.Join(all...)
}

// Runner returns a [run.Runner] that runs what is missing in a store and reads all
// from there.
func (s *Store) Runner(workers int, progress func(done, total int)) run.Runner {
	return func(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
		if err := s.Run(ctx, scenarios, workers, progress); err != nil {
			return nil, err
		}
		return s.Rows(scenarios)
	}
}

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

// Rows reads the rows of scenarios; one without a result is a [MissingError].
func (s *Store) Rows(scenarios []spec.Scenario) (run.Rows, error) {
	rows, missing := run.Rows{}, &MissingError{}
	for _, of := range scenarios {
		if _, again := rows[of.ID()]; again {
			continue
		}
		found, err := s.Find(of)
		if err != nil {
			return nil, err
		}
		if found == nil {
			missing.Scenarios = append(missing.Scenarios, of)
			continue
		}
		rows[of.ID()] = found.rows
	}
	if len(missing.Scenarios) > 0 {
		return nil, missing
	}
	return rows, nil
}
