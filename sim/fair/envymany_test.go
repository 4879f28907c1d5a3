package fair

import (
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// everyPair is MIN-EF-SAT by looking at all pairs of users.
func everyPair(g *Judge, a *cluster.Allocation, present []int) Envy {
	worst := Envy{nobody(g.env), 1}
	for _, j := range g.present(present) {
		if e := g.EFSat(j, a, present); e.Sat < worst.Sat {
			worst = e
		}
	}
	return worst
}

// many is an environment of many users, some of them alike, who hold round or random
// amounts; few is how many hold nothing, of 8.
func many(rng *rand.Rand, plain bool, few int) (*cluster.Environment, *cluster.Allocation) {
	env, a := random(rng, manyUsers+1+rng.IntN(100), 1+rng.IntN(4), rng.IntN(3), plain)
	for j := range env.Users {
		if like := rng.IntN(len(env.Users)); rng.IntN(2) == 0 {
			name := env.Users[j].Name
			env.Users[j] = env.Users[like]
			env.Users[j].Name = name
			copy(a.On(j), a.On(like))
		}
		a.Tasks[j] = 0
		round, nothing := rng.IntN(2) == 0, rng.IntN(8) < few
		for s := range env.Servers {
			x := &a.On(j)[s]
			switch {
			case nothing || !env.MayRun(j, s):
				*x = 0
			case round || *x == 0 && few == 0:
				*x = float64(1 + rng.IntN(2))
			}
			a.Tasks[j] += *x
		}
	}
	return env, a
}

// With many users the least EF-SAT and its witness are those of all pairs, to the last bit.
func TestManyUsersAreComparedAsAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	left, positive := 0, 0
	for k := range 400 {
		env, a := many(rng, k%2 == 0, k%4/2)
		g := NewJudge(env)
		var present []int
		if k%3 == 0 {
			for j := range env.Users {
				if rng.IntN(5) > 0 {
					present = append(present, j)
				}
			}
		}
		got, want := g.MinEFSat(a, present), everyPair(g, a, present)
		if got != want {
			t.Fatalf("%d: %v, want %v", k, got, want)
		}
		if got.Sat > 0 {
			positive++
		}
		users := g.present(present)
		if kept := g.worthwhile(a, users); 2*len(kept) < len(users) {
			left++
			for _, j := range users {
				if got, want := g.efSat(j, a, kept).Sat, g.EFSat(j, a, present).Sat; got != want {
					t.Fatalf("%d: user %d: %v, want %v", k, j, got, want)
				}
			}
		}
	}
	if left < 100 || positive < 100 {
		t.Errorf("only in %d cases most bundles are left out, and in %d nobody envies with nothing", left, positive)
	}
}

func BenchmarkMinEFSatOfMany(b *testing.B) {
	env, a := random(rand.New(rand.NewPCG(1, 1)), 20_000, 3, 0, true)
	for j := range a.Tasks { // nobody envies with nothing
		a.On(j)[0], a.Tasks[j] = a.On(j)[0]+1, a.Tasks[j]+1
	}
	g := NewJudge(env)
	for b.Loop() {
		g.MinEFSat(a, nil)
	}
}
