package psdsf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/psdsf"
	"github.com/leontief-sim/leontief/policies/psdsf/distributed"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"

	"github.com/leontief-sim/leontief/sim/stream"
)

const (
	propertiesKind  = "ps-dsf-properties"
	distributedKind = "ps-dsf-distributed"
	randomLabel     = "random environments (synthetic)"
)

func init() {
	spec.RegisterKind(spec.Kind{
		Name: propertiesKind, Title: "Pareto optimality, envy, sharing incentive and lies on random environments with placement constraints",
		Parameters: []spec.Parameter{{Name: "policy", Doc: "Allocation rule.", Required: true, Canonical: spec.Text(policyNamed)}},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			p, err := policies.New(s.Text("policy"))
			return properties{s, p}, err
		},
	})
	spec.RegisterKind(spec.Kind{
		Name: distributedKind, Title: "Servers that act by themselves on random environments: rounds and messages until they rest",
		Parameters: []spec.Parameter{{Name: "resources", Unit: "1", Doc: "Resources of a server; 0: 2 or 3.", Default: "0", Canonical: spec.WholeNumber(0, 8)}},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) {
			return alone{s}, nil
		},
	})
}

func policyNamed(text string) (string, error) {
	_, err := policies.New(text)
	return text, err
}

// draw makes a random environment: 2 to 6 users and 2 to 4 servers, capacities
// log-uniform in [0.25, 2] and demands in [0.005, 0.5]; half of the environments
// have weights (in [0.25, 4]), half placement constraints, a third zero demands.
func draw(rng *rand.Rand, resources int) *cluster.Environment {
	if resources == 0 {
		resources = 2 + rng.IntN(2)
	}
	logUniform := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*math.Log(hi/lo)) }
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu", "r4", "r5", "r6", "r7", "r8"}[:resources]}
	users, servers := 2+rng.IntN(5), 2+rng.IntN(3)
	weights, constraints, zeros := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(3) == 0
	for s := range servers {
		c := make([]float64, resources)
		for r := range c {
			c[r] = logUniform(0.25, 2)
		}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("s%d", s), Capacity: c, Count: 1})
	}
	for j := range users {
		d := make([]float64, resources)
		for r := range d {
			d[r] = logUniform(0.005, 0.5)
		}
		if zero := rng.IntN(4 * resources); zeros && resources > 1 && zero < resources {
			d[zero] = 0
		}
		u := cluster.NewUser(fmt.Sprintf("u%d", j), d)
		if weights {
			u.Weight = logUniform(0.25, 4)
		}
		if constraints && rng.IntN(2) == 0 {
			u.Eligible = cluster.NewSet(servers, rng.IntN(servers))
			u.Eligible.Add(rng.IntN(servers))
		}
		env.Users = append(env.Users, u)
	}
	return env
}

// random returns the random numbers of one purpose on one instance: the same for
// every policy.
func random(s spec.Scenario, i int, purpose string) *rand.Rand {
	return stream.New(Paper, s.Seed, randomLabel, i, purpose)
}

// like is what rows of random environments have in common.
var like = results.Row{Experiment: Paper, Workload: randomLabel}

// properties checks one rule.
type properties struct {
	spec.Scenario
	policy policies.Policy
}

// Instance implements [spec.Instances].
func (p properties) Instance(_ context.Context, i int) ([]results.Row, error) {
	env := draw(random(p.Scenario, i, "environment"), 0)
	a, err := policies.Allocate(p.policy, env)
	if err != nil {
		return nil, err
	}
	factor, _, err := solve.Domination(env, a.Tasks)
	if err != nil {
		return nil, err
	}
	gain, err := p.bestLie(env, a, random(p.Scenario, i, "lies"))
	if err != nil {
		return nil, err
	}
	far, err := p.fromDRF(env)
	if err != nil {
		return nil, err
	}
	judge := fair.NewJudge(env)
	return []results.Row{
		like.Measure(metricDomination, factor), like.Measure(metricEnvy, judge.MinEFSat(a, nil).Sat), like.Measure(metricSharing, judge.MinSISat(a, nil).Sat),
		like.Measure(metricLie, gain), like.Measure(metricShortfall, fair.Bottlenecks(a).Shortfall),
		like.Measure(metricOneServer, far),
	}, nil
}

// fromDRF is how far the rule is from DRF where all resources are in one server, which all
// users may use.
func (p properties) fromDRF(env *cluster.Environment) (float64, error) {
	pool := &cluster.Environment{Resources: env.Resources, Users: slices.Clone(env.Users)}
	pool.Servers = []cluster.Server{{Name: "all", Count: 1}}
	for r := range env.Resources {
		pool.Servers[0].Capacity = append(pool.Servers[0].Capacity, env.TotalCapacity(r))
	}
	for j := range pool.Users {
		pool.Users[j].Eligible = nil
	}
	a, err := policies.Allocate(p.policy, pool)
	if err != nil {
		return 0, err
	}
	drf, err := policies.AllocateBy("drf", pool)
	if err != nil {
		return 0, err
	}
	return distance(a.Tasks, drf.Tasks), nil
}

// lies is the number of lies tried per environment.
const lies = 10

// bestLie lets random users report other demands (each times the exponential of
// a small normal number) or one server more or less, and returns the largest
// relative gain in real tasks; 0 if none pays.
func (p properties) bestLie(env *cluster.Environment, honest *cluster.Allocation, rng *rand.Rand) (float64, error) {
	best := 0.0
	for range lies {
		j := rng.IntN(len(env.Users))
		truth := env.Users[j]
		lie := truth
		lie.Demand = slices.Clone(truth.Demand)
		size := math.Pow(10, -2*rng.Float64())
		for r := range lie.Demand {
			lie.Demand[r] *= math.Exp(size * rng.NormFloat64())
		}
		if truth.Eligible != nil && rng.IntN(2) == 0 {
			lie.Demand, lie.Eligible = truth.Demand, slices.Clone(truth.Eligible)
			lie.Eligible[0] ^= 1 << rng.IntN(len(env.Servers))
		}
		users := slices.Clone(env.Users)
		users[j] = lie
		lying, err := policies.Allocate(p.policy, env.With(users))
		if err != nil {
			return 0, err
		}
		real := 0.0
		for s, x := range lying.On(j) {
			if env.MayRun(j, s) {
				real += x * worth(lie.Demand, truth.Demand)
			}
		}
		if honest.Tasks[j] > 0 {
			best = math.Max(best, real/honest.Tasks[j]-1)
		}
	}
	return best, nil
}

// worth is how many tasks of the needed demand fit into one of the held.
func worth(held, needed []float64) float64 {
	least := math.Inf(1)
	for r, d := range needed {
		if d > 0 {
			least = math.Min(least, held[r]/d)
		}
	}
	return least
}

// alone runs servers that act by themselves.
type alone struct{ spec.Scenario }

// most is the number of rounds after which servers count as restless.
const most = 2000

// Instance implements [spec.Instances].
func (p alone) Instance(_ context.Context, i int) ([]results.Row, error) {
	env := draw(random(p.Scenario, i, "environment"), int(p.WholeNumber("resources")))
	central, err := psdsf.Solve(env)
	if err != nil {
		return nil, err
	}
	ends := 0.0
	if central.Step == 1 {
		ends = 1
	}
	present := slices.Repeat([]bool{true}, len(env.Users))
	sys, err := distributed.New(env, present, second, random(p.Scenario, i, "phases"))
	if err != nil {
		return nil, err
	}
	rounds, rested := sys.Settle(most)
	like := like
	like.Policy = "ps-dsf"
	out := []results.Row{like.Measure(metricRested, 0), like.Measure(metricEnds, ends)}
	if rested {
		a, traffic := sys.Allocation(), sys.Traffic()
		out[0].Value = 1
		out = append(out,
			like.Measure(metricRounds, float64(rounds)), like.Measure(metricReports, float64(traffic.Reports)), like.Measure(metricReads, float64(traffic.Reads)),
			like.Measure(metricShortfall, fair.Bottlenecks(a).Shortfall), like.Measure(metricDistance, distance(a.Tasks, central.Allocation.Tasks)))
	}
	return out, nil
}

const second event.Time = 1_000_000

// distance is the largest relative difference of a total.
func distance(got, want []float64) float64 {
	worst := 0.0
	for j := range want {
		if got[j] != want[j] {
			worst = math.Max(worst, math.Abs(got[j]-want[j])/math.Max(got[j], want[j]))
		}
	}
	return worst
}

// Metrics of random environments and of servers that act by themselves.
const (
	metricDomination = results.MetricDomination
	metricEnvy       = results.MetricMinEFSat
	metricSharing    = results.MetricMinSISat
	metricLie        = "lie_gain"
	metricShortfall  = "bottleneck_shortfall"
	metricRested     = "rested"
	metricRounds     = "rounds"
	metricReports    = "reports"
	metricReads      = "reads"
	metricEnds       = "algorithm1_ends"
	metricDistance   = "central_distance"
	metricOneServer  = "one_server_distance"
)

func init() {
	results.RegisterMetrics(
		results.Metric{Name: metricLie, Unit: results.UnitRatio, Better: results.Lower, Formula: "max over lies of x[j] after the lie / x[j] − 1, at least 0",
			Definition: "What the best of the lies tried gains a user, relative to the truth."},
		results.Metric{Name: metricShortfall, Unit: results.UnitRatio, Better: results.Lower,
			Definition: "By how much a user's virtual dominant share falls short of that of another user on each of its bottlenecks, relative; 0 in a PS-DSF allocation."},
		results.Metric{Name: metricRested, Unit: results.UnitRatio, High: 1, Better: results.Higher,
			Definition: "1 if the servers that act by themselves came to rest, 0 if they had not after 2,000 rounds."},
		results.Metric{Name: metricRounds, Unit: results.UnitCount, Better: results.Lower,
			Definition: "Rounds of the servers until they rested; in figure 6 until the allocation was one of Theorem 1, within 1e-6, for good."},
		results.Metric{Name: metricReports, Unit: results.UnitCount, Better: results.Lower,
			Definition: "Changes that servers told users until then."},
		results.Metric{Name: metricReads, Unit: results.UnitCount, Better: results.Lower,
			Definition: "Totals that servers asked users for until then."},
		results.Metric{Name: metricEnds, Unit: results.UnitRatio, High: 1, Better: results.Higher,
			Definition: "1 if the plain rounds of Algorithm I end, 0 if not."},
		results.Metric{Name: metricOneServer, Unit: results.UnitRatio, High: 1, Better: results.Lower,
			Definition: "Largest relative difference of a user's total from that under DRF, with all resources of the environment in one server that everybody may use."},
		results.Metric{Name: metricDistance, Unit: results.UnitRatio, High: 1, Better: results.Lower,
			Definition: "Largest relative difference of a user's total from that of the central PS-DSF allocation."},
	)
}
