package run

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// measuresOf runs a case in the fluid model and with whole tasks and returns
// the measures of both by name.
func measuresOf(t *testing.T, c Case) (fluid, whole map[string]Measure) {
	t.Helper()
	named := func(all []Measure) map[string]Measure {
		byName := map[string]Measure{}
		for _, m := range all {
			if _, twice := byName[m.Metric]; twice {
				t.Errorf("%s is measured twice", m.Metric)
			}
			byName[m.Metric] = m
		}
		return byName
	}
	f, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	w, err := Whole{Case: c}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return named(f.Measures), named(w.Measures)
}

// fillingCase is jobs of one server that each of their tasks fills.
func fillingCase(jobs ...traces.Job) Case {
	c := Case{
		Cluster: &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: 1}}},
		Policy:  "tsf-er", Jobs: jobs, Want: []string{Utilization, TaskRatio, Envy},
	}
	for i := range c.Jobs {
		c.Jobs[i].ID, c.Jobs[i].Tasks, c.Jobs[i].CPU = string(rune('a'+i)), 1, 4
	}
	return c
}

// A server that is full whenever a user is there has utilization 1, however
// short the job and however long the gap between two.
func TestUtilizationIsThatOfTheTimeWithAUser(t *testing.T) {
	for name, jobs := range map[string][]traces.Job{
		"one job of 25 s":                  {{DurationUS: 25e6}},
		"two jobs of 600 s, an hour apart": {{DurationUS: 600e6}, {SubmitUS: 3600e6, DurationUS: 600e6}},
		"a job of a year":                  {{SubmitUS: 1, DurationUS: 365 * 86400e6}},
	} {
		fluid, whole := measuresOf(t, fillingCase(jobs...))
		for _, metric := range []string{results.MetricMeanUtilization + ":cpu", results.MetricMeanUtilization + ":s/cpu"} {
			for model, of := range map[string]map[string]Measure{"fluid": fluid, "whole": whole} {
				if m, ok := of[metric]; !ok || m.Value != 1 {
					t.Errorf("%s, %s: %s is %g (measured: %v), want 1", name, model, metric, m.Value, ok)
				}
			}
		}
	}
}

// Both models report the same metrics in the same units, but for those that one
// of them alone has.
func TestBothModelsReportTheSameMetrics(t *testing.T) {
	c := fillingCase(traces.Job{DurationUS: 25e6}, traces.Job{SubmitUS: 50e6, DurationUS: 5e6})
	c.Cluster.Servers = append(c.Cluster.Servers, cluster.Server{Name: "t", Capacity: []float64{0}, Count: 3})
	c.Cluster.Links, c.Bandwidth = []cluster.Link{{Name: "bw", Capacity: 10}}, []float64{5, 10}
	fluid, whole := measuresOf(t, c)
	for _, own := range []string{results.MetricReallocations, results.MetricSuspensions, results.MetricStalls} {
		delete(whole, own)
	}
	want := map[string]float64{
		results.MetricJCTFactor: 1, results.MetricMinTaskRatio: 1, results.MetricSIViolation: 0, results.MetricMinEFSat: 1,
		"mean_utilization:cpu": 1, "mean_utilization:s/cpu": 1, "mean_utilization:t/cpu": 0, "mean_utilization:bw": (25*0.5 + 5) / 30,
	}
	for model, of := range map[string]map[string]Measure{"fluid": fluid, "whole": whole} {
		got := map[string]float64{}
		for name, m := range of {
			got[name] = m.Value
			if results.UnitOf(m.Metric) != results.UnitRatio {
				t.Errorf("%s: %s in %q", model, name, results.UnitOf(m.Metric))
			}
		}
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s:\n%s", model, d)
		}
	}
}

// Names that a resource and a link, or two pairs of server and resource, have in
// common are told apart.
func TestUtilizationHasANameForEveryCapacity(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"b/c", "c"},
		Servers:   []cluster.Server{{Name: "a"}, {Name: "a/b"}},
		Links:     []cluster.Link{{Name: "c"}, {Name: "a/c"}, {Name: "up"}},
	}
	resources, rows := utilizationNames(env)
	all := append(resources, rows...)
	seen := map[string]bool{}
	for _, name := range all {
		seen[name] = true
	}
	if len(seen) != len(all) {
		t.Errorf("names %q", all)
	}
	if d := cmp.Diff([]string{"a/b/c", "a/c", "a/b/b/c", "server/a/b/c", "link/c", "link/a/c", "up"}, rows); d != "" {
		t.Error(d)
	}
}

// What a replay keeps does not grow with the simulated time.
func TestMemoryDoesNotGrowWithTheSimulatedTime(t *testing.T) {
	count := func(apartUS int64) float64 {
		c := fillingCase(traces.Job{DurationUS: 25e6}, traces.Job{SubmitUS: apartUS, DurationUS: apartUS})
		return testing.AllocsPerRun(5, func() {
			if _, err := (Whole{Case: c}).Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if hour, decade := count(3600e6), count(10*365*86400e6); math.Abs(hour-decade) > 10 {
		t.Errorf("%g allocations for an hour, %g for ten years", hour, decade)
	}
}

// A job whose completion would lie beyond the clock is refused and counted, in
// both models.
func TestJobsBeyondTheClockAreCounted(t *testing.T) {
	const year = 365 * 86400e6
	c := fillingCase(traces.Job{DurationUS: 1000 * year}, traces.Job{DurationUS: 5e6})
	c.Jobs[0].Tasks = 500
	fluid, whole := measuresOf(t, c)
	for model, of := range map[string]map[string]Measure{"fluid": fluid, "whole": whole} {
		if m := of[results.MetricBeyondClock]; m.Value != 1 {
			t.Errorf("%s: %+v", model, m)
		}
		if m := of[results.MetricJCTFactor]; m.Value != 1 {
			t.Errorf("%s: the factor of the other job is %g, want 1", model, m.Value)
		}
	}
	c.Jobs[0].Tasks = 100
	fluid, whole = measuresOf(t, c)
	if _, refused := fluid[results.MetricBeyondClock]; refused {
		t.Error("100,000 years lie on the clock")
	}
	if _, refused := whole[results.MetricBeyondClock]; refused {
		t.Error("100,000 years lie on the clock")
	}
}
