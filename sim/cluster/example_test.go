package cluster_test

import (
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Two servers that are unlike and a link behind which both are. Alone, user a could
// run 5 tasks of 1 CPU and 2 GB on each server; the link lets 8 pass.
func Example() {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers: []cluster.Server{
			{Name: "s1", Capacity: []float64{5, 10}, Count: 1},
			{Name: "s2", Capacity: []float64{10, 10}, Count: 1},
		},
		Links: []cluster.Link{{Name: "bandwidth", Capacity: 16}},
		Users: []cluster.User{
			cluster.NewUser("a", []float64{1, 2}, 2),
			cluster.NewUser("b", []float64{2, 1}, 1),
		},
	}
	fmt.Println("γ of a:", env.Gamma(0, 0), env.Gamma(0, 1))
	fmt.Println("η:", env.Etas(nil))
	fmt.Println("ψ:", env.EqualShares(nil))
	// Output:
	// γ of a: 5 5
	// η: [8 7.5]
	// ψ: [4 3.75]
}

// An allocation refers to its environment and says what it takes of each row.
func ExampleAllocation() {
	env := &cluster.Environment{
		Resources: []string{"cpu"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("a", []float64{1}), cluster.NewUser("b", []float64{2})},
	}
	a := &cluster.Allocation{Region: env, Tasks: []float64{2, 1.5}, X: []float64{2, 1.5}, Share: []float64{0.5, 0.75}}
	fmt.Println(a.Usage(nil))
	fmt.Println(a.Feasible(1e-9))
	// Output:
	// [5]
	// cpu of server "s": 5 against 4 (relative violation 0.25)
}

// All problems of a file are returned at once, each with its path; what concerns the
// form of the file comes first.
func ExampleReadEnvironment() {
	_, err := cluster.ReadEnvironment(strings.NewReader(`{
		"resources": ["cpu"],
		"servers": [{"name": "s", "capacity": [-1]}],
		"users": [{"name": "a", "demand": [1, 2], "servers": ["t"]}]
	}`))
	fmt.Println(err)
	// Output:
	// users[0].servers[0]: unknown server "t"
	// servers[0].capacity[0]: must not be negative, is -1
	// users[0].demand: has 2 entries for 1 resources
}
