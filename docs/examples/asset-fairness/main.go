// Asset-fairness is leontief with one more rule. The page docs/your-rule.md goes
// through it.
package main

import (
	"fmt"
	"os"

	"github.com/leontief-sim/leontief/experiments/cli"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	policies.Register(policies.Meta{
		Name:   "asset-fairness",
		Title:  "Asset fairness: max-min of the sum of a user's shares of all resources",
		Paper:  "Ghodsi et al., Dominant Resource Fairness, NSDI 2011, section 4.1",
		Claims: claims,
		New: func(params policies.Params) (policies.Policy, error) {
			if err := params.Refuse(); err != nil {
				return nil, err
			}
			return policies.Egalitarian(assets), nil
		},
	})
}

// claims are the properties that the paper's table 2 gives the rule.
var claims = []policies.Claim{
	{Property: policies.EF, Holds: true}, {Property: policies.PO, Holds: true},
	{Property: policies.SP, Holds: true}, {Property: policies.SI, Holds: false},
}

// assets returns the tasks N[j] that would take all assets of the cluster if
// each resource, and each link, were worth the same in total:
//
//	N[j] = 1 / (Σ_r d[j,r]/Σ_s c[s,r] + Σ_e d[j,e]/c[e])
//
// Where tasks need something else on another server there is no such sum.
func assets(env *cluster.Environment) ([]float64, error) {
	if err := alike(env); err != nil {
		return nil, err
	}
	tasks := make([]float64, len(env.Users))
	for j, user := range env.Users {
		sum := 0.0
		for r, demand := range user.Demand {
			sum += share(demand, env.TotalCapacity(r))
		}
		for e, link := range env.Links {
			sum += share(env.LinkDemand(j, e), link.Capacity)
		}
		tasks[j] = 1 / sum
	}
	return tasks, nil
}

// alike returns an error unless a task needs the same on every server.
func alike(env *cluster.Environment) error {
	if cluster.Features(env)&cluster.DemandOn != 0 {
		return &policies.UnsupportedError{Reason: "asset fairness is defined for demands that are the same on every server"}
	}
	for e, link := range env.Links {
		for s := range env.Servers {
			if !env.Reaches(e, s) {
				return &policies.UnsupportedError{Reason: fmt.Sprintf("asset fairness is defined for links behind which all servers are, and %q is not behind link %q", env.Servers[s].Name, link.Name)}
			}
		}
	}
	return nil
}

// share is a task's part of a capacity; +Inf where there is none of it.
func share(demand, capacity float64) float64 {
	if demand == 0 {
		return 0
	}
	return demand / capacity
}

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
