package policies_test

import (
	"math"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// The paper's example, figure 4: 30 CPUs and 30 GB, tasks of (1, 3) and of (1, 1).
func TestAddedRule(t *testing.T) {
	rule, err := policies.New("asset")
	if err != nil {
		t.Fatal(err)
	}
	a, err := policies.Allocate(rule, &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []cluster.Server{{Name: "s", Capacity: []float64{30, 30}, Count: 1}},
		Users:     []cluster.User{cluster.NewUser("1", []float64{1, 3}), cluster.NewUser("2", []float64{1, 1})},
	})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{6, 12} {
		if math.Abs(a.Tasks[j]-want) > 1e-6 {
			t.Errorf("user %d: %v tasks, want %v", j+1, a.Tasks[j], want)
		}
	}
}
