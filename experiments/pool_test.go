package experiments

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

func TestGatherKeepsOrderForAnyNumberOfWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 7, 100} {
		var reported []int
		got, err := Gather(context.Background(), 50, workers, func(i int) (int, error) {
			for range i % 5 {
				runtime.Gosched()
			}
			return i * i, nil
		}, func(done int) { reported = append(reported, done) })
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if v != i*i {
				t.Errorf("%d workers: result %d is %d", workers, i, v)
			}
		}
		if len(reported) != 50 || !slices.IsSorted(reported) {
			t.Errorf("%d workers: progress reported %v", workers, reported)
		}
	}
}

func TestGatherReturnsTheErrorOfTheLowestIndex(t *testing.T) {
	for _, workers := range []int{1, 4} {
		for range 20 {
			_, err := Gather(context.Background(), 40, workers, func(i int) (int, error) {
				if i >= 7 {
					return 0, fmt.Errorf("index %d", i)
				}
				runtime.Gosched()
				return 0, nil
			}, nil)
			if err == nil || err.Error() != "index 7" {
				t.Fatalf("%d workers: error %v", workers, err)
			}
		}
	}
}

func TestGatherStopsWhenTheContextEnds(t *testing.T) {
	stopped := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(context.Background())
	var calls atomic.Int64
	_, err := Gather(ctx, 1000, 2, func(int) (int, error) {
		if calls.Add(1) == 10 {
			cancel(stopped)
		}
		return 0, nil
	}, nil)
	if !errors.Is(err, stopped) {
		t.Errorf("error %v, want %v", err, stopped)
	}
	if n := calls.Load(); n > 12 {
		t.Errorf("%d calls were started", n)
	}
}

func TestGatherOfNothing(t *testing.T) {
	got, err := Gather(context.Background(), 0, 2, func(int) (int, error) { return 0, nil }, nil)
	if err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
