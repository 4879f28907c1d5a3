package fair

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// psdsfFigure1 is PS-DSF's figure 1.
func psdsfFigure1() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem", "bw"},
		Servers:   []cluster.Server{{Name: "s1", Capacity: []float64{9, 12, 100}, Count: 1}, {Name: "s2", Capacity: []float64{12, 12, 0}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("u1", []float64{1, 2, 10}), cluster.NewUser("u2", []float64{1, 2, 0})},
	}
}

func TestPSDSFFigure1HasBottlenecks(t *testing.T) {
	env := psdsfFigure1()
	b := Bottlenecks(allocate(env, []float64{6, 0}, []float64{0, 6}))
	near(t, "shortfall", b.Shortfall, 0)
	// TSF gives 4 and 8 tasks: on s1 u2 has mem with the share 8/6, u1 has 4/6.
	b = Bottlenecks(allocate(env, []float64{4, 0}, []float64{2, 6}))
	if b.User != 0 || b.Server != 0 || b.Resource != 1 || b.Ahead != 1 {
		t.Errorf("witness: %s", b)
	}
	near(t, "u1's share", b.Own, 4./6)
	near(t, "u2's share", b.Other, 8./6)
	near(t, "shortfall", b.Shortfall, 1./3) // u2 holds 4 of the 12
	const sentence = `user "u1" on server "s1": of mem 0 is unused and user "u2" has some with the share 1.33333333, its own being 0.666666667 (shortfall 0.333)`
	if b.String() != sentence {
		t.Errorf("%s", b)
	}
	// What nobody uses is no bottleneck.
	b = Bottlenecks(allocate(env, []float64{3, 0}, []float64{0, 6}))
	if b.User != 0 || b.Ahead != -1 || b.Shortfall != .5 || !strings.Contains(b.String(), "of mem 0.5 is unused (shortfall 0.5)") {
		t.Errorf("half of s1 is unused: %s", b)
	}
	// A user at its cap needs no bottleneck; weights count.
	env.Users[0].Tasks = 3
	if b = Bottlenecks(allocate(env, []float64{3, 0}, []float64{3, 6})); b.Shortfall != 0 {
		t.Errorf("u1 at its cap: %s", b)
	}
	env = psdsfFigure1()
	env.Users[1].Weight = 2
	near(t, "with weights 1 and 2", Bottlenecks(allocate(env, []float64{4, 0}, []float64{2, 6})).Shortfall, 0)
}

// shortfallOf is the definition, resource by resource.
func shortfallOf(a *cluster.Allocation) float64 {
	env, worst := a.Region, 0.0
	for s := range env.Servers {
		for j := range env.Users {
			if !env.MayRun(j, s) || env.Gamma(j, s) == 0 || a.Tasks[j] >= env.Users[j].Tasks*(1-1e-9) {
				continue
			}
			level := func(m int) float64 { return a.Tasks[m] / env.Gamma(m, s) / env.Users[m].Weight }
			best := math.Inf(1)
			for r, d := range env.Demand(j, s) {
				if d == 0 {
					continue
				}
				free, ahead := 1.0, 0.0
				for m := range env.Users {
					part := a.On(m)[s] * env.Demand(m, s)[r] / env.Capacity(s, r)
					free -= part
					if part > 0 {
						ahead = max(ahead, min(part, 1-level(j)/level(m)))
					}
				}
				best = min(best, max(free, ahead, 0))
			}
			worst = max(worst, best)
		}
	}
	return worst
}

func TestBottlenecksAgreeWithTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	low := 0
	for range 400 {
		env, a := random(rng, 2+rng.IntN(6), 1+rng.IntN(4), 0, false)
		got, want := Bottlenecks(a).Shortfall, shortfallOf(a)
		if math.Abs(got-want) > 1e-12 {
			t.Fatalf("shortfall %g, want %g in %+v", got, want, env)
		}
		if want < 0.5 {
			low++
		}
	}
	if low == 400 || low == 0 {
		t.Errorf("%d of 400 below a half", low)
	}
}
