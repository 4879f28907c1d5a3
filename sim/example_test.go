package sim_test

import (
	"context"
	"fmt"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// Two jobs on one server of 9 CPUs and 18 GB under DRF. A runs 4.5 tasks at a time
// alone, 3 beside B, which runs 2.
func ExampleFluid() {
	const second event.Time = 1_000_000
	rule, err := policies.New("drf")
	if err != nil {
		panic(err)
	}
	replay := sim.Fluid{
		Env: &cluster.Environment{
			Resources: []string{"cpu", "mem"},
			Servers:   []cluster.Server{{Name: "s", Capacity: []float64{9, 18}, Count: 1}},
		},
		Jobs: []sim.Job{
			{User: cluster.NewUser("A", []float64{1, 4}), Tasks: 12, Duration: 60 * second},
			{User: cluster.NewUser("B", []float64{3, 1}), Arrival: 60 * second, Tasks: 4, Duration: 60 * second},
		},
		Policy: rule,
	}
	result, err := replay.Run(context.Background())
	if err != nil {
		panic(err)
	}
	for i, job := range result.Jobs {
		fmt.Printf("%s is done at %d s; alone it would have taken %.0f s\n", replay.Jobs[i].User.Name, job.Completion/second, job.Standalone/float64(second))
	}
	// Output:
	// A is done at 200 s; alone it would have taken 160 s
	// B is done at 180 s; alone it would have taken 80 s
}
