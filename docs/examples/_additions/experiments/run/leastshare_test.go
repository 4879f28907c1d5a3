package run

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Of shares of 3/4 and 1/4 the least is 1/4; a replay
// has a row of it where it is asked for.
func TestAddedMetric(t *testing.T) {
	env := &cluster.Environment{Users: []cluster.User{cluster.NewUser("a", nil), cluster.NewUser("b", nil)}}
	w := &watchLeastShare{env: env, eta: []float64{4, 4}}
	if err := w.Observe(&sim.Interval{To: 1, Present: []int{0, 1}, Allocation: &cluster.Allocation{Tasks: []float64{3, 1}}}); err != nil {
		t.Fatal(err)
	}
	if got := w.Measures(); len(got) != 1 || math.Abs(got[0].Value-0.25) > 1e-12 {
		t.Errorf("%v, want 0.25", got)
	}
	c := smallCase()
	c.Want = []string{"least-share"}
	out, err := c.Run(context.Background())
	if err != nil || !slices.ContainsFunc(out.Measures, func(m Measure) bool { return m.Metric == metricLeastShare }) {
		t.Errorf("%v: %v", err, out)
	}
}
