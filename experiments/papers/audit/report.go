package audit

import (
	"errors"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies/audit"

	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Sentence says what was found.
func (a *Answer) Sentence() string {
	if a.Found == nil {
		return fmt.Sprintf("none in %d environments", a.Tally.Environments)
	}
	return a.Found.Outcome.Sentence.String()
}

// verified says how sure the violation is.
func (a *Answer) verified() string {
	if a.ProofErr == nil {
		return "verified exactly: " + a.Proof.String()
	}
	return "in double precision; exactly: " + a.ProofErr.Error()
}

// claim is what the papers say: a tick, a cross, or nothing.
func (a *Answer) claim() string {
	switch holds, claimed := a.Claimed(); {
	case !claimed:
		return ""
	case holds:
		return "✓"
	}
	return "✗"
}

// verdict compares what was found with what is claimed.
func (a *Answer) verdict() string {
	holds, claimed := a.Claimed()
	switch {
	case claimed && holds && a.Found != nil && a.beyond():
		return "✗ beyond the claim"
	case claimed && holds && a.Found != nil:
		return "✗ CONTRADICTS"
	case a.Found != nil:
		return "✗"
	}
	return "✓"
}

// beyond reports whether the violation lies outside the assumptions of the
// claim.
func (a *Answer) beyond() bool {
	before, after := Environments(a.Question, a.Found.Case)
	features := cluster.Features(before)
	if after != nil {
		features |= cluster.Features(after)
	}
	return a.Cell == nil && features&a.Rule.Meta.Outside[a.Property] != 0
}

// Table returns the answers as a table.
func Table(answers []*Answer) text.Table {
	t := text.Table{Header: []string{"rule", "property", "claimed", "found", "users", "servers", "violation", "exact"}}
	if len(answers) > 0 && answers[0].Cell != nil {
		t.Header = append([]string{"paper", "item"}, t.Header...)
	}
	for _, a := range answers {
		row := []string{a.Rule.Meta.Name, string(a.Property), a.claim(), a.verdict(), "", "", a.Sentence() + a.doubts(), ""}
		if a.Found != nil {
			env := a.Found.Case.Env
			row[4], row[5] = fmt.Sprint(len(env.Users)), fmt.Sprint(len(env.Servers))
			if row[7] = "no"; a.ProofErr == nil {
				row[7] = a.Proof.Has.RatString() + " : " + a.Proof.Wants.RatString()
			}
			if a.Source != "" {
				row[6] += " (" + a.Source + ")"
			}
		}
		if a.Cell != nil {
			row = append([]string{a.Cell.Paper, a.Cell.Item}, row...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// doubts counts what could not be judged.
func (a *Answer) doubts() string {
	text := ""
	if a.Tally.Unconfirmed > 0 {
		text += fmt.Sprintf("; %d suspects no larger than rounding", a.Tally.Unconfirmed)
	}
	if a.Tally.Failed > 0 {
		text += fmt.Sprintf("; %d without a certified answer", a.Tally.Failed)
	}
	if a.Found == nil && a.Tally.Environments == 0 {
		text += " (the rule refuses all)"
	}
	return text
}

// Replay judges one environment, with what it becomes if that is known (nil:
// it is not, and the changes of the property are searched), and for a property with
// pools these.
func Replay(q Question, before, after, pools *cluster.Environment, seed uint64) (*Answer, error) {
	a := &Answer{Question: q}
	if after == nil {
		found, tally, err := audit.Search{Rule: q.Rule, Property: q.Property, Seed: seed}.Judge(before)
		a.Tally = tally
		if err != nil || found == nil {
			return a, err
		}
		return a, a.take(*found)
	}
	c, err := CaseOf(q.Property, before, after, pools)
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
