package audit

import (
	"slices"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Known is a counterexample of a paper.
type Known struct {
	Source   string // where it is printed
	Property policies.Property
	Rules    []string
	Case     audit.Case
}

// knownFor returns the counterexamples for a rule and a property.
func knownFor(name string, p policies.Property) []Known {
	var all []Known
	for _, k := range KnownCases() {
		if k.Property == p && slices.Contains(k.Rules, name) {
			all = append(all, k)
		}
	}
	return all
}

func world(resources int, users []cluster.User, servers ...[]float64) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "bw"}[:resources], Users: users}
	for s, capacity := range servers {
		env.Servers = append(env.Servers, cluster.Server{Name: "s" + string(rune('1'+s)), Capacity: capacity, Count: 1})
	}
	return env
}

func behind(env *cluster.Environment, capacity float64) *cluster.Environment {
	env.Links = []cluster.Link{{Name: "l1", Capacity: capacity}}
	return env
}

func on(u cluster.User, servers int, which ...int) cluster.User {
	u.Eligible = cluster.NewSet(servers, which...)
	return u
}

// KnownCases are the counterexamples that the papers print.
func KnownCases() []Known {
	user := cluster.NewUser
	report := func(u cluster.User) *cluster.User { return &u }
	fig2 := behind(world(2, []cluster.User{user("A", []float64{2, 1}, 2.5), user("B", []float64{1, 2}, 0.5)}, []float64{5, 10}, []float64{10, 5}), 15)
	u1 := user("A", []float64{1, 2})
	u2 := on(user("B", []float64{1, 3}), 2, 1)
	both := user("B", []float64{1, 3})
	var seven []cluster.User
	for j, m := range []int{0, -1, 1, 1, 2, 2, 2} {
		u := user(string(rune('A'+j)), []float64{1})
		if m >= 0 {
			u = on(u, 3, m)
		}
		seven = append(seven, u)
	}
	split := []string{"drf-eq", "drf-mem", "drf-cpu", "tsf-eq", "tsf-mem", "tsf-cpu"}
	return []Known{
		{"TSF-ER, appendices 9.1 and 9.2", policies.SP, []string{"cru", "mnw", "mtp"}, audit.Case{
			Env:    behind(world(1, []cluster.User{user("A", []float64{6}, 3), user("B", []float64{2}, 9)}, []float64{10}), 10),
			Change: audit.Change{User: 1, Report: report(user("B", []float64{4}, 7))},
		}},
		{"TSF-ER, figure 2", policies.PO, split, audit.Case{Env: fig2}},
		{"TSF-ER, figure 2", policies.SI, split, audit.Case{Env: fig2}},
		{"PS-DSF, figure 1", policies.BF, []string{"tsf", "drfh"}, audit.Case{
			Env: world(3, []cluster.User{user("A", []float64{1, 2, 10}), user("B", []float64{1, 2, 0})}, []float64{9, 12, 100}, []float64{12, 12, 0}),
		}},
		{"TSF, figure 2", policies.SP, []string{"cdrf"}, audit.Case{
			Env: world(2, []cluster.User{u1, u2}, []float64{18, 18}, []float64{18, 18}), Change: audit.Change{User: 1, Report: &both},
		}},
		{"TSF, figure 3", policies.EF, []string{"cdrf"}, audit.Case{Env: world(1, seven, []float64{3}, []float64{3}, []float64{3})}},
	}
}
