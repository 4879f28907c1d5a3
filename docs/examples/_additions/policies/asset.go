package policies

import "github.com/leontief-sim/leontief/sim/cluster"

func init() {
	Register(Meta{
		Name:       "asset",
		Label:      "Asset",
		Look:       Look{"grey", "dotted", "△"},
		Title:      "Asset fairness: max-min of the sum of a user's shares of all resources",
		Paper:      "Ghodsi et al., Dominant Resource Fairness, NSDI 2011, section 4.1",
		Claims:     []Claim{{EF, true}, {PO, true}, {SP, true}, {SI, false}},
		Family:     FamilyEgalitarian,
		Definition: "N[j] = 1 / Σ_r d[j,r]/c[r], c[r] being the capacity of all servers.",
		New: func(params Params) (Policy, error) {
			return Egalitarian(assets), params.Refuse()
		},
	})
}

// assets returns N[j], the tasks of j that would take all assets of the cluster if
// each resource were worth the same in total.
func assets(env *cluster.Environment) ([]float64, error) {
	if env.Links != nil || cluster.Features(env)&cluster.DemandOn != 0 {
		return nil, &UnsupportedError{Reason: "asset fairness is defined without links, for demands that are the same on every server"}
	}
	tasks := make([]float64, len(env.Users))
	for j, user := range env.Users {
		sum := 0.0
		for r, demand := range user.Demand {
			if demand > 0 {
				sum += demand / env.TotalCapacity(r)
			}
		}
		tasks[j] = 1 / sum
	}
	return tasks, nil
}
