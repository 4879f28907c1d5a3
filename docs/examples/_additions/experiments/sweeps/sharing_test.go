package sweeps_test

import (
	"testing"

	"github.com/leontief-sim/leontief/experiments/spec"
)

// TSF-ER has the sharing incentive; DRF with an equal part of the link on each server
// has not, and some draw shows it.
func TestAddedExperiment(t *testing.T) {
	rows := tablesOf(t, planOf(t, "added.yaml", `blocks:
  - {name: added, experiment: sharing, instances: 3, set: {n: 15, cluster: three, rho: 0.9, bandwidth: 2}, axes: {policy: [tsf-er, drf-eq]}}
`, spec.Choice{}))["added"]
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	least := map[string]float64{"tsf-er": 1, "drf-eq": 1}
	for _, r := range rows {
		least[r.Policy] = min(least[r.Policy], r.Value)
	}
	if least["tsf-er"] < 1-1e-6 || least["drf-eq"] > 0.99 {
		t.Errorf("least values %v", least)
	}
}
