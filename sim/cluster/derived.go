package cluster

import "math"

// Inf is the task cap of a user without one.
var Inf = math.Inf(1)

// Gamma returns γ[j,s], the tasks of user j when it has the whole class s to
// itself: min over resources with d[j,r] > 0 of c[s,r]/d[j,r]. Links and
// eligibility are ignored. It is +Inf where the user needs no resource of
// the server, and 0 where the server lacks one that it needs.
func (env *Environment) Gamma(j, s int) float64 {
	gamma := Inf
	for r, d := range env.Demand(j, s) {
		if d > 0 {
			gamma = math.Min(gamma, env.Capacity(s, r)/d)
		}
	}
	return gamma
}
