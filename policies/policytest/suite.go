package policytest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Options says what to hold a rule to. The zero value asks only for what every
// rule owes.
type Options struct {
	// Totals says that the totals x[j] are unique, so that equivalent
	// environments must give the same.
	Totals bool
	// Welfare is what the rule maximises, where its totals are not unique.
	// Equivalent environments must then give equally good allocations. tasks
	// has one entry per user of env.
	Welfare func(env *cluster.Environment, tasks []float64) float64
	// Clones says that a user may be replaced by two of half its weight and
	// cap, which together hold what it held.
	Clones bool
	// Alone says that a user that is alone holds all that it can run. Pareto
	// optimality implies it.
	Alone bool
	// Claims are the properties to check; claims of absence are ignored.
	Claims []policies.Claim
	// Outside lists, per property, features of environments for which the
	// property is not claimed.
	Outside map[policies.Property]cluster.Feature
	// Accuracy is how exact the totals are, relative; 0: 1e-7. Properties are
	// held to it too. A rule that is exact in its welfare only determines its
	// totals to about the root of that.
	Accuracy float64
	// Seed changes the random environments; 0 is as good as any.
	Seed uint64
}

func (opt *Options) accuracy() float64 {
	if opt.Accuracy > 0 {
		return opt.Accuracy
	}
	return 1e-7
}

// comparable reports whether equivalent environments can be compared at all.
func (opt *Options) comparable() bool { return opt.Totals || opt.Welfare != nil }

// claims reports whether the property is to be checked.
func (opt *Options) claims(property policies.Property) bool {
	for _, c := range opt.Claims {
		if c.Property == property {
			return c.Holds
		}
	}
	return false
}

// Failure is one thing that a rule got wrong.
type Failure struct {
	Check string // name of the check
	On    string // name of the environment
	Err   error
}

func (f Failure) Error() string { return fmt.Sprintf("%s, %s: %v", f.Check, f.On, f.Err) }

// Unwrap returns the cause.
func (f Failure) Unwrap() error { return f.Err }

// Run checks the rule, one subtest per check.
func Run(t *testing.T, p policies.Policy, opt Options) {
	t.Helper()
	for _, c := range checks {
		if !c.applies(&opt) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			for _, f := range c.run(p, &opt) {
				t.Errorf("%s: %v", f.On, f.Err)
			}
		})
	}
	for _, claim := range opt.Claims {
		t.Run("audit of "+string(claim.Property), func(t *testing.T) {
			for _, f := range audited(p, &opt, claim) {
				t.Errorf("%s: %v", f.On, f.Err)
			}
		})
	}
}

// Check runs the whole suite and returns what the rule got wrong, in a fixed
// order; nil if nothing.
func Check(p policies.Policy, opt Options) []Failure {
	var failures []Failure
	for _, c := range checks {
		if c.applies(&opt) {
			failures = append(failures, c.run(p, &opt)...)
		}
	}
	for _, claim := range opt.Claims {
		failures = append(failures, audited(p, &opt, claim)...)
	}
	return failures
}

// check is one check of the suite.
type check struct {
	name    string
	applies func(opt *Options) bool
	// on selects the environments.
	on   func(s *subject) bool
	test tester
}

// tester returns what is wrong; an UnsupportedError means that the rule
// refuses the environment, or is not held to anything there.
type tester func(p policies.Policy, opt *Options, s *subject) error

func always(*Options) bool { return true }

// checks is filled by the files of the checks, in the order of reading.
var checks = append(append(basics, relations...), properties...)

var errRefusesAll = errors.New("every environment of the check is refused or excepted")

func (c *check) run(p policies.Policy, opt *Options) []Failure {
	var failures []Failure
	asked, refused := 0, 0
	for _, s := range subjects(opt.Seed) {
		if !c.on(s) {
			continue
		}
		asked++
		err := c.test(p, opt, s)
		var unsupported *policies.UnsupportedError
		switch {
		case errors.As(err, &unsupported):
			refused++
		case err != nil:
			failures = append(failures, Failure{c.name, s.name, err})
		}
	}
	if asked == refused {
		failures = append(failures, Failure{c.name, "all environments", errRefusesAll})
	}
	return failures
}
