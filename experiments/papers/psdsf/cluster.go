// Package psdsf reproduces the PS-DSF paper: its worked examples, the properties
// of its table I on random environments, tables III and IV, and figure 6 with
// servers that act by themselves.
package psdsf

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Paper is the paper's name on the command line and in the ledger.
const Paper = "ps-dsf"

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

// The two readings of the cpu demand of user 2 in figure 5: a round number, on
// which tables III and IV do not depend, and the largest there can be.
const (
	RoundCPU2   = 0.1
	LargestCPU2 = 2.0 / 15
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
