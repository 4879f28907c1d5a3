package run

import (
	"context"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// RunScenarios runs every instance of every scenario on the given number of
// workers and returns the rows of each scenario, in order of instance: the same
// for any number of workers. progress may be nil.
func RunScenarios(ctx context.Context, scenarios []spec.Scenario, workers int, progress func(done, total int)) ([][]results.Row, error) {
	type piece struct{ scenario, instance int }
	var pieces []piece
	open := make([]spec.Instances, len(scenarios))
	for i, s := range scenarios {
		var err error
		if open[i], err = s.Open(ctx); err != nil {
			return nil, err
		}
		for k := range s.Instances {
			pieces = append(pieces, piece{i, k})
		}
	}
	var report func(int)
	if progress != nil {
		report = func(done int) { progress(done, len(pieces)) }
	}
	parts, err := Gather(ctx, len(pieces), workers, func(i int) ([]results.Row, error) {
		p := pieces[i]
		rows, err := open[p.scenario].Instance(ctx, p.instance)
		if err != nil {
			return nil, fmt.Errorf("%s %s, instance %d: %w", scenarios[p.scenario].Kind, scenarios[p.scenario].String(), p.instance, err)
		}
		return rows, nil
	}, report)
	if err != nil {
		return nil, err
	}
	rows := make([][]results.Row, len(scenarios))
	for i, p := range pieces {
		rows[p.scenario] = append(rows[p.scenario], parts[i]...)
	}
	return rows, nil
}
