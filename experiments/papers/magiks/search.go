package magiks

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies/game"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/stream"
)

// SearchName is the kind of the search for environments without an
// equilibrium.
const SearchName = "magiks-search"

func init() {
	spec.RegisterKind(spec.Kind{
		Name:  SearchName,
		Title: "MAGIKS on servers that differ: a search for environments without an equilibrium, all associations enumerated",
		Parameters: []spec.Parameter{
			{Name: "n", Unit: "1", Doc: "Users.", Default: "4", Canonical: spec.WholeNumber(2, 8)},
			{Name: "m", Unit: "1", Doc: "Servers.", Default: "3", Canonical: spec.WholeNumber(2, 5)},
			{Name: "l", Unit: "1", Doc: "Resources.", Default: "2", Canonical: spec.WholeNumber(1, 6)},
			{Name: "demands", Doc: "Whether a user's demand is the same everywhere (one) or another on each server (each).",
				Default: "one", Canonical: spec.OneOf("one", "each")},
			{Name: "random", Unit: "1", Doc: "Random environments looked at in one instance.", Default: "50", Canonical: spec.WholeNumber(1, 1_000_000)},
			{Name: "steps", Unit: "1", Doc: "Environments looked at in annealing the last of them.", Default: "200", Canonical: spec.WholeNumber(0, 1_000_000)},
		},
		Open: func(_ context.Context, s spec.Scenario) (spec.Instances, error) { return &search{s}, nil },
	})
}

// search is an open scenario.
type search struct{ s spec.Scenario }

// ties is the relative difference below which a user does not move. Gains
// below it are rounding.
const ties = 1e-9

// Instance looks at random environments, with demands lognormal (σ = 1) and
// capacities lognormal (σ = 1/2), and anneals the last one: it changes one to
// three numbers at a time. The least gain is the smallest over all associations
// of the largest gain of a user; above 1 there is no equilibrium.
func (in *search) Instance(ctx context.Context, i int) ([]results.Row, error) {
	n, m, l := int(in.s.WholeNumber("n")), int(in.s.WholeNumber("m")), int(in.s.WholeNumber("l"))
	each := in.s.Text("demands") == "each"
	rng := stream.New(Paper, in.s.Seed, "search", n, m, l, in.s.Text("demands"), i)
	found := finding{}
	var env *cluster.Environment
	for range in.s.WholeNumber("random") {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		env = random(rng, n, m, l, each)
		if err := found.look(env); err != nil {
			return nil, err
		}
	}
	if err := found.climb(ctx, rng, env, int(in.s.WholeNumber("steps"))); err != nil {
		return nil, err
	}
	return found.rows(results.Row{Experiment: Paper, Item: heterogeneous, Policy: rim, Workload: searchLabel}), nil
}

const searchLabel = "lognormal demands and capacities (synthetic)"

// random draws an environment.
func random(rng *rand.Rand, n, m, l int, each bool) *cluster.Environment {
	vector := func(sigma float64) []float64 {
		v := make([]float64, l)
		for r := range v {
			v[r] = math.Exp(sigma * rng.NormFloat64())
		}
		return v
	}
	env := &cluster.Environment{}
	for r := range l {
		env.Resources = append(env.Resources, fmt.Sprint("r", r))
	}
	for s := range m {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: vector(0.5), Count: 1})
	}
	for j := range n {
		u := cluster.NewUser(fmt.Sprint("u", j), vector(1))
		if each {
			u.DemandOn = map[int][]float64{}
			for s := range m {
				u.DemandOn[s] = vector(1)
			}
		}
		env.Users = append(env.Users, u)
	}
	return env
}

// finding is what a search has found so far.
type finding struct {
	looked, none, circular int // random environments; without an equilibrium; where improvements go round
	rounds, plays          int // plays of MAGIKS-BIM that went round; plays
	climbed                int
	least                  float64 // largest least gain of all
}

func table(env *cluster.Environment) *game.Table {
	return game.NewTable(len(env.Users), len(env.Servers), game.KS(env))
}

// look judges a random environment.
func (f *finding) look(env *cluster.Environment) error {
	t := table(env)
	f.looked++
	_, least, err := t.Calm(1)
	if err != nil {
		return err
	}
	f.least = math.Max(f.least, least)
	if least > 1+ties {
		f.none++
	}
	circular, err := t.Cyclic(ties)
	if err != nil {
		return err
	}
	if circular {
		f.circular++
	}
	return f.playBIM(env)
}

// playBIM plays MAGIKS-BIM from the associations in which all are on one server.
func (f *finding) playBIM(env *cluster.Environment) error {
	g, err := game.Of(env)
	if err != nil {
		return err
	}
	var p game.Play
	at := make([]int, g.Users)
	for s := range g.Servers {
		for j := range at {
			at[j] = s
		}
		p.Start(g, at)
		f.plays++
		if out := p.Run(game.Rule{Gain: game.ByShare}, nil); !out.Equilibrium {
			f.rounds++
		}
	}
	return nil
}

// margin is how far above 1 the gain of an association may be and still count
// as calm: the next equilibrium is often one that a change has just destroyed.
const margin = 1.02

// climb lowers the calm of env (see [game.Table.Calm]) by simulated annealing,
// until there is no equilibrium.
func (f *finding) climb(ctx context.Context, rng *rand.Rand, env *cluster.Environment, steps int) error {
	calm, best, err := table(env).Calm(margin)
	if err != nil {
		return err
	}
	heat := margin - 1
	for k := 0; k < steps && best <= 1+ties; k++ {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		next := changed(rng, env)
		f.climbed++
		then, least, err := table(next).Calm(margin)
		if err != nil {
			return err
		}
		if least > 1+ties {
			f.none++
		}
		best = math.Max(best, least)
		if then <= calm || rng.Float64() < math.Exp((calm-then)/heat) {
			env, calm = next, then
		}
		heat *= cooling
	}
	f.least = math.Max(f.least, best)
	return nil
}

// cooling is the factor of the temperature at each step.
const cooling = 0.9985

// changed returns env with one to three of its numbers changed, by much or
// little.
func changed(rng *rand.Rand, env *cluster.Environment) *cluster.Environment {
	next := env.Clone()
	size := math.Pow(10, -2.5*rng.Float64())
	for range 1 + rng.IntN(3) {
		v := next.Servers[rng.IntN(len(next.Servers))].Capacity
		if u := &next.Users[rng.IntN(len(next.Users))]; rng.IntN(3) > 0 {
			v = u.Demand
			if u.DemandOn != nil {
				v = u.DemandOn[rng.IntN(len(next.Servers))]
			}
		}
		v[rng.IntN(len(v))] *= math.Exp(size * rng.NormFloat64())
	}
	return next
}

// rows writes the finding.
func (f *finding) rows(to results.Row) []results.Row {
	return []results.Row{
		to.Measure(MetricSearched, float64(f.looked+f.climbed)), to.Measure(MetricRandom, float64(f.looked)),
		to.Measure(MetricNoEquilibrium, float64(f.none)), to.Measure(MetricCircular, float64(f.circular)),
		to.Measure(MetricRounds, float64(f.rounds)), to.Measure(MetricPlays, float64(f.plays)), to.Measure(MetricLeastGain, f.least),
	}
}
