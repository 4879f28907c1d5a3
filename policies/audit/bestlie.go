package audit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/stream"
)

// BestLie is the best lie of a user that a search found.
type BestLie struct {
	Lie fair.Lie
	// Told is the environment that the rule is told of; nil if no lie pays by more
	// than [Margin].
	Told *cluster.Environment
	// Tried counts the reports that the rule answered, and Refused those that are no
	// user of an environment, or that the rule refuses.
	Tried, Refused int
	// Failed counts the reports for which a solver had no certified answer.
	Failed int
}

// Liars searches for the best lies in one environment.
type Liars struct {
	rule Rule
	env  *cluster.Environment
	rate judge
}

// NewLiars asks the rule for its honest answer. The errors are those of the rule:
// [ErrOutside] says that it refuses the environment.
func NewLiars(rule Rule, env *cluster.Environment) (*Liars, error) {
	rule.Beyond = true // whatever the papers assume: the rule is to be told it
	rate, err := lying(rule, env)
	return &Liars{rule, env, rate}, err
}

// Env returns the environment.
func (l *Liars) Env() *cluster.Environment { return l.env }

// Best searches for the lie that brings user j most, with at most so many reports: what
// the others report, then random lies (see distort) with half of the reports, then
// pattern search over the demands from the best of both as long as it helps, then random
// lies again. The draws depend on the rule, the seed and the number of the user alone. That
// nothing is found proves nothing.
func (l *Liars) Best(j, reports int, seed uint64) (BestLie, error) {
	rng := stream.New("best lie", l.rule.Meta.Name, seed, j)
	s := lieSearch{Liars: l, left: reports, best: BestLie{Lie: fair.Lie{Truth: l.env.Users[j]}}}
	for _, report := range l.candidates(rng, j, reports) {
		if err := s.try(Change{User: j, Report: &report}); err != nil {
			return s.best, err
		}
	}
	for s.climb() {
	}
	for s.left > 0 && s.err == nil { // what climbing left of the effort
		report := distort(rng, l.env, j)
		if err := s.try(Change{User: j, Report: &report}); err != nil {
			return s.best, err
		}
	}
	if s.err != nil {
		return s.best, s.err
	}
	if len(s.near) > 0 && s.near[0].Outcome.Size > Margin {
		c := s.near[0].Case
		s.best.Lie, s.best.Told = s.near[0].Outcome.Sentence.(fair.Lie), Told(c)
	}
	return s.best, nil
}

// candidates are the reports with which a search begins: at most a quarter of what other
// users are, and random ones up to half of all.
func (l *Liars) candidates(rng *rand.Rand, j, reports int) (all []cluster.User) {
	for _, i := range rng.Perm(len(l.env.Users)) {
		if i != j && len(all) < reports/4 {
			report := l.env.Users[i].Clone()
			report.Name, report.Tasks, report.Weight = l.env.Users[j].Name, l.env.Users[j].Tasks, l.env.Users[j].Weight
			all = append(all, report)
		}
	}
	for len(all) < (reports+1)/2 {
		all = append(all, distort(rng, l.env, j))
	}
	return all
}

// lieSearch is a search under way.
type lieSearch struct {
	*Liars
	left int     // reports that may still be tried
	near []Found // the [nearest] best lies, best first
	best BestLie
	err  error
}

// try asks the rule for its answer to a report.
func (s *lieSearch) try(c Change) error {
	o, err := s.ask(c)
	if err == nil && o.Sentence != nil {
		s.near = nearer(s.near, Found{Case: Case{s.env, c}, Outcome: o})
	}
	return s.err
}

// ask counts the answer to a report. What a rule refuses and what a solver does not
// certify is counted; any other error ends the search.
func (s *lieSearch) ask(c Change) (Outcome, error) {
	if s.left == 0 || s.err != nil {
		return none, ErrOutside
	}
	s.left--
	o, err := s.rate(c)
	var uncertified *solve.UncertifiedError
	switch {
	case err == nil:
		s.best.Tried++
	case errors.Is(err, ErrOutside):
		s.best.Refused++
	case errors.As(err, &uncertified), errors.Is(err, errVague), errors.Is(err, solve.ErrPrecision):
		s.best.Failed++
	default:
		s.err = fmt.Errorf("with another report of user %q: %w", s.env.Users[c.User].Name, err)
	}
	return o, err
}

// climb goes uphill from the best lies by pattern search, and reports whether the best one
// is better than before.
func (s *lieSearch) climb() (better bool) {
	if len(s.near) == 0 || s.left == 0 || s.err != nil {
		return false
	}
	before := s.near[0].Outcome.Near
	for _, from := range slices.Clone(s.near) {
		from.Asked = 0
		s.near = nearer(s.near, bestReply(s.ask, from))
	}
	return s.near[0].Outcome.Near > before
}
