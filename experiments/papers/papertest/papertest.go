// Package papertest runs registered papers and specs in tests: what the tests of
// every paper need, for papers outside this module too.
package papertest

import (
	"context"
	"testing"

	"github.com/leontief-sim/leontief/experiments"
)

// Named returns the registered paper of a name.
func Named(t testing.TB, name string) experiments.Paper {
	t.Helper()
	for _, p := range experiments.Papers() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("paper %q is not registered", name)
	return experiments.Paper{}
}

// Reproduce runs a request of a paper in memory.
func Reproduce(t testing.TB, name string, r experiments.Request, workers int) *experiments.Findings {
	t.Helper()
	p := Named(t, name)
	if err := p.Check(&r); err != nil {
		t.Fatal(err)
	}
	found, err := p.Reproduce(context.Background(), r, experiments.InMemory(workers, nil))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Planned returns the scenarios of a request of a paper.
func Planned(t testing.TB, name string, r experiments.Request) []experiments.Scenario {
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
func Entries(t testing.TB, l experiments.Ledger) map[string]experiments.Entry {
	t.Helper()
	found := map[string]experiments.Entry{}
	for _, e := range l.Entries {
		if _, twice := found[e.ID]; twice {
			t.Errorf("two entries %s", e.ID)
		}
		found[e.ID] = e
	}
	return found
}

// Sweep expands a spec.
func Sweep(t testing.TB, file string, text []byte, c experiments.Choice) *experiments.Sweep {
	t.Helper()
	spec, err := experiments.ParseSpec(file, text, c)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := experiments.NewSweep(spec)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Shipped expands a registered spec.
func Shipped(t testing.TB, name string, c experiments.Choice) *experiments.Sweep {
	t.Helper()
	text, ok := experiments.ShippedSpec(name)
	if !ok {
		t.Fatalf("no spec %s", name)
	}
	return Sweep(t, name, text, c)
}
