package explain

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
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
		free := free(env, held)
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
		left := free(env, held)
		if min(left[server][0], left[server][1], left[4][0]) < 0 || !env.MayRun(j, server/3) {
			held[j].On[server]--
		}
	}
	return env, held
}

// free is what is left of each server and, last, of the link.
func free(env *cluster.Environment, held []Held) [][]float64 {
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
