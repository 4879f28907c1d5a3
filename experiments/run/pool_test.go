package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
		n := calls.Add(1)
		if n == 10 {
			cancel(stopped)
		}
		if n >= 10 { // what is under way ends after the context
			<-ctx.Done()
		}
		return 0, nil
	}, nil)
	if !errors.Is(err, stopped) {
		t.Errorf("error %v, want %v", err, stopped)
	}
	if n := calls.Load(); n > 11 { // the tenth and that of the other worker
		t.Errorf("%d calls were started", n)
	}
}

func TestGatherOfNothing(t *testing.T) {
	got, err := Gather(context.Background(), 0, 2, func(int) (int, error) { return 0, nil }, nil)
	if err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// A panic on a worker is the error of its index, and the process lives on.
func TestGatherReturnsAPanic(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var fault *FaultError
		_, err := Gather(context.Background(), 10, workers, func(i int) (int, error) {
			if i == 3 {
				panic("at 3")
			}
			return i, nil
		}, nil)
		if !errors.As(err, &fault) || fault.Value != "at 3" || !strings.Contains(string(fault.Stack), "TestGatherReturnsAPanic") || err.Error() != "panic: at 3" {
			t.Errorf("%d workers: error %v", workers, err)
		}
		_, err = Gather(context.Background(), 10, workers, func(i int) (int, error) { return i, nil }, func(done int) {
			if done == 5 {
				panic("of showing the progress")
			}
		})
		if !errors.As(err, &fault) {
			t.Errorf("%d workers: error %v", workers, err)
		}
	}
}

// The lowest index fails last: its error is returned nevertheless.
func TestGatherReturnsTheErrorOfTheLowestIndexThoughItIsTheLast(t *testing.T) {
	const workers = 4
	var begun sync.WaitGroup
	begun.Add(workers)
	ended := make([]chan struct{}, workers)
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	_, err := Gather(context.Background(), 10, workers, func(i int) (int, error) {
		defer close(ended[i])
		begun.Done()
		begun.Wait()
		if i+1 < workers {
			<-ended[i+1]
			time.Sleep(5 * time.Millisecond) // until the error of call i+1 is recorded
		}
		return 0, fmt.Errorf("index %d", i)
	}, nil)
	if err == nil || err.Error() != "index 0" {
		t.Errorf("error %v", err)
	}
}
