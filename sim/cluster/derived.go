package cluster

import (
	"math"
	"slices"
)

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

// Psi returns ψ[j,s], the tasks of user j when it has the whole class s and the links on
// the way to it to itself; eligibility is ignored.
func (env *Environment) Psi(j, s int) float64 {
	psi := env.Gamma(j, s)
	for e := range env.Links {
		if d := env.LinkDemand(j, e); d > 0 && env.Reaches(e, s) {
			psi = math.Min(psi, env.Links[e].Capacity/d)
		}
	}
	return psi
}

// Eta returns η[j], the tasks of user j when it has every server and every
// link to itself, its task cap and its eligibility ignored: the optimum of
//
//	max Σ_s x[s]  subject to  0 <= x[s] <= γ[j,s]  and
//	Σ_{s∈S(e)} x[s] <= c[e]/d[j,e] for every link e with d[j,e] > 0.
//
// It is 0 for a user that no server can host and +Inf for one that needs
// nothing on some server. For many users [Environment.Etas] is far cheaper.
func (env *Environment) Eta(j int) float64 { return newAlone(env).tasks(j, false) }

// EtaEligible returns η'[j]: as [Environment.Eta], counting only the servers
// that may run user j.
func (env *Environment) EtaEligible(j int) float64 { return newAlone(env).tasks(j, true) }

// EqualShare returns ψ[j] = min((w[j]/Σw)·η'[j], n[j]), the tasks that user j
// would have if every server and every link were divided among all users of
// the environment in proportion to their weights.
func (env *Environment) EqualShare(j int) float64 {
	total := 0.0
	for i := range env.Users {
		total += env.Users[i].Weight
	}
	u := &env.Users[j]
	return math.Min(u.Weight/total*env.EtaEligible(j), u.Tasks)
}

// Etas returns η of all users, see [Environment.Eta]. The result is in dst,
// which is grown if it is too short and may be nil. O(users·servers·resources)
// where no two links overlap without one containing the other, and no
// allocation per user there.
func (env *Environment) Etas(dst []float64) []float64 { return env.etas(dst, false) }

// EtasEligible returns η' of all users, see [Environment.EtaEligible].
func (env *Environment) EtasEligible(dst []float64) []float64 { return env.etas(dst, true) }

// EqualShares returns ψ of all users, see [Environment.EqualShare].
func (env *Environment) EqualShares(dst []float64) []float64 {
	dst = env.EtasEligible(dst)
	total := 0.0
	for j := range env.Users {
		total += env.Users[j].Weight
	}
	for j := range dst {
		u := &env.Users[j]
		dst[j] = math.Min(u.Weight/total*dst[j], u.Tasks)
	}
	return dst
}

func (env *Environment) etas(dst []float64, eligible bool) []float64 {
	dst = slices.Grow(dst[:0], len(env.Users))[:len(env.Users)]
	if len(dst) == 1 && env.plain(0) {
		var may Set
		if eligible {
			may = env.Users[0].Eligible
		}
		dst[0] = env.etaOfOne(may)
		return dst
	}
	program := newAlone(env)
	for j := range dst {
		dst[j] = program.tasks(j, eligible)
	}
	return dst
}
