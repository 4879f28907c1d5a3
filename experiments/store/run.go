package store

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

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

// Run returns the results of scenarios and how many of them it ran: those that the store
// does not have, by [run.Scenarios], each once, stored as soon as its last instance has
// ended. When ctx ends before the last one is started, the error is a [StoppedError].
func (s *Store) Run(ctx context.Context, scenarios []spec.Scenario, workers int, progress func(done, total int)) (all Results, ran int, err error) {
	all = Results{}
	var missing []spec.Scenario
	for _, of := range scenarios {
		id := of.ID()
		if _, again := all[id]; again {
			continue
		}
		if all[id], err = s.find(id, of); err != nil {
			return nil, 0, err
		}
		if all[id] == nil {
			missing = append(missing, of)
		}
	}
	var mu sync.Mutex
	ran, err = run.Scenarios(ctx, missing, workers, func(e run.Ended) error {
		stored, err := s.put(e.Scenario, e.Rows, e.Workload, ScenarioTiming{e.Scenario.Instances, e.Busy.Seconds(), e.Wall.Seconds()})
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			all[stored.id] = stored
		}
		return err
	}, progress)
	if closed := s.close(); err == nil {
		err = closed
	}
	if err == nil && ran < len(missing) {
		err = &StoppedError{len(scenarios) - len(missing) + ran, len(scenarios), context.Cause(ctx)}
	}
	return all, ran, err
}

// Runner returns a [run.Runner] that runs what is missing in a store and reads the
// rest from there.
func (s *Store) Runner(workers int, progress func(done, total int)) run.Runner {
	return func(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
		all, _, err := s.Run(ctx, scenarios, workers, progress)
		if err != nil {
			return nil, err
		}
		rows := run.Rows{}
		for id, result := range all {
			rows[id] = result.Rows
		}
		return rows, nil
	}
}
