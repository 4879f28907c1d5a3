package policies

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Allocate divides env by the rule p and checks the answer: every number that
// is handed out, against the environment that was given and in its units,
// whatever the rule has solved on the way to it. [Open] does the same for
// sessions. No answer of a rule reaches anybody in another way.
//
// Checked are the capacities of all servers and links and the task caps, within
// [solve.Feasibility] relative; that nothing is negative, that nobody holds
// anything where it may not run, that totals are sums, and that all numbers are
// finite. A rule that pools the servers is held to the sums of their
// capacities; one with a region of its own, to that region. What fails is an
// [*InvalidError]; nothing is repaired. O(users·servers·resources).
func Allocate(p Policy, env *cluster.Environment) (*cluster.Allocation, error) {
	a, err := p.Allocate(env)
	if err != nil {
		return nil, err
	}
	if err := check(env, a); err != nil {
		return nil, err
	}
	return a, nil
}

// InvalidError says that what a rule gave is no allocation of the environment:
// a fault of the rule, not of the environment.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return "the rule's answer is no allocation: " + e.Reason }

// certified is a session whose answers are checked as those of [Allocate].
type certified struct {
	Session
	env *cluster.Environment
}

func (s certified) Allocate() (*cluster.Allocation, error) {
	a, err := s.Session.Allocate()
	if err != nil {
		return nil, err
	}
	if err := check(s.env, a); err != nil {
		return nil, err
	}
	return a, nil
}

// check returns an [*InvalidError] unless a is an allocation of env.
func check(env *cluster.Environment, a *cluster.Allocation) error {
	if a == nil || a.Region == nil {
		return &InvalidError{"there is none, or it does not say of what"}
	}
	handed := *a
	handed.Region = given(env, a)
	n, width := len(env.Users), len(handed.Region.Servers)
	if len(a.Tasks) != n || len(a.Share) != n || len(a.X) != n*width {
		return &InvalidError{fmt.Sprintf("%d totals, %d shares and %d entries for %d users and %d servers",
			len(a.Tasks), len(a.Share), len(a.X), n, width)}
	}
	if handed.Fits(solve.Feasibility) {
		return finite(env, a)
	}
	if err := handed.Feasible(solve.Feasibility); err != nil {
		return &InvalidError{err.Error()}
	}
	for i, x := range a.X {
		if x < 0 {
			return &InvalidError{fmt.Sprintf("user %q holds %g tasks on server %q",
				env.Users[i/width].Name, x, handed.Region.Servers[i%width].Name)}
		}
	}
	return finite(env, a)
}

// given returns the environment in which a is to hold: env, the pool of its
// servers, or a region of the rule's own.
func given(env *cluster.Environment, a *cluster.Allocation) *cluster.Environment {
	if len(a.Region.Servers) == len(env.Servers) {
		return env
	}
	if len(a.Region.Servers) == 1 {
		if in, err := pool(env); err == nil {
			return in.env
		}
	}
	return a.Region.With(env.Users)
}

// finite returns an error if a share or a price is infinite or no number.
func finite(env *cluster.Environment, a *cluster.Allocation) error {
	for j, v := range a.Share {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return &InvalidError{fmt.Sprintf("the share of user %q is %g", env.Users[j].Name, v)}
		}
	}
	for _, v := range a.Prices {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return &InvalidError{fmt.Sprintf("a price is %g", v)}
		}
	}
	for _, e := range a.EnvyPrices {
		if math.IsInf(e.Price, 0) || math.IsNaN(e.Price) {
			return &InvalidError{fmt.Sprintf("the price of a row against envy is %g", e.Price)}
		}
	}
	return nil
}

// AllocateBy is [Allocate] under the rule of a text form, which errors name.
func AllocateBy(rule string, env *cluster.Environment) (*cluster.Allocation, error) {
	p, err := New(rule)
	if err != nil {
		return nil, err
	}
	a, err := Allocate(p, env)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rule, err)
	}
	return a, nil
}
