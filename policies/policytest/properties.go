package policytest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// properties are those that papers claim.
var properties = []check{
	{"envy-free", claiming(policies.EF), determined, within(policies.EF, judged(EnvyFree))},
	{"Pareto optimal", claiming(policies.PO), determined, within(policies.PO, judged(ParetoOptimal))},
	{"sharing incentive", claiming(policies.SI), determined, within(policies.SI, judged(SharingIncentive))},
	{"strategy-proof", claiming(policies.SP), determined, within(policies.SP, truthful)},
}

func claiming(property policies.Property) func(*Options) bool {
	return func(opt *Options) bool { return opt.claims(property) }
}

var errOutside = &policies.UnsupportedError{Reason: "the property is not claimed for such environments"}

// within keeps a test to the environments for which the property is claimed.
func within(property policies.Property, test tester) tester {
	return func(p policies.Policy, opt *Options, s *subject) error {
		if cluster.Features(s.env)&opt.Outside[property] != 0 {
			return errOutside
		}
		return test(p, opt, s)
	}
}

// judged tests one allocation with a definition.
func judged(holds func(a *cluster.Allocation, tolerance float64) error) tester {
	return func(p policies.Policy, opt *Options, s *subject) error {
		a, err := p.Allocate(s.env)
		if err != nil {
			return err
		}
		return holds(a, opt.accuracy())
	}
}

// ViolationError says that an allocation, or a lie, violates a property that
// is claimed.
type ViolationError struct {
	Property policies.Property
	Witness  string // in words, with the numbers
}

func (e *ViolationError) Error() string {
	return fmt.Sprintf("%s is violated: %s", e.Property, e.Witness)
}

// EnvyFree returns a [*ViolationError] that names the worst pair unless MIN-EF-SAT is at
// least 1 - tolerance in the allocation's region.
func EnvyFree(a *cluster.Allocation, tolerance float64) error {
	if worst := fair.NewJudge(a.Region).MinEFSat(a, nil); worst.Sat < 1-tolerance {
		return &ViolationError{policies.EF, worst.String()}
	}
	return nil
}

// SharingIncentive returns a [*ViolationError] that names the worst user unless
// MIN-SI-SAT is at least 1 - tolerance in the allocation's region.
func SharingIncentive(a *cluster.Allocation, tolerance float64) error {
	if worst := fair.NewJudge(a.Region).MinSISat(a, nil); worst.Sat < 1-tolerance {
		return &ViolationError{policies.SI, worst.String()}
	}
	return nil
}

// ParetoOptimal returns a [*ViolationError] with the domination factor unless it is at
// most 1 + tolerance in the allocation's region.
func ParetoOptimal(a *cluster.Allocation, tolerance float64) error {
	factor, better, err := solve.Domination(a.Region, a.Tasks)
	if err != nil {
		return fmt.Errorf("domination factor of %v: %w", a.Tasks, err)
	}
	if factor > 1+tolerance {
		return &ViolationError{policies.PO, fmt.Sprintf("%v dominates %v: factor %.12g", better, a.Tasks, factor)}
	}
	return nil
}

// lies is the number of lies tried per environment.
const lies = 8

// truthful checks that random lies do not pay.
func truthful(p policies.Policy, opt *Options, s *subject) error {
	rng := s.rng("lies")
	for range lies {
		if lie, err := RandomLie(rng, p, s.env); err != nil {
			return err
		} else if lie.Gain() > opt.accuracy() {
			return &ViolationError{policies.SP, lie.String()}
		}
	}
	return nil
}

// RandomLie lets a random user report other demands or other servers, and
// allocates both ways. Most lies are small, or about one number only, since
// those are the ones that pay where any does.
func RandomLie(rng *rand.Rand, p policies.Policy, env *cluster.Environment) (fair.Lie, error) {
	honest, err := p.Allocate(env)
	if err != nil {
		return fair.Lie{}, err
	}
	j := rng.IntN(len(env.Users))
	reported := env.Clone()
	distort(rng, reported, j)
	lying, err := p.Allocate(reported)
	if err != nil {
		return fair.Lie{}, err
	}
	return fair.Lie{Truth: env.Users[j], Report: reported.Users[j], Honest: fair.Worth(honest, j, env.Users[j]), Lying: fair.Worth(lying, j, env.Users[j])}, nil
}

// distort changes what user j reports. A demand of 0 stays one, and a positive
// demand stays positive.
func distort(rng *rand.Rand, env *cluster.Environment, j int) {
	u, size := &env.Users[j], math.Pow(10, -2*rng.Float64())
	factor := func(odds int) float64 {
		if rng.IntN(odds) > 0 {
			return 1
		}
		return math.Exp(size * rng.NormFloat64())
	}
	all := 1 + rng.IntN(2)
	for r := range u.Demand {
		u.Demand[r] *= factor(all)
	}
	common, same := factor(1), cluster.Features(env)&cluster.VaryingLinks == 0
	for e := range u.LinkDemand {
		if same && env.Links[e].Servers != nil {
			u.LinkDemand[e] *= common // it stays the same at all access points
		} else {
			u.LinkDemand[e] *= factor(all)
		}
	}
	for s := range env.Servers {
		if d, differs := u.DemandOn[s]; differs {
			for r := range d {
				d[r] *= factor(all)
			}
		}
	}
	if u.Eligible != nil && rng.IntN(2) == 0 {
		u.Eligible = slices.Clone(u.Eligible)
		s := rng.IntN(len(env.Servers))
		u.Eligible[s>>6] ^= 1 << (uint(s) & 63)
	}
}
