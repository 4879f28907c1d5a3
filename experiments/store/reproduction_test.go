package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
)

// A paper is reproduced through a store: ended and started again, it runs what
// is missing, and the folder has the same bytes.
func TestReproductionGoesOn(t *testing.T) {
	var scenarios []spec.Scenario
	for _, point := range []string{"1", "2", "3"} {
		s, err := spec.NewScenario("noting (test)", map[string]string{"point": point, "ms": "0"}, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		scenarios = append(scenarios, s)
	}
	paper := papers.Paper{Name: "going on (test)", Title: "a paper for tests", Items: []string{"table1"}, Scales: []string{"quick"},
		Plan: func(papers.Request) (*papers.Reproduction, error) {
			return &papers.Reproduction{
				Scenarios: scenarios,
				Entries: func(rows run.Rows) ([]ledger.Entry, error) {
					return []ledger.Entry{ledger.Entry{Paper: "made up", Item: "table1", ID: "table1/first", Claim: "a number"}.Value(3, ledger.Computed(rows.Of(scenarios...)[0].Value, 0))}, nil
				},
				Tables: func(rows run.Rows) (papers.Tables, error) {
					return papers.Tables{"table1": results.Pack(rows.Of(scenarios...))}, nil
				},
			}, nil
		}}
	notes := filepath.Join(t.TempDir(), "notes")
	t.Setenv("LEONTIEF_TEST_NOTES", notes)
	reproduce := func(folder string, stopAt int) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		lock, err := store.LockFolder(ctx, folder, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Close()
		s, err := store.OpenStore(folder, lock)
		if err != nil {
			t.Fatal(err)
		}
		found, err := paper.Reproduce(ctx, papers.Request{Items: paper.Items, Seed: 1}, s.Runner(1, func(done, _ int) {
			if done == stopAt {
				cancel()
			}
		}))
		if err != nil {
			return err
		}
		return found.Write(folder, store.Timing{})
	}
	alone, folder := filepath.Join(t.TempDir(), "alone"), filepath.Join(t.TempDir(), "out")
	if err := reproduce(alone, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(notes); err != nil {
		t.Fatal(err)
	}
	var stopped *store.StoppedError
	if err := reproduce(folder, 1); !errors.As(err, &stopped) || stopped.Done != 1 {
		t.Fatalf("error %v", err)
	}
	if err := reproduce(folder, 0); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(notes)
	if ran := strings.Count(string(data), "\n"); err != nil || ran != 6 {
		t.Errorf("%d instances were run, want 6 (%v)", ran, err)
	}
	resulttest.Same(t, resulttest.Files(t, alone, "damaged"), resulttest.Files(t, folder, "damaged"))
}
