package whole

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/whole/order"
	"github.com/leontief-sim/leontief/sim/whole/waiting"
)

// K is the number of tasks that single servers hold one after another, whether classes have
// capacities in common, with constraints, a link and demands that differ.
func TestTasksAloneAreThoseOfSingleServers(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for round := range 300 {
		env := &cluster.Environment{Resources: []string{"cpu", "mem"}}
		classes := 1 + rng.IntN(90)
		for s := range classes {
			capacity := []float64{float64(1 + rng.IntN(3)), float64(1+rng.IntN(3)) / 2}
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1 + rng.IntN(3)})
		}
		u := cluster.NewUser("u", []float64{float64(rng.IntN(4)) / 8, float64(1+rng.IntN(9)) / 16})
		if round%3 > 0 {
			u.Eligible = cluster.NewSet(classes, rng.Perm(classes)[:rng.IntN(classes+1)]...)
		}
		if round%5 == 0 {
			u.DemandOn = map[int][]float64{rng.IntN(classes): {0.25, 0.125}}
		}
		if round%4 == 0 {
			env.Links = []cluster.Link{{Name: "l", Capacity: float64(1 + rng.IntN(400))}}
			u.LinkDemand = []float64{0.5}
		}
		servers := waiting.NewServers(env)
		all := newKinds(env, servers, func(*cluster.User) (*order.Norm, error) { return order.Unseen, nil }, false)
		k, err := all.enter(&u)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for s := range servers.Servers() {
			for servers.Fits(&k.Kind, int32(s)) {
				servers.Take(&k.Kind, int32(s))
				want++
			}
		}
		if k.alone != want {
			t.Fatalf("%d classes, %+v: K = %g, want %g", classes, u, k.alone, want)
		}
	}
}
