package solve

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// What is written out for short vectors rounds as gonum does.
func TestShortVectorsAreGonums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 2 * brief {
		for range 50 {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			if got, want := dot(x, y), floats.Dot(x, y); got != want {
				t.Fatalf("dot of %d: %v, want %v", n, got, want)
			}
			got, want := slices.Clone(y), slices.Clone(y)
			addScaled(got, 0.3, x)
			floats.AddScaled(want, 0.3, x)
			if !slices.Equal(got, want) {
				t.Fatalf("addScaled of %d: %v, want %v", n, got, want)
			}
		}
	}
}

// The multiplication that stands for a division by the number of servers is exact.
func TestTasksOfUsersAndServers(t *testing.T) {
	for servers := 1; servers < 300; servers++ {
		p := program{servers: servers, users: 1 << 20, reciprocal: ^uint64(0)/uint64(servers) + 1}
		for _, j := range []int{0, 1, 2, 6, 7, 1000, 1<<20 - 1} {
			for _, s := range []int{0, servers / 2, servers - 1} {
				if user, server := p.taskOf(p.taskVar(j, s)); user != j || server != s {
					t.Fatalf("%d servers: the task of user %d on server %d is that of %d on %d", servers, j, s, user, server)
				}
			}
		}
	}
}
