package audit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/stream"
)

const (
	// Suspect is the size from which a case may be a violation: above what the
	// solvers are certified to.
	Suspect = 1e-7
	// Margin is the size from which a violation counts, well above both.
	Margin = 1e-6
	// Clear is the size to which a suspect is enlarged, if it can be.
	Clear = 1e-3
	// BlockSize is the number of random environments of a block.
	BlockSize = 100
	// nearest is the number of near misses of a block from which local search
	// starts, and climbs its steps from each.
	nearest, climbs = 3, 25
)

// Search looks for a violation of one property by one rule.
type Search struct {
	Rule     Rule
	Property policies.Property
	Seed     uint64
	Shape    Shape // Any: as the property has it
}

// Found is a case, what the property says of it, and how many allocations with
// a change it took.
type Found struct {
	Case    Case
	Outcome Outcome
	Asked   int
}

// Tally counts what a search has looked at.
type Tally struct {
	// Environments is the number of environments that were judged, of random
	// and of local search; Changes the lies, departures, … that were tried.
	Environments, Changes int
	// Refused environments are those of which the rule, or the property, does
	// not speak.
	Refused int
	// Unconfirmed counts cases beyond the property by more than Suspect that
	// could not be enlarged to Margin.
	Unconfirmed int
	// Failed environments are those for which a solver had no certified
	// answer, or none whose totals are known to a quarter of Margin.
	Failed int
}

// Add adds another tally.
func (t *Tally) Add(u Tally) {
	t.Environments += u.Environments
	t.Changes += u.Changes
	t.Refused += u.Refused
	t.Unconfirmed += u.Unconfirmed
	t.Failed += u.Failed
}

// BlockError says in which environment a rule failed: neither an allocation nor
// a refusal.
type BlockError struct {
	Env *cluster.Environment
	Err error
}

func (e *BlockError) Error() string {
	return fmt.Sprintf("%v (%d users, %d servers)", e.Err, len(e.Env.Users), len(e.Env.Servers))
}

// Unwrap returns the cause.
func (e *BlockError) Unwrap() error { return e.Err }

// exotic are the features that are left out of every other round of sizes: most
// papers do not have them, and the best witnesses are those that any reader of
// the paper would take for an environment of it.
const exotic = cluster.SeveralLinks | cluster.VaryingLinks | cluster.LinkOnly | cluster.Weights | cluster.Caps |
	cluster.ZeroDemands | cluster.ZeroCapacities | cluster.DemandOn

// Block runs block number b, from 0: BlockSize random environments of one size,
// then local search from the nearest misses. It returns the first violation, or
// nil.
func (s Search) Block(b int) (*Found, Tally, error) {
	w, sizes := s.walk(b), sizes
	if own := definitions[s.Property].sizes; own != nil {
		sizes = own
	}
	draw := Draw{Size: sizes[b%len(sizes)], Without: s.Rule.Without(s.Property), Shape: definitions[s.Property].shape}
	if s.Shape != Any {
		draw.Shape = s.Shape
	}
	if b/len(sizes)%2 == 0 {
		draw.Without |= exotic
		w.without |= exotic
	}
	var near []Found
	for range BlockSize {
		f, err := w.visit(draw.Environment(w.rng))
		if err != nil {
			return nil, w.tally, err
		}
		if f == nil {
			continue
		}
		if f.Outcome.Size > Suspect {
			if w.confirm(f) {
				return f, w.tally, nil
			}
			continue
		}
		near = nearer(near, *f)
	}
	for _, f := range near {
		if found := w.climb(f); found != nil {
			return found, w.tally, nil
		}
	}
	return nil, w.tally, nil
}

// nearer keeps the nearest misses.
func nearer(all []Found, f Found) []Found {
	at, _ := slices.BinarySearchFunc(all, f, func(a, b Found) int {
		if a.Outcome.Near > b.Outcome.Near {
			return -1
		}
		return 1
	})
	all = slices.Insert(all, at, f)
	return all[:min(len(all), nearest)]
}

// walk is the state of one block.
type walk struct {
	Search
	rng     *rand.Rand
	without cluster.Feature
	tally   Tally
}

func (s Search) walk(b int) *walk {
	return &walk{Search: s, without: s.Rule.Without(s.Property), rng: stream.New("audit", s.Rule.Meta.Name, string(s.Property), s.Seed, b)}
}

// Judge returns the worst that the property says of one environment, nil if it
// is outside.
func (s Search) Judge(env *cluster.Environment) (*Found, Tally, error) {
	w := s.walk(0)
	f, err := w.visit(env)
	return f, w.tally, err
}

// visit returns the worst that the property says of an environment, nil if it
// is outside.
func (w *walk) visit(env *cluster.Environment) (*Found, error) {
	def := definitions[w.Property]
	rate, err := def.open(w.Rule, env)
	if err != nil {
		return nil, w.outside(env, err)
	}
	changes := []Change{{}}
	if def.changes != nil {
		changes = def.changes(w.rng, w.Rule, env)
	}
	best := Found{Outcome: none}
	for _, c := range changes {
		o, err := rate(c)
		if errors.Is(err, ErrOutside) {
			continue
		}
		if err != nil {
			return nil, w.outside(env, err)
		}
		w.tally.Changes++
		if o.Sentence != nil && (best.Outcome.Sentence == nil || o.Near > best.Outcome.Near) {
			best.Case, best.Outcome = Case{env, c}, o
		}
	}
	if best.Outcome.Sentence == nil {
		w.tally.Refused++
		return nil, nil
	}
	if def.improve != nil {
		best = def.improve(rate, best)
		w.tally.Changes += best.Asked
	}
	w.tally.Environments++
	return &best, nil
}

// outside counts a refusal or a failure; any other error is one.
func (w *walk) outside(env *cluster.Environment, err error) error {
	var uncertified *solve.UncertifiedError
	switch {
	case errors.Is(err, ErrOutside):
		w.tally.Refused++
		return nil
	case errors.As(err, &uncertified), errors.Is(err, errVague):
		w.tally.Failed++
		return nil
	}
	return &BlockError{env.Clone(), err}
}

// confirm reports whether a suspect is a violation of at least Margin; it enlarges
// it up to Clear.
func (w *walk) confirm(f *Found) bool {
	for range 10 * climbs {
		if f.Outcome.Size >= Clear {
			return true
		}
		w.step(f)
	}
	if f.Outcome.Size >= Margin {
		return true
	}
	w.tally.Unconfirmed++
	return false
}

// climb goes from a near miss uphill. It returns a violation, or nil.
func (w *walk) climb(f Found) *Found {
	for range climbs {
		w.step(&f)
		if f.Outcome.Size > Suspect {
			if w.confirm(&f) {
				return &f
			}
			return nil
		}
	}
	return nil
}

// step changes the case at random and keeps what is nearer to a violation, or
// beyond it.
func (w *walk) step(f *Found) {
	next := f.Case.clone()
	mutate(w.rng, &next)
	if cluster.Features(next.Env)&w.without != 0 {
		return
	}
	o, err := Measure(w.Rule, w.Property, next)
	if err != nil {
		return
	}
	w.tally.Environments++
	w.tally.Changes++
	if o.Near >= f.Outcome.Near {
		f.Case, f.Outcome = next, o
	}
}
