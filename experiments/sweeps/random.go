package sweeps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
	"github.com/leontief-sim/leontief/sim/stream"
)

// Random is the kind of one division of a random environment that has the features asked for.
const Random = "random"

const randomLabel = "random environments (synthetic)"

// The parameters of [Random], but for policy and draws.
const (
	randomUsers   = "users"
	randomServers = "servers"
	spread        = "spread"
	linked        = "links"
	placed        = "constraints"
	weighted      = "weights"
	capped        = "caps"
	unlike        = "demands"
	reports       = "reports"
)

func init() {
	spec.RegisterKind(spec.Kind{
		Name: Random, Title: "one division of a random environment: envy, sharing incentive, waste, and the best lies",
		Parameters: []spec.Parameter{
			{Name: policy, Doc: "Allocation rule, as name or name[k=v,…].", Required: true, Canonical: spec.Text(registered)},
			{Name: randomUsers, Unit: "users", Doc: "Users. What a task needs of cpu and of memory is log-uniform in [0.02, 0.5].", Default: "5", Canonical: spec.WholeNumber(1, 100)},
			{Name: randomServers, Unit: "servers", Doc: "Servers.", Default: "3", Canonical: spec.WholeNumber(1, 64)},
			{Name: spread, Unit: "1", Doc: "Largest over smallest capacity; each of a server's is log-uniform between them, with the geometric mean 1.", Default: "4", Canonical: spec.Number(1, 1e6)},
			{Name: linked, Doc: "Links: none, one over all servers (shared), or one for each server (own). A task needs of a link what it could need of cpu, and a link has half of the cpu of the servers that it reaches.", Default: "none", Canonical: spec.OneOf("none", "shared", "own")},
			{Name: placed, Doc: "Whether each server may run a user with probability 1/2, at least one for certain, or all may: yes or no.", Default: "no", Canonical: spec.OneOf("no", "yes")},
			{Name: weighted, Doc: "Whether weights are log-uniform in [1/4, 4], or 1: yes or no.", Default: "no", Canonical: spec.OneOf("no", "yes")},
			{Name: capped, Doc: "Whether a user has so many tasks as are uniform in 1 to what it could run alone, or any number: yes or no.", Default: "no", Canonical: spec.OneOf("no", "yes")},
			{Name: unlike, Doc: "What tasks need: cpu and memory on every server the same (alike), each user one of the two only with probability 1/2 (zeros), or on each server as if drawn for it (by-server).", Default: "alike", Canonical: spec.OneOf("alike", "zeros", "by-server")},
			{Name: reports, Doc: "Reports that are tried for each user in the search for its best lie, as leontief explain does; 0 for none.", Default: "0", Canonical: spec.WholeNumber(0, 1e6)},
			{Name: draws, Doc: "Name of the streams of random numbers.", Default: "random", Canonical: spec.Text(plainName)},
		},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) { return openRandom(s) },
	})
	results.RegisterMetrics(
		results.Metric{Name: metricDefined, Label: "Defined", Unit: results.UnitRatio, High: 1, Better: results.Higher,
			Definition: "1 where the rule divides the environment, 0 where it refuses it."},
		results.Metric{Name: metricLeastShare, Label: "Smallest share", Unit: results.UnitRatio, High: 1, Better: results.Higher, Formula: "min over j of x[j]/η'[j]",
			Definition: "What the user with the least has of what it could run alone on the servers that may run it."},
		results.Metric{Name: metricEFKept, Label: "EF kept", Unit: results.UnitRatio, High: 1, Better: results.Higher, Property: "envy-freeness", Holds: 1,
			Definition: "1 where MIN-EF-SAT is at least 1 − 1e-6, else 0; the mean is the share of environments without envy."},
		results.Metric{Name: metricSIKept, Label: "SI kept", Unit: results.UnitRatio, High: 1, Better: results.Higher, Property: "sharing incentive", Holds: 1,
			Definition: "1 where MIN-SI-SAT is at least 1 − 1e-6, else 0; the mean is the share of environments where nobody has less than in an equal division."},
		results.Metric{Name: metricPOKept, Label: "PO kept", Unit: results.UnitRatio, High: 1, Better: results.Higher, Property: "Pareto optimality", Holds: 1,
			Definition: "1 where the domination factor is at most 1 + 1e-6, else 0; the mean is the share of environments where nothing is wasted."},
		results.Metric{Name: metricLiePart, Label: "Best lie", Unit: results.UnitRatio, High: 1, Better: results.Lower, Property: "strategy-proofness",
			Formula:    "max over j and the reports tried of (x[j] after the lie − x[j]) / η'[j], at least 0",
			Definition: "What the best lie that was found brings its user, in true tasks, as a part of what it could run alone. That none was found proves nothing."},
		results.Metric{Name: metricLiars, Label: "Users with a lie that pays", Unit: results.UnitRatio, High: 1, Better: results.Lower, Property: "strategy-proofness",
			Definition: "Share of the users for whom one of the reports tried pays by more than a millionth."},
	)
}

const (
	metricDefined    = "defined"
	metricLeastShare = "smallest_share"
	metricEFKept     = "ef_kept"
	metricSIKept     = "si_kept"
	metricPOKept     = "po_kept"
	metricLiePart    = "best_lie"
	metricLiars      = "liars"
)

// random divides environments under one rule.
type random struct {
	spec.Scenario
	rule audit.Rule
}

func openRandom(s spec.Scenario) (*random, error) {
	rule, err := audit.Named(s.Text(policy))
	return &random{s, rule}, err
}

// Instance implements [spec.Instances]. The rows are those of [metricDefined] alone where the
// rule refuses the environment.
func (r *random) Instance(_ context.Context, i int) ([]results.Row, error) {
	env := r.draw(i)
	a, err := policies.Allocate(r.rule.Policy, env)
	like := results.Row{Workload: randomLabel}
	if _, refused := errors.AsType[*policies.UnsupportedError](err); refused {
		return []results.Row{like.Measure(metricDefined, 0)}, nil
	}
	if err != nil {
		return nil, err
	}
	factor, _, err := solve.Domination(a.Region, a.Tasks)
	if err != nil {
		return nil, err
	}
	envy, sharing := fair.NewJudge(a.Region).MinEFSat(a, nil).Sat, fair.NewJudge(env).MinSISat(a, nil).Sat
	rows := []results.Row{
		like.Measure(metricDefined, 1), like.Measure(metricLeastShare, leastShare(env, a)), like.Measure(results.MetricShare, meanShare(env, a)),
		like.Measure(results.MetricMinEFSat, envy), like.Measure(results.MetricMinSISat, sharing), like.Measure(results.MetricDomination, factor),
		like.Measure(metricEFKept, kept(1-envy)), like.Measure(metricSIKept, kept(1-sharing)), like.Measure(metricPOKept, kept(factor-1)),
	}
	if tries := int(r.WholeNumber(reports)); tries > 0 {
		best, liars, err := r.lies(env, tries)
		if err != nil {
			return nil, err
		}
		rows = append(rows, like.Measure(metricLiePart, best), like.Measure(metricLiars, liars))
	}
	return rows, nil
}

// kept is 1 where a property lacks no more than rounding does.
func kept(lacking float64) float64 {
	if lacking <= audit.Margin {
		return 1
	}
	return 0
}

// lies searches for the best lie of each user.
func (r *random) lies(env *cluster.Environment, tries int) (best, liars float64, err error) {
	l, err := audit.NewLiars(r.rule, env)
	if err != nil {
		return 0, 0, err
	}
	for j := range env.Users {
		found, err := l.Best(j, tries, r.Seed)
		if err != nil {
			return 0, 0, err
		}
		if found.Told != nil {
			liars++
			best = max(best, (found.Lie.Lying-found.Lie.Honest)/env.EtaEligible(j))
		}
	}
	return best, liars / float64(len(env.Users)), nil
}

func leastShare(env *cluster.Environment, a *cluster.Allocation) float64 {
	least := math.Inf(1)
	for j := range env.Users {
		least = min(least, a.Tasks[j]/env.EtaEligible(j))
	}
	return least
}

func meanShare(env *cluster.Environment, a *cluster.Allocation) (mean float64) {
	for j, eta := range env.Etas(nil) {
		mean += a.Tasks[j] / eta / float64(len(env.Users))
	}
	return mean
}

// draw makes the environment of an instance. Every feature has a stream of its own, so that
// environments with and without it are the same in all else; rules face the same ones.
func (r *random) draw(i int) *cluster.Environment {
	of := func(use string) *rand.Rand { return stream.New(r.Text(draws), r.Seed, randomLabel, i, use) }
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
	root, rng := math.Sqrt(r.Number(spread)), of("servers")
	for s := range int(r.WholeNumber(randomServers)) {
		c := []float64{logUniform(rng, 1/root, root), logUniform(rng, 1/root, root)}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("s%d", s+1), Capacity: c, Count: 1})
	}
	env.Links = r.links(env)
	demands, link, place, weight, tasks := of("demands"), of("link demands"), of("places"), of("weights"), of("tasks")
	for j := range int(r.WholeNumber(randomUsers)) {
		u := cluster.NewUser(fmt.Sprintf("u%d", j+1), demand(demands))
		r.vary(&u, len(env.Servers), of(fmt.Sprintf("demands of %d", j)))
		need := demand(link)[0]
		for range env.Links {
			u.LinkDemand = append(u.LinkDemand, need)
		}
		if places := somePlaces(place, len(env.Servers)); r.Text(placed) == "yes" {
			u.Eligible = places
		}
		if w := logUniform(weight, 0.25, 4); r.Text(weighted) == "yes" {
			u.Weight = w
		}
		env.Users = append(env.Users, u)
	}
	if r.Text(capped) == "yes" {
		for j, eta := range env.EtasEligible(nil) {
			env.Users[j].Tasks = math.Ceil(tasks.Float64() * eta)
		}
	}
	return env
}

// links are those of the parameter.
func (r *random) links(env *cluster.Environment) []cluster.Link {
	const half = 0.5 // of the cpu that is reached
	switch r.Text(linked) {
	case "shared":
		return []cluster.Link{{Name: "link", Capacity: half * env.TotalCapacity(0)}}
	case "own":
		var all []cluster.Link
		for s, server := range env.Servers {
			all = append(all, cluster.Link{Name: "link-" + server.Name, Capacity: half * server.Capacity[0], Servers: cluster.NewSet(len(env.Servers), s)})
		}
		return all
	}
	return nil
}

// vary makes the demands of a user what the parameter says.
func (r *random) vary(u *cluster.User, servers int, rng *rand.Rand) {
	switch r.Text(unlike) {
	case "zeros":
		if rng.IntN(2) == 0 {
			u.Demand[rng.IntN(len(u.Demand))] = 0
		}
	case "by-server":
		u.DemandOn = map[int][]float64{}
		for s := range servers {
			u.DemandOn[s] = demand(rng)
		}
	}
}

// demand is what one task needs of cpu and of memory.
func demand(rng *rand.Rand) []float64 {
	const low, high = 0.02, 0.5
	return []float64{logUniform(rng, low, high), logUniform(rng, low, high)}
}

// somePlaces is one server for certain, and each other one with probability 1/2.
func somePlaces(rng *rand.Rand, servers int) cluster.Set {
	places := cluster.NewSet(servers, rng.IntN(servers))
	for s := range servers {
		if rng.IntN(2) == 0 {
			places.Add(s)
		}
	}
	return places
}

func logUniform(rng *rand.Rand, low, high float64) float64 {
	return low * math.Exp(rng.Float64()*math.Log(high/low))
}
