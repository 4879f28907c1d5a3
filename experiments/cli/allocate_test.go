package cli

import (
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// A rule that gives nobody anything has an infinite domination factor, which is an
// error in every format and no result.
func TestNothingInfiniteIsAResult(t *testing.T) {
	env := &cluster.Environment{
		Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 1}},
		Users: []cluster.User{cluster.NewUser("u", []float64{1})},
	}
	nothing := &cluster.Allocation{Region: env, Tasks: []float64{0}, X: []float64{0}, Share: []float64{0}}
	if figures, err := judge(env, nothing); err == nil || !strings.Contains(err.Error(), "domination_factor is +Inf") {
		t.Errorf("%v, %v", figures, err)
	}
}
