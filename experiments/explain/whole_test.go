package explain

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

const office = `{"resources": ["cpu", "mem"],
 "servers": [{"name": "small", "capacity": [4, 8], "count": 2}, {"name": "big", "capacity": [8, 8]}], "links": [{"name": "bw", "capacity": 10, "servers": ["big"]}],
 "users": [{"name": "a", "demand": [2, 1], "link_demand": [1], "tasks": 9}, {"name": "b", "demand": [1, 4], "link_demand": [3], "tasks": 9},
           {"name": "c", "demand": [4, 1], "link_demand": [2], "servers": ["big"], "tasks": 1}]}`

// a has a task on the first small server and three on big, b one on each small one and one
// on big: that leaves (1,3), (3,4) and (1,1), and 4 of the link. A further task of a fits
// on the second small server; of b on it, too; c lacks cpu on big.
func TestWholeTasks(t *testing.T) {
	env := read(t, office)
	held := []Held{{On: map[int]int{0: 1, 2: 3}, Waiting: 5, Done: 2}, {On: map[int]int{0: 1, 1: 1, 2: 1}, Waiting: 6}, {On: map[int]int{}, Waiting: 1}}
	rule, err := policies.New("tsf-er")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Whole("tsf-er", "TSF-ER", rule, env, held, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := e.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a has 4 tasks (4 running, 5 waiting, 2 done)", "1 on small and 3 on big",
		"On small (2): 1 lacks cpu and 1 has room. On big (1): 1 lacks cpu.",
		"c has 0 tasks (0 running, 1 waiting, 0 done).",
		"Limits: its next task fits on no server. On big (1): 1 lacks cpu.",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if by := []string{e.Users[0].Limits.By, e.Users[1].Limits.By, e.Users[2].Limits.By}; by[0] != ByScheduler || by[1] != ByScheduler || by[2] != ByServers {
		t.Error(by)
	}
	if n := e.Users[2].Whole.Nearest; n == nil || n.Server != "big" || n.Number != 0 || len(n.Lacks) != 1 || n.Lacks[0] != (Amount{Resource: "cpu", Amount: 3}) {
		t.Errorf("nearest %+v", n)
	}
	if fmt.Sprint(e.Free) != "[{small [0] [1 3]} {small [1] [3 4]} {big [0] [1 1]}]" || *e.Capacities[0].FreeOnOne != 3 || e.Capacities[4].Used != 6 {
		t.Errorf("%v, %+v", e.Free, e.Capacities)
	}
	held[2].On[2] = 1
	if _, err := Whole("tsf-er", "", rule, env, held, nil); err == nil || !strings.Contains(err.Error(), `user "c" does not fit on server 2`) {
		t.Error(err)
	}
}

// What a class lacks is what a count in plain numbers says; the demands are whole, so that
// it is exact.
func TestLacksInPlainNumbers(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		env, held := randomHeld(rng)
		e, err := Whole("p", "", nil, env, held, nil)
		if err != nil {
			t.Fatal(err)
		}
		free := freeByHand(env, held)
		sameFromJSON(t, e)
		compareFree(t, env, e, free)
		for j, u := range e.Users {
			seen[u.Limits.By]++
			first := 0
			at := 0
			for s, class := range env.Servers {
				if env.MayRun(j, s) && held[j].Waiting > 0 {
					compareLack(t, env, j, u.Whole.Lacks[at], free[first:first+class.Count], free[len(free)-1][0])
					at++
				}
				first += class.Count
			}
			if u.Limits.By == ByServers {
				compareNearest(t, env, j, u.Whole.Nearest, free)
			} else if u.Whole.Nearest != nil {
				t.Error("a server lacks something, where none does, or nothing waits")
			}
			if at != len(u.Whole.Lacks) {
				t.Errorf("%d classes, want %d", len(u.Whole.Lacks), at)
			}
		}
	}
	t.Log(seen)
	if seen[ByServers] < 50 || seen[ByScheduler] < 50 || seen[ByTasks] < 50 {
		t.Error(seen)
	}
}

// randomHeld fills a cluster at random.
func randomHeld(rng *rand.Rand) (*cluster.Environment, []Held) {
	n := func(k int) float64 { return float64(1 + rng.IntN(k)) }
	env := &cluster.Environment{Resources: []string{"cpu", "mem"}, Links: []cluster.Link{{Name: "bw", Capacity: n(20)}},
		Servers: []cluster.Server{{Name: "s", Capacity: []float64{n(6), n(6)}, Count: 3}, {Name: "t", Capacity: []float64{n(9), n(9)}, Count: 1}}}
	var held []Held
	for j := range 4 {
		u := cluster.NewUser(string(rune('a'+j)), []float64{n(4), n(4)}, n(3)-1)
		if rng.IntN(3) == 0 {
			u.Eligible = cluster.NewSet(2, rng.IntN(2))
		}
		env.Users = append(env.Users, u)
		held = append(held, Held{On: map[int]int{}, Waiting: int64(rng.IntN(3))})
	}
	for range 12 {
		j, server := rng.IntN(4), rng.IntN(4)
		held[j].On[server]++
		left := freeByHand(env, held)
		if min(left[server][0], left[server][1], left[4][0]) < 0 || !env.MayRun(j, server/3) {
			held[j].On[server]--
		}
	}
	return env, held
}

// freeByHand is what is left of each server and, last, of the link.
func freeByHand(env *cluster.Environment, held []Held) [][]float64 {
	var left [][]float64
	for _, class := range env.Servers {
		for range class.Count {
			left = append(left, append([]float64{}, class.Capacity...))
		}
	}
	left = append(left, []float64{env.Links[0].Capacity})
	for j, h := range held {
		for server, k := range h.On {
			for r, d := range env.Users[j].Demand {
				left[server][r] -= float64(k) * d
			}
			left[len(left)-1][0] -= float64(k) * env.Users[j].LinkDemand[0]
		}
	}
	return left
}

func compareLack(t *testing.T, env *cluster.Environment, j int, got Lack, servers [][]float64, link float64) {
	t.Helper()
	fits, short := 0, map[string]int{}
	for _, left := range servers {
		room := env.Users[j].LinkDemand[0] <= link
		for r, d := range env.Users[j].Demand {
			if d > left[r] {
				short[env.Resources[r]]++
				room = false
			}
		}
		if room {
			fits++
		}
	}
	if env.Users[j].LinkDemand[0] > link {
		short["bw"] = len(servers)
	}
	for _, s := range got.Short {
		if short[s.Resource+s.Link] != s.Servers {
			t.Errorf("%s: %d servers are short of %s, want %d", got.Server, s.Servers, s.Resource+s.Link, short[s.Resource+s.Link])
		}
		delete(short, s.Resource+s.Link)
	}
	if got.Fits != fits || len(short) > 0 {
		t.Errorf("%s: %d fit, want %d; not said: %v", got.Server, got.Fits, fits, short)
	}
}

// compareFree compares what is free of each server, and of each capacity, with plain numbers.
func compareFree(t *testing.T, env *cluster.Environment, e *Explanation, free [][]float64) {
	t.Helper()
	first, seen := map[string]int{"s": 0, "t": 3}, 0
	for _, f := range e.Free {
		for _, number := range f.Numbers {
			seen++
			if got := free[first[f.Server]+number]; fmt.Sprint(got) != fmt.Sprint(f.Free) {
				t.Errorf("%s %d has %v free, not %v", f.Server, number, got, f.Free)
			}
		}
	}
	if seen != 4 {
		t.Errorf("%d servers, want 4", seen)
	}
	for row, c := range e.Capacities {
		left, most := free[4][0], 0.0
		if s := row / 2; row < 4 {
			left = 0
			for server := 3 * s; server < 3+s; server++ {
				left, most = left+free[server][row%2], max(most, free[server][row%2])
			}
			if *c.FreeOnOne != most {
				t.Errorf("%s: %g is free on one server, not %g", c.Name, most, *c.FreeOnOne)
			}
		}
		if c.Used != c.Total-left || math.Abs(c.Unused-left/c.Total) > 1e-15 {
			t.Errorf("%s: %g of %g is free, %g used, %g unused", c.Name, left, c.Total, c.Used, c.Unused)
		}
	}
}

// compareNearest compares the server that lacks least with a look at all.
func compareNearest(t *testing.T, env *cluster.Environment, j int, n *Nearest, free [][]float64) {
	t.Helper()
	u := &env.Users[j]
	at, least, what := -1, math.Inf(1), ""
	for server := range 4 {
		if !env.MayRun(j, server/3) {
			continue
		}
		worst, lacks := 0.0, []Amount{}
		for r, name := range env.Resources {
			if missing := u.Demand[r] - free[server][r]; missing > 0 {
				worst, lacks = max(worst, missing/u.Demand[r]), append(lacks, Amount{Resource: name, Amount: missing})
			}
		}
		if missing := env.LinkDemand(j, 0) - free[4][0]; missing > 0 {
			worst, lacks = max(worst, missing/env.LinkDemand(j, 0)), append(lacks, Amount{Link: "bw", Amount: missing})
		}
		if worst < least {
			at, least, what = server, worst, fmt.Sprint(lacks)
		}
	}
	if n.Server != env.Servers[at/3].Name || n.Number != at%3 || fmt.Sprint(n.Lacks) != what {
		t.Errorf("least is missing on %s %d: %v; a look at all says server %d: %s", n.Server, n.Number, n.Lacks, at, what)
	}
}

// The prices and lies beside whole tasks are those of the division of the same users, with
// the tasks that are not done where the rule knows a number of tasks: the same as explaining that
// environment. Every lie brings what is said when the division is asked again.
func TestFluidBesideWholeTasks(t *testing.T) {
	found := map[bool]int{}
	for _, name := range []string{"tsf-er", "cdrf", "mnw", "cru", "utilitarian", "drf-cpu", "egalitarian"} {
		rule, err := audit.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(25) {
			env, held := randomHeld(rand.New(rand.NewPCG(seed, 3)))
			for j := range env.Users {
				env.Users[j].Tasks = float64(held[j].Waiting) + 1
				for _, n := range held[j].On {
					env.Users[j].Tasks += float64(n)
				}
			}
			e, err := Whole(name, rule.Meta.Title, rule.Policy, env, held, nil)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Lies: 30, Seed: seed}
			if err := e.WithFluid(&rule, env, o); err != nil {
				t.Fatal(err)
			}
			sameFromJSON(t, e)
			asked := env
			if name == "cru" {
				asked = env.With(slices.Clone(env.Users))
				for j := range asked.Users {
					asked.Users[j].Tasks = math.Inf(1)
				}
			}
			alone, err := Explain(rule, asked, o)
			if err != nil {
				if e.Fluid.None != err.Error() {
					t.Errorf("%s, seed %d: %q, want %v", name, seed, e.Fluid.None, err)
				}
				continue
			}
			if e.Fluid.Capped != (name != "cru") || jsonOf(t, e.Fluid.Explanation) != jsonOf(t, alone) {
				t.Errorf("%s, seed %d: what is said of divisible tasks is not that of their environment", name, seed)
			}
			for j, u := range e.Fluid.Users {
				if u.Lie.Found {
					found[name == "cru"]++
					replay(t, name, asked, j, u.Lie)
				}
			}
		}
	}
	if t.Log(found); found[true] < 5 || found[false] < 30 {
		t.Error("few lies were found: ", found)
	}
	e := &Explanation{}
	if err := e.WithFluid(nil, nil, Options{Lies: 1}); !errors.Is(err, ErrNoDivision) {
		t.Error(err)
	}
	if err := e.WithFluid(nil, nil, Options{}); err != nil || e.Fluid.None == "" {
		t.Error(err, e.Fluid)
	}
}
