package audit

import (
	"context"
	"time"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
)

// Options say how hard to look.
type Options struct {
	Environments int           // at least so many, unless a violation is found before
	Budget       time.Duration // if positive, so long instead; results then depend on the clock
	Seed         uint64
	NoKnown      bool // leave the papers' counterexamples out
	Workers      int
	// Run, if not nil, runs blocks or knows what they found before; without it they are
	// run here. Results do not depend on it, and it is not asked within a budget.
	Run run.Runner
}

// Question is one rule and one property.
type Question struct {
	Rule     audit.Rule
	Property policies.Property
	Shape    audit.Shape
}

// Answer is what was found.
type Answer struct {
	Question
	Tally audit.Tally
	// Found is the violation, shrunk unless it is a paper's own; nil: none.
	Found *audit.Found
	// Source is where the violation is printed, "" for one of the search.
	Source string
	// Proof is the violation in exact numbers, if ProofErr is nil.
	Proof    audit.Proof
	ProofErr error
	// Cell is the tick or cross that was asked for, if it was one.
	Cell *Cell
}

// wave is the number of blocks that are run before it is looked whether one of
// them has found something: a constant, so that results do not depend on the
// number of workers.
const wave = 8

// more is how many further blocks are searched for a violation that can be
// verified exactly where the first one can not.
const more = 24

// Ask answers one question.
func Ask(ctx context.Context, q Question, o Options) (*Answer, error) {
	a := &Answer{Question: q}
	if !o.NoKnown && a.known() {
		return a, nil
	}
	search := audit.Search{Rule: q.Rule, Property: q.Property, Seed: o.Seed, Shape: q.Shape}
	start, until := time.Now(), 1<<30
	for b := 0; b < until && !o.done(a.Tally, b, time.Since(start)); b += wave {
		parts, err := o.search(ctx, q, search, b)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if a.Found == nil {
				a.Tally.Add(p.tally)
			}
			if p.found != nil && a.better(*p.found) {
				return a, nil
			}
		}
		if a.Found != nil && until == 1<<30 {
			until = b + more
		}
	}
	return a, nil
}

// search searches a wave of blocks, from block b.
func (o Options) search(ctx context.Context, q Question, search audit.Search, b int) ([]part, error) {
	if o.Run != nil && o.Budget <= 0 {
		return q.stored(ctx, o.Run, search, b)
	}
	return run.Gather(ctx, wave, o.Workers, func(i int) (part, error) {
		f, t, err := search.Block(b + i)
		return part{f, t}, err
	}, nil)
}

// part is what a block has found.
type part struct {
	found *audit.Found
	tally audit.Tally
}

// done reports whether enough was searched, after b blocks. A rule that refuses
// nearly everything is given up after four times the environments.
func (o Options) done(t audit.Tally, b int, spent time.Duration) bool {
	if o.Budget > 0 {
		return spent >= o.Budget
	}
	return t.Environments >= o.Environments || b*audit.BlockSize >= 4*o.Environments+wave*audit.BlockSize
}

// known tries the papers' counterexamples.
func (a *Answer) known() bool {
	for _, k := range knownFor(a.Rule.Meta.Name, a.Property) {
		o, err := audit.Measure(a.Rule, a.Property, k.Case)
		a.Tally.Environments++
		if err == nil && o.Size > audit.Margin {
			a.Found, a.Source = &audit.Found{Case: k.Case, Outcome: o}, k.Source
			a.Proof, a.ProofErr = audit.Verify(a.Rule, a.Property, k.Case)
			return true
		}
	}
	return false
}

// better takes a violation as the answer if there was none, or if it can be
// verified exactly; it reports whether the answer is final.
func (a *Answer) better(f audit.Found) bool {
	f = audit.Shrink(a.Rule, a.Property, f)
	proof, err := audit.Verify(a.Rule, a.Property, f.Case)
	if a.Found == nil || err == nil {
		a.Found, a.Proof, a.ProofErr = &f, proof, err
	}
	return err == nil
}

// Claimed returns what the papers claim of the property, or the table of the
// cell, and whether they claim anything.
func (a *Answer) Claimed() (holds, claimed bool) {
	if a.Cell != nil {
		return a.Cell.Holds, true
	}
	for _, c := range a.Rule.Meta.Claims {
		if c.Property == a.Property {
			return c.Holds, true
		}
	}
	return false, false
}

// Questions asks each rule for each property that can be asked of it.
func Questions(rules []audit.Rule, properties []policies.Property) []Question {
	var all []Question
	for _, r := range rules {
		for _, p := range properties {
			if audit.Applies(r, p) {
				all = append(all, Question{Rule: r, Property: p})
			}
		}
	}
	return all
}
