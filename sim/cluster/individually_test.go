package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two servers of class a and one of b: sets and demands of a hold for both of its
// servers.
func TestIndividually(t *testing.T) {
	env := &Environment{
		Resources: []string{"cpu"}, Units: map[string]string{"cpu": "cores"},
		Servers: []Server{{Name: "a", Capacity: []float64{2}, Count: 2}, {Name: "b", Capacity: []float64{3}, Count: 1}},
		Links:   []Link{{Name: "l", Capacity: 4, Servers: NewSet(2, 0)}},
		Users:   []User{NewUser("u", []float64{1}, 1), NewUser("v", []float64{1}, 1)},
	}
	env.Users[0].Eligible, env.Users[0].DemandOn = NewSet(2, 1), map[int][]float64{0: {5}}
	want := env.Clone()
	want.Servers = []Server{{Name: "a/1", Capacity: []float64{2}, Count: 1}, {Name: "a/2", Capacity: []float64{2}, Count: 1}, env.Servers[1]}
	want.Links[0].Servers = NewSet(3, 0, 1)
	want.Users[0].Eligible, want.Users[0].DemandOn = NewSet(3, 2), map[int][]float64{0: {5}, 1: {5}}
	before := env.Clone()
	got, class := env.Individually()
	if d := cmp.Diff(want, got) + cmp.Diff([]int{0, 0, 1}, class) + cmp.Diff(before, env); d != "" {
		t.Error(d)
	}
	if again, class := got.Individually(); again != got || cmp.Diff([]int{0, 1, 2}, class) != "" {
		t.Errorf("%v of %v", class, again)
	}
}
