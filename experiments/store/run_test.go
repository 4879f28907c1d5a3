package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// Of the instances that fail, in any order, the lowest one's error is kept.
func TestTheErrorOfAScenarioIsThatOfItsLowestInstance(t *testing.T) {
	for seed := range uint64(20) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(6)
		u := &underWay{scenario: spec.Scenario{Instances: 7}, parts: make([][]results.Row, 7)}
		r := &storeRun{missing: []*underWay{u}}
		for _, i := range order {
			r.end(u, i+1, nil, fmt.Errorf("of instance %d", i+1), 0)
		}
		if err := r.failures(); err == nil || u.errAt != 1 || u.err.Error() != "of instance 1" {
			t.Errorf("order %v: error %v of instance %d", order, u.err, u.errAt)
		}
	}
}

// A panic where a result is stored, or where the progress is shown, is an error of
// the run, whatever the number of workers.
func TestAPanicOutsideOfTheInstances(t *testing.T) {
	for _, workers := range []int{1, 3} {
		folder := t.TempDir()
		store, err := OpenStore(folder, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = store.Run(context.Background(), testSweep(t, 4, 0).Scenarios, workers, func(done, total int) {
			if done == 2 {
				panic("of showing the progress")
			}
		})
		var fault *run.FaultError
		if !errors.As(err, &fault) || fault.Value != "of showing the progress" {
			t.Errorf("%d workers: error %v", workers, err)
		}
		if _, _, err := store.Run(context.Background(), testSweep(t, 4, 0).Scenarios, workers, nil); err != nil {
			t.Errorf("%d workers: afterwards: %v", workers, err)
		}
	}
}
