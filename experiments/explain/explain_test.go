package explain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

func read(t *testing.T, text string) *cluster.Environment {
	t.Helper()
	env, err := cluster.ReadEnvironment(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

const figure2 = `{"resources": ["cpu", "mem"],
 "servers": [{"name": "s1", "capacity": [5, 10]}, {"name": "s2", "capacity": [10, 5]}], "links": [{"name": "bw", "capacity": 15}],
 "users": [{"name": "u1", "demand": [2, 1], "link_demand": [2.5]}, {"name": "u2", "demand": [1, 2], "link_demand": [0.5]}]}`

// Figure 2 of the TSF-ER paper: η = 6 and 7.5, the shares are 5/7. One more core on s1 lets
// u2 move a task there from s2, which is room for 2 tasks of u1 in its memory. What u1 could
// run with what u2 holds, 15/2.8 tasks, is a fifth of it.
func TestFigure2(t *testing.T) {
	rule, err := audit.Named("tsf-er")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(rule, read(t, figure2), Options{Lies: 60, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	u := e.Users[0]
	if u.Limits.By != ByShares || len(u.Limits.UsedUp) != 2 || len(u.Limits.Rivals) != 1 {
		t.Fatalf("%+v", u.Limits)
	}
	cpu, mem, u2 := u.Limits.UsedUp[0], u.Limits.UsedUp[1], u.Limits.Rivals[0]
	if cpu.Server != "s1" || cpu.Resource != "cpu" || mem.Server != "s2" || mem.Resource != "mem" || u2.User != "u2" {
		t.Errorf("%+v", u.Limits)
	}
	for _, n := range []struct {
		what      string
		got, want float64
	}{
		{"tasks", u.Tasks, 30.0 / 7}, {"share", u.Share, 5.0 / 7}, {"alone", u.Alone, 6}, {"equal share", u.EqualShare, 3},
		{"of alone", *u.OfAlone, 5.0 / 7}, {"of the equal share", *u.OfEqualShare, 10.0 / 7},
		{"price of cpu", cpu.Price, 2}, {"price of mem", mem.Price, 1}, {"price of u2", u2.Price, 2}, {"bound", *u.Limits.Bound, 30.0 / 7},
		{"u2's bundle", u.Envy.Worst[0].Worth, 15 / 2.8 / 5}, {"more", u.Envy.Worst[0].More, 15/2.8/5 - 30.0/7},
	} {
		if math.Abs(n.got-n.want) > 1e-9 {
			t.Errorf("%s: %.12g, want %.12g", n.what, n.got, n.want)
		}
	}
	if u.Envy.Envied != 0 || u.Envy.Nearly != 0 || u.Lie.Found || u.Lie.Tried+u.Lie.Refused+u.Lie.Failed > 60 {
		t.Errorf("%+v, %+v", u.Envy, u.Lie)
	}
}

// A user with a smaller share does not stand against one with a larger: u1 is full alone on
// its server while u2, with a larger share, has nothing to do with it.
func TestRivalsHaveNoLargerShare(t *testing.T) {
	for _, name := range policies.Names() {
		explained(t, name, 2, func(t *testing.T, env *cluster.Environment, a *cluster.Allocation, e *Explanation) {
			for _, u := range e.Users {
				for _, r := range u.Limits.Rivals {
					if u.Limits.By == ByShares && u.Share > 0 && r.Share > u.Share*(1+1e-7) {
						t.Errorf("%s: user %s with the share %g has the rival %s with %g", name, u.Name, u.Share, r.User, r.Share)
					}
				}
				for _, row := range u.Limits.UsedUp {
					if row.Unused > Tight {
						t.Errorf("%s: %s is called used up, and %g of it is not", name, row.Name, row.Unused)
					}
				}
			}
		})
	}
}

// Every rule can be explained, in words and as JSON, and what bounds a user is known.
func TestEveryRuleIsExplained(t *testing.T) {
	how := map[string]int{}
	for _, name := range policies.Names() {
		explained(t, name, longOr(20, 8), func(t *testing.T, env *cluster.Environment, a *cluster.Allocation, e *Explanation) {
			sameFromJSON(t, e)
			for _, u := range e.Users {
				how[u.Limits.By]++
				if u.Limits.By == Unproved {
					t.Errorf("%s, user %s: %s", name, u.Name, u.Limits.Reason)
				}
				if (u.Limits.By == ByHosting) != (u.Alone == 0) {
					t.Errorf("%s, user %s: %s, and alone it has %g", name, u.Name, u.Limits.By, u.Alone)
				}
			}
		})
	}
	t.Log(how)
	for _, by := range []string{ByShares, ByOthers, ByTasks, ByRule, ByHosting} {
		if how[by] == 0 {
			t.Errorf("nobody is limited by %s", by)
		}
	}
}

// sameFromJSON checks that the text has nothing that the JSON has not: it is written again from
// the JSON, to the same bytes.
func sameFromJSON(t *testing.T, e *Explanation) {
	t.Helper()
	var read Explanation
	if err := json.Unmarshal([]byte(jsonOf(t, e)), &read); err != nil {
		t.Fatal(err)
	}
	var text, again bytes.Buffer
	if err := errors.Join(e.WriteText(&text), read.WriteText(&again)); err != nil {
		t.Fatal(err)
	}
	if text.String() != again.String() {
		t.Errorf("the text\n%s\nis not that of the JSON\n%s", text.String(), again.String())
	}
	for _, c := range e.Capacities {
		if c.Unused <= Tight != (c.Total == 0 || c.Used >= c.Total*(1-Tight)) {
			t.Errorf("%s: %g of %g are used, and %g is said to be unused", c.Name, c.Used, c.Total, c.Unused)
		}
	}
}

// A lie that is reported brings what is said when it is told again, from the file.
func TestEveryLieReplays(t *testing.T) {
	found := 0
	for _, name := range []string{"cdrf", "mnw", "utilitarian", "ru", "cru", "egalitarian", "tsf", "cmmf-cpu", "drfh"} {
		rule, err := audit.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(8) {
			env := twin.Random(rand.New(rand.NewPCG(seed, 5)), kinds[seed%uint64(len(kinds))])
			e, err := Explain(rule, env, Options{Lies: 40, Seed: seed})
			if err != nil {
				continue
			}
			again, err := Explain(rule, env, Options{Lies: 40, Seed: seed, Users: []int{1}})
			if err != nil || jsonOf(t, again.Users[0].Lie) != jsonOf(t, e.Users[1].Lie) {
				t.Errorf("%s, seed %d: the lie depends on who else is explained", name, seed)
			}
			for j, u := range e.Users {
				if u.Lie.Found {
					found++
					replay(t, name, env, j, u.Lie)
				}
			}
		}
	}
	t.Logf("%d lies", found)
	if found < 30 {
		t.Errorf("only %d lies were found", found)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func replay(t *testing.T, name string, env *cluster.Environment, j int, lie *Lie) {
	t.Helper()
	told := read(t, string(lie.Environment))
	for i := range env.Users {
		if i != j && fmt.Sprint(told.Users[i]) != fmt.Sprint(env.Users[i]) || told.Users[i].Weight != env.Users[i].Weight {
			t.Errorf("%s: user %s is another one where %s lies", name, env.Users[i].Name, env.Users[j].Name)
		}
	}
	for tasks, of := range map[float64]*cluster.Environment{lie.Honest: env, lie.Lying: told} {
		a, err := policies.AllocateBy(name, of)
		if err != nil {
			t.Fatal(err)
		}
		if got := fair.Worth(a, j, env.Users[j]); math.Abs(got-tasks) > 1e-9*tasks {
			t.Errorf("%s: user %s runs %.12g, not %.12g", name, env.Users[j].Name, got, tasks)
		}
	}
	if lie.Lying <= lie.Honest {
		t.Errorf("%s: %g is not more than %g", name, lie.Lying, lie.Honest)
	}
}
