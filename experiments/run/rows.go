package run

import (
	"context"
	"fmt"
	"sync"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Rows are the rows of scenarios that have been run, by [spec.Scenario.ID].
type Rows map[string][]results.Row

// Of returns the rows of scenarios, in the order of the scenarios. It panics if
// one has not been run.
func (r Rows) Of(scenarios ...spec.Scenario) []results.Row {
	var all []results.Row
	for _, s := range scenarios {
		rows, ok := r[s.ID()]
		if !ok {
			panic(fmt.Sprintf("experiments: %s %s was not run", s.Kind, s.String()))
		}
		all = append(all, rows...)
	}
	return all
}

// Runner runs scenarios and returns their rows.
type Runner func(ctx context.Context, scenarios []spec.Scenario) (Rows, error)

// InMemory runs scenarios and keeps nothing. progress may be nil.
func InMemory(workers int, progress func(done, total int)) Runner {
	return func(ctx context.Context, scenarios []spec.Scenario) (Rows, error) {
		var mu sync.Mutex
		rows := Rows{}
		kept, err := Scenarios(ctx, scenarios, workers, func(e Ended) error {
			mu.Lock()
			defer mu.Unlock()
			rows[e.Scenario.ID()] = e.Rows
			return nil
		}, progress)
		if err == nil && kept < len(scenarios) {
			err = context.Cause(ctx)
		}
		return rows, err
	}
}
