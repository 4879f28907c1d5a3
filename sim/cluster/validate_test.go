package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of an environment that is sound but for one user, looking at that user finds what looking
// at all of it finds.
func TestAUserIsValidatedAsInTheWhole(t *testing.T) {
	rng, bad := rand.New(rand.NewPCG(1, 1)), 0
	odd := []float64{0, 1, 2, -1, 1e-160, 1e160, math.NaN(), math.Inf(1), 1e-150}
	number := func() float64 { return odd[rng.IntN(len(odd))] }
	for range 5000 {
		env := figure2()
		if rng.IntN(3) == 0 {
			env.Servers[0] = Server{Name: "s1", Capacity: []float64{1e150, 1e150}, Count: math.MaxInt32}
			env.Links[0].Capacity = 1e150
		}
		if err := Validate(env); err != nil {
			t.Fatal(err)
		}
		j := rng.IntN(len(env.Users))
		u := &env.Users[j]
		for range 1 + rng.IntN(2) {
			switch rng.IntN(7) {
			case 0:
				u.Demand[rng.IntN(2)] = number()
			case 1:
				u.Demand, u.LinkDemand = []float64{number(), number()}, nil
			case 2:
				u.LinkDemand = []float64{number()}
			case 3:
				u.Weight = number()
			case 4:
				u.Tasks = number()
			case 5:
				u.Eligible = NewSet(70, rng.IntN(70))
			case 6:
				u.DemandOn = map[int][]float64{rng.IntN(4) - 1: {number(), number()}}
			}
		}
		all, one := Validate(env), ValidateUser(env, j)
		if diff := cmp.Diff(all, one); diff != "" {
			t.Fatal(diff)
		}
		if all != nil {
			bad++
		}
	}
	if bad < 1000 || bad > 4500 {
		t.Errorf("%d of 5000 are not sound: the test shows little", bad)
	}
}
