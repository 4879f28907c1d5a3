package solve

import (
	"math/rand/v2"
	"testing"
)

// Where all have the same slack, candidates that are gathered without waiting for the bound
// lead to the same choice and the same bound, also where many have no room.
func TestOffersWithTheSameSlack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 20000 {
		var one, other offerings
		one.reset()
		other.reset()
		for id := range 1 + rng.IntN(12) {
			room, speed := rng.Float64(), rng.Float64()
			if rng.IntN(3) == 0 {
				room = -1e-13 * rng.Float64()
			}
			if rng.IntN(4) == 0 {
				speed = 0.25 // ties
			}
			one.add(id, room, speed, tolSlide)
			other.put(id, room, speed, tolSlide)
		}
		want, found := one.pick()
		got, also := other.pick()
		if got != want || found != also || one.bound != other.bound {
			t.Fatalf("round %d: %v within %v, one after the other %v within %v", round, got, other.bound, want, one.bound)
		}
	}
}
