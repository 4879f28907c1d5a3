package policies

import (
	"fmt"
	"math"

	"github.com/leontief-sim/leontief/policies/psdsf"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	Register(Meta{
		Name:       "ps-dsf",
		Label:      "PS-DSF",
		Look:       Look{"vermillion", "dashed", "●"},
		Title:      "Per-server dominant-share fairness: a bottleneck for every user on every server",
		Paper:      "PS-DSF, section III",
		Claims:     []Claim{{SI, true}, {SP, true}, {EF, true}, {PO, true}, {BF, true}, {SRF, true}},
		Unbounded:  true,
		Family:     FamilyPerServer,
		Definition: "For every user n and server i where it may run there is a full resource r that n needs, at which x[n]/(w[n]·γ[n,i]) ≥ x[m]/(w[m]·γ[m,i]) for every m that holds some of it; γ[n,i]: what n runs on i alone.",
		Refuses:    "users that need links, users with task caps",
		New:        fixed(perServer{}),
	})
}

// perServer is PS-DSF: an allocation under which every user has a bottleneck
// resource on every eligible server, see [fair.Bottlenecks] for the definition
// and [psdsf.Solve] for what is known about it and how it is found. Its share is
// x/η.
//
// Weights, eligibility, demands that differ between servers, zero demands and
// zero capacities are part of the rule. Refused, with the reason, are
//
//   - links that somebody needs: they belong to no server, and the rule is
//     defined server by server;
//   - task caps where there is more than one server: a user at its cap needs no
//     bottleneck, and where it holds its tasks would be left open.
//
// References: Khamse-Ashari et al., "Per-Server Dominant-Share Fairness",
// Definition 2, Theorem 1, Algorithm I.
// Deviations: see [psdsf.Solve].
type perServer struct{}

// Allocate implements [Policy].
func (perServer) Allocate(env *cluster.Environment) (*cluster.Allocation, error) {
	if err := refuse(env); err != nil {
		return nil, err
	}
	result, err := psdsf.Solve(env)
	if err != nil {
		return nil, err
	}
	taskShares(result.Allocation, env.Etas(nil))
	return result.Allocation, nil
}

// refuse returns why the rule is not defined for env, or nil.
func refuse(env *cluster.Environment) error {
	for j := range env.Users {
		u := &env.Users[j]
		if !math.IsInf(u.Tasks, 1) && len(env.Servers) > 1 {
			return &UnsupportedError{fmt.Sprintf("it is defined server by server, and users[%d] (%s) has a task cap over all of them", j, u.Name)}
		}
	}
	for j := range env.Users {
		for e := range env.Links {
			if env.LinkDemand(j, e) > 0 {
				return &UnsupportedError{fmt.Sprintf("it is defined server by server, and users[%d] (%s) needs link %s, which belongs to none", j, env.Users[j].Name, env.Links[e].Name)}
			}
		}
	}
	return nil
}
