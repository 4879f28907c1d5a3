package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/experiments/cli"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/policytest"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The paper's example, figure 4: a server of 30 CPUs and 30 GB, tasks of (1, 3) and
// of (1, 1). User 1 runs 6 of them, user 2 runs 12: each holds 24/60 of all assets,
// and user 2 less than half of both resources.
func TestExampleOfThePaper(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{30, 30}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("1", []float64{1, 3}), cluster.NewUser("2", []float64{1, 1})},
	}
	rule, err := policies.New("asset-fairness")
	if err != nil {
		t.Fatal(err)
	}
	a, err := rule.Allocate(env)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{6, 12} {
		if math.Abs(a.Tasks[j]-want) > 1e-6 {
			t.Errorf("user %d: %v tasks, want %v", j+1, a.Tasks[j], want)
		}
	}
}

func TestSuite(t *testing.T) {
	rule, err := policies.New("asset-fairness")
	if err != nil {
		t.Fatal(err)
	}
	policytest.Run(t, rule, policytest.Options{Totals: true, Claims: claims})
}

// Every command knows the rule: here a sweep of the TSF-ER paper's figure 3 with it.
func TestSweepBesideAnother(t *testing.T) {
	dir := t.TempDir()
	spec, table := filepath.Join(dir, "spec.yaml"), filepath.Join(dir, "out", "fig3.parquet")
	text := `{name: ours, title: ours, scales: [quick], blocks: [{name: fig3, experiment: fluid, instances: 1,
  set: {cluster: three, rho: 0.5, n: 10, bandwidth: 2, metrics: task-ratio}, axes: {policy: [asset-fairness, tsf-er]}}]}`
	if err := os.WriteFile(spec, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	if status := cli.Main([]string{"sweep", spec, "--progress", "none", "--out", filepath.Dir(table)}, cli.Streams{Out: &out, Err: &problems}); status != 0 {
		t.Fatalf("status %d: %s", status, &problems)
	}
	rows, err := results.ReadTable(table)
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]float64{}
	for _, row := range rows {
		if row.Metric == results.MetricMinTaskRatio {
			least[row.Policy] = row.Value
		}
	}
	if own, ok := least["asset-fairness"]; !ok || own > 1 || least["tsf-er"] < 1-1e-9 {
		t.Errorf("smallest restricted task ratios %v", least)
	}
}
