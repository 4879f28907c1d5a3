package whole

import (
	"github.com/leontief-sim/leontief/sim"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// One server that holds one task at a time, and a job of three tasks of 3, 1 and
// 4 s; a second job of one task of 1 s arrives at 4.5 s.
func TestTasksOfDifferentLengths(t *testing.T) {
	one := cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}}}
	first := sim.Job{User: cluster.NewUser("a", []float64{1}), Tasks: 3, Duration: 2_666_667, Each: []event.Time{3e6, 1e6, 4e6}}
	second := sim.Job{User: cluster.NewUser("b", []float64{1}), Arrival: 4_500_000, Tasks: 1, Duration: 1e6}
	for _, c := range []struct {
		jobs []sim.Job
		slot event.Time
		want []event.Time // ends of tasks
	}{
		{[]sim.Job{first}, 0, []event.Time{3e6, 4e6, 8e6}},
		{[]sim.Job{first, second}, 0, []event.Time{3e6, 4e6, 8e6, 9e6}},
		// At 6 s the third task has run for 2 s; it is suspended and resumed with
		// what is left and 0.25 s.
		{[]sim.Job{first, second}, 2e6, []event.Time{3e6, 4e6, 8_250_000, 9_250_000}},
	} {
		var ends []event.Time
		r := Replay{Env: &one, Rule: FIFO(), Slot: c.slot, Verify: true, OnEvent: func(e *Event) {
			if e.Kind == TaskEnd {
				ends = append(ends, e.At)
			}
		}, Jobs: c.jobs}
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatalf("slot %d: %v", c.slot, err)
		}
		if !slices.Equal(ends, c.want) {
			t.Errorf("%d jobs, slot %d: tasks end at %v, want %v", len(c.jobs), c.slot, ends, c.want)
		}
	}
	for _, each := range [][]event.Time{{1, 1}, {1, 1, 0}} {
		j := first
		j.Each = each
		if _, err := sim.NewArrivals([]sim.Job{j}); err == nil {
			t.Errorf("times %v pass for three tasks", each)
		}
	}
}
