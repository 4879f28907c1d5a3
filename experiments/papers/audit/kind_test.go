package audit

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// memory runs what it has not run before, and no more than it may.
type memory struct {
	known run.Rows
	left  int
	ran   int
}

var errEnded = errors.New("ended")

func (m *memory) run(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
	for _, s := range scenarios {
		if m.known[s.ID()] != nil {
			continue
		}
		if m.left == 0 {
			return nil, errEnded
		}
		m.left, m.ran = m.left-1, m.ran+1
		rows, err := run.InMemory(2, nil)(ctx, []spec.Scenario{s})
		if err != nil {
			return nil, err
		}
		m.known[s.ID()] = rows[s.ID()]
	}
	return m.known, nil
}

// What is known of blocks changes no answer: not where nothing is found, nor where a
// violation is found, and shrunk, at once or after some blocks; a search that is ended
// goes on where it was.
func TestAnAuditGoesOnWhereItWasEnded(t *testing.T) {
	named := func(q Question, err error) Question {
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	beyond := question(t, "tsf-er", policies.SI)
	beyond.Rule.Beyond = true
	few := question(t, "drfh", policies.PM)
	few.Rule.Deny = cluster.Links
	found := 0
	for _, q := range []Question{
		question(t, "tsf-er", policies.SI), question(t, "mnw", policies.SP), question(t, "drf-er", policies.SI), beyond, few,
		named(Cell{Rule: "mtp", Property: policies.SP, Shape: audit.AccessPoints, Allow: cluster.DemandOn | cluster.VaryingLinks}.question()),
	} {
		o := Options{Environments: 1700, Seed: 3, NoKnown: true, Workers: 2}
		want := answer(t, q, o)
		m := &memory{known: run.Rows{}}
		o.Run = m.run
		for ended := 0; ; ended++ {
			m.left = 1
			got, err := Ask(context.Background(), q, o)
			if err == nil {
				if !reflect.DeepEqual(got.Found, want.Found) || got.Tally != want.Tally || !reflect.DeepEqual(got.Proof, want.Proof) {
					t.Errorf("%s of %s, ended %d times: %+v, want %+v", q.Property, q.Rule.Text, ended, got, want)
				}
				break
			}
			if !errors.Is(err, errEnded) {
				t.Fatal(err)
			}
		}
		if want.Found != nil {
			found++
		} else if m.ran < 2 {
			t.Errorf("%s of %s: %d waves were run, which shows nothing", q.Property, q.Rule.Text, m.ran)
		}
	}
	if found < 2 {
		t.Errorf("only %d searches found something", found)
	}
}
