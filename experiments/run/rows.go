package run

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Rows are the rows of scenarios that have been run, by [spec.Scenario.ID].
type Rows map[string]*results.Packed

// Of returns the rows of scenarios, in the order of the scenarios. It panics if
// one has not been run.
func (r Rows) Of(scenarios ...spec.Scenario) []results.Row {
	all, n := make([]*results.Packed, len(scenarios)), 0
	for i, s := range scenarios {
		all[i] = r.of(s)
		n += all[i].Len()
	}
	rows := make([]results.Row, 0, n)
	for _, p := range all {
		rows = slices.AppendSeq(rows, p.All())
	}
	return rows
}

// All is [Rows.Of] one by one: as rows are held, they take a tenth of the memory.
func (r Rows) All(scenarios ...spec.Scenario) iter.Seq[results.Row] {
	return func(yield func(results.Row) bool) {
		for _, s := range scenarios {
			for row := range r.of(s).All() {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func (r Rows) of(s spec.Scenario) *results.Packed {
	rows, ok := r[s.ID()]
	if !ok {
		panic(fmt.Sprintf("experiments: %s %s was not run", s.Kind, s.String()))
	}
	return rows
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
