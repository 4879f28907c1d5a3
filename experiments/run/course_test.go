package run

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
)

// One server of 1 cpu; a runs alone from 0 s, b joins at 4 s. Each task needs
// the whole server: alone a holds 1 task, together half a task each, which is
// what both deserve. a has 7 task-seconds: 4 alone, the other 3 by 10 s; b has 5:
// 3 by 10 s, 2 alone by 12 s.
func TestCourseOfTwoJobs(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}}}
	jobs := []traces.Job{
		{ID: "a", SubmitUS: 0, Tasks: 1, DurationUS: 7e6, CPU: 1},
		{ID: "b", SubmitUS: 4e6, Tasks: 1, DurationUS: 5e6, CPU: 1},
	}
	course := &Course{Period: 5e6}
	c := Case{Cluster: env, Jobs: jobs, Policy: "drf", Course: course}
	if _, err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, r := range course.Rows(results.Row{Policy: "drf"}, []string{"a", "b"}) {
		got[fmt.Sprintf("%s %s %g", r.Metric, r.User, r.TimeS)] = r.Value
	}
	want := map[string]float64{
		"users_present  0": (4*1 + 1*2) / 5., "users_present  5": 2, "users_present  10": 1,
		"min_ef_sat_now  0": 1, "min_ef_sat_now  5": 1, "min_ef_sat_now  10": 1,
		"min_si_sat_now  0": 1, "min_si_sat_now  5": 1, "min_si_sat_now  10": 1,
		"utilization_now:s/cpu  0": 1, "utilization_now:s/cpu  5": 1, "utilization_now:s/cpu  10": 1,
		"tasks_received a 0": (4*1 + .5) / 5, "tasks_received a 5": .5,
		"tasks_received b 0": .5, "tasks_received b 5": .5, "tasks_received b 10": 1,
		"tasks_deserved a 0": (4*1 + .5) / 5, "tasks_deserved a 5": .5,
		"tasks_deserved b 0": .5, "tasks_deserved b 5": .5, "tasks_deserved b 10": 1,
	}
	for k, v := range want {
		if diff := got[k] - v; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s is %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d: %v", len(got), len(want), got)
	}
}

// A series that is too long for any use is refused, before it is kept.
func TestCourseIsRefusedWhereItIsTooLong(t *testing.T) {
	const year = 365 * 86400e6
	one := fillingCase(traces.Job{DurationUS: year})
	gap := fillingCase(traces.Job{DurationUS: 1e6}, traces.Job{SubmitUS: 1e5 * year, DurationUS: 1e6})
	for _, c := range []struct {
		of     Case
		period event.Time
		fits   bool
	}{{one, 1e6, false}, {one, 600e6, true}, {gap, 600e6, false}, {gap, 20 * year, true}} {
		c.of.Course = &Course{Period: c.period}
		_, err := c.of.Run(context.Background())
		var input spec.InputError
		if (err == nil) != c.fits || err != nil && !errors.As(err, &input) {
			t.Errorf("%d jobs, periods of %d µs: %v", len(c.of.Jobs), c.period, err)
		}
	}
}

// Where tasks are whole and each fits what its job deserves, both models have the same series
// of received and deserved: two jobs of one server of two cores, each with a task of a core
// at a time, and a third, alone later, that has both cores.
func TestJobsReceiveTheSameInBothModels(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{2}, Count: 1}}}
	jobs := []traces.Job{
		{ID: "a", Tasks: 4, DurationUS: 5e6, CPU: 1},
		{ID: "b", Tasks: 4, DurationUS: 5e6, CPU: 1},
		{ID: "c", SubmitUS: 25e6, Tasks: 4, DurationUS: 5e6, CPU: 1},
	}
	names := []string{"a", "b", "c"}
	var texts [2]string
	for k := range texts {
		c := Case{Cluster: env, Jobs: jobs, Policy: "drf", Course: &Course{Period: 4e6}}
		var err error
		if k == 0 {
			_, err = c.Run(t.Context())
		} else {
			_, err = Whole{Case: c}.Run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range c.Course.Rows(results.Row{}, names) {
			if r.Metric == results.MetricTasksReceived || r.Metric == results.MetricTasksDeserved {
				texts[k] += fmt.Sprintf("%s %s %g: %.9f\n", r.Metric, r.User, r.TimeS, r.Value)
				n++
			}
		}
		if n != 2*(5+5+3) {
			t.Errorf("%d values", n)
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("of divisible tasks\n%sof whole ones\n%s", texts[0], texts[1])
	}
}
