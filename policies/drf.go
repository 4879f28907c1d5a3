package policies

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	Register(Meta{
		Name:   "drf",
		Label:  "DRF",
		Look:   Look{"vermillion", "dashed", "□"},
		Title:  "Dominant Resource Fairness, with all servers pooled into one",
		Paper:  "DRF (Ghodsi et al. 2011); TSF-ER, section 3.3",
		Claims: []Claim{{EF, true}, {PO, true}, {SP, true}, {SI, true}, {BF, true}, {SRF, true}, {PM, true}, {RM, false}},
		// The paper has one demand, all of it positive, and no task caps.
		Outside: map[Property]cluster.Feature{
			EF: cluster.DemandOn, PO: cluster.DemandOn, SP: cluster.DemandOn, SI: cluster.DemandOn,
			PM: cluster.DemandOn | cluster.ZeroDemands | cluster.LinkOnly | cluster.Caps,
		},
		Family:     FamilyEgalitarian,
		Definition: "The dominant share, max_r d[j,r]/Σ_s c[s,r] times x/w, is equalised, with all servers pooled into one. An idealisation: no real servers need admit it.",
		Refuses:    "links to some servers only, users that tell servers apart",
		New:        fixed(&progressive{normalize: normalizeDRFER, pools: true, exactly: statedDominant(true), unless: unlike}),
	})
}

// pool merges all servers into one called "pool". An allocation of several
// servers' pool is in general not feasible on the servers themselves, so it
// refers to the pool. Constraints, per-server demands and links over part of
// the servers mean nothing there and are refused; a single server is left as
// it is.
func pool(env *cluster.Environment) (region, error) {
	if len(env.Servers) == 1 {
		return region{env: env}, nil
	}
	for e := range env.Links {
		for s := range env.Servers {
			if !env.Reaches(e, s) {
				return region{}, &UnsupportedError{fmt.Sprintf("the servers are pooled into one, and link %s reaches only some of them", env.Links[e].Name)}
			}
		}
	}
	one := cluster.Server{Name: "pool", Count: 1, Capacity: make([]float64, len(env.Resources))}
	for r := range one.Capacity {
		one.Capacity[r] = env.TotalCapacity(r)
	}
	in := *env
	in.Servers = []cluster.Server{one}
	in.Links = append([]cluster.Link(nil), env.Links...)
	for e := range in.Links {
		in.Links[e].Servers = nil
	}
	for j := range env.Users {
		if u := &env.Users[j]; u.Eligible != nil || len(u.DemandOn) > 0 {
			return region{}, &UnsupportedError{fmt.Sprintf("the servers are pooled into one, and users[%d] (%s) tells them apart", j, u.Name)}
		}
	}
	return region{env: &in}, nil
}
