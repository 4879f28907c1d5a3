package tsf

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// exact is the accuracy to which a worked example is compared, relative.
const exact = 1e-6

// entry starts a ledger entry.
func entry(item, id, claim string) ledger.Entry {
	return ledger.Entry{Paper: Paper, Item: item, ID: item + "/" + id, Claim: claim}
}

// example is a worked example: what a rule gives each user.
type example struct {
	item, id string
	rule     string
	env      *cluster.Environment
	tasks    []float64
	ours     bool // the paper does not print them
}

// notPrinted marks what the paper has no number or sentence of: it counts for nothing.
const notPrinted = "not-printed"

// hosts makes servers of the given capacities.
func hosts(resources []string, capacities ...[]float64) *cluster.Environment {
	env := &cluster.Environment{Resources: resources}
	for k, c := range capacities {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("m%d", k+1), Capacity: c, Count: 1})
	}
	return env
}

// only is a user that may run on the given servers of n, counted from 1; on all
// where none is given.
func only(n int, name string, demand []float64, servers ...int) cluster.User {
	u := cluster.NewUser(name, demand)
	if len(servers) > 0 {
		u.Eligible = cluster.NewSet(n)
		for _, s := range servers {
			u.Eligible.Add(s - 1)
		}
	}
	return u
}

// figure2 is the environment of figure 2; lying, u2 claims that it can run on m1
// too.
func figure2(lying bool) *cluster.Environment {
	env := hosts([]string{"cpu", "mem"}, []float64{18, 18}, []float64{18, 18})
	u2 := only(2, "u2", []float64{1, 3}, 2)
	if lying {
		u2 = only(2, "u2", []float64{1, 3})
	}
	env.Users = []cluster.User{only(2, "u1", []float64{1, 2}), u2}
	return env
}

// figure3 is the environment of figure 3: u1 on m1, u3 and u4 on m2, u5 to u7 on
// m3, u2 anywhere.
func figure3() *cluster.Environment {
	env := hosts([]string{"cpu"}, []float64{3}, []float64{3}, []float64{3})
	for k, on := range []int{1, 0, 2, 2, 3, 3, 3} {
		u := only(3, fmt.Sprintf("u%d", k+1), []float64{1})
		if on > 0 {
			u = only(3, u.Name, u.Demand, on)
		}
		env.Users = append(env.Users, u)
	}
	return env
}

// figure4 is the environment of figure 4.
func figure4() *cluster.Environment {
	env := hosts([]string{"cpu", "mem"}, []float64{9, 12}, []float64{3, 4}, []float64{9, 12})
	env.Users = []cluster.User{
		only(3, "u1", []float64{1, 2}, 1, 2), only(3, "u2", []float64{3, 1}, 2), only(3, "u3", []float64{1, 4}),
	}
	return env
}

// examples are figures 2 to 4.
var examples = []example{
	{"fig2", "cdrf/honest", "cdrf", figure2(false), []float64{12, 4}, false},
	{"fig2", "cdrf/lie", "cdrf", figure2(true), []float64{9, 6}, false},
	{"fig2", "tsf/honest", "tsf", figure2(false), []float64{9, 6}, true},
	{"fig2", "tsf/lie", "tsf", figure2(true), []float64{9, 6}, true},
	{"fig3", "cdrf", "cdrf", figure3(), []float64{1, 3, 1, 1, 1, 1, 1}, false},
	{"fig4", "tsf", "tsf", figure4(), []float64{6, 1, 3}, false},
}

// exampleEntries judges the worked examples of an item.
func exampleEntries(item string) ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, e := range examples {
		if e.item != item {
			continue
		}
		a, err := policies.AllocateBy(e.rule, e.env)
		if err != nil {
			return nil, err
		}
		for j, want := range e.tasks {
			id := fmt.Sprintf("%s/u%d", e.id, j+1)
			if e.ours {
				id = again(id, notPrinted)
			}
			entries = append(entries, entry(e.item, id, "tasks of the user").
				Value(want, ledger.Computed(a.Tasks[j], exact*want)))
		}
	}
	if item == "fig3" {
		envy, err := envies()
		return append(entries, envy...), err
	}
	if item == "fig4" {
		for j, h := range figure4().Etas(nil) {
			entries = append(entries, entry("fig4", fmt.Sprintf("h/u%d", j+1), "tasks of the user that has everything").
				Value([]float64{14, 7, 7}[j], ledger.Computed(h, exact*h)))
		}
	}
	return entries, nil
}

// envies judges how many tasks u1 of figure 3 could run on what u2 holds on m1,
// the only server that it can use.
func envies() ([]ledger.Entry, error) {
	cdrf, err := policies.AllocateBy("cdrf", figure3())
	if err != nil {
		return nil, err
	}
	tsf, err := policies.AllocateBy("tsf", figure3())
	if err != nil {
		return nil, err
	}
	return []ledger.Entry{
		entry("fig3", "cdrf/u1-with-u2", "tasks of u1 on what u2 holds, under CDRF").
			Value(2, ledger.Computed(cdrf.On(1)[0], exact)),
		entry("fig3", again("tsf/envy", notPrinted), "tasks that u1 would gain by what u2 holds, under TSF").
			Words(ledger.Computed(tsf.On(1)[0]-tsf.Tasks[0], exact), ledger.AtMost(exact)),
	}, nil
}
