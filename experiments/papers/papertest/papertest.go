// Package papertest runs registered papers and specs in tests: what the tests of
// every paper need, for papers outside this module too.
package papertest

import (
	"context"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
)

// Named returns the registered paper of a name.
func Named(t testing.TB, name string) papers.Paper {
	t.Helper()
	for _, p := range papers.Papers() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("paper %q is not registered", name)
	return papers.Paper{}
}

// Reproduce runs a request of a paper in memory.
func Reproduce(t testing.TB, name string, r papers.Request, workers int) *papers.Findings {
	t.Helper()
	p := Named(t, name)
	if err := p.Check(&r); err != nil {
		t.Fatal(err)
	}
	found, err := p.Reproduce(context.Background(), r, run.InMemory(workers, nil))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Planned returns the scenarios of a request of a paper.
func Planned(t testing.TB, name string, r papers.Request) []spec.Scenario {
	t.Helper()
	p := Named(t, name)
	if err := p.Check(&r); err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Scenarios
}

// Entries are the entries of a ledger by id. It is an error if two have one.
func Entries(t testing.TB, l ledger.Ledger) map[string]ledger.Entry {
	t.Helper()
	found := map[string]ledger.Entry{}
	for _, e := range l.Entries {
		if _, twice := found[e.ID]; twice {
			t.Errorf("two entries %s", e.ID)
		}
		found[e.ID] = e
	}
	return found
}

// Sweep expands a spec.
func Sweep(t testing.TB, file string, text []byte, c spec.Choice) *store.Sweep {
	t.Helper()
	spec, err := spec.ParseSpec(file, text, c)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := store.NewSweep(spec)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Shipped expands a registered spec.
func Shipped(t testing.TB, name string, c spec.Choice) *store.Sweep {
	t.Helper()
	text, ok := papers.ShippedSpec(name)
	if !ok {
		t.Fatalf("no spec %s", name)
	}
	return Sweep(t, name, text, c)
}
