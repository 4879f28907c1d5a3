package mtp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/stream"
)

// drawnPoints is on how many random environments section 4.1 is tested.
const drawnPoints = 300

// section41 is what the paper says of equal division: EF and SI are guaranteed, it is
// SP, and generally not PO. In every environment a random user tells the lies of [lies].
func section41() ([]ledger.Entry, error) {
	rule, err := policies.New("eq")
	if err != nil {
		return nil, err
	}
	found, err := tryRule(rule, drawnPoints)
	if err != nil {
		return nil, err
	}
	words := func(id, claim string, value float64, bound ledger.Bound) ledger.Entry {
		return entry("sec4.1", "eq/"+id, fmt.Sprintf("section 4.1: EQ %s, over %d random environments", claim, drawnPoints)).Words(ledger.Computed(value, 1e-9), bound)
	}
	return []ledger.Entry{
		words("EF", "is guaranteed to satisfy EF: largest enviousness in percent", found.envy, ledger.AtMost(exact)),
		words("SI", "is guaranteed to satisfy SI: smallest MIN-SI-SAT", found.sharing, ledger.AtLeast(1-exact)),
		words("SP", "satisfies SP: largest gain of a lie in percent", found.lie, ledger.AtMost(exact)),
		words("not-PO", "generally is not Pareto optimal: share of environments with a domination factor above 1", found.dominated, ledger.AtLeast(0.5)),
	}, nil
}

// trial is what was found of a rule on random environments.
type trial struct {
	envy, sharing, lie, dominated float64
}

// tryRule looks at a rule on so many environments.
func tryRule(rule policies.Policy, environments int) (trial, error) {
	t := trial{sharing: math.Inf(1), lie: math.Inf(-1)}
	rng := stream.New(Name, "section 4.1")
	for range environments {
		env := drawPoints(rng)
		a, err := policies.Allocate(rule, env)
		if err != nil {
			return t, err
		}
		points, err := fair.NewAccessPoints(env)
		if err != nil {
			return t, err
		}
		factor, _, err := solve.Domination(env, a.Tasks)
		if err != nil {
			return t, err
		}
		liar := rng.IntN(len(env.Users))
		for _, lie := range lies(rng, env, liar) {
			lying, err := policies.Allocate(rule, lie)
			if err != nil {
				return t, err
			}
			t.lie = math.Max(t.lie, 100*(fair.Worth(lying, liar, env.Users[liar])/a.Tasks[liar]-1))
		}
		t.envy = math.Max(t.envy, points.Max(a, nil).Percent)
		t.sharing = math.Min(t.sharing, fair.NewJudge(env).MinSISat(a, nil).Sat)
		if factor > 1+exact {
			t.dominated += 1 / float64(environments)
		}
	}
	return t, nil
}

// drawPoints returns two to five access points with one or two servers each, of
// capacities as in table 1, and two to six users. Demands are log-uniform over a
// factor of 20, those on links uniform in [0.9, 9] of what a user needs.
func drawPoints(rng *rand.Rand) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	quarter := func() float64 { return 0.25 * float64(1+rng.IntN(4)) }
	var behind [][]int
	for e := range 2 + rng.IntN(4) {
		behind = append(behind, nil)
		for range 1 + rng.IntN(2) {
			behind[e] = append(behind[e], len(env.Servers))
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("s%d", len(env.Servers)+1), Capacity: []float64{quarter(), quarter()}, Count: 1})
		}
	}
	for e, servers := range behind {
		env.Links = append(env.Links, cluster.Link{Name: fmt.Sprintf("ap%d", e+1), Capacity: 1, Servers: cluster.NewSet(len(env.Servers), servers...)})
	}
	for j := range 2 + rng.IntN(5) {
		env.Users = append(env.Users, drawUser(rng, fmt.Sprintf("u%d", j+1), len(env.Links)))
	}
	return env
}

func drawUser(rng *rand.Rand, name string, links int) cluster.User {
	logUniform := func(low, high float64) float64 { return low * math.Exp(rng.Float64()*math.Log(high/low)) }
	u := cluster.NewUser(name, []float64{logUniform(0.05, 1), logUniform(0.05, 1)})
	needs := logUniform(0.02, 0.5)
	for range links {
		u.LinkDemand = append(u.LinkDemand, needs*(bestChannel+(worstChannel-bestChannel)*rng.Float64()))
	}
	return u
}

// lies returns environments in which a user reports, of one of its demands, half, twice
// or four times as much, and one in which it reports those of another draw.
func lies(rng *rand.Rand, env *cluster.Environment, liar int) []*cluster.Environment {
	other := env.Clone()
	other.Users[liar] = drawUser(rng, other.Users[liar].Name, len(env.Links))
	all := []*cluster.Environment{other}
	for k := range len(env.Resources) + len(env.Links) {
		for _, factor := range []float64{0.5, 2, 4} {
			lie := env.Clone()
			demand, r := lie.Users[liar].Demand, k
			if k >= len(env.Resources) {
				demand, r = lie.Users[liar].LinkDemand, k-len(env.Resources)
			}
			demand[r] *= factor
			all = append(all, lie)
		}
	}
	return all
}
