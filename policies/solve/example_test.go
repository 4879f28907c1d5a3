package solve_test

import (
	"fmt"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// three users of one server of 6 CPUs and 6 GB; c runs 1 task at most.
func three() *cluster.Environment {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{6, 6}, Count: 1}},
		Users: []cluster.User{
			cluster.NewUser("a", []float64{1, 0}), cluster.NewUser("b", []float64{1, 2}), cluster.NewUser("c", []float64{1, 1}),
		},
	}
	env.Users[2].Tasks = 1
	return env
}

// All rise together to 1 task, the cap of c; a and b go on to 2.5, where the CPUs end.
func ExampleMaxMin() {
	env := three()
	var s solve.MaxMin
	s.Load(env, []float64{1, 1, 1})
	for j := range env.Users {
		s.Add(j)
	}
	a, err := s.Solve()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4g in %d rounds, certified: %t\n", a.Tasks, a.Certificate.Rounds, a.Certificate.Gap <= solve.Accuracy)
	// Without c the CPUs give a and b 3 each; the solver goes on from where it was.
	s.Remove(2)
	if a, err = s.Solve(); err != nil {
		panic(err)
	}
	fmt.Printf("%.4g\n", a.Tasks)
	// Output:
	// [2.5 2.5 1] in 2 rounds, certified: true
	// [3 3 0]
}

// The product of the tasks is largest where each user pays as much for its tasks; c is at
// its cap.
func ExampleNash() {
	var s solve.Nash
	a, err := s.Solve(three())
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4g\n", a.Tasks)
	// Output: [2.5 2.5 1]
}

// A task of a is worth 1 and one of b 3, and everybody keeps half a task.
func ExampleLinear() {
	var s solve.Linear
	a, err := s.Solve(three(), solve.LinearProblem{Value: []float64{1, 3, 0}, Lower: []float64{0.5, 0.5, 0.5}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4g\n", a.Tasks)
	// Output: [2.75 2.75 0.5]
}

// With 1 task for each, a could run 3 more and nobody would lose.
func ExampleDomination() {
	factor, better, err := solve.Domination(three(), []float64{1, 1, 1})
	if err != nil {
		panic(err)
	}
	sum := 0.0
	for _, x := range better {
		sum += x
	}
	fmt.Printf("factor %.4g: %.4g tasks in all\n", factor, sum)
	// Output: factor 2: 6 tasks in all
}
