package audit

import (
	"fmt"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// definition is a property as the search sees it.
type definition struct {
	// forbid are the features of which the definition does not speak.
	forbid cluster.Feature
	shape  Shape
	sizes  []Size // nil: sizes
	// changes returns the changes to try in an environment; nil: one that
	// changes nothing.
	changes func(rng *rand.Rand, rule Rule, env *cluster.Environment) []Change
	// open returns what judges the changes of one environment. It returns
	// ErrOutside where the property, or the rule, does not speak of it.
	open func(rule Rule, env *cluster.Environment) (judge, error)
	// improve looks for a better change than the best of those; nil: there is
	// nothing to improve.
	improve func(rate judge, best Found) Found
}

// judge says what a change of an environment does. It returns ErrOutside for a
// change of which the property, or the rule, does not speak.
type judge func(c Change) (Outcome, error)

// definitions of the properties. Whether a rule has one is what the audit asks.
var definitions = map[policies.Property]definition{
	policies.EF:  {open: judged(envy)},
	policies.SI:  {open: judged(sharing)},
	policies.PO:  {open: judged(domination)},
	policies.BF:  {forbid: cluster.Links | cluster.DemandOn | cluster.LinkOnly, shape: Dominated, open: judged(reference(fair.BottleneckFairness))},
	policies.SRF: {forbid: cluster.Links | cluster.LinkOnly | cluster.DemandOn, shape: OneResource, open: judged(reference(fair.SingleResourceFairness))},
	policies.SMF: {forbid: cluster.DemandOn, shape: OneServer, open: judged(reference(fair.SingleMachineFairness))},
	policies.PM:  {changes: departures, open: population},
	policies.RM:  {changes: growths, open: growth},
	policies.SPL: {forbid: cluster.Caps, changes: departures, open: splitting},
	policies.SID: {forbid: cluster.Links | cluster.Weights | cluster.LinkOnly, changes: pools, open: dedicated},
}

func init() {
	definitions[policies.SP] = definition{changes: lies, open: lying, improve: bestReply}
	definitions[policies.SPD] = definition{forbid: noPools, sizes: poolSizes, changes: pooledLies, open: lyingWithPool(policies.SPD), improve: bestReply}
	definitions[policies.SPU] = definition{forbid: noPools, sizes: poolSizes, changes: pooledLies, open: lyingWithPool(policies.SPU), improve: bestReply}
}

// Known reports whether there is a definition of the property.
func Known(p policies.Property) bool {
	_, known := definitions[p]
	return known
}

// Measure judges one case.
func Measure(rule Rule, p policies.Property, c Case) (Outcome, error) {
	rate, err := definitions[p].open(rule, c.Env)
	if err != nil {
		return none, err
	}
	return rate(c.Change)
}

// judged is a property of one allocation. It is judged in the region where the
// rule allocates.
func judged(of func(a *cluster.Allocation) (Outcome, error)) func(Rule, *cluster.Environment) (judge, error) {
	return func(rule Rule, env *cluster.Environment) (judge, error) {
		a, err := rule.allocate(env)
		if err != nil {
			return nil, err
		}
		return func(Change) (Outcome, error) { return of(a) }, nil
	}
}

// noise is the part of what a user can run alone that counts as nothing.
const noise = 1e-9

// envy is the largest of u[j](i's bundle)/u[j](own) − 1.
func envy(a *cluster.Allocation) (Outcome, error) {
	g := fair.NewJudge(a.Region)
	most, user := -1.0, -1
	for j := range a.Tasks {
		own := g.Utility(j, j, a) + noise*a.Region.EtaEligible(j)
		for i := range a.Tasks {
			if ratio := g.Utility(j, i, a)/own - 1; i != j && ratio > most {
				most, user = ratio, j
			}
		}
	}
	if user < 0 {
		return sized(-1, nil), nil
	}
	return sized(most, g.EFSat(user, a, nil)), nil
}

// sharing is the largest of ψ[j]/x[j] − 1.
func sharing(a *cluster.Allocation) (Outcome, error) {
	g := fair.NewJudge(a.Region)
	worst, most := fair.Sharing{User: -1}, -1.0
	for j := range a.Tasks {
		s := g.SISat(j, a, nil)
		if s.EqualShare == 0 {
			continue
		}
		if ratio := s.EqualShare/(s.Tasks+noise*s.EqualShare) - 1; worst.User < 0 || ratio > most {
			worst, most = s, ratio
		}
	}
	if worst.User < 0 {
		return none, nil
	}
	return sized(most, worst), nil
}

// domination is the domination factor less 1.
func domination(a *cluster.Allocation) (Outcome, error) {
	factor, better, err := solve.Domination(a.Region, a.Tasks)
	if err != nil {
		return none, err
	}
	y := *a
	y.Tasks = better
	return sized(factor-1, dominated{a, append([]float64(nil), better...), factor}), nil
}

// dominated says what nobody loses by.
type dominated struct {
	a      *cluster.Allocation
	better []float64
	factor float64
}

func (d dominated) String() string {
	text := ""
	for j, x := range d.a.Tasks {
		if j > 0 {
			text += ", "
		}
		text += fmt.Sprintf("user %q %.6g instead of %.6g", d.a.Region.Users[j].Name, d.better[j], x)
	}
	return fmt.Sprintf("nobody would lose and all tasks would grow by the factor %.6g: %s", d.factor, text)
}

// reference is the distance to the totals that a property of special cases asks
// for.
func reference(of func(env *cluster.Environment) (fair.Reference, bool)) func(a *cluster.Allocation) (Outcome, error) {
	return func(a *cluster.Allocation) (Outcome, error) {
		ref, ok := of(a.Region)
		if !ok {
			return none, ErrOutside
		}
		want, err := maxMin(a.Region, ref.Norm)
		if err != nil {
			return none, err
		}
		d := ref.Compare(a.Region, a.Tasks, want)
		return sized(d.Size, d), nil
	}
}

// departures lets each user leave.
func departures(_ *rand.Rand, _ Rule, env *cluster.Environment) []Change {
	var all []Change
	for j := range env.Users {
		all = append(all, Change{User: j})
	}
	return all
}

// population is the largest loss of a user when another one leaves.
func population(rule Rule, env *cluster.Environment) (judge, error) {
	if len(env.Users) < 2 {
		return nil, ErrOutside
	}
	had, err := rule.held(env)
	return func(c Change) (Outcome, error) {
		var rest []int
		for j := range env.Users {
			if j != c.User {
				rest = append(rest, j)
			}
		}
		return rule.setback(env, had, env.Subset(rest), fmt.Sprintf("after user %q has left, ", env.Users[c.User].Name))
	}, err
}

// Split returns the environment in which a user has become two equal ones of half its
// weight, as a tenant's job becomes two ([sim.Tenants]).
func Split(c Case) *cluster.Environment {
	env := c.Env.Clone()
	half := &env.Users[c.User]
	half.Weight /= 2
	other := half.Clone()
	half.Name, other.Name = half.Name+" (1 of 2)", half.Name+" (2 of 2)"
	env.Users = append(env.Users, other)
	return env
}

// splitting is the largest loss of a user when another one is split. What the split ones
// gain without anybody's loss was nobody's.
func splitting(rule Rule, env *cluster.Environment) (judge, error) {
	if len(env.Users) < 2 {
		return nil, ErrOutside
	}
	had, err := rule.held(env)
	return func(c Change) (Outcome, error) {
		return rule.setback(env, had, Split(Case{Env: env, Change: c}), fmt.Sprintf("after user %q has become two of half its weight, ", env.Users[c.User].Name))
	}, err
}

// growths lets each capacity grow.
func growths(rng *rand.Rand, _ Rule, env *cluster.Environment) []Change {
	var all []Change
	for row := range env.Rows() {
		all = append(all, Change{Row: row, Factor: []float64{1.25, 1.5, 2, 3}[rng.IntN(4)]})
	}
	return all
}

// Grown returns the environment in which one capacity is larger.
func Grown(c Case) *cluster.Environment {
	env := c.Env.Clone()
	if e := c.Row - env.LinkRow(0); e >= 0 {
		env.Links[e].Capacity *= c.Factor
		return env
	}
	env.Servers[c.Row/len(env.Resources)].Capacity[c.Row%len(env.Resources)] *= c.Factor
	return env
}

// growth is the largest loss of a user when a capacity grows.
func growth(rule Rule, env *cluster.Environment) (judge, error) {
	had, err := rule.held(env)
	return func(c Change) (Outcome, error) {
		after := Grown(Case{env, c})
		return rule.setback(env, had, after, fmt.Sprintf("with %g of %s instead of %g, ", after.RowCapacity(c.Row), env.RowName(c.Row), env.RowCapacity(c.Row)))
	}, err
}

// held returns what the users run, 0 for what is rounding.
func (r Rule) held(env *cluster.Environment) ([]float64, error) {
	a, err := r.allocate(env)
	if err != nil {
		return nil, err
	}
	for j := range a.Tasks {
		if a.Tasks[j] < noise*env.Eta(j) {
			a.Tasks[j] = 0
		}
	}
	return a.Tasks, nil
}

func (r Rule) setback(before *cluster.Environment, had []float64, after *cluster.Environment, when string) (Outcome, error) {
	a, err := r.allocate(after)
	if err != nil {
		return none, err
	}
	worst := fair.WorstSetback(before, had, after, a.Tasks)
	if worst.User == "" {
		return none, nil
	}
	return sized(worst.Size, sentence{when, worst}), nil
}

// sentence is a sentence with something before it.
type sentence struct {
	before string
	rest   fmt.Stringer
}

func (s sentence) String() string { return s.before + s.rest.String() }
