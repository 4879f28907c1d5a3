package fair

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Sharing compares what a user holds with its equal share.
type Sharing struct {
	env        *cluster.Environment
	User       int     // -1 if nobody is present
	Tasks      float64 // x[j]
	EqualShare float64 // ψ[j]
	// Ratio is the task ratio x[j]/ψ[j]; 0/0 is 1.
	Ratio float64
	// Sat is SI-SAT(j) = min(Ratio, 1).
	Sat float64
}

// String says what the user holds and what its equal share is.
func (s Sharing) String() string {
	if s.User < 0 {
		return "nobody is present (SI-SAT 1)"
	}
	return fmt.Sprintf("user %q holds %.9g tasks, its equal share is %.9g (task ratio %.9g, SI-SAT %.9g)",
		s.env.Users[s.User].Name, s.Tasks, s.EqualShare, s.Ratio, s.Sat)
}

// SISat returns the task ratio and SI-SAT of user j among the users that are
// present (nil: all), of which it is one: ψ[j] = min((w[j]/Σw)·η'[j], n[j])
// sums over those.
func (g *Judge) SISat(j int, a *cluster.Allocation, present []int) Sharing {
	return g.sharing(j, a, g.weight(g.present(present)))
}

// EachSISat shows what SISat returns of every user that is present (nil: all), in that
// order. O(users).
func (g *Judge) EachSISat(a *cluster.Allocation, present []int, see func(Sharing)) {
	present = g.present(present)
	total := g.weight(present)
	for _, j := range present {
		see(g.sharing(j, a, total))
	}
}

// MinSISat returns MIN-SI-SAT, the minimum of SI-SAT(j) over the users that are
// present (nil: all), with the user whose task ratio is smallest (the first of
// several). O(users).
func (g *Judge) MinSISat(a *cluster.Allocation, present []int) Sharing {
	present = g.present(present)
	total := g.weight(present)
	worst := Sharing{env: g.env, User: -1, Ratio: cluster.Inf, Sat: 1}
	for _, j := range present {
		if s := g.sharing(j, a, total); worst.User < 0 || s.Ratio < worst.Ratio {
			worst = s
		}
	}
	return worst
}

func (g *Judge) weight(present []int) float64 {
	total := 0.0
	for _, j := range present {
		total += g.env.Users[j].Weight
	}
	return total
}

func (g *Judge) sharing(j int, a *cluster.Allocation, total float64) Sharing {
	u := &g.env.Users[j]
	s := Sharing{env: g.env, User: j, Tasks: a.Tasks[j], EqualShare: min(u.Weight/total*g.etas[j], u.Tasks), Ratio: 1}
	if s.Tasks != 0 || s.EqualShare != 0 {
		s.Ratio = s.Tasks / s.EqualShare
	}
	s.Sat = min(s.Ratio, 1)
	return s
}
