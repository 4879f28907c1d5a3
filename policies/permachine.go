package policies

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	Register(Meta{
		Name:   "per-machine-drf",
		Label:  "Per-machine DRF",
		Look:   Look{"purple", "dash-dot-dot", "▲"},
		Title:  "DRF on each server apart, among its eligible users",
		Paper:  "TSF, section IV",
		Claims: []Claim{{SID, false}, {SP, true}, {EF, true}, {PO, false}, {SMF, true}, {SRF, false}},
		// The paper has no links. Part of a link that is given for a server
		// can be used on another one.
		Outside:    map[Property]cluster.Feature{SP: cluster.Links},
		Unbounded:  true,
		Family:     FamilyPerServer,
		Definition: "On each server alone, among the users that may run there: max-min of the dominant share x[j,s]·max_r d[j,r]/c[s,r] over w.",
		Refuses:    "users with task caps",
		New:        fixed(perMachine{}),
	})
}

// perMachine runs DRF on each server class apart: max-min of the dominant
// share of that server. A link is split equally among its servers beforehand,
// as in drf-eq, and its part counts as one more resource of the server. Its
// share is x/η.
//
// Task caps are refused where there is more than one server: the servers
// know nothing of each other.
//
// Deviations from the paper: links, which it does not have.
type perMachine struct{}

// Allocate implements [Policy].
func (perMachine) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	alpha, err := shares(env, "eq")
	if err != nil {
		return nil, err
	}
	n, width := len(env.Users), len(env.Servers)
	a := &cluster.Allocation{
		Region: env, Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n),
	}
	var solver solve.MaxMin
	closed := make([]int, n) // servers that cannot host a user
	for s := range env.Servers {
		one, err := server(env, alpha, s)
		if err != nil {
			return nil, err
		}
		part, err := oneServer(&solver, one, serverNorm(one))
		if err != nil {
			return nil, fmt.Errorf("server %s: %w", env.Servers[s].Name, err)
		}
		for j, x := range part.Tasks {
			a.X[j*width+s] = x
			a.Tasks[j] += x
		}
		for _, j := range part.Unservable {
			closed[j]++
		}
		a.Certificate.Primal = math.Max(a.Certificate.Primal, part.Certificate.Primal)
		a.Certificate.Gap = math.Max(a.Certificate.Gap, part.Certificate.Gap)
		a.Certificate.Rounds += part.Certificate.Rounds
		a.Certificate.Pivots += part.Certificate.Pivots
	}
	for j, servers := range closed {
		if servers == width {
			a.Unservable = append(a.Unservable, j)
		}
	}
	taskShares(a, env.Etas(nil))
	return a, nil
}

// serverNorm is w·N by user of a server alone, 0 for those that may not run there.
func serverNorm(one *cluster.Environment) []float64 {
	norm := dominant(one, true)
	for j := range norm {
		norm[j] *= one.Users[j].Weight
		if one.Users[j].Eligible != nil {
			norm[j] = 0
		}
	}
	return norm
}

// oneServer is the max-min allocation of a server alone.
func oneServer(solver *solve.MaxMin, one *cluster.Environment, norm []float64) (*cluster.Allocation, error) {
	solver.Load(one, norm)
	for j := range norm {
		solver.Add(j)
	}
	return solver.Solve()
}

// server returns the environment of server class s alone, with its parts of
// the links. A user that may not run there has an empty eligible set.
func server(env *cluster.Environment, alpha [][]float64, s int) (*cluster.Environment, error) {
	one := &cluster.Environment{
		Resources: env.Resources, Servers: env.Servers[s : s+1],
		Users: append([]cluster.User(nil), env.Users...),
	}
	var links []int
	for e := range env.Links {
		if env.Reaches(e, s) {
			links = append(links, e)
			one.Links = append(one.Links, cluster.Link{Name: env.Links[e].Name, Capacity: alpha[e][s] * env.Links[e].Capacity})
		}
	}
	for j := range one.Users {
		u := &one.Users[j]
		if !math.IsInf(u.Tasks, 1) && len(env.Servers) > 1 {
			return nil, &UnsupportedError{fmt.Sprintf("the servers allocate apart, and users[%d] (%s) has a task cap over all of them", j, u.Name)}
		}
		u.Demand, u.DemandOn, u.Eligible = env.Demand(j, s), nil, nil
		if !env.MayRun(j, s) {
			u.Eligible = cluster.NewSet(1)
		}
		u.LinkDemand = make([]float64, len(links))
		for i, e := range links {
			u.LinkDemand[i] = env.LinkDemand(j, e)
		}
	}
	return one, nil
}
