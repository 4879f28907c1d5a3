package whole

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// divided is a replay under a rounded rule.
type divided struct {
	env     *cluster.Environment
	jobs    []sim.Job
	rule    string
	options Rounding
}

// log replays and returns what happens, and how often the rule was asked.
func (d divided) log(t *testing.T, known *Divisions) (log []string, asked int) {
	d.options.Divisions, d.options.Name, d.options.Random = known, d.rule, rand.NewPCG(5, 5)
	rule := Rounded(counting{mustPolicy(t, d.rule), &asked}, d.options)
	r := &Replay{Env: d.env, Jobs: d.jobs, Rule: rule, Slot: 2e6, OnEvent: logger(d.jobs, &log)}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return log, asked
}

// like returns replays that differ from d in one thing each on which divisions depend.
func (d divided) like(rng *rand.Rand) []divided {
	var all []divided
	change := func(what func(*divided)) {
		c := d
		c.env, c.jobs = d.env.With(nil), slices.Clone(d.jobs)
		c.env.Servers, c.env.Links = slices.Clone(d.env.Servers), slices.Clone(d.env.Links)
		what(&c)
		all = append(all, c)
	}
	user := func(c *divided) *cluster.User { return &c.jobs[rng.IntN(len(c.jobs))].User }
	change(func(*divided) {})
	change(func(c *divided) { c.options.Fill = FillSlot })
	change(func(c *divided) { c.options.Literal = true })
	change(func(c *divided) { c.rule = "utilitarian" })
	change(func(c *divided) { c.options.Vertex = true })
	change(func(c *divided) { c.options.Caps = BoundSubmitted })
	change(func(c *divided) { c.options.Caps = BoundLeft })
	change(func(c *divided) { user(c).Weight *= 3 })
	change(func(c *divided) { u := user(c); u.Demand = append([]float64{0.2}, u.Demand[1:]...) })
	change(func(c *divided) { user(c).Eligible = cluster.NewSet(len(c.env.Servers), 0) })
	change(func(c *divided) {
		user(c).DemandOn = map[int][]float64{0: slices.Repeat([]float64{0.2}, len(c.env.Resources))}
	})
	change(func(c *divided) { c.env.Servers[0].Count++ })
	change(func(c *divided) { c.env.Servers[0].Capacity = slices.Repeat([]float64{0.9}, len(c.env.Resources)) })
	if len(d.env.Links) > 0 {
		change(func(c *divided) { u := user(c); u.LinkDemand = slices.Repeat([]float64{0.2}, len(u.LinkDemand)) })
		change(func(c *divided) { user(c).LinkDemand = nil })
		change(func(c *divided) { c.env.Links[0].Capacity /= 2 })
		change(func(c *divided) { c.env.Links[0].Servers = cluster.NewSet(len(c.env.Servers), 0) })
		change(func(c *divided) { c.env.Links[0].Servers = cluster.Set{} })
	}
	return all
}

// What divisions are remembered of does not show: replays that differ in one thing have one
// memory, large or so small that most is forgotten, and go as they go without.
func TestRememberedDivisionsAreTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	large, small := NewDivisions(10<<20), NewDivisions(4000)
	var asked [3]int
	for k := range 40 {
		env := randomEnv(rng, k%4 > 0)
		d := divided{env, randomJobs(rng, env, 2+rng.IntN(8), k%4 > 0), []string{"mnw", "cru"}[k%2], Rounding{Vertex: k%5 == 0}}
		if k%2 == 1 {
			d.rule = "ru" // cru has no caps
		}
		for i, of := range d.like(rng) {
			want, without := of.log(t, nil)
			asked[0] += without
			for m, known := range []*Divisions{large, small} {
				got, n := of.log(t, known)
				asked[m+1] += n
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("workload %d, replay %d, memory %d:\n%s", k, i, m, diff)
				}
			}
		}
	}
	if asked[1] > asked[0]*9/10 || asked[2] <= asked[1] || asked[2] >= asked[0] {
		t.Errorf("the rule was asked %d times without a memory, %d with a large one, %d with a small one", asked[0], asked[1], asked[2])
	}
	if got := len(small.young.values); got > small.room+1000 {
		t.Errorf("the small memory holds %d numbers, where %d and a division are its most", got, small.room)
	}
}
