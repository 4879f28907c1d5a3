package run

import (
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func TestMeasurementsThatCannotBeRegistered(t *testing.T) {
	watch := func(*cluster.Environment, []sim.Job) Watcher { return &watchUtilization{} }
	for what, m := range map[string]Measurement{
		"a name that is taken": {Name: Envy, Watch: watch},
		"no name":              {Watch: watch},
		"nothing to watch":     {Name: "nothing"},
		"an unknown metric":    {Name: "unknown", Metrics: []string{"nobody_s"}, Watch: watch},
	} {
		before := len(registered)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			RegisterMeasurement(m)
		}()
		if len(registered) != before {
			t.Errorf("%s: registered all the same", what)
		}
	}
}

func TestAMeasurementIsFoundByItsMetric(t *testing.T) {
	for metric, want := range map[string]string{
		results.MetricSIViolation: TaskRatio, results.MetricMeanUtilization + ":s1/cpu": Utilization, results.MetricJCTFactor: JCTFactor, results.MetricUsersPresent: "",
	} {
		if got := MeasurementOf(metric); got != want {
			t.Errorf("%s: %q, want %q", metric, got, want)
		}
	}
}
