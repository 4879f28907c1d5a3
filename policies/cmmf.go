package policies

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	for kind, look := range map[string]Look{"cpu": {"sky blue", "short dashes", "△"}, "mem": {"green", "dotted", "▼"}} {
		Register(Meta{
			Name:       "cmmf-" + kind,
			Label:      "CMMF-" + kind,
			Look:       look,
			Title:      fmt.Sprintf("Constrained max-min fairness of %s alone (Choosy)", kind),
			Paper:      "TSF, section VI",
			Family:     FamilyEgalitarian,
			Definition: fmt.Sprintf("N[j] = Σ_s c[s,%s]/d[j,%[1]s]: only %[1]s counts in the share.", kind),
			Refuses:    fmt.Sprintf("environments without a resource called %s", kind),
			New:        fixed(&progressive{normalize: single(kind), exactly: statedSingle(kind), unless: needed(kind)}),
		})
	}
}

// single returns N[j] = Σ_s c[s,r]/d[j,r] for one resource r, with the demand
// on each server. A user that needs none of it on some server that has what it
// needs can hold any number of tasks without a share; it is filled before the
// others.
func single(kind string) func(env *cluster.Environment) ([]float64, error) {
	return func(env *cluster.Environment) ([]float64, error) {
		r, err := resource(env, kind)
		if err != nil {
			return nil, err
		}
		norm := make([]float64, len(env.Users))
		for j := range norm {
			for s := range env.Servers {
				if d := env.Demand(j, s)[r]; d > 0 {
					norm[j] += env.Capacity(s, r) / d
				} else if hosts(env, j, s) {
					norm[j] = cluster.Inf
				}
			}
		}
		return norm, nil
	}
}
