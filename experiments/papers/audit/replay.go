package audit

import (
	"errors"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Replay judges one environment, with what it becomes if that is known (nil:
// it is not, and the changes of the property are searched).
func Replay(q Question, before, after *cluster.Environment, seed uint64) (*Answer, error) {
	a := &Answer{Question: q}
	if after == nil {
		found, tally, err := audit.Search{Rule: q.Rule, Property: q.Property, Seed: seed}.Judge(before)
		a.Tally = tally
		if err != nil || found == nil {
			return a, err
		}
		return a, a.take(*found)
	}
	c, err := CaseOf(q.Property, before, after)
	if err != nil {
		return nil, spec.OfInput(err)
	}
	o, err := audit.Measure(q.Rule, q.Property, c)
	a.Tally.Environments = 1
	if errors.Is(err, audit.ErrOutside) {
		return nil, spec.OfInput(fmt.Errorf("%s of %s: %w", q.Property, q.Rule.Meta.Name, err))
	}
	if err != nil {
		return nil, err
	}
	return a, a.take(audit.Found{Case: c, Outcome: o})
}

// take takes a case as the answer if it is a violation.
func (a *Answer) take(f audit.Found) error {
	if f.Outcome.Size > audit.Suspect {
		a.Found = &f
		a.Proof, a.ProofErr = audit.Verify(a.Rule, a.Property, f.Case)
	}
	return nil
}
