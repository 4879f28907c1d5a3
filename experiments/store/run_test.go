package store

import (
	"context"
	"errors"
	"testing"

	"github.com/leontief-sim/leontief/experiments/run"
)

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
