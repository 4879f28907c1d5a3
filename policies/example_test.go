package policies_test

import (
	"fmt"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// pair are two users of one server of 9 CPUs and 18 GB: figure 3 of the DRF paper.
func pair() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{9, 18}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("A", []float64{1, 4}), cluster.NewUser("B", []float64{3, 1})},
	}
}

// A rule is asked for by its name, and its answer is checked before it is returned.
func Example() {
	rule, err := policies.New("drf")
	if err != nil {
		panic(err)
	}
	a, err := policies.Allocate(rule, pair())
	if err != nil {
		panic(err)
	}
	fmt.Printf("A runs %.4g tasks and B %.4g, each with the dominant share %.4g\n", a.Tasks[0], a.Tasks[1], a.Share[0])
	// Output: A runs 3 tasks and B 2, each with the dominant share 0.6667
}

// In a session users come and go; the rule goes on from its last answer where it can.
func ExampleOpen() {
	rule, err := policies.New("drf")
	if err != nil {
		panic(err)
	}
	session, err := policies.Open(rule, pair())
	if err != nil {
		panic(err)
	}
	for _, step := range []func(){func() { session.Add(0) }, func() { session.Add(1) }, func() { session.Remove(0) }} {
		step()
		a, err := session.Allocate()
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.4g %.4g\n", a.Tasks[0], a.Tasks[1])
	}
	// Output:
	// 4.5 0
	// 3 2
	// 0 3
}

// A rule of the egalitarian family is its normaliser: here the tasks that the first
// resource alone would allow.
func ExampleEgalitarian() {
	rule := policies.Egalitarian(func(env *cluster.Environment) ([]float64, error) {
		norm := make([]float64, len(env.Users))
		for j, u := range env.Users {
			norm[j] = env.TotalCapacity(0) / u.Demand[0]
		}
		return norm, nil
	})
	a, err := policies.Allocate(rule, pair())
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4g %.4g\n", a.Tasks[0], a.Tasks[1])
	// Output: 4.154 1.385
}
