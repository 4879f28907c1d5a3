package twin

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// everything asks for all that Random can do.
func everything(users, servers, links int) Options {
	return Options{
		Users: users, Servers: servers, Resources: 2, Links: links, Weights: true, Caps: true,
		Eligibility: true, ZeroDemands: true, ZeroCapacities: true, DemandOn: true,
	}
}

// each calls f with random environments of growing ingredients.
func each(t *testing.T, rounds int, f func(t *testing.T, env *cluster.Environment)) {
	t.Helper()
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		opt := everything(1+rng.IntN(7), 1+rng.IntN(4), rng.IntN(4))
		if seed%2 == 0 {
			opt = Options{Users: opt.Users, Servers: opt.Servers, Resources: 1 + rng.IntN(3), Links: opt.Links}
		}
		if seed%5 == 0 {
			opt.Decades = 6
		}
		f(t, Random(rng, opt))
		if t.Failed() {
			t.Fatalf("in environment of seed %d", seed)
		}
	}
}

// holdable returns what each user could have of its eligible servers alone.
func holdable(t *testing.T, env *cluster.Environment) []float64 {
	t.Helper()
	return weighted(env, eta(t, env, true))
}

// The definition, group by group: no user of a level can be raised, not even
// together with others of its level, while those of equal or smaller share
// keep what they have. One program per level instead of one per user.
func TestMaxMinIsLexicographic(t *testing.T) {
	each(t, 60, func(t *testing.T, env *cluster.Environment) {
		norm := holdable(t, env)
		tasks, err := MaxMin(env, norm)
		if err != nil {
			t.Fatal(err)
		}
		for j, level := range tasks {
			if norm[j] == 0 {
				near(t, "tasks of an unservable user", level, 0, 0)
				continue
			}
			checkLevel(t, env, norm, tasks, level/norm[j])
		}
	})
}

// checkLevel checks the users at one level.
func checkLevel(t *testing.T, env *cluster.Environment, norm, tasks []float64, level float64) {
	t.Helper()
	values, lower := make([]float64, len(norm)), make([]float64, len(norm))
	held := 0.0
	for j, v := range norm {
		if v == 0 || tasks[j]/v > level*(1+1e-9) {
			continue
		}
		lower[j] = tasks[j] * (1 - slackTol)
		if tasks[j]/v >= level*(1-1e-9) {
			values[j] = 1 / v
			held += tasks[j] / v
		}
	}
	best, err := Linear(env, values, lower, false)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sum of the shares at one level", best.Value/held, 1, 1e-7)
}

// Users that the rule does not see are filled first, by x/w.
func TestMaxMinFillsTheUnseenFirst(t *testing.T) {
	users := []cluster.User{
		cluster.NewUser("a", []float64{1, 0}), cluster.NewUser("b", []float64{1, 1}),
		cluster.NewUser("c", []float64{1, 0}),
	}
	users[0].Tasks, users[2].Tasks = 3, 2
	env := environment(users, []float64{9, 10})
	// By memory, b sees 10 tasks; a and c need none.
	got, err := MaxMin(env, []float64{math.Inf(1), 10, math.Inf(1)})
	if err != nil {
		t.Fatal(err)
	}
	wantTasks(t, "capped", got, 1e-12, 3, 4, 2)
	users[0].Tasks, users[2].Tasks, users[2].Weight = cluster.Inf, cluster.Inf, 2
	got, err = MaxMin(environment(users, []float64{9, 10}), []float64{math.Inf(1), 10, math.Inf(1)})
	if err != nil {
		t.Fatal(err)
	}
	wantTasks(t, "unbounded", got, 1e-12, 3, 0, 6)
}

func TestMaxMinRounds(t *testing.T) {
	// a alone on server 1; b and c share server 2, c capped.
	users := []cluster.User{
		cluster.NewUser("a", []float64{1}), cluster.NewUser("b", []float64{1}), cluster.NewUser("c", []float64{2}),
	}
	users[0].Eligible, users[1].Eligible, users[2].Eligible = cluster.NewSet(2, 0), cluster.NewSet(2, 1), cluster.NewSet(2, 1)
	users[2].Tasks = 1
	env := environment(users, []float64{10}, []float64{8})
	wantMaxMin(t, "egalitarian", env, []float64{1, 1, 1}, 1e-12, 10, 6, 1)
	wantMaxMin(t, "norm 0", env, []float64{1, 0, 1}, 1e-12, 10, 0, 1)
}

func TestMaxMinTwelveDecades(t *testing.T) {
	// One resource: every user gets capacity/n at any scale of demand.
	var users []cluster.User
	for e := -6; e <= 6; e += 2 {
		users = append(users, cluster.NewUser("", []float64{math.Pow(10, float64(e))}))
	}
	env := environment(users, []float64{3}, []float64{4})
	var want []float64
	for _, u := range users {
		want = append(want, 1/u.Demand[0])
	}
	tasks, err := MaxMin(env, eta(t, env, false))
	if err != nil {
		t.Fatal(err)
	}
	got := nash(t, env)
	for j := range users {
		near(t, "max-min", tasks[j]/want[j], 1, 1e-9)
		near(t, "Nash", got[j]/want[j], 1, 1e-9)
	}
}

// One resource, weights and caps: water-filling by hand.
func TestNashWaterFilling(t *testing.T) {
	users := []cluster.User{
		cluster.NewUser("", []float64{2}), cluster.NewUser("", []float64{1}), cluster.NewUser("", []float64{0.5}),
	}
	users[0].Weight, users[1].Weight, users[2].Weight = 1, 2, 3
	env := environment(users, []float64{12})
	wantTasks(t, "uncapped", nash(t, env), 1e-9, 1, 4, 12)
	users[2].Tasks = 6 // uses 3 of 12; 9 are left for weights 1 and 2
	wantTasks(t, "capped", nash(t, env), 1e-9, 1.5, 6, 6)
	users[0].Tasks = 0
	wantTasks(t, "a cap of 0", nash(t, env), 1e-9, 0, 9, 6)
}

// At the optimum Σ w·x'/x <= Σ w for every feasible x' (concavity): the
// linear program in these values must not find more.
func TestNashFirstOrderCondition(t *testing.T) {
	each(t, 60, func(t *testing.T, env *cluster.Environment) {
		best, err := Nash(env)
		if err != nil {
			t.Fatal(err)
		}
		values, total := make([]float64, len(env.Users)), 0.0
		for j, x := range best.Tasks {
			if x > 0 {
				values[j] = env.Users[j].Weight / x
				total += env.Users[j].Weight
			}
		}
		if total == 0 {
			return
		}
		linear, err := Linear(env, values, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "Σ w·x'/x over Σ w", linear.Value/total, 1, 1e-7)
		near(t, "domination factor", domination(t, env, best.Tasks), 1, 1e-7)
	})
}

func domination(t *testing.T, env *cluster.Environment, tasks []float64) float64 {
	t.Helper()
	f, err := Domination(env, tasks)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDomination(t *testing.T) {
	env := figure2()
	near(t, "mnw", domination(t, env, []float64{5, 5}), 1, 1e-9)
	near(t, "half of it", domination(t, env, []float64{2.5, 2.5}), 2, 1e-9)
	nobody := environment([]cluster.User{cluster.NewUser("", []float64{1})}, []float64{0})
	near(t, "nobody can hold anything", domination(t, nobody, []float64{0}), 1, 0)
}

// Without lower bounds an envy-free optimum exists, envies nobody and is not
// above the optimum without envy rows.
func TestLinearEnvyFree(t *testing.T) {
	bound := 0
	each(t, 40, func(t *testing.T, env *cluster.Environment) {
		values := make([]float64, len(env.Users))
		for j, v := range eta(t, env, true) {
			if v > 0 {
				values[j] = env.Users[j].Weight / v
			}
		}
		free, err := Linear(env, values, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		fair, err := Linear(env, values, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		if fair.Value > free.Value*(1+1e-9) {
			t.Errorf("envy rows raise the optimum from %g to %g", free.Value, fair.Value)
		}
		if fair.Value < free.Value*(1-1e-6) {
			bound++
		}
		checkEnvy(t, env, fair)
	})
	if bound == 0 {
		t.Error("no envy row was ever binding")
	}
}

func checkEnvy(t *testing.T, env *cluster.Environment, a *Optimum) {
	t.Helper()
	for j := range env.Users {
		for i := range env.Users {
			worth, size := 0.0, a.Tasks[j]
			for s := range env.Servers {
				if x := a.X[i*len(env.Servers)+s]; i != j && x > 0 {
					worth += x * Worth(env, j, i, s)
					size = math.Max(size, alone(env, j, s))
				}
			}
			if worth > a.Tasks[j]+1e-8*size {
				t.Errorf("user %d holds %g and is worth %g with what %d holds", j, a.Tasks[j], worth, i)
			}
		}
	}
}

func TestLinearInfeasibleBounds(t *testing.T) {
	if _, err := Linear(figure2(), []float64{1, 1}, []float64{6, 7}, false); !errors.Is(err, ErrInfeasible) {
		t.Errorf("bounds beyond χ: got %v", err)
	}
}

func TestRandomIsReproducibleAndHasWhatIsAsked(t *testing.T) {
	opt := everything(40, 5, 3)
	draw := func(seed uint64) *cluster.Environment { return Random(rand.New(rand.NewPCG(seed, 1)), opt) }
	env := draw(1)
	if !reflect.DeepEqual(env, draw(1)) {
		t.Error("the same seed gives two environments")
	}
	if reflect.DeepEqual(env, draw(2)) {
		t.Error("two seeds give one environment")
	}
	seen := map[string]bool{}
	for seed := range uint64(20) {
		observe(draw(seed), seen)
	}
	for _, what := range []string{
		"weight", "cap", "eligibility", "nowhere eligible", "zero demand", "zero capacity", "zero link",
		"demand on", "count", "partial link", "only links",
	} {
		if !seen[what] {
			t.Errorf("20 environments and none has: %s", what)
		}
	}
}

func observe(env *cluster.Environment, seen map[string]bool) {
	for _, s := range env.Servers {
		seen["count"] = seen["count"] || s.Count > 1
		seen["zero capacity"] = seen["zero capacity"] || s.Capacity[0]*s.Capacity[1] == 0
	}
	for _, l := range env.Links {
		seen["zero link"] = seen["zero link"] || l.Capacity == 0
		seen["partial link"] = seen["partial link"] || (l.Servers != nil && l.Servers.Len() < len(env.Servers))
	}
	for _, u := range env.Users {
		zeros := u.Demand[0]*u.Demand[1] == 0
		seen["weight"] = seen["weight"] || u.Weight != 1
		seen["cap"] = seen["cap"] || u.Tasks < cluster.Inf
		seen["eligibility"] = seen["eligibility"] || u.Eligible != nil
		seen["nowhere eligible"] = seen["nowhere eligible"] || (u.Eligible != nil && u.Eligible.Len() == 0)
		seen["zero demand"] = seen["zero demand"] || zeros
		seen["only links"] = seen["only links"] || u.Demand[0]+u.Demand[1] == 0
		seen["demand on"] = seen["demand on"] || len(u.DemandOn) > 0
	}
}

// One round of filling serves a benchmark instance: every user needs
// everything, so all shares are equal.
func TestBenchmarkSharesAreEqual(t *testing.T) {
	env := Benchmark(12, 3, 1)
	norm := eta(t, env, false)
	tasks, err := MaxMin(env, norm)
	if err != nil {
		t.Fatal(err)
	}
	for j := range tasks {
		near(t, "share", tasks[j]/norm[j], tasks[0]/norm[0], 1e-9)
	}
	if c := Benchmark(5, 20, 3); c.Servers[0].Capacity[0] != 1 || c.Servers[1].Capacity[0] >= 1 {
		t.Errorf("servers of the large instances: %v", c.Servers[:2])
	}
}

// Environments of twelve decades in which rounding hides every saturated user
// from the programs that raise one user each: prices must find them, and the
// answer must be feasible and leave nothing over.
func TestMaxMinFreezesByPrice(t *testing.T) {
	for _, seed := range []uint64{34, 99, 209} {
		rng := rand.New(rand.NewPCG(seed, 99))
		opt := everything(1+rng.IntN(25), 1+rng.IntN(6), rng.IntN(4))
		opt.Decades = 12
		env := Random(rng, opt)
		tasks, err := MaxMin(env, weighted(env, eta(t, env, false)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		most := newRegion(env).most()
		for j := range tasks {
			tasks[j] *= 1 - 1e-9
			if held := tasks[j] > 0; held != (most[j] > 0) {
				t.Errorf("seed %d: user %d holds %g of %g", seed, j, tasks[j], most[j])
			}
		}
		if f := domination(t, env, tasks); f < 1 {
			t.Errorf("seed %d: domination factor %g", seed, f)
		}
	}
}
