package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// liesPerUser is how many random lies of each user are tried, and mostLiars of
// how many users.
const (
	liesPerUser = 4
	mostLiars   = 3
)

// lies draws lies of some of the users: about single demands, all demands, the
// servers that may run them, both, or the number of tasks.
func lies(rng *rand.Rand, rule Rule, env *cluster.Environment) []Change {
	var all []Change
	for _, j := range rng.Perm(len(env.Users))[:min(mostLiars, len(env.Users))] {
		for range liesPerUser {
			report := distort(rng, env, j)
			all = append(all, Change{User: j, Report: &report})
		}
	}
	return all
}

// distort returns what user j might report instead of the truth.
func distort(rng *rand.Rand, env *cluster.Environment, j int) cluster.User {
	u := env.Users[j].Clone()
	size := []float64{0.03, 0.3, 1}[rng.IntN(3)]
	switch kind := rng.IntN(8); {
	case kind == 0 && len(env.Servers) > 1:
		flip(rng, env, &u)
	case kind == 1 && len(env.Servers) > 1:
		flip(rng, env, &u)
		bend(rng, &u, size, false)
	case kind == 2 && !math.IsInf(u.Tasks, 1):
		u.Tasks *= math.Exp(size * rng.NormFloat64())
	case kind == 3:
		pretend(rng, &u)
	default:
		bend(rng, &u, size, kind < 6)
	}
	return u
}

// flip adds a server to those that may run the user, or takes one away.
func flip(rng *rand.Rand, env *cluster.Environment, u *cluster.User) {
	n := len(env.Servers)
	if u.Eligible == nil {
		u.Eligible = cluster.NewSet(n)
		for s := range n {
			u.Eligible.Add(s)
		}
	}
	s := rng.IntN(n)
	u.Eligible[s>>6] ^= 1 << (uint(s) & 63)
	if u.Eligible.Len() == 0 {
		u.Eligible.Add(s)
	}
	if u.Eligible.Len() == n {
		u.Eligible = nil
	}
}

// bend multiplies one demand, or each, by a random factor.
func bend(rng *rand.Rand, u *cluster.User, size float64, one bool) {
	all := numbers(u)
	which := rng.IntN(len(all))
	for i, v := range all {
		if !one || i == which {
			*v *= math.Exp(size * rng.NormFloat64())
		}
	}
}

// pretend reports a need that is not there, or the lack of one that is.
func pretend(rng *rand.Rand, u *cluster.User) {
	all := numbers(u)
	v := all[rng.IntN(len(all))]
	if *v == 0 {
		*v = rng.Float64()
	} else if v = all[rng.IntN(len(all))]; *v > 0 && positive(u) > 1 {
		*v = 0
	}
}

// numbers returns the demands of a user, to be changed.
func numbers(u *cluster.User) []*float64 {
	var all []*float64
	add := func(d []float64) {
		for i := range d {
			all = append(all, &d[i])
		}
	}
	add(u.Demand)
	add(u.LinkDemand)
	for s := range 64 {
		add(u.DemandOn[s])
	}
	return all
}

// positive counts the server resources that a user needs.
func positive(u *cluster.User) int {
	n := 0
	for _, d := range u.Demand {
		if d > 0 {
			n++
		}
	}
	return n
}

// lying judges lies. The gain is what counts; local search climbs the gain in
// proportion to the size of the lie, which has a slope where the gain itself is
// at its top, the truth.
func lying(rule Rule, env *cluster.Environment) (judge, error) {
	honest, err := rule.allocate(env)
	if err != nil {
		return nil, err
	}
	valid := validOf(env)
	floors := make([]float64, len(env.Users)) // by user, once it has lied
	return func(c Change) (Outcome, error) {
		told, err := rule.tells(policies.SP, Case{env, c}, valid)
		if err != nil {
			return none, err
		}
		lied, err := rule.allocate(told)
		if err != nil {
			return none, err
		}
		truth := env.Users[c.User]
		lie := fair.Lie{Truth: truth, Report: *c.Report, Honest: fair.Worth(honest, c.User, truth), Lying: fair.Worth(lied, c.User, truth)}
		if floors[c.User] == 0 {
			floors[c.User] = noise * env.EtaEligible(c.User)
		}
		return gain(lie, floors[c.User]), nil
	}, nil
}

// validity returns what is wrong with an environment in which a user may lie.
type validity func(told *cluster.Environment, liar int) error

// anew looks at the whole environment.
func anew(told *cluster.Environment, _ int) error { return cluster.Validate(told) }

// validOf is what decides of lies in an environment: where it is valid, of the report alone.
func validOf(env *cluster.Environment) validity {
	if cluster.Validate(env) == nil {
		return cluster.ValidateUser
	}
	return anew
}

// tells returns the environment that the rule is told of, ErrOutside if it has what the
// search for the property leaves out, or is not valid.
func (r Rule) tells(p policies.Property, c Case, valid validity) (*cluster.Environment, error) {
	told := Told(c)
	if cluster.Features(told)&(r.Without(p)&^cluster.Features(c.Env)) != 0 {
		return nil, ErrOutside
	}
	if valid(told, c.User) != nil {
		return nil, ErrOutside
	}
	return told, nil
}

// gain is the outcome of a lie.
func gain(lie fair.Lie, floor float64) Outcome {
	more := (lie.Lying - lie.Honest) / (lie.Honest + floor)
	if math.IsNaN(more) {
		return none
	}
	o := Outcome{Size: more, Near: more, Sentence: lie}
	if more <= 0 {
		o.Near = more / max(distance(&lie.Truth, &lie.Report), 1e-3)
	}
	return o
}

// Told returns the environment that the rule is told of. A user's weight is not
// for it to report.
func Told(c Case) *cluster.Environment {
	users := slices.Clone(c.Env.Users)
	users[c.User] = *c.Report
	users[c.User].Weight = c.Env.Users[c.User].Weight
	return c.Env.With(users)
}

// distance is the size of a lie: the largest logarithm of the ratio of a
// demand to the truth, and 1 where anything else differs.
func distance(truth, report *cluster.User) float64 {
	far := 0.0
	mine, own := numbers(report), numbers(truth)
	if len(mine) != len(own) { // demands on other servers
		return 1
	}
	for i, v := range own {
		switch {
		case *v == *mine[i]:
		case *v == 0 || *mine[i] == 0:
			far = max(far, 1)
		default:
			far = max(far, math.Abs(math.Log(*mine[i] / *v)))
		}
	}
	if !slices.Equal(truth.Eligible, report.Eligible) || truth.Tasks != report.Tasks {
		far = max(far, 1)
	}
	return far
}

// replies is the number of reports that the search for the best one tries.
const replies = 30

// bestReply improves a lie by pattern search over the logarithms of what is
// reported: each demand in turn is raised and lowered, and the step is halved
// where nothing helps.
func bestReply(rate judge, best Found) Found {
	for step := 0.5; step > 1e-3 && best.Asked < replies; {
		if next, better := reply(rate, best, step); better {
			best = next
		} else {
			best.Asked = next.Asked
			step /= 3
		}
	}
	return best
}

// reply tries one step in each direction.
func reply(rate judge, best Found, step float64) (Found, bool) {
	better := false
	for i, v := range numbers(best.Case.Report) {
		for _, f := range []float64{math.Exp(step), math.Exp(-step)} {
			if *v == 0 || best.Asked >= replies {
				break
			}
			report := best.Case.Report.Clone()
			*numbers(&report)[i] *= f
			next := best.Case
			next.Report = &report
			best.Asked++
			if o, err := rate(next.Change); err == nil && o.Near > best.Outcome.Near {
				best.Case, best.Outcome, better = next, o, true
				break
			}
		}
	}
	return best, better
}
