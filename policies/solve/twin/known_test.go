package twin

import (
	"math"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// The normalisers below are written from their definitions, for tests only.

// environment has servers of the given capacities and no links.
func environment(users []cluster.User, servers ...[]float64) *cluster.Environment {
	env := &cluster.Environment{Resources: make([]string, len(servers[0])), Users: users}
	for _, c := range servers {
		env.Servers = append(env.Servers, cluster.Server{Capacity: c, Count: 1})
	}
	return env
}

// eta returns η[j], the optimum of the one-user program without its cap,
// eligibility ignored or not.
func eta(t *testing.T, env *cluster.Environment, eligible bool) []float64 {
	t.Helper()
	var out []float64
	for _, u := range env.Users {
		u.Tasks = cluster.Inf
		if !eligible {
			u.Eligible = nil
		}
		best, err := Linear(env.With([]cluster.User{u}), []float64{1}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, best.Tasks[0])
	}
	return out
}

// dominant returns 1/max d/(total capacity), over links as well if asked.
func dominant(env *cluster.Environment, links bool) []float64 {
	var out []float64
	for j, u := range env.Users {
		share := 0.0
		for r, d := range u.Demand {
			if d > 0 {
				share = math.Max(share, d/env.TotalCapacity(r))
			}
		}
		for e := range env.Links {
			if d := env.LinkDemand(j, e); links && d > 0 {
				share = math.Max(share, d/env.Links[e].Capacity)
			}
		}
		out = append(out, 1/share)
	}
	return out
}

// split replaces the one link over all servers by one link per server with
// the share alpha[s] of its capacity.
func split(env *cluster.Environment, alpha []float64) *cluster.Environment {
	out := &cluster.Environment{Resources: env.Resources, Servers: env.Servers}
	for s, a := range alpha {
		out.Links = append(out.Links, cluster.Link{
			Capacity: a * env.Links[0].Capacity, Servers: cluster.NewSet(len(env.Servers), s),
		})
	}
	for _, u := range env.Users {
		d := make([]float64, len(alpha))
		for s := range d {
			d[s] = u.LinkDemand[0]
		}
		u.LinkDemand = d
		out.Users = append(out.Users, u)
	}
	return out
}

func weighted(env *cluster.Environment, norm []float64) []float64 {
	var out []float64
	for j, v := range norm {
		out = append(out, v*env.Users[j].Weight)
	}
	return out
}

func wantMaxMin(t *testing.T, what string, env *cluster.Environment, norm []float64, tol float64, want ...float64) {
	t.Helper()
	got, err := MaxMin(env, weighted(env, norm))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	wantTasks(t, what, got, tol, want...)
}

func wantTasks(t *testing.T, what string, got []float64, tol float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d users, want %d", what, len(got), len(want))
	}
	for j := range want {
		near(t, what, got[j], want[j], tol)
	}
}

// cru maximises Σ w·x/η subject to envy-freeness and x >= ψ.
func cru(t *testing.T, env *cluster.Environment) []float64 {
	t.Helper()
	total := 0.0
	for _, u := range env.Users {
		total += u.Weight
	}
	var values, lower []float64
	whole, mine := eta(t, env, false), eta(t, env, true)
	for j, u := range env.Users {
		values = append(values, u.Weight/whole[j])
		lower = append(lower, u.Weight/total*mine[j])
	}
	best, err := Linear(env, values, lower, true)
	if err != nil {
		t.Fatal(err)
	}
	return best.Tasks
}

func nash(t *testing.T, env *cluster.Environment) []float64 {
	t.Helper()
	best, err := Nash(env)
	if err != nil {
		t.Fatal(err)
	}
	return best.Tasks
}

func TestDRFPaper(t *testing.T) {
	env := environment([]cluster.User{
		cluster.NewUser("A", []float64{1, 4}), cluster.NewUser("B", []float64{3, 1}),
	}, []float64{9, 18})
	wantMaxMin(t, "drf", env, dominant(env, true), 1e-9, 3, 2)
}

func figure2() *cluster.Environment {
	env := environment([]cluster.User{
		cluster.NewUser("u1", []float64{2, 1}, 2.5), cluster.NewUser("u2", []float64{1, 2}, 0.5),
	}, []float64{5, 10}, []float64{10, 5})
	env.Links = []cluster.Link{{Capacity: 15}}
	return env
}

func TestTSFERFigure2(t *testing.T) {
	env := figure2()
	whole := eta(t, env, false)
	wantTasks(t, "η", whole, 1e-9, 6, 7.5)
	wantMaxMin(t, "tsf-er", env, whole, 1e-6, 4.285714, 5.357143)
	wantMaxMin(t, "drf-er", env, dominant(env, true), 1e-6, 4.285714, 5.357143)
	wantTasks(t, "mnw", nash(t, env), 1e-8, 5, 5)
	wantTasks(t, "cru", cru(t, env), 1e-9, 5, 5)
	cases := []struct {
		name     string
		alpha    []float64
		drf, tsf []float64
	}{
		{"eq", []float64{0.5, 0.5}, []float64{3.589744, 4.487179}, []float64{3.468468, 4.729730}},
		{"cpu", []float64{1. / 3, 2. / 3}, []float64{4.102564, 5.128205}, []float64{4.102564, 5.128205}},
		{"mem", []float64{2. / 3, 1. / 3}, []float64{3.076923, 3.846154}, []float64{2.727273, 4.545455}},
	}
	for _, c := range cases {
		apart := split(env, c.alpha)
		wantMaxMin(t, "drf-"+c.name, apart, dominant(env, true), 1e-6, c.drf...)
		wantMaxMin(t, "tsf-"+c.name, apart, eta(t, apart, false), 1e-6, c.tsf...)
	}
}

func TestTSFERAppendix9(t *testing.T) {
	world := func(b []float64, link float64) *cluster.Environment {
		env := environment([]cluster.User{
			cluster.NewUser("A", []float64{6}, 3), cluster.NewUser("B", b, link),
		}, []float64{10})
		env.Links = []cluster.Link{{Capacity: 10}}
		return env
	}
	truth, lie := world([]float64{2}, 9), world([]float64{4}, 7)
	wantTasks(t, "cru", cru(t, truth), 1e-6, 1.458333, 0.625)
	wantTasks(t, "mnw", nash(t, truth), 1e-6, 1.458333, 0.625)
	near(t, "cru, B lies", cru(t, lie)[1], 1, 1e-6)
	near(t, "mnw, B lies", nash(t, lie)[1], 1, 1e-6)
	honest, _ := MaxMin(truth, eta(t, truth, false))
	lying, _ := MaxMin(lie, eta(t, lie, false))
	near(t, "tsf-er", honest[1], 0.740741, 1e-6)
	near(t, "tsf-er, B lies", lying[1]*7/9, 0.707071, 1e-6)
}

func TestPSDSFFigure1(t *testing.T) {
	env := environment([]cluster.User{
		cluster.NewUser("u1", []float64{1, 2, 10}), cluster.NewUser("u2", []float64{1, 2, 0}),
	}, []float64{9, 12, 100}, []float64{12, 12, 0})
	wantMaxMin(t, "drfh", env, dominant(env, false), 1e-6, 5.454545, 6.545455)
	wantMaxMin(t, "tsf", env, eta(t, env, false), 1e-6, 4, 8)
	wantMaxMin(t, "cdrf", env, eta(t, env, true), 1e-6, 4, 8)
}

func TestPSDSFTable4(t *testing.T) {
	env := environment(nil, []float64{1, 1}, []float64{.5, .5}, []float64{.5, .25}, []float64{.5, .75})
	for s, count := range []int{8, 68, 33, 11} {
		env.Servers[s].Count = count
	}
	onCD := cluster.NewSet(4, 2, 3)
	for j, d := range [][]float64{{.1, .1}, {.1, .2}, {.2, .1}, {.2, .3}} {
		u := cluster.NewUser("", d)
		u.Weight = []float64{2, 2, 1, 1}[j]
		if j >= 2 {
			u.Eligible = onCD
		}
		env.Users = append(env.Users, u)
	}
	// Half a unit of the last printed digit: 0.0005 of 12.568 tasks at least.
	const printed = 0.0005 / 12.568
	wantMaxMin(t, "tsf", env, eta(t, env, false), printed, 204.945, 107.527, 58.3425, 35.5525)
	wantMaxMin(t, "drfh", env, dominant(env, false), printed, 210.924, 105.462, 57.689, 35.154)
	wantMaxMin(t, "cdrf", env, eta(t, env, true), printed, 254.795, 133.682, 25.137, 12.568)
}

func TestTSFFigures2And4(t *testing.T) {
	world := func(eligible cluster.Set) *cluster.Environment {
		u2 := cluster.NewUser("u2", []float64{1, 3})
		u2.Eligible = eligible
		return environment([]cluster.User{cluster.NewUser("u1", []float64{1, 2}), u2},
			[]float64{18, 18}, []float64{18, 18})
	}
	truth, lie := world(cluster.NewSet(2, 1)), world(nil)
	wantMaxMin(t, "cdrf", truth, eta(t, truth, true), 1e-9, 12, 4)
	wantMaxMin(t, "cdrf, u2 lies", lie, eta(t, lie, true), 1e-9, 9, 6)
	wantMaxMin(t, "tsf", truth, eta(t, truth, false), 1e-9, 9, 6)
	wantMaxMin(t, "tsf, u2 lies", lie, eta(t, lie, false), 1e-9, 9, 6)

	users := []cluster.User{
		cluster.NewUser("u1", []float64{1, 2}), cluster.NewUser("u2", []float64{3, 1}),
		cluster.NewUser("u3", []float64{1, 4}),
	}
	users[0].Eligible, users[1].Eligible = cluster.NewSet(3, 0, 1), cluster.NewSet(3, 1)
	env := environment(users, []float64{9, 12}, []float64{3, 4}, []float64{9, 12})
	wantTasks(t, "h", eta(t, env, false), 1e-9, 14, 7, 7)
	wantMaxMin(t, "tsf", env, eta(t, env, false), 1e-9, 6, 1, 3)
}

func TestMTPFigure2(t *testing.T) {
	world := func(i ...float64) *cluster.Environment {
		env := environment(nil, []float64{1}, []float64{1})
		for _, d := range [][]float64{i, {6. / 20, 3. / 20}, {13. / 20, 7. / 20}} {
			u := cluster.NewUser("", d[:1])
			u.DemandOn = map[int][]float64{1: d[1:]}
			env.Users = append(env.Users, u)
		}
		return env
	}
	truth := world(1, 1./160)
	wantTasks(t, "η", eta(t, truth, false), 1e-6, 161, 10, 4.395604)
	wantMaxMin(t, "tsf", truth, eta(t, truth, false), 1e-5, 61.2386, 3.80364, 1.67193)
	lie := world(1, 0.5)
	got, err := MaxMin(lie, eta(t, lie, false))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "tsf, i lies", got[0], 1.016129, 1e-6)
	// Nash: at prices (1, 2) i and j are indifferent between the servers, k
	// takes all of a, i and j half of b each. A degenerate optimum.
	near(t, "mtp, i lies", nash(t, lie)[0], 1, 1e-9)
}
