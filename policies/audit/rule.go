package audit

import (
	"errors"
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Rule is an allocation rule under audit.
type Rule struct {
	Meta   policies.Meta
	Policy policies.Policy
	Text   string // canonical, with the parameters; "" as Meta.Name
	// Beyond says to look beyond the assumptions under which the papers claim
	// a property, too; Allow lists features that are looked at although they
	// are outside, and Deny features that are not, although they are inside.
	Beyond      bool
	Allow, Deny cluster.Feature
}

// Named returns the registered rule of a name, with parameters or not.
func Named(text string) (Rule, error) {
	name, _, err := policies.Parse(text)
	if err != nil {
		return Rule{}, err
	}
	canonical, err := policies.Canonical(text)
	if err != nil {
		return Rule{}, err
	}
	meta, err := policies.Lookup(name)
	if err != nil {
		return Rule{}, err
	}
	p, err := policies.New(text)
	return Rule{Meta: meta, Policy: p, Text: canonical}, err
}

// Without returns the features of environments that are left out when the
// property is looked for: those of which its definition does not speak, and,
// unless Beyond is set, those for which the rule's papers do not claim it.
func (r Rule) Without(p policies.Property) cluster.Feature {
	without := definitions[p].forbid | r.Deny
	if r.Meta.Unbounded {
		without |= cluster.Caps
	}
	if !r.Beyond {
		without |= r.Meta.Outside[p] &^ r.Allow
	}
	return without
}

// Case is an environment and, for a property that compares two allocations,
// what changes.
type Case struct {
	Env *cluster.Environment
	Change
}

// Change is what changes between two allocations.
type Change struct {
	// User reports something else (strategy-proofness) or leaves (population
	// monotonicity).
	User   int
	Report *cluster.User
	// Row is the capacity that grows by Factor (resource monotonicity), see
	// [cluster.Environment.Row].
	Row    int
	Factor float64
	// Owner is the dedicated pool of each server, see [fair.Dedicated].
	Owner []int
}

// clone returns a deep copy to be changed. It has no units: resources of it are
// dropped and scaled, and then count something else.
func (c Case) clone() Case {
	c.Env = c.Env.Clone()
	c.Env.Units = nil
	if c.Report != nil {
		report := c.Report.Clone()
		c.Report = &report
	}
	c.Owner = append([]int(nil), c.Owner...)
	return c
}

// users returns the users of a case, and what the liar reports after them.
func (c *Case) users() []*cluster.User {
	var all []*cluster.User
	for j := range c.Env.Users {
		all = append(all, &c.Env.Users[j])
	}
	if c.Report != nil {
		all = append(all, c.Report)
	}
	return all
}

// Outcome is what a property says of a case.
type Outcome struct {
	// Size is how far the case is beyond the property, relative: it is
	// violated if Size is positive, and the nearer to 0 the nearer if not.
	Size float64
	// Near is what local search climbs: Size, or where that has no slope
	// something that points to a violation.
	Near float64
	// Sentence says what happens, with the numbers; nil: nothing.
	Sentence fmt.Stringer
}

// none is the outcome of a case of which a property does not speak.
var none = Outcome{Size: -1, Near: -cluster.Inf}

// sized is an outcome without a slope of its own.
func sized(size float64, sentence fmt.Stringer) Outcome {
	if math.IsNaN(size) {
		size = 0
	}
	return Outcome{size, size, sentence}
}

// ErrOutside is returned for a case of which the property does not speak, or
// which the rule refuses.
var ErrOutside = errors.New("audit: the case is outside")

// known is how well the totals of an allocation must be known to be compared: two
// of them then differ by less than Margin where they are the same.
const known = Margin / 4

// errVague is returned for an allocation whose totals are not known to that.
var errVague = fmt.Errorf("audit: totals are not known to %g", known)

// allocate asks the rule; a refusal is ErrOutside.
func (r Rule) allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	a, err := policies.Allocate(r.Policy, env)
	if err != nil {
		return nil, refusal(err)
	}
	if a.Certificate.Totals > known {
		return nil, errVague
	}
	return a, nil
}

// maxMin returns the lexicographic max-min of x[j]/(w[j]·norm[j]).
func maxMin(env *cluster.Environment, norm []float64) ([]float64, error) {
	var solver solve.MaxMin
	weighted := make([]float64, len(norm))
	for j, n := range norm {
		weighted[j] = n * env.Users[j].Weight
	}
	solver.Load(env, weighted)
	for j := range norm {
		solver.Add(j)
	}
	a, err := solver.Solve()
	if err != nil {
		return nil, err
	}
	return a.Tasks, nil
}
