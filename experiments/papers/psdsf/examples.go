package psdsf

import (
	"fmt"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/psdsf"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// exact is the accuracy to which numbers are compared that are printed exactly: whole
// numbers that follow from the text, fractions, 5.45 with the 45 overlined. Others are
// compared at the printed precision, see [printed].
const exact = 1e-6

func entry(item, id, claim string) ledger.Entry {
	return ledger.Entry{Paper: Paper, Item: item, ID: item + "/" + id, Claim: claim}
}

// example is a worked example: the tasks that a rule gives, as printed.
type example struct {
	item, rule string
	env        func() *cluster.Environment
	tasks      []float64
}

var workedExamples = []example{
	{"fig1", "ps-dsf", Figure1, []float64{6, 6}},
	{"fig1", "drfh", Figure1, []float64{60. / 11, 72. / 11}},
	{"fig1", "tsf", Figure1, []float64{4, 8}},
	{"fig3", "ps-dsf", Figure2, []float64{3.6, 3.6, 8, 8}},
	{"fig4", "ps-dsf", Figure4, []float64{1.5, 1}},
}

func examples(item string) ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, e := range workedExamples {
		if e.item != item {
			continue
		}
		a, err := policies.AllocateBy(e.rule, e.env())
		if err != nil {
			return nil, err
		}
		for j, want := range e.tasks {
			entries = append(entries, entry(item, fmt.Sprintf("%s/user%d", e.rule, j+1), "tasks of the user under "+e.rule).
				Value(want, ledger.Computed(a.Tasks[j], exact)))
		}
	}
	switch item {
	case "fig1":
		return append(entries, wholeClusters()...), nil
	case "fig3":
		shares, err := virtualShares()
		return append(entries, shares...), err
	}
	return entries, nil
}

// wholeClusters are the tasks of the users of figure 1 that have everything, TSF's γ.
func wholeClusters() []ledger.Entry {
	var entries []ledger.Entry
	for j, eta := range Figure1().Etas(nil) {
		entries = append(entries, entry("fig1", fmt.Sprintf("gamma/user%d", j+1), "tasks of the user that has the whole cluster").
			Value([]float64{6, 12}[j], ledger.Computed(eta, exact)))
	}
	return entries
}

// share3 is a virtual dominant share that section III-A prints.
type share3 struct {
	user, server int
	printed      float64
	slip         string // why the paper's own definition contradicts it
}

// shares3 are those of figure 3. For the second server the text prints s3,1 = s4,1, where
// it means s3,2 and s4,2.
var shares3 = []share3{
	{0, 0, .6, ""}, {1, 0, .6, ""}, {2, 0, 8. / 12, ""},
	{3, 0, 1, "the paper prints 12/12 and its own numbers are others: x4 = 8 (section III-A), and by (8) user 4, who needs (1, .5, 0), runs γ4,1 = min(9/1, 12/.5) = 9 tasks on the first server (9, 12, 100), so that (12) gives s4,1 = 8/9. It is the largest share there all the same"},
	{2, 1, 8. / 12, ""}, {3, 1, 8. / 12, ""},
}

// virtualShares judges the virtual dominant shares of figure 3, s = x/γ.
func virtualShares() ([]ledger.Entry, error) {
	env := Figure2()
	a, err := policies.AllocateBy("ps-dsf", env)
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	for _, s := range shares3 {
		ours := ledger.Computed(a.Tasks[s.user]/env.Gamma(s.user, s.server), exact)
		e := entry("fig3", fmt.Sprintf("share/user%d/server%d", s.user+1, s.server+1), "virtual dominant share of the user on the server")
		if s.slip != "" {
			e = e.Refute(s.printed, ours, s.slip)
		} else {
			e = e.Value(s.printed, ours)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// table1Proofs are the exact counterexamples to Theorem 2, and to the end of
// Algorithm I.
func table1Proofs() ([]ledger.Entry, error) {
	wasteful, err := wastefulEntry()
	if err != nil {
		return nil, err
	}
	cycling, err := cyclingEntry()
	return []ledger.Entry{wasteful, cycling}, err
}

func wastefulEntry() (ledger.Entry, error) {
	e := entry("table1", "ps-dsf/PO#example", "domination factor of the PS-DSF allocation of two users on two servers, (5,4) and (5,5), that need (4,1) and (1,4)")
	env := Wasteful()
	a, err := policies.AllocateBy("ps-dsf", env)
	if err != nil {
		return e, err
	}
	factor, _, err := solve.Domination(env, a.Tasks)
	return e.Refute(1, ledger.Computed(factor, exact), "each user holds 5/4 tasks, all of one server, and has a bottleneck on both (Theorem 1 holds exactly); sharing both servers gives 31/15 and 26/15. \"Directly concluded of Definition 2\" overlooks that a user may gain by another's loss on a server where that one is not ahead, and pay it back on another"), err
}

func cyclingEntry() (ledger.Entry, error) {
	e := entry("table1", "algorithm1/ends", "Algorithm I ends (1) on three users and three servers, (2,2,4), (1,6,4), (1,2,1), that need (1,0,3), (0,3,2), (3,3,0)")
	r, err := psdsf.Solve(Cycling())
	if err != nil {
		return e, err
	}
	ends := 0.0
	if r.Step == 1 {
		ends = 1
	}
	return e.Refute(1, ledger.Computed(ends, 0), "its rounds repeat in a cycle: no update is \"the last\". A PS-DSF allocation exists (Brouwer) and is found with smaller steps"), nil
}

func environment(resources []string, capacities [][]float64, users ...cluster.User) *cluster.Environment {
	env := &cluster.Environment{Resources: resources, Users: users}
	for s, c := range capacities {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("server%d", s+1), Capacity: c, Count: 1})
	}
	return env
}

// pair is the two servers of figures 1 to 3.
var pair = [][]float64{{9, 12, 100}, {12, 12, 0}}

var threeResources = []string{"cpu", "mem", "bw"}

// Figure1 is the environment of figure 1.
func Figure1() *cluster.Environment {
	return environment(threeResources, pair,
		cluster.NewUser("user1", []float64{1, 2, 10}), cluster.NewUser("user2", []float64{1, 2, 0}))
}

// Figure2 is the environment of figures 2 and 3.
func Figure2() *cluster.Environment {
	return environment(threeResources, pair,
		cluster.NewUser("user1", []float64{1.5, 1, 10}), cluster.NewUser("user2", []float64{1, 2, 10}),
		cluster.NewUser("user3", []float64{.5, 1, 0}), cluster.NewUser("user4", []float64{1, .5, 0}))
}

// Figure4 is the environment of figure 4: three channels, of which a task
// (1 Mb/s) takes 1/rate. The rates stand in the figure, which the text lacks;
// those here agree with the answer in the text.
func Figure4() *cluster.Environment {
	env := environment([]string{"channel"}, [][]float64{{1}, {1}, {1}},
		cluster.NewUser("user1", []float64{1}), cluster.NewUser("user2", []float64{1}))
	env.Users[0].Eligible = cluster.NewSet(3, 0, 1)
	env.Users[0].DemandOn = map[int][]float64{0: {1 / 0.75}, 1: {1 / 1.5}}
	env.Users[1].Eligible = cluster.NewSet(3, 1, 2)
	env.Users[1].DemandOn = map[int][]float64{1: {1 / 1.0}, 2: {1 / 0.5}}
	return env
}

// The two readings of the cpu demand of user 2 in figure 5. Table III bounds it by 2/15.
// Since stage 9 the bound counts, by a sentence about figure 6, "the CPU on the first two
// classes of servers [...] are fully utilized": user 2 holds a third of both classes, and the
// more cpu it takes the nearer this is to be true. Before, a round number of ours counted.
const (
	LargestCPU2 = 2.0 / 15
	RoundCPU2   = 0.1
)

// Classes names the classes of servers of figure 5.
var Classes = []string{"A", "B", "C", "D"}

// Figure5 is the cluster of figure 5 with its four users. The paper prints the
// capacities, the weights, the eligibility and, in table III, γ; the numbers of
// servers and all demands but two follow from those. The cpu demand of user 2,
// given here, and that of user 4 are only bounded by them, by 2/15 and .2; the
// latter is .2 here.
func Figure5(cpu2 float64) *cluster.Environment {
	env := environment([]string{"cpu", "mem"}, [][]float64{{1, 1}, {.5, .5}, {.5, .25}, {.5, .75}},
		cluster.NewUser("user1", []float64{.1, .1}), cluster.NewUser("user2", []float64{cpu2, .2}),
		cluster.NewUser("user3", []float64{.2, .1}), cluster.NewUser("user4", []float64{.2, .3}))
	for s, count := range []int{8, 68, 33, 11} {
		env.Servers[s].Name, env.Servers[s].Count = Classes[s], count
	}
	for j := range env.Users {
		if j < 2 {
			env.Users[j].Weight = 2
		} else {
			env.Users[j].Eligible = cluster.NewSet(4, 2, 3)
		}
	}
	return env
}

// Confined is an environment in which each user may run on one server only, of (1) and (2).
func Confined() *cluster.Environment {
	env := environment([]string{"cpu"}, [][]float64{{1}, {2}}, cluster.NewUser("user1", []float64{1}), cluster.NewUser("user2", []float64{1}))
	for j := range env.Users {
		env.Users[j].Eligible = cluster.NewSet(2, j)
	}
	return env
}

// Wasteful is an environment in which PS-DSF is not Pareto optimal: each user
// holds all of one server, 5/4 tasks, and has a bottleneck on both.
func Wasteful() *cluster.Environment {
	return environment([]string{"cpu", "mem"}, [][]float64{{5, 4}, {5, 5}},
		cluster.NewUser("user1", []float64{4, 1}), cluster.NewUser("user2", []float64{1, 4}))
}

// Cycling is an environment in which Algorithm I goes round for ever.
func Cycling() *cluster.Environment {
	return environment([]string{"cpu", "mem", "gpu"}, [][]float64{{2, 2, 4}, {1, 6, 4}, {1, 2, 1}},
		cluster.NewUser("user1", []float64{1, 0, 3}), cluster.NewUser("user2", []float64{0, 3, 2}), cluster.NewUser("user3", []float64{3, 3, 0}))
}
