package fair

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Envy compares the bundles of two users.
type Envy struct {
	Pair
	// Sat is min(Own/Other, 1): 1 if the bundle is not envied. 0/0 is 1.
	Sat float64
}

// String says who envies whom, with the numbers.
func (e Envy) String() string {
	if e.User < 0 {
		return "nobody envies anybody (EF-SAT 1)"
	}
	return fmt.Sprintf("user %q envies user %q: it could run %.9g tasks with that bundle, %.9g with its own (EF-SAT %.9g)",
		e.user(), e.of(), e.Other, e.Own, e.Sat)
}

// EFSat returns EF-SAT(j), the minimum of u[j](own)/u[j](i's bundle) and 1
// over the users i that are present (nil: all), with the i that attains it
// (the first of several). O(users) where demands and links are the same on all
// servers, O(users·servers) otherwise.
func (g *Judge) EFSat(j int, a *cluster.Allocation, present []int) Envy {
	return g.efSat(j, a, g.present(present))
}

func (g *Judge) efSat(j int, a *cluster.Allocation, of []int) Envy {
	worst := Envy{nobody(g.env), 1}
	worst.Own = g.Utility(j, j, a)
	for _, i := range of {
		if i == j {
			continue
		}
		if other := g.Utility(j, i, a); other > worst.Own && worst.Own/other < worst.Sat {
			worst.User, worst.Of, worst.Other, worst.Sat = j, i, other, worst.Own/other
		}
	}
	return worst
}

// MinEFSat returns MIN-EF-SAT, the minimum of EF-SAT(j) over the users that are
// present (nil: all), with the pair that attains it (the first of several). It
// is 1 if nobody is present. O(users²) of EF-SAT(j) at worst; with many users, those who
// hold something are compared with the bundles that no other one exceeds alone, and
// somebody who holds nothing and envies is enough.
func (g *Judge) MinEFSat(a *cluster.Allocation, present []int) Envy {
	users := g.present(present)
	of := users
	if len(users) > manyUsers {
		of = g.worthwhile(a, users)
	}
	worst := g.minEFSat(a, users, of)
	if worst.User >= 0 && len(of) < len(users) {
		return g.efSat(worst.User, a, users) // the first of several that it envies most
	}
	return worst
}

// minEFSat compares users with the bundles of some of them. Nothing is below 0, which those
// who hold nothing attain.
func (g *Judge) minEFSat(a *cluster.Allocation, users, of []int) Envy {
	worst := Envy{nobody(g.env), 1}
	for _, nothing := range [...]bool{true, false} {
		for _, j := range users {
			if (a.Tasks[j] == 0) != nothing {
				continue
			}
			if e := g.efSat(j, a, of); e.Sat < worst.Sat {
				worst = e
			}
			if worst.Sat == 0 {
				return worst
			}
		}
	}
	return worst
}

// Envies lists the pairs of users that are present (nil: all) in which one
// envies the other by more than the tolerance: Sat < 1 - tolerance.
func (g *Judge) Envies(a *cluster.Allocation, present []int, tolerance float64) []Envy {
	var pairs []Envy
	for _, j := range g.present(present) {
		own := g.Utility(j, j, a)
		for _, i := range g.present(present) {
			if i == j {
				continue
			}
			if other := g.Utility(j, i, a); other > own && own/other < 1-tolerance {
				pairs = append(pairs, Envy{Pair{g.env, j, i, own, other}, own / other})
			}
		}
	}
	return pairs
}
